"""What another machine is told: the cluster's flags, never one server's, and nothing secret."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from localplane.apiserver.server.flags import with_values
from localplane.cli.join import joining
from tests.unit.cli.command_lines import parse

SECRET = "the password itself"


def test_the_clusters_flags_come_back_as_they_were_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCTL_ETCD_PASSWORD", SECRET)
    line = (
        "--name here --port 7000 --data-dir d --etcd-servers https://a:1,https://127.0.0.1:2 --etcd-cafile ca.crt "
        "--etcd-user root --etcd-prefix /blue --service-cluster-ip-range 10.3.0.0/16 "
        "--service-account-issuer https://a --service-account-issuer https://b "
        "--enable-admission-plugins A,B --authorization-mode RBAC --tls-san mine"
    )
    told = joining(parse(line))
    again = parse(" ".join(told.words).replace("ADDRESS", "10.0.0.7"))
    assert again.storage.etcd_servers == ("https://a:1", "https://127.0.0.1:2")
    assert (again.storage.etcd_prefix, again.storage.etcd_user) == ("/blue", "root")
    assert again.cluster.service_cluster_ip_range == "10.3.0.0/16"
    assert tuple(again.cluster.enabled_admission_plugins) == ("A", "B")
    assert again.cluster.authorization.modes == ("RBAC",)
    assert again.cluster.service_accounts.issuers == ("https://a", "https://b")
    assert again.cluster.server.advertise_address == "10.0.0.7"
    assert (again.name, again.port, again.storage.data_dir, again.cluster.server.tls.names) == (
        "default",
        None,
        None,
        (),
    )
    assert told.files == ("ca.crt",)
    assert len(told.notes) == 2
    assert SECRET not in told.text()


def test_the_text_is_a_script() -> None:
    told = joining(
        with_values(parse("--etcd-servers https://a:1"), {("cluster", "storage", "etcd_keyfile"): Path("my key")})
    )
    *comments, command = told.text().splitlines()
    assert all(line.startswith("# ") for line in comments)
    assert shlex.split(command)[:6] == ["kctl", "up", "--etcd-servers", "https://a:1", "--etcd-keyfile", "my key"]
    assert Path(told.files[0]) == Path("my key")
