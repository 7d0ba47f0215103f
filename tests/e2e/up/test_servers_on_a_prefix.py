"""Servers on one prefix of an etcd cluster are one cluster, with one identity, whoever is killed and started again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path

from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from tests.e2e.up.machine import Machine, until
from tests.e2e.up.test_flags import running_cluster


def _token(here: Machine) -> str:
    done = here.kctl("create", "token", "default")
    assert done.code == 0, done.stderr
    return done.stdout.strip()


def _who(here: Machine, token: str) -> str:
    done = here.kctl("auth", "whoami", "-o", "json", "--token", token, "--kubeconfig", str(here.home / "bare"))
    return str(json.loads(done.stdout)["status"]["userInfo"]["username"]) if done.code == 0 else done.stderr


def _bare_kubeconfig(here: Machine, name: str = "default") -> None:
    """Without the administrator's certificate."""
    config = json.loads((Path(here.record(name)["kubeconfig"])).read_bytes())
    config["users"] = [{"name": config["users"][0]["name"], "user": {}}]
    (here.home / "bare").write_text(json.dumps(config))


def test_what_one_server_gave_out_is_good_on_another(here: Machine, etcd: str, tmp_path: Path) -> None:
    """A token, the administrator's certificate and token, and the authority: with the other one's address."""
    with running_cluster(etcd, tmp_path) as url:
        here.up("--etcd-servers", url)
        _bare_kubeconfig(here)
        token, config = _token(here), json.loads(Path(here.record()["kubeconfig"]).read_bytes())
        joining = json.loads(here.kctl("join", "--name", "default", "-o", "json").stdout)
        assert here.kctl("join").stdout.splitlines()[-1] == " ".join(joining["command"])
        assert joining["command"][:2] == ["kctl", "up"]
        flags = [word.replace("ADDRESS", "192.0.2.7") for word in joining["command"][2:]]
        here.up("--name", "two", *flags, "--ephemeral")
        config["clusters"][0]["cluster"]["server"] = here.record("two")["url"]
        (here.home / "there").write_text(json.dumps(config))
        whoami = here.kctl("auth", "whoami", "--kubeconfig", str(here.home / "there"))
        assert "kubernetes-admin" in whoami.stdout, whoami.stderr
        config["users"][0]["user"] = {"token": config["users"][0]["user"]["token"]}
        (here.home / "there").write_text(json.dumps(config))
        whoami = here.kctl("auth", "whoami", "--kubeconfig", str(here.home / "there"))
        assert "kubernetes-admin" in whoami.stdout, whoami.stderr
        _bare_kubeconfig(here, "two")
        assert _who(here, token) == "system:serviceaccount:default:default"

        assert here.kctl("join", "--name", "none").stderr == (
            'error: plane "none" is down: start it with --etcd-servers, or name another with --name\n'
        )
        assert here.kctl("join", "--output", "yaml").stderr == "error: --output must be 'json'\n"
        pid = here.status("default")["pids"]["server"]
        otherwise = ("--service-cluster-ip-range", "10.9.0.0/16")
        done = here.kctl("up", "--name", "three", "--port", "0", "--etcd-servers", url, "--ephemeral", *otherwise)
        assert (done.code, done.stdout) == (1, "")
        assert done.stderr.startswith("error: the servers of this cluster must agree, and process ")
        assert done.stderr.endswith(
            " runs with --service-cluster-ip-range 10.0.0.0/24, and here 10.9.0.0/16: start this one with the same, or "
            "stop all others first\n"
        )
        assert done.stderr.count("\n") == 1
        assert here.status("default")["pids"]["server"] == pid


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


def test_who_acts_holds_a_lease_with_the_durations_that_were_told(here: Machine, etcd: str, tmp_path: Path) -> None:
    durations = (
        "--leader-elect-lease-duration=6s",
        "--leader-elect-renew-deadline=4s",
        "--leader-elect-retry-period=300ms",
    )
    lease = ("get", "lease", "kube-controller-manager", "-n", "kube-system", "-o", "jsonpath={.spec}")
    with running_cluster(etcd, tmp_path) as url:
        refused = here.kctl("up", "--etcd-servers", url, "--leader-elect-renew-deadline=15s")
        assert refused.code == 1
        assert "leaseDuration must be greater than renewDeadline" in refused.stderr
        here.up("--etcd-servers", url, "--leader-elect", *durations)
        until(lambda: '"holderIdentity"' in here.kctl(*lease).stdout)
        said = json.loads(here.kctl(*lease).stdout)
        assert said["leaseDurationSeconds"] == 6
        until(lambda: json.loads(here.kctl(*lease).stdout)["renewTime"] != said["renewTime"])
        here.kctl("down")
        here.up("--name", "all", "--etcd-servers", url, "--etcd-prefix", "/all", "--no-leader-elect")
        until(lambda: here.kctl("get", "serviceaccount", "default", "-n", "kube-public").code == 0)
        assert here.kctl(*lease).code == 1


def test_keys_are_the_clusters_wherever_they_were_told_to_be(here: Machine, etcd: str, tmp_path: Path) -> None:
    """A server that begins with nothing has them from the cluster, so what another one gave out is good there."""
    with running_cluster(etcd, tmp_path) as url:
        here.up("--etcd-servers", url, "--data-dir", "keys")
        kept = here.home / "keys" / "pki"
        assert not (here.home / "keys" / "etcd").exists()
        _bare_kubeconfig(here)
        token, port = _token(here), here.record()["url"].rpartition(":")[2]
        elsewhere = tmp_path / "kubeconfig"
        elsewhere.write_bytes(Path(here.record()["kubeconfig"]).read_bytes())
        here.kctl("down")
        here.up("--etcd-servers", url, "--ephemeral", "--port", port)
        temporary = Path(here.record()["data_dir"])
        for name in ("sa.key", "ca.crt", "ca.key", "front-proxy-ca.crt", "admin.token"):
            assert (temporary / "pki" / name).read_bytes() == (kept / name).read_bytes()
        assert (temporary / "pki" / "server.key").read_bytes() != (kept / "server.key").read_bytes()
        assert _who(here, token) == "system:serviceaccount:default:default"
        whoami = here.kctl("auth", "whoami", "--kubeconfig", str(elsewhere))
        assert "kubernetes-admin" in whoami.stdout, whoami.stderr
        here.kctl("down")
        assert not temporary.exists()


def test_objects_of_another_control_plane_are_left_alone_or_taken_over(
    here: Machine, etcd: str, tmp_path: Path
) -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "theirs", "namespace": "default"}}

    async def store(url: str) -> None:
        client = EtcdClient([url])
        await EtcdBackend(client, exclusive=False).put(
            "/theirs/configmaps/default/theirs", json.dumps(config_map).encode(), expected=0
        )
        await client.close()

    with running_cluster(etcd, tmp_path) as url:
        asyncio.run(store(url))
        flags = ("--etcd-servers", url, "--etcd-prefix", "/theirs", "--ephemeral")
        done = here.kctl("up", "--port", "0", *flags)
        assert (done.code, done.stdout) == (1, "")
        assert done.stderr.startswith("error: the prefix /theirs of this etcd cluster has objects, but no identity of")
        assert done.stderr.endswith(" or take them over with --adopt-objects once nobody else serves them\n")
        assert done.stderr.count("\n") == 1
        here.up(*flags, "--adopt-objects")
        assert here.kctl("get", "cm", "theirs", "-o", "name").stdout == "configmap/theirs\n"
