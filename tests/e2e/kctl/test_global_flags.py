"""The flags that every verb has: each does something that can be seen."""

from __future__ import annotations

import json
import pstats
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl
from tests.e2e.kctl.api_server import Server, api_server, encoded, kubeconfig, proxy
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.test_help import on_terminal
from tests.e2e.up.machine import Machine

RAW = ("get", "--raw", "/api/v1/x")
LINE = r"I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ "


class Desk:
    """kctl with a kubeconfig for a server that remembers what it was asked."""

    def __init__(self, server: Server, directory: Path, run: Kctl) -> None:
        self.server = server
        self.directory = directory
        self._run = run
        kubeconfig(directory / "k", server.cluster, {"token": "t"})

    def ask(self, *flags: str, **environ: str) -> Server:
        done = self.run(*RAW, *flags, **environ)
        assert (done.code, done.stderr) == (0, "")
        return self.server

    def run(self, *arguments: str, **environ: str) -> Outcome:
        return self._run(*arguments, **{"KUBECONFIG": "k", **environ})

    def headers(self, *flags: str) -> dict[str, str]:
        return self.ask(*flags).last.headers


@pytest.fixture
def desk(tmp_path: Path, run_kctl: Kctl) -> Iterator[Desk]:
    with api_server(tmp_path) as server:
        yield Desk(server, tmp_path, run_kctl)


def test_as_and_its_kin_act_as_somebody_else(shop: Machine) -> None:
    flags = ("--as=joe", "--as-group=a", "--as-group", "b", "--as-uid=5", "--as-user-extra=k=v", "--as-user-extra=k=w")
    shown = shop.kctl("auth", "whoami", "-o", "json", *flags)
    info = json.loads(shown.stdout)["status"]["userInfo"]
    assert (info["username"], info["uid"], info["extra"]["k"]) == ("joe", "5", ["v", "w"])
    assert {"a", "b"} <= set(info["groups"])
    assert shop.kctl("auth", "whoami", "--as-group=a").stderr == (
        "error: requesting uid, groups or user-extra for kctl-default without impersonating a user\n"
    )
    assert shop.kctl("auth", "whoami", "--as=joe", "--as-user-extra=k").code == 1


def test_cache_dir_is_where_discovery_is_kept(shop: Machine, tmp_path: Path) -> None:
    assert shop.kctl("get", "configmaps", "--cache-dir", str(tmp_path / "here")).code == 0
    assert list((tmp_path / "here").rglob("*.json"))


def test_certificates_are_taken_from_files(desk: Desk) -> None:
    assert desk.server.authority is not None
    (desk.directory / "ca.crt").write_bytes(desk.server.authority.certificate)
    pair = desk.server.issue("flagged")
    (desk.directory / "me.crt").write_bytes(pair.certificate)
    (desk.directory / "me.key").write_bytes(pair.key)
    files = ("--certificate-authority=ca.crt", "--client-certificate=me.crt", "--client-key=me.key")
    assert desk.ask(*files).last.certificate == "flagged"
    wrong = desk.run(*RAW, "--certificate-authority=me.key")
    assert wrong.code == 1
    assert desk.run(*RAW, "--client-certificate=me.crt").stderr == (
        "error: client-key-data or client-key must be specified for u to use the clientCert authentication method.\n"
    )


def test_cluster_context_and_user_choose_entries(desk: Desk) -> None:
    assert desk.run("config", "set-cluster", "other", "--server=http://127.0.0.1:1").code == 0
    assert desk.run("config", "set-credentials", "other", "--token=other").code == 0
    assert desk.run("config", "set-context", "other", "--cluster=cl", "--user=other", "-n", "blue").code == 0
    assert desk.headers("--user=other")["authorization"] == "Bearer other"
    assert desk.headers("--context=other")["authorization"] == "Bearer other"
    assert "127.0.0.1:1 was refused" in desk.run(*RAW, "--cluster=other").stderr
    assert desk.run(*RAW, "--cluster=nope").stderr == 'error: cluster "nope" does not exist\n'
    assert desk.run(*RAW, "--context=nope").stderr == 'error: context "nope" does not exist\n'
    assert desk.run(*RAW, "--user=nope").stderr == 'error: auth info "nope" does not exist\n'


def test_color_is_for_terminals_unless_it_is_always_wanted(desk: Desk) -> None:
    desk.server.warning = "beware"
    plain, loud = "Warning: beware\n", "\x1b[33;1mWarning:\x1b[0m beware\n"
    assert desk.run(*RAW).stderr == plain
    assert desk.run(*RAW, "--color=always").stderr == loud
    assert desk.run(*RAW, "--color=never").stderr == plain
    seen = on_terminal(desk.directory, *RAW, KUBECONFIG="k")
    assert loud in seen
    assert plain in on_terminal(desk.directory, *RAW, KUBECONFIG="k", NO_COLOR="1")
    assert desk.run("get", "--bogus", "--color=always").stderr.startswith("\x1b[31;1merror:\x1b[0m unknown flag")
    bad = "error: --color must be 'auto', 'always' or 'never'\n"
    assert desk.run("status", "--color=blue").stderr == bad
    assert desk.run(*RAW, "--color=blue").stderr == "error: --color must be 'auto', 'always' or 'never'\n"


def test_pager_is_for_output_that_ends(desk: Desk) -> None:
    """What it does where it can is in test_pager."""
    done = desk.run("proxy", "--pager")
    assert (done.code, done.stderr) == (1, "error: --pager is for output that ends: kctl proxy can't have one\n")


def test_our_own_verbs_colour_as_they_are_told(shop: Machine) -> None:
    plain = shop.kctl("status").stdout
    assert "\x1b" not in plain
    assert "\x1b[" in shop.kctl("status", "--color", "always").stdout
    assert shop.kctl("status", "--color=never", FORCE_COLOR="1").stdout.splitlines()[0] == plain.splitlines()[0]


def test_disable_compression_asks_for_plain_answers(desk: Desk) -> None:
    assert desk.headers()["accept-encoding"] == "gzip"
    assert desk.headers("--disable-compression")["accept-encoding"] == "identity"


ERRORS = [
    ("get configmap nope", 3, {"type": "APIError", "reason": "NotFound", "code": 404}),
    ("get nosuchtype", 3, {"reason": "NotFound"}),
    ("create configmap apple", 4, {"type": "APIError", "reason": "AlreadyExists", "code": 409}),
    ("get configmaps --as=nobody", 5, {"type": "APIError", "reason": "Forbidden", "code": 403}),
    ("create configmap UPPER", 6, {"type": "APIError", "reason": "Invalid", "code": 422}),
    ("wait configmap apple --for=delete --timeout=1ms", 7, {"reason": "Timeout"}),
    ("get pods -s http://127.0.0.1:1", 8, {"type": "ConnectionFailed"}),
    ("get --bogus", 2, {"type": "UsageError"}),
    ("bogus", 2, {"type": "UsageError"}),
    ("get pods --context=nope", 1, {"type": "ConfigError"}),
]


@pytest.mark.parametrize(("line", "code", "fields"), ERRORS, ids=[line for line, _, _ in ERRORS])
def test_error_format_json_is_a_document_and_a_telling_exit_code(
    line: str, code: int, fields: dict[str, object], *, shop: Machine
) -> None:
    words = [*line.split(), "-n", "shop"] if not line.startswith("bogus") else line.split()
    usual, told = shop.kctl(*words), shop.kctl(*words, "--error-format=json")
    assert (usual.code, told.code) == (1, code)
    document = json.loads(told.stderr)
    assert document["message"] == usual.stderr.rstrip("\n")
    assert document["exitCode"] == code
    assert {name: document.get(name) for name in fields} == fields


def test_error_format_is_one_of_two(run_kctl: Kctl) -> None:
    said = "error: --error-format must be 'text' or 'json'\n"
    assert run_kctl("version", "--client", "--error-format=xml") == Outcome(1, "", said)
    own = run_kctl("down", "--name", "a/b", "--error-format", "json")
    assert json.loads(own.stderr)["exitCode"] == own.code == 1


def test_insecure_skip_tls_verify_talks_to_anybody(desk: Desk) -> None:
    kubeconfig(desk.directory / "k", {"server": desk.server.url}, {"token": "t"})
    assert desk.run(*RAW).stderr.startswith("Unable to connect to the server: tls: failed to verify certificate")
    assert desk.ask("--insecure-skip-tls-verify").last.path == "/api/v1/x"


def test_kubeconfig_and_kuberc_name_files(desk: Desk) -> None:
    other = kubeconfig(desk.directory / "other", desk.server.cluster, {"token": "of-the-other"})
    assert desk.headers(f"--kubeconfig={other}")["authorization"] == "Bearer of-the-other"
    missing = desk.run(*RAW, "--kubeconfig", "nofile")
    assert missing.stderr == "error: stat nofile: no such file or directory\n"
    rc = desk.directory / "rc"
    rc.write_text(
        "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n"
        "defaults: [{command: get, options: [{name: token, default: from-rc}]}]\n"
    )
    assert desk.headers("--kuberc=rc")["authorization"] == "Bearer from-rc"


def test_match_server_version_compares(shop: Machine) -> None:
    done = shop.kctl("get", "ns", "--match-server-version")
    assert (done.code, done.stdout) == (1, "")
    assert re.fullmatch(
        r'error: server version \(&version\.Info\{Major:"1", Minor:"37", .*\}\) differs from client version '
        r'\(version\.Info\{Major:"1", Minor:"37", EmulationMajor:"", .*\}\)\n',
        done.stderr,
    )


def test_namespace_says_where(shop: Machine) -> None:
    names = "configmap/apple\nconfigmap/carrot\n"
    assert names in shop.kctl("get", "configmaps", "-o", "name", "--namespace=shop").stdout
    assert names in shop.kctl("-n", "shop", "get", "configmaps", "-o", "name").stdout
    assert names not in shop.kctl("get", "configmaps", "-o", "name").stdout


def test_who_you_are_can_be_said_on_the_command_line(desk: Desk) -> None:
    assert desk.headers("--token=other")["authorization"] == "Bearer other"
    kubeconfig(desk.directory / "k", desk.server.cluster, {})
    assert desk.headers("--username=a", "--password=b")["authorization"] == f"Basic {encoded(b'a:b')}"


def test_profile_measures_into_a_file(run_kctl: Kctl, tmp_path: Path) -> None:
    assert run_kctl("version", "--client", "--profile=cpu").code == 0
    assert pstats.Stats(str(tmp_path / "profile.pprof")).total_calls > 0  # type: ignore[attr-defined]  # it has one
    assert run_kctl("version", "--client", "--profile=heap", "--profile-output=heap").code == 0
    assert tracemalloc.Snapshot.load(str(tmp_path / "heap")).traces
    assert run_kctl("version", "--profile=bogus") == Outcome(1, "", "error: unknown profile 'bogus'\n")
    assert run_kctl("version", "--profile=mutex").code == 1
    assert run_kctl("version", "--profile=cpu", "--profile-output=no/where").stderr == (
        "error: open no/where: no such file or directory\n"
    )


def test_proxy_url_is_gone_through(desk: Desk) -> None:
    with proxy("http") as (url, asked):
        desk.ask("--proxy-url", url)
    assert asked == [desk.server.url.removeprefix("https://")]


def test_request_timeout_ends_the_waiting(desk: Desk) -> None:
    assert desk.ask("--request-timeout=30").last.path == "/api/v1/x?timeout=30s"
    desk.server.delay = 2.0
    late = desk.run(*RAW, "--request-timeout=100ms")
    assert (late.code, late.stdout) == (1, "")
    assert late.stderr.startswith(
        "Unable to connect to the server: net/http: request canceled (Client.Timeout exceeded"
    )
    assert desk.run(*RAW, "--request-timeout=soon").stderr == (
        "error: Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a "
        "corresponding time unit (e.g. 1s | 2m | 3h)\n"
    )


@pytest.mark.parametrize("limit", ["1ns", "999ns", "1us"])
def test_a_request_timeout_that_is_over_at_once_sends_nothing(desk: Desk, limit: str) -> None:
    done = desk.run("version", f"--request-timeout={limit}")
    assert (done.code, done.stderr) == (1, "error: context deadline exceeded\n")
    assert desk.server.asked == []


@pytest.mark.parametrize("limit", ["0", "0s", "0.1ns", "-1s", "-3h"])
def test_a_request_timeout_of_nothing_or_less_is_none(desk: Desk, limit: str) -> None:
    assert desk.ask(f"--request-timeout={limit}").last.path == "/api/v1/x"


def test_a_request_timeout_of_many_digits_is_none_of_ours(desk: Desk) -> None:
    assert desk.run(*RAW, f"--request-timeout={'9' * 5000}").stderr.startswith("error: Invalid timeout value.")


def test_server_and_its_name_can_be_said_on_the_command_line(desk: Desk) -> None:
    refused = "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n"
    assert desk.run(*RAW, "--server=https://127.0.0.1:1").stderr == refused
    assert desk.run(*RAW, "-s", "https://127.0.0.1:1").stderr == refused
    assert desk.ask("--tls-server-name=server.example.com").last.path == "/api/v1/x"
    wrong = desk.run(*RAW, "--tls-server-name=other")
    assert wrong.stderr == (
        "Unable to connect to the server: tls: failed to verify certificate: x509: certificate is valid for "
        "server.example.com, not other\n"
    )


def test_v_tells_more_the_higher_it_is(desk: Desk) -> None:
    request = re.escape(f'verb="GET" url="{desk.server.url}/api/v1/x"')
    loaded = rf"{LINE}loader\.go:408\] Config loaded from file:  k\n"
    response = rf'{LINE}round_trippers\.go:632\] "Response" '
    asked = (
        rf'{LINE}round_trippers\.go:527\] "Request" {request} headers=<\n(\t.*\n)*\tAuthorization: Bearer <masked>\n'
    )
    body = rf'{LINE}helper\.go:105\] "Request Body" body=""\n'
    assert desk.run(*RAW, "-v=5").stderr == ""
    six = desk.run(*RAW, "-v", "6").stderr
    assert re.fullmatch(rf'{loaded}{response}{request} status="200 OK" milliseconds=\d+\n', six)
    seven = desk.run(*RAW, "--v=7").stderr
    assert re.search(asked, seven)
    assert not re.search(body, seven)
    eight = desk.run(*RAW, "-v8").stderr
    assert re.search(rf'{response}status="200 OK" headers=<\n\tContent-Length: \d+\n', eight)
    assert re.search(body, eight)
    version = desk.run("version", "-v=8").stderr
    assert re.search(rf'{LINE}helper\.go:105\] "Response Body" body="{{\\"apiVersion\\": \\"v1\\".*\n', version)
    assert "\tcurl -v -XGET  -H " in desk.run(*RAW, "-v=9").stderr


def test_vmodule_tells_more_about_one_thing(desk: Desk) -> None:
    said = desk.run(*RAW, "--vmodule=round_trippers=6,other=9").stderr
    assert re.fullmatch(rf'{LINE}round_trippers\.go:632\] "Response" .*\n', said)
    assert "loader.go" in desk.run(*RAW, "--vmodule=load*=6").stderr
    assert desk.run(*RAW, "--vmodule=round_trippers=5", "-v=6").stderr.count("\n") == 1


def test_log_flush_frequency_is_a_duration(desk: Desk) -> None:
    assert "Response" in desk.run(*RAW, "--log-flush-frequency=1h", "-v=6").stderr
    assert desk.run(*RAW, "--log-flush-frequency=x").stderr == (
        'error: invalid argument "x" for "--log-flush-frequency" flag: parse error\n'
        "See 'kctl get --help' for usage.\n"
    )


def test_warnings_as_errors_fails_where_the_server_has_warned(desk: Desk) -> None:
    assert desk.ask("--warnings-as-errors").last.path == "/api/v1/x"
    desk.server.warning = "beware"
    done = desk.run(*RAW, "--warnings-as-errors")
    assert (done.code, done.stderr) == (1, "Warning: beware\nerror: 1 warning received\n")
    assert desk.run(*RAW).code == 0


def test_flags_may_stand_before_and_after_the_verb(read: Read) -> None:
    assert read("--output=name", "get", "configmap", "apple").stdout == "configmap/apple\n"
    assert read("get", "configmap", "apple", "-o", "name").stdout == "configmap/apple\n"
