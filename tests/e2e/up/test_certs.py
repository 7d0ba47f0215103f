"""`kctl certs`: until when certificates are good, and a renewal that locks nobody out."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from tests.e2e.up.machine import Machine


def _who(here: Machine, config: dict[str, Any], **user: str) -> str:
    """Whom the plane takes somebody for who has this kubeconfig; or, without a word from it, nobody."""
    document = {**config, "users": [{"name": config["users"][0]["name"], "user": user}]} if user else config
    (here.home / "kept").write_text(json.dumps(document))
    done = here.kctl("auth", "whoami", "-o", "json", "--kubeconfig", str(here.home / "kept"))
    return str(json.loads(done.stdout)["status"]["userInfo"]["username"]) if done.code == 0 else ""


def _config(here: Machine) -> dict[str, Any]:
    config: dict[str, Any] = json.loads(Path(here.status()["kubeconfig"]).read_bytes())
    return config


def _authorities(config: dict[str, Any]) -> int:
    bundle = base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"])
    return bundle.count(b"BEGIN CERTIFICATE")


def test_a_renewal_locks_nobody_out_until_what_was_before_is_retired(here: Machine) -> None:
    assert here.kctl("certs").stderr == 'error: plane "default" has no keys yet: it was never up, or kept nothing\n'
    port = ("--storage", "sqlite", "--data-dir", "data")
    here.up(*port)
    lines = here.kctl("certs").stdout.splitlines()
    assert lines[0].split() == ["FILE", "UNTIL", "SIGNED", "BY", "USE"]
    assert [line.split()[0] for line in lines[1:]] == [
        "ca.crt",
        "server.crt",
        "admin.crt",
        "front-proxy-ca.crt",
        "front-proxy-client.crt",
    ]
    assert " itself " in lines[1]
    assert "(in 364 days)" in lines[2]
    shown = json.loads(here.kctl("certs", "show", "--name", "default", "-o", "json").stdout)["certificates"]
    assert (shown[0]["file"], shown[1]["signedBy"]) == ("ca.crt", shown[0]["subject"])
    assert here.kctl("certs", "show", "--output", "yaml").stderr == "error: --output must be 'json'\n"
    before = _config(here)
    url = before["clusters"][0]["cluster"]["server"]
    token = here.kctl("create", "token", "default").stdout.strip()
    assert here.kctl("certs", "retire").stderr == (
        "error: there are no previous keys: renew them first, with `kctl certs renew`\n"
    )

    renewed = here.kctl("certs", "renew", "--timeout", "5m")
    assert renewed.stdout == ("default has new keys; the previous ones are believed until `kctl certs retire`.\n"), (
        renewed.stderr
    )
    during = _config(here)
    assert during["clusters"][0]["cluster"]["server"] == url
    assert (_authorities(before), _authorities(during)) == (1, 2)
    for config in (before, during):
        assert _who(here, config) == "kubernetes-admin"
        assert _who(here, config, token=config["users"][0]["user"]["token"]) == "kubernetes-admin"
        assert _who(here, config, token=token) == "system:serviceaccount:default:default"
    root = here.kctl("get", "cm", "kube-root-ca.crt", "-n", "default", "-o", "jsonpath={.data}").stdout
    assert root.count("BEGIN CERTIFICATE") == 2
    assert "previous/ca.crt" in here.kctl("certs").stdout
    assert here.kctl("certs", "renew").stderr.endswith("retire those first, with `kctl certs retire`\n")
    here.kctl("down")

    retired = here.kctl("certs", "retire", "--name", "default", "--data-dir", "data")
    assert retired.stdout == "default believes its present keys alone.\n", retired.stderr
    here.up(*port, "--port", url.rpartition(":")[2])
    assert _who(here, during) == "kubernetes-admin"
    assert _who(here, before) == ""
    assert _who(here, during, token=token) == ""
    assert _authorities(_config(here)) == 1
    assert here.kctl("certs", "show", "--data-dir", "data").stderr == (
        "error: --data-dir is for a plane that is down, and default is up\n"
    )
    here.kctl("down")
    down = here.kctl("certs", "renew", "--data-dir", "data")
    assert down.stdout == (
        "default has new keys, from its next start on; the previous ones are believed until `kctl certs retire`.\n"
    )


def test_keys_of_a_plane_that_keeps_nothing_are_not_renewed(here: Machine) -> None:
    here.up("--storage", "memory")
    assert here.kctl("certs", "renew").stderr == (
        'error: plane "default" keeps nothing, so it has new keys whenever it is started\n'
    )
    assert here.status()["state"] == "up"
    assert here.kctl("join").stderr == (
        'error: plane "default" keeps its data in a store of its own, which is for one server: servers join where '
        "there is an etcd cluster, with `kctl up --etcd-servers`\n"
    )
