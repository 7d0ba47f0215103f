"""Every flag arrives. `kctl up` and `localplane` read the same ones."""

from __future__ import annotations

from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from localplane.apiserver.server.flags import flags_of, with_values
from localplane.cli.context import SwitchContext
from localplane.cli.flags import command
from localplane.cli.options import UpOptions
from localplane.compose.options import Retention, StorageKind
from tests.unit.cli.command_lines import parse

FLAGS: list[tuple[str, dict[str, Any]]] = [
    ("--name a", {"name": "a"}),
    ("--port 7000", {"port": 7000}),
    ("--port 0", {"port": 0}),
    ("--bind-address ::1", {"cluster.server.addresses": ("::1",)}),
    ("--allow-remote", {"cluster.server.allow_remote": True}),
    ("--advertise-address 10.1.2.3", {"cluster.server.advertise_address": "10.1.2.3"}),
    ("--tls-cert-file c", {"cluster.server.tls.certificate": Path("c")}),
    ("--tls-private-key-file k", {"cluster.server.tls.key": Path("k")}),
    ("--client-ca-file c", {"cluster.server.tls.client_ca": Path("c")}),
    ("--tls-san a --tls-san 10.1.2.3", {"cluster.server.tls.names": ("a", "10.1.2.3")}),
    ("--token-auth-file t", {"cluster.server.authentication.token_file": Path("t")}),
    (
        "--authentication-token-webhook-config-file w",
        {"cluster.server.authentication.webhook.config": Path("w")},
    ),
    ("--oidc-issuer-url https://a", {"cluster.server.authentication.oidc.issuer_url": "https://a"}),
    ("--oidc-client-id a", {"cluster.server.authentication.oidc.client_id": "a"}),
    ("--oidc-ca-file c", {"cluster.server.authentication.oidc.ca_file": Path("c")}),
    ("--oidc-username-claim a", {"cluster.server.authentication.oidc.username_claim": "a"}),
    ("--oidc-username-prefix a", {"cluster.server.authentication.oidc.username_prefix": "a"}),
    ("--oidc-groups-claim a", {"cluster.server.authentication.oidc.groups_claim": "a"}),
    ("--oidc-groups-prefix a", {"cluster.server.authentication.oidc.groups_prefix": "a"}),
    ("--audit-policy-file p", {"cluster.server.audit.policy": Path("p")}),
    ("--audit-log-path l", {"cluster.server.audit.log": Path("l")}),
    ("--audit-log-format legacy", {"cluster.server.audit.log_format": "legacy"}),
    ("--audit-log-maxage 7", {"cluster.server.audit.log_max_age": 7}),
    ("--audit-log-maxbackup 7", {"cluster.server.audit.log_max_backups": 7}),
    ("--audit-log-maxsize 7", {"cluster.server.audit.log_max_megabytes": 7}),
    ("--max-requests-inflight 7", {"cluster.server.max_requests_in_flight": 7}),
    ("--max-mutating-requests-inflight 7", {"cluster.server.max_mutating_requests_in_flight": 7}),
    ("--shutdown-delay-duration 1m", {"cluster.server.shutdown_delay": timedelta(minutes=1)}),
    ("--authorization-mode RBAC,Webhook", {"cluster.authorization.modes": ("RBAC", "Webhook")}),
    ("--authorization-webhook-config-file w", {"cluster.authorization.webhook_config": Path("w")}),
    ("--service-account-signing-key-file k", {"cluster.service_accounts.signing_key": Path("k")}),
    (
        "--service-account-key-file k --service-account-key-file l",
        {"cluster.service_accounts.key_files": (Path("k"), Path("l"))},
    ),
    (
        "--service-account-issuer https://a --service-account-issuer https://b",
        {"cluster.service_accounts.issuers": ("https://a", "https://b")},
    ),
    ("--api-audiences a,b", {"cluster.service_accounts.audiences": ("a", "b")}),
    ("--service-cluster-ip-range 10.9.0.0/16", {"cluster.service_cluster_ip_range": "10.9.0.0/16"}),
    ("--storage memory", {"cluster.storage.kind": StorageKind.MEMORY}),
    ("--data-dir d", {"cluster.storage.data_dir": Path("d")}),
    ("--ephemeral", {"ephemeral": True}),
    ("--etcd e", {"cluster.storage.etcd_path": Path("e")}),
    ("--allow-unsafe-etcd", {"cluster.storage.allow_unsafe_etcd": True}),
    ("--etcd-servers https://a,https://b", {"cluster.storage.etcd_servers": ("https://a", "https://b")}),
    ("--etcd-cafile c", {"cluster.storage.etcd_cafile": Path("c")}),
    ("--etcd-certfile c", {"cluster.storage.etcd_certfile": Path("c")}),
    ("--etcd-keyfile c", {"cluster.storage.etcd_keyfile": Path("c")}),
    ("--etcd-user u", {"cluster.storage.etcd_user": "u"}),
    ("--etcd-password-file p", {"cluster.storage.etcd_password_file": Path("p")}),
    ("--etcd-prefix x/", {"cluster.storage.etcd_prefix": "/x"}),
    ("--encryption-provider-config e", {"cluster.storage.encryption": Path("e")}),
    ("--adopt-objects", {"cluster.storage.adopts_objects": True}),
    ("--etcd-quota-backend-bytes 16Gi", {"cluster.storage.etcd_quota_bytes": 16 << 30}),
    ("--etcd-quota-backend-bytes 5000000", {"cluster.storage.etcd_quota_bytes": 5_000_000}),
    ("--accept-data-loss", {"cluster.storage.accept_data_loss": True}),
    ("-f a -f b", {"filenames": ("a", "b")}),
    ("--filename a", {"filenames": ("a",)}),
    ("--watch", {"watch": True}),
    ("--crds c --crds d", {"crds": (Path("c"), Path("d"))}),
    ("--history 1h", {"cluster.storage.history": Retention(1 << 40, timedelta(hours=1))}),
    ("--history 100MB", {"cluster.storage.history": Retention(100_000_000)}),
    ("--history 1Gi", {"cluster.storage.history": Retention(1 << 30)}),
    ("--from before", {"begin_from": "before"}),
    ("--controllers *,-namespace-controller", {"cluster.controllers": ("*", "-namespace-controller")}),
    ("--controllers=-a --controllers b", {"cluster.controllers": ("-a", "b")}),
    ("--enable-admission-plugins A,B", {"cluster.enabled_admission_plugins": ("A", "B")}),
    ("--disable-admission-plugins A,B", {"cluster.disabled_admission_plugins": ("A", "B")}),
    ("--nodes 3", {"cluster.nodes": 3}),
    ("--seed 7", {"cluster.seed": 7}),
    ("--no-leader-elect", {"cluster.leader_election.enabled": False}),
    ("--leader-elect", {"cluster.leader_election.enabled": True}),
    ("--leader-elect-lease-duration 1m", {"cluster.leader_election.lease_duration": timedelta(minutes=1)}),
    ("--leader-elect-renew-deadline 12s", {"cluster.leader_election.renew_deadline": timedelta(seconds=12)}),
    ("--leader-elect-retry-period 1500ms", {"cluster.leader_election.retry_period": timedelta(seconds=1.5)}),
    ("--own-clock", {"cluster.own_clock": True}),
    ("-d", {"detach": True}),
    ("--detach", {"detach": True}),
    ("--no-wait", {"wait": False}),
    ("--wait", {"wait": True}),
    ("--timeout 1m30s", {"timeout": timedelta(seconds=90)}),
    ("--kubeconfig k", {"kubeconfig": Path("k")}),
    ("--switch-context always", {"switch_context": SwitchContext.ALWAYS}),
    ("--switch-context=never", {"switch_context": SwitchContext.NEVER}),
    ("--no-switch-context", {"no_switch_context": True}),
    ("--log-file l", {"log_file": Path("l")}),
    ("-v", {"verbose": True}),
    ("--verbose", {"verbose": True}),
]


@pytest.mark.parametrize(("line", "expected"), FLAGS, ids=[line for line, _ in FLAGS])
def test_every_flag_arrives(line: str, expected: dict[str, Any]) -> None:
    values = {tuple(path.split(".")): value for path, value in expected.items()}
    assert parse(line) == with_values(UpOptions(), values)


def test_every_flag_is_in_this_table() -> None:
    told = {path for _, expected in FLAGS for path in expected}
    assert {".".join(declared.path) for declared in flags_of(UpOptions)} == told


def test_no_option_of_the_command_itself_is_without_a_flag() -> None:
    flagged = {declared.path[0] for declared in flags_of(UpOptions)}
    assert {field.name for field in fields(UpOptions)} - flagged == {"merge_context", "command"}


def test_the_exit_code_is_what_the_start_returned() -> None:
    app = typer.Typer()
    app.command()(command(UpOptions, lambda _: 3))
    assert CliRunner().invoke(app, []).exit_code == 3
