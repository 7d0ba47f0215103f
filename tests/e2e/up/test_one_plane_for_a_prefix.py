"""A prefix of an etcd cluster is for one control plane, which keeps its keys and may be killed and started again."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

from tests.e2e.up.machine import Machine, until
from tests.e2e.up.test_flags import running_cluster


def _token(here: Machine) -> str:
    done = here.kctl("create", "token", "default")
    assert done.code == 0, done.stderr
    return done.stdout.strip()


def _who(here: Machine, token: str) -> str:
    done = here.kctl("auth", "whoami", "-o", "json", "--token", token, "--kubeconfig", str(here.home / "bare"))
    return str(json.loads(done.stdout)["status"]["userInfo"]["username"]) if done.code == 0 else done.stderr


def _bare_kubeconfig(here: Machine) -> None:
    """Without the administrator's certificate."""
    config = json.loads((Path(here.record()["kubeconfig"])).read_bytes())
    config["users"] = [{"name": config["users"][0]["name"], "user": {}}]
    (here.home / "bare").write_text(json.dumps(config))


def test_a_second_plane_on_a_prefix_is_refused_in_one_sentence(here: Machine, etcd: str, tmp_path: Path) -> None:
    with running_cluster(etcd, tmp_path) as url:
        here.up("--etcd-servers", url)
        pid = here.status()["pids"]["server"]
        for how in (["--ephemeral"], ["--data-dir", "elsewhere"], []):
            done = here.kctl("up", "--name", "two", "--port", "0", "--etcd-servers", url, *how)
            assert (done.code, done.stdout) == (1, "")
            said = (
                f"error: the prefix /registry of this etcd cluster belongs to another control plane (process {pid} on "
            )
            assert done.stderr.startswith(said)
            assert done.stderr.count("\n") == 1
        here.up("--name", "two", "--etcd-servers", url, "--etcd-prefix", "/other", "--ephemeral")
        assert here.status("two")["state"] == "up"
        here.kctl("down")
        here.up("--name", "three", "--etcd-servers", url)


def test_keys_and_tokens_outlive_a_kill_and_the_restart_does_not_wait(here: Machine, etcd: str, tmp_path: Path) -> None:
    with running_cluster(etcd, tmp_path) as url:
        here.up("--etcd-servers", url)
        _bare_kubeconfig(here)
        token, authority = _token(here), (here.state / "default" / "pki" / "ca.crt").read_bytes()
        os.kill(here.status()["pids"]["server"], signal.SIGKILL)
        until(lambda: here.status()["state"] == "killed")
        began = time.monotonic()
        here.up("--etcd-servers", url)
        assert time.monotonic() - began < 60
        assert (here.state / "default" / "pki" / "ca.crt").read_bytes() == authority
        _bare_kubeconfig(here)
        assert _who(here, token) == "system:serviceaccount:default:default"
        assert "its claim ends" not in here.kctl("status", "--logs").stdout


def test_keys_are_where_they_were_told_or_gone_at_the_end(here: Machine, etcd: str, tmp_path: Path) -> None:
    with running_cluster(etcd, tmp_path) as url:
        here.up("--etcd-servers", url, "--data-dir", "keys")
        assert (here.home / "keys" / "pki" / "sa.key").exists()
        assert not (here.home / "keys" / "etcd").exists()
        here.kctl("down")
        here.up("--etcd-servers", url, "--ephemeral")
        temporary = Path(here.record()["data_dir"])
        assert (temporary / "pki" / "sa.key").exists()
        here.kctl("down")
        assert not temporary.exists()
