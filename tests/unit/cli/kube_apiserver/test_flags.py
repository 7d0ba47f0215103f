"""kube-apiserver's flags arrive where they belong, and none is passed over in silence."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from localplane.apiserver.server.flags import with_values
from localplane.cli.kube_apiserver.command_line import UsageError, parse
from localplane.cli.kube_apiserver.flags import read_flags, usage
from localplane.cli.kube_apiserver.program import main
from localplane.cli.kube_apiserver.translation import _DEFAULTS, _TO, Refused, Translation, translated
from localplane.compose.options import AuthorizationMode, ClusterOptions

ROOT = Path(__file__).parents[4]
FLAGS = read_flags()
USUAL = ["--etcd-servers=http://127.0.0.1:1", "--authorization-mode=RBAC", "--allow-privileged"]
SILENT = {"help", "version", "v", "allow-privileged", "feature-gates", "runtime-config", "cert-dir"}

ARRIVE: list[tuple[str, dict[str, Any]]] = [
    ("--advertise-address=10.1.2.3", {"server.advertise_address": "10.1.2.3"}),
    ("--anonymous-auth=false", {"server.authentication.anonymous": False}),
    ("--api-audiences=a,b --api-audiences=c", {"service_accounts.audiences": ("a", "b", "c")}),
    ("--audit-log-format=legacy", {"server.audit.log_format": "legacy"}),
    ("--audit-log-maxage=3", {"server.audit.log_max_age": 3}),
    ("--audit-log-maxbackup=4", {"server.audit.log_max_backups": 4}),
    ("--audit-log-maxsize=5", {"server.audit.log_max_megabytes": 5}),
    (
        "--audit-log-path=- --audit-policy-file=FILE",
        {"server.audit.log": Path("-"), "server.audit.policy": Path("FILE")},
    ),
    ("--authentication-token-webhook-cache-ttl=3s", {"server.authentication.webhook.remembered": timedelta(seconds=3)}),
    ("--authentication-token-webhook-config-file FILE", {"server.authentication.webhook.config": Path("FILE")}),
    ("--authentication-token-webhook-version v1", {"server.authentication.webhook.version": "v1"}),
    ("--authorization-mode Node,RBAC", {"authorization.modes": (AuthorizationMode.NODE, AuthorizationMode.RBAC)}),
    ("--authorization-webhook-cache-authorized-ttl=1s", {"authorization.authorized_remembered": timedelta(seconds=1)}),
    (
        "--authorization-webhook-cache-unauthorized-ttl=1s",
        {"authorization.unauthorized_remembered": timedelta(seconds=1)},
    ),
    (
        "--authorization-mode=Webhook --authorization-webhook-config-file=FILE",
        {"authorization.modes": (AuthorizationMode.WEBHOOK,), "authorization.webhook_config": Path("FILE")},
    ),
    ("--authorization-webhook-version=v1", {"authorization.webhook_version": "v1"}),
    ("--bind-address=::1", {"server.addresses": ("::1",)}),
    ("--client_ca_file=FILE", {"server.tls.client_ca": Path("FILE")}),
    ("--disable-admission-plugins=", {"disabled_admission_plugins": ("NodeRestriction",)}),
    (
        "--disable-admission-plugins=A,B --disable-admission-plugins=C",
        {"disabled_admission_plugins": ("A", "B", "C", "NodeRestriction")},
    ),
    (
        "--enable-admission-plugins=A,NodeRestriction",
        {"enabled_admission_plugins": ("A", "NodeRestriction"), "disabled_admission_plugins": ()},
    ),
    ("--encryption-provider-config=FILE", {"storage.encryption": Path("FILE")}),
    ("--etcd-cafile=FILE", {"storage.etcd_cafile": Path("FILE")}),
    ("--etcd-certfile=FILE", {"storage.etcd_certfile": Path("FILE")}),
    ("--etcd-compaction-interval=1m", {"storage.compaction_interval": timedelta(minutes=1)}),
    ("--etcd-keyfile=FILE", {"storage.etcd_keyfile": Path("FILE")}),
    ("--etcd-prefix=a", {"storage.etcd_prefix": "/a"}),
    ("--etcd-servers=https://a:1,https://b:2", {"storage.etcd_servers": ("https://a:1", "https://b:2")}),
    ("--max-mutating-requests-inflight=0", {"server.max_mutating_requests_in_flight": 0}),
    ("--max-requests-inflight=0x10", {"server.max_requests_in_flight": 16}),
    ("--oidc-ca-file=FILE", {"server.authentication.oidc.ca_file": Path("FILE")}),
    ("--oidc-client-id=c", {"server.authentication.oidc.client_id": "c"}),
    ("--oidc-groups-claim=c", {"server.authentication.oidc.groups_claim": "c"}),
    ("--oidc-groups-prefix=c", {"server.authentication.oidc.groups_prefix": "c"}),
    ("--oidc-issuer-url=https://c", {"server.authentication.oidc.issuer_url": "https://c"}),
    (
        "--oidc-required-claim=a=b --oidc-required-claim=c=d",
        {"server.authentication.oidc.required_claims": (("a", "b"), ("c", "d"))},
    ),
    ("--oidc-signing-algs=RS256,ES256", {"server.authentication.oidc.signing_algorithms": ("RS256", "ES256")}),
    ("--oidc-username-claim=c", {"server.authentication.oidc.username_claim": "c"}),
    ("--oidc-username-prefix=c", {"server.authentication.oidc.username_prefix": "c"}),
    ("--request-timeout=5s", {"server.request_timeout": timedelta(seconds=5)}),
    ("--requestheader-allowed-names=a", {"server.authentication.request_header.allowed_names": ("a",)}),
    ("--requestheader-client-ca-file=FILE", {"server.authentication.request_header.client_ca": Path("FILE")}),
    (
        "--requestheader-extra-headers-prefix=X-E-",
        {"server.authentication.request_header.extra_header_prefixes": ("X-E-",)},
    ),
    ("--requestheader-group-headers=X-G", {"server.authentication.request_header.group_headers": ("X-G",)}),
    ("--requestheader-uid-headers=X-I", {"server.authentication.request_header.uid_headers": ("X-I",)}),
    ("--requestheader-username-headers=X-U", {"server.authentication.request_header.username_headers": ("X-U",)}),
    ("--secure-port=7000", {"server.port": 7000}),
    (
        "--service-account-issuer=https://a --service-account-issuer=https://b",
        {"service_accounts.issuers": ("https://a", "https://b")},
    ),
    ("--service-account-jwks-uri=https://a", {"service_accounts.jwks_uri": "https://a"}),
    (
        "--service-account-key-file=FILE --service-account-key-file=FILE",
        {"service_accounts.key_files": (Path("FILE"), Path("FILE"))},
    ),
    ("--service-account-max-token-expiration=2h", {"service_accounts.longest_token": timedelta(hours=2)}),
    ("--service-account-signing-key-file=FILE", {"service_accounts.signing_key": Path("FILE")}),
    ("--service-cluster-ip-range=10.9.0.0/16", {"service_cluster_ip_range": "10.9.0.0/16"}),
    ("--service-node-port-range=100-200", {"service_node_ports": range(100, 201)}),
    ("--shutdown-delay-duration=1s", {"server.shutdown_delay": timedelta(seconds=1)}),
    (
        "--tls-cert-file=FILE --tls-private-key-file=FILE",
        {"server.tls.certificate": Path("FILE"), "server.tls.key": Path("FILE")},
    ),
    ("--token-auth-file=FILE", {"server.authentication.token_file": Path("FILE")}),
]


def translate(*arguments: str) -> Translation:
    return translated(parse([*USUAL, *arguments], FLAGS), FLAGS)


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "FILE").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("line", "expected"), ARRIVE, ids=[line for line, _ in ARRIVE])
def test_every_flag_arrives(line: str, expected: dict[str, Any]) -> None:
    arguments = line.split()
    usual = [word for word in USUAL if word.partition("=")[0] not in {word.partition("=")[0] for word in arguments}]
    usual = [word for word in usual if not ("authorization-mode" in word and "--authorization-mode" in arguments)]
    defaults = {
        **_DEFAULTS,
        "storage.etcd_servers": ("http://127.0.0.1:1",),
        "authorization.modes": (AuthorizationMode.RBAC,),
        "disabled_admission_plugins": ("NodeRestriction",),
    }
    values = {tuple(path.split(".")): value for path, value in {**defaults, **expected}.items()}
    translation = translated(parse([*usual, *arguments], FLAGS), FLAGS)
    assert translation.options == with_values(ClusterOptions(), values)
    assert translation.notes == []


def test_every_flag_with_an_effect_is_in_this_table() -> None:
    told = {match[1].replace("_", "-") for line, _ in ARRIVE for match in re.finditer(r"--([\w-]+)", line)}
    with_effect = {flag.name for flag in FLAGS.values() if flag.has_effect and not flag.is_refused}
    assert with_effect - SILENT == told
    assert told == set(_TO)


def test_what_has_no_effect_is_said_and_what_is_not_kept_is_refused() -> None:
    for flag in FLAGS.values():
        if not flag.has_effect:
            [note] = translate(f"--{flag.name}={'true' if not flag.needs_value else '1'}").notes
            assert note == f"--{flag.name} has no effect: {flag.text}"
        elif flag.is_refused:
            with pytest.raises(Refused, match=f"--{flag.name} is not supported by this server: "):
                translate(f"--{flag.name}={'true' if not flag.needs_value else '1'}")


def test_a_log_without_a_policy_has_no_effect() -> None:
    translation = translate("--audit-log-path=log")
    assert translation.notes == ["--audit-log-path has no effect: without --audit-policy-file no events are recorded"]
    assert translation.options.server.audit.log is None


def test_the_default_mode_lets_everybody_do_everything_but_nobody_unknown() -> None:
    translation = translated(parse(["--etcd-servers=http://a:1"], FLAGS), FLAGS)
    assert translation.options.authorization.modes == (AuthorizationMode.ALWAYS_ALLOW,)
    assert not translation.options.server.authentication.anonymous
    assert translation.notes == [
        "--allow-privileged is not set: pods may have privileged containers all the same",
        "--anonymous-auth is switched off, because everything is allowed: --authorization-mode",
    ]


def test_nothing_runs_beside_the_server() -> None:
    options = translate().options
    assert (tuple(options.controllers), options.simulated_nodes, options.server.addresses) == (
        ("none",),
        0,
        ("127.0.0.1",),
    )


def test_a_certificate_directory_is_used_or_filled(directory: Path) -> None:
    assert translate("--cert-dir=d").certificates == Path("d")
    for name in ("apiserver.crt", "apiserver.key"):
        (directory / name).touch()
    found = translate(f"--cert-dir={directory}")
    assert found.certificates is None
    assert found.options.server.tls.certificate == directory / "apiserver.crt"


def test_verbosity_is_a_number_behind_one_dash_or_two() -> None:
    assert [translate(*words).verbosity for words in (["-v", "4"], ["-v=3"], ["--v=2"], ["-v5"])] == [4, 3, 2, 5]


REFUSED = [
    ("--x", "unknown flag: --x"),
    ("--insecure-port=0", "unknown flag: --insecure-port"),
    ("-x", "unknown shorthand flag: 'x' in -x"),
    ("--=x", "bad flag syntax: --=x"),
    ("--etcd-prefix", "flag needs an argument: --etcd-prefix"),
    ("pods", '"kube-apiserver" does not take any arguments, got ["pods"]'),
    (
        "--secure-port=x",
        'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
    ),
    (
        "--anonymous-auth=maybe",
        'invalid argument "maybe" for "--anonymous-auth" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ),
    ("--bind-address=here", 'invalid argument "here" for "--bind-address" flag: failed to parse IP: "here"'),
    (
        "--feature-gates=Nope=true",
        'invalid argument "Nope=true" for "--feature-gates" flag: unrecognized feature gate: Nope',
    ),
    (
        "--feature-gates=NodeSwap=false",
        (
            'invalid argument "NodeSwap=false" for "--feature-gates" flag: cannot set feature gate NodeSwap to false, '
            "feature is locked to true"
        ),
    ),
]


@pytest.mark.parametrize(("argument", "sentence"), REFUSED, ids=[argument for argument, _ in REFUSED])
def test_what_can_t_be_read_is_told_in_pflag_s_words(
    argument: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError) as raised:
        translate(argument)
    assert str(raised.value) == sentence
    assert main([*USUAL, argument]) == 1
    assert capsys.readouterr() == ("", f"Error: {sentence}\nSee 'kube-apiserver --help' for usage.\n")


IMPOSSIBLE = [
    ("--secure-port=0", "--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0"),
    ("--authorization-mode=Nope", 'authorization-mode "Nope" is not a valid mode'),
    ("--authorization-mode=ABAC", 'authorization-mode "ABAC" is not supported by this server'),
    ("--authorization-mode=RBAC", 'authorization-mode ["RBAC" "RBAC"] has mode specified more than once'),
    ("--client-ca-file=nope", "--client-ca-file: open nope: no such file or directory"),
    ("--tls-cert-file=FILE", "--tls-cert-file and --tls-private-key-file must be specified together"),
    ("--service-cluster-ip-range=ten", 'service-cluster-ip-range "ten" is not a valid cidr'),
    ("--runtime-config=nope.example.com/v1=true", "--runtime-config: unknown api groups nope.example.com/v1"),
    ("--runtime-config=apps/v9=false", "--runtime-config: group version apps/v9 that has not been registered"),
    ("--audit-log-format=xml", 'invalid audit log format xml, allowed formats are "legacy,json"'),
    ("--max-requests-inflight=-1", "--max-requests-inflight can not be negative value"),
]


@pytest.mark.parametrize(("argument", "sentence"), IMPOSSIBLE, ids=[argument for argument, _ in IMPOSSIBLE])
def test_what_can_t_be_had_is_one_sentence(argument: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*USUAL, argument]) == 1
    stdout, stderr = capsys.readouterr()
    assert (stdout, stderr.count("\n")) == ("", 1)
    assert stderr.startswith(f"Error: {sentence}")


def test_etcd_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--authorization-mode=RBAC"]) == 1
    assert capsys.readouterr().err == "Error: --etcd-servers must be specified\n"


def test_versions_that_are_not_served_are_told() -> None:
    [note] = translate("--runtime-config=resource.k8s.io/v1beta1=true").notes
    assert note == "--runtime-config: resource.k8s.io/v1beta1 has no effect: it is not served here"
    [note] = translate("--runtime-config=api/all=true").notes
    assert note.startswith(
        "--runtime-config: api/all has no effect: what it adds in kube-apiserver is not served here: "
    )
    assert translate("--runtime-config=apps/v1=true,api/beta=false").notes == []


def test_versions_can_be_switched_off() -> None:
    served = translate("--runtime-config=apps/v1=false").options.server.enablement
    assert served.disabled == {"apps/v1"}


def test_help_has_flags_at_the_beginning_of_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--secure-port=x", "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown == usage()
    assert re.search(r"(?m)^\s*--secure-port\b", shown)
    assert not re.search(r"(?m)^\s*--insecure-port\b", shown)


def test_help_imports_nothing_that_a_server_needs() -> None:
    """envtest asks for it before each start, so it has to be there at once."""
    heavy = "{'typer', 'typing', 'dataclasses', 'pathlib', 'asyncio', 'orjson', 'cryptography'}"
    program = (
        "import sys; from localplane.cli.kube_apiserver.program import main; code = main(['--help']); "
        f"imported = sorted({heavy} & set(sys.modules)); sys.exit(code or imported or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
