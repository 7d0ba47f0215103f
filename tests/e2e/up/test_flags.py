"""Each flag of `kctl up` does something that can be seen."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from tests.e2e.command_line import Outcome
from tests.e2e.up.machine import Machine, until
from tests.faults.certificates import certificates

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {color: %s}\n"


def get(here: Machine, path: str, name: str = "default") -> str:
    """As the administrator, with the token."""
    config = json.loads(Path(here.status(name)["kubeconfig"]).read_bytes())
    request = urllib.request.Request(config["clusters"][0]["cluster"]["server"] + path)
    request.add_header("Authorization", f"Bearer {config['users'][0]['user']['token']}")
    trust = ssl.create_default_context(cadata=_authority(config))
    with urllib.request.urlopen(request, context=trust, timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def _authority(config: dict[str, Any]) -> str:
    cluster = config["clusters"][0]["cluster"]
    return base64.b64decode(cluster["certificate-authority-data"]).decode()


def color(here: Machine, name: str) -> str | None:
    found = json.loads(get(here, "/api/v1/namespaces/default/configmaps"))
    return next((item["data"]["color"] for item in found["items"] if item["metadata"]["name"] == name), None)


def test_a_port_that_is_taken_is_passed_over_or_refused(here: Machine) -> None:
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", 6443))
        except OSError:  # somebody else has it, which is as good
            pass
        else:
            server.listen()
        done = here.kctl("up", "-d", "--storage", "memory")
        port = here.status()["url"].rpartition(":")[2]
        assert done.code == 0
        assert f"  note      port 6443 is taken, so this is {port}\n" in done.stdout
        assert here.kctl("up", "-d", "--name", "two", "--port", port).stderr == (
            f"error: cannot listen on 127.0.0.1:{port}: Address already in use: "
            "choose another --port; 0 takes a free one\n"
        )


def test_a_plane_that_stops_says_so_and_serves_on_for_as_long_as_it_was_told(here: Machine) -> None:
    here.up("--storage", "memory", "--shutdown-delay-duration", "5s")
    os.kill(here.status()["pids"]["server"], signal.SIGTERM)

    def is_told() -> bool:
        try:
            get(here, "/readyz?verbose")
        except urllib.error.HTTPError as error:
            return b"[-]shutdown failed" in error.read()
        return False

    until(is_told)
    assert color(here, "any") is None
    until(lambda: here.status()["state"] != "up")


def test_it_listens_where_it_was_told(here: Machine) -> None:
    refused = here.kctl("up", "--bind-address", "0.0.0.0")
    assert (refused.code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("error: --bind-address 0.0.0.0 lets other machines in: say --allow-remote")
    here.up("--bind-address", "127.0.0.2")
    assert here.status()["url"].startswith("https://127.0.0.2:")
    names = ("--tls-san", "plane.example", "--tls-san", "192.0.2.9", "--advertise-address", "192.0.2.10")
    here.up("--name", "open", "--bind-address", "0.0.0.0", "--allow-remote", *names)
    served = x509.load_pem_x509_certificate(
        (Path(here.status("open")["kubeconfig"]).parent / "pki" / "server.crt").read_bytes()
    )
    known = served.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "plane.example" in known.get_values_for_type(x509.DNSName)
    assert {"192.0.2.9", "192.0.2.10"} <= {str(each) for each in known.get_values_for_type(x509.IPAddress)}
    nonsense = here.kctl("up", "--tls-san", "a b")
    assert nonsense.stderr == "error: --tls-san 'a b' is neither a name of a host nor an IP address\n"
    assert here.status("open")["url"].startswith("https://127.0.0.1:")
    assert get(here, "/readyz", "open") == "ok"
    assert get(here, "/readyz") == "ok"


def test_an_ephemeral_one_is_gone_at_the_end(here: Machine) -> None:
    assert "(gone at the end)" in here.up("--ephemeral").stdout
    directory = Path(here.status()["dataDir"])
    assert (directory / "sqlite.db").exists()
    here.kctl("down")
    assert not directory.exists()
    assert not (here.state / "default").exists()
    assert list((here.state / ".planes").iterdir()) == []
    assert here.kctl("status", "--logs").stderr == (
        'error: plane "default" has no log: it was never up, or has ended and kept nothing\n'
    )


def test_the_data_is_where_it_was_told_and_in_what(here: Machine, etcd: str) -> None:
    here.up("--data-dir", "here", "--storage", "sqlite")
    assert (here.home / "here" / "sqlite.db").exists()
    here.up("--name", "two", "--storage", "etcd", "--etcd", etcd)
    assert here.status("two")["store"].endswith(f"({etcd})")
    here.up("--name", "three", "--storage", "memory")
    assert here.status("three")["store"].startswith("memory")
    here.kctl("down", "--all")
    other = here.kctl("up", "--data-dir", "here", "--storage", "etcd", "--etcd", etcd)
    assert f"data directory {here.home}/here holds sqlite data" in other.stderr
    missing = here.kctl("up", "--storage", "etcd", "--etcd", "/nowhere/etcd")
    assert (missing.code, "/nowhere/etcd" in missing.stderr) == (1, True)
    assert here.kctl("reset", "--data-dir", "here") == Outcome(0, f"{here.home}/here is deleted.\n", "")
    assert not (here.home / "here").exists()


def test_manifests_are_applied_and_watched(here: Machine) -> None:
    manifests = here.home / "manifests"
    manifests.mkdir()
    (manifests / "a.yaml").write_text(CONFIG_MAP % ("a", "red"))
    (here.home / "b.yaml").write_text(CONFIG_MAP % ("b", "red"))
    assert "  applied   2 objects\n" in here.up("-f", "manifests", "-f", "b.yaml", "--watch").stdout
    assert (color(here, "a"), color(here, "b")) == ("red", "red")
    (manifests / "broken.yaml").write_text("a: [")
    (manifests / "a.yaml").write_text(CONFIG_MAP % ("a", "blue"))
    (here.home / "new").write_text(CONFIG_MAP % ("b", "green"))
    (here.home / "new").rename(here.home / "b.yaml")
    until(lambda: (color(here, "a"), color(here, "b")) == ("blue", "green"))
    assert "a.yaml changed: configmap/a applied" in here.kctl("status", "--logs").stdout
    (here.home / "b.yaml").unlink()
    (manifests / "c.yaml").write_text(CONFIG_MAP % ("c", "pink"))
    until(lambda: color(here, "c") == "pink")
    assert here.kctl("reset") == Outcome(0, "default is empty.\n", "")
    assert (color(here, "a"), color(here, "b"), color(here, "c")) == ("blue", None, "pink")


def test_manifests_that_can_not_be_applied_stop_the_start(here: Machine) -> None:
    (here.home / "a.yaml").write_text("apiVersion: v1\nkind: Gadget\nmetadata: {name: g}\n")
    for how in (["-d"], []):
        done = here.kctl("up", *how, "--storage", "memory", "--port", "0", "-f", "a.yaml")
        assert (done.code, done.stdout) == (1, "")
        assert done.stderr == (
            "error: not everything could be applied:\n"
            f'* {here.home}/a.yaml: Gadget g: no matches for kind "Gadget" in version "v1"\n'
        )
    missing = here.kctl("up", "-f", "nowhere")
    assert missing.stderr == f'error: the path "{here.home}/nowhere" does not exist\n'


def test_definitions_to_begin_with_are_applied_too(here: Machine) -> None:
    (here.home / "crds").mkdir()
    (here.home / "crds" / "x.yaml").write_text(CONFIG_MAP % ("from-crds", "red"))
    here.up("--crds", "crds")
    assert color(here, "from-crds") == "red"


def test_names_of_controllers_and_plugins_that_nobody_knows_are_told_with_those_that_are_known(here: Machine) -> None:
    done = here.kctl("up", "--storage", "memory", "--controllers", "*,-bogus")
    assert (done.code, done.stdout) == (1, "")
    assert '"bogus" is not in the list of known controllers; known are: ' in done.stderr
    for flag in ("--enable-admission-plugins", "--disable-admission-plugins"):
        done = here.kctl("up", "--storage", "memory", flag, "Bogus")
        assert (done.code, done.stdout) == (1, "")
        assert "Bogus" in done.stderr
        assert "NamespaceLifecycle" in done.stderr


def test_without_controllers_nobody_makes_service_accounts(here: Machine) -> None:
    here.up("--controllers", "none")
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    assert json.loads(get(here, accounts))["items"] == []
    here.up("--name", "usual")
    until(lambda: json.loads(get(here, accounts, "usual"))["items"])


def test_as_many_nodes_are_simulated_as_were_asked_for(here: Machine) -> None:
    done = here.up("--nodes", "2", "--seed", "1")
    assert "  nodes     2 simulated: pods are scheduled and become ready, and nothing runs\n" in done.stdout
    assert names(here, "default") == ["node-0", "node-1"]
    assert "simulated" not in here.up("--name", "empty", "--nodes", "0").stdout
    assert "simulated" not in here.up("--name", "bare", "--controllers", "none").stdout
    assert names(here, "empty") == names(here, "bare") == []
    done = here.kctl("up", "--storage", "memory", "--nodes", "-1")
    assert (done.code, done.stderr) == (1, "error: --nodes -1 is not between 0 and 5000\n")


def test_the_same_seed_chooses_the_same_nodes(here: Machine) -> None:
    chosen = []
    for turn in ("first", "second"):
        here.up("--name", turn, "--nodes", "5", "--seed", "42")
        here.kctl("run", "pod", "--image=i")
        assert here.kctl("wait", "pod/pod", "--for=condition=ready", "--timeout=50s").code == 0
        chosen.append(here.kctl("get", "pod", "pod", "-o", "jsonpath={.spec.nodeName}").stdout)
    assert chosen[0] == chosen[1]


def test_time_can_be_made_to_pass_where_a_plane_has_its_own_clock(here: Machine) -> None:
    here.up("--own-clock", "--nodes", "0")
    here.kctl("create", "cronjob", "hourly", "--schedule=0 * * * *", "--image=i")
    assert re.fullmatch(r"\S+Z, 0s ahead of the machine's clock\n", here.kctl("clock", "show").stdout)
    done = here.kctl("clock", "advance", "61m")
    assert (done.code, done.stderr) == (0, "")
    assert re.fullmatch(r"\S+Z, 1h1m0s ahead of the machine's clock\n", done.stdout)
    jobs = here.kctl("get", "jobs", "-o", "jsonpath={.items[*].metadata.creationTimestamp}").stdout
    assert re.fullmatch(r"(\S+T\d\d:00:\d\dZ ?){1,2}", jobs)
    done = here.kctl("clock", "advance", "-5m")
    assert done.code == 1
    clock = json.loads(here.kctl("clock", "advance", "1m", "--output", "json").stdout)
    assert (clock["advances"], clock["ahead"]) == (True, "1h2m0s")


def names(here: Machine, plane: str) -> list[str]:
    return sorted(item["metadata"]["name"] for item in json.loads(get(here, "/api/v1/nodes", plane))["items"])


def test_the_context_goes_where_it_was_told_and_is_current_only_if_it_may(here: Machine) -> None:
    done = here.up("--no-switch-context", "--kubeconfig", "mine")
    assert "kctl-default (not current: kubectl --context kctl-default)" in done.stdout
    text = (here.home / "mine").read_text()
    assert "name: kctl-default" in text
    assert 'current-context: ""' in text
    assert not here.kubeconfig.exists()


def test_one_that_keeps_nothing_leaves_nothing_not_even_another_cluster_as_the_current_one(here: Machine) -> None:
    here.kubeconfig.parent.mkdir()
    here.kubeconfig.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: prod\n"
        "contexts: [{name: prod, context: {cluster: prod, user: prod}}]\n"
    )
    file = here.home / "a.yaml"
    file.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: before}\n")
    done = here.up("--ephemeral", "--storage", "sqlite", "--switch-context=auto", "-f", str(file))
    assert "kctl-default (current; was prod)" in done.stdout
    file.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: now}\n")
    assert here.kctl("reset", "--yes") == Outcome(0, "default is empty.\n", "")
    assert here.kctl("get", "cm", "a", "-o", "jsonpath={.data.a}").stdout == "now"

    status = here.status()
    os.kill(status["pids"]["server"], signal.SIGKILL)
    until(lambda: here.status()["state"] != "up")
    until(lambda: here.kctl("status").stdout == "No plane is up. Start one with `kctl up`.\n")
    assert not Path(status["dataDir"]).exists()
    assert list((here.state / ".planes").iterdir()) == []
    config = here.user_config()
    assert (config["current-context"], [entry["name"] for entry in config["contexts"]]) == ("", ["prod"])


def test_what_is_current_is_told_when_it_comes_and_when_it_goes(here: Machine) -> None:
    here.kubeconfig.parent.mkdir()
    here.kubeconfig.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: prod\n"
        "contexts: [{name: prod, context: {cluster: prod, user: prod}}]\n"
    )
    done = here.up("--switch-context", "never")
    assert "kctl-default (not current, prod is: kubectl --context kctl-default)" in done.stdout
    assert here.kctl("down") == Outcome(0, "default has stopped.\n", "")
    assert here.user_config()["current-context"] == "prod"
    here.up()
    none = "No context is current; prod was, before it: `kctl ctx prod` goes back."
    assert here.kctl("down") == Outcome(0, f"default has stopped.\n{none}\n", "")
    assert here.user_config()["current-context"] == ""
    refused = here.kctl("up", "--no-switch-context", "--switch-context=always")
    assert refused.stderr.startswith("error: --no-switch-context and --switch-context=always contradict one another")
    unknown = here.kctl("up", "--switch-context=maybe")
    assert unknown.stderr.startswith('error: there is no --switch-context "maybe": it is one of auto, always, never')


def test_of_several_kubeconfigs_the_first_that_exists_is_changed(here: Machine) -> None:
    (here.home / "b").write_text("apiVersion: v1\nkind: Config\n")
    here.up(KUBECONFIG=f"{here.home}/a:{here.home}/b")
    assert "current-context: kctl-default" in (here.home / "b").read_text()
    assert not (here.home / "a").exists()
    here.kctl("down")
    assert "kctl-default" not in (here.home / "b").read_text()


def test_who_is_not_ready_in_time_is_given_up(here: Machine) -> None:
    done = here.kctl("up", "-d", "--storage", "memory", "--port", "0", "--timeout", "1ms")
    assert done == Outcome(1, "", "error: default was not ready within 0.001 seconds\n")
    assert here.status()["state"] == "down"


def test_who_does_not_wait_returns_at_once(here: Machine) -> None:
    done = here.kctl("up", "-d", "--no-wait", "--storage", "memory", "--port", "0")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == "default is starting: see `kctl status --name default`\n"
    until(lambda: here.status()["state"] == "up")
    assert here.kctl("up", "-d", "--wait", "--name", "two", "--storage", "memory", "--port", "0").code == 0
    assert here.status("two")["state"] == "up"


def test_an_etcd_that_loses_data_is_refused_unless_it_is_asked_for(here: Machine, etcd: str) -> None:
    old = here.home / "old-etcd"
    old.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "etcd Version: 3.5.1" && exit\nexec {etcd} "$@"\n')
    old.chmod(0o755)
    refused = here.kctl("up", "-d", "--port", "0", "--etcd", str(old))
    assert (refused.code, refused.stdout) == (1, "")
    assert "3.5.1" in refused.stderr
    here.up("--storage", "etcd", "--etcd", str(old), "--allow-unsafe-etcd")
    assert here.status()["store"] == f"etcd 3.5.1 ({old})"


def test_verbose_logs_more(here: Machine) -> None:
    here.up()
    here.up("--name", "talkative", "-v")
    quiet, talkative = (here.kctl("status", "--logs", "--name", name).stdout for name in ("default", "talkative"))
    assert "listens after" in talkative
    assert "listens after" not in quiet


@contextmanager
def running_cluster(etcd: str, directory: Path, *flags: str, scheme: str = "http") -> Iterator[str]:
    """Its URL. One member is enough."""
    ports = []
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            ports.append(probe.getsockname()[1])
    url, peer = f"{scheme}://127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[1]}"
    command = [etcd, "--data-dir", str(directory / "cluster"), "--initial-cluster", f"default={peer}", *flags]
    command += ["--listen-client-urls", url, "--advertise-client-urls", url]
    command += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as cluster:
        try:
            until(lambda: _listens(ports[0]))
            yield url
        finally:
            cluster.kill()


def test_an_etcd_cluster_is_used_under_a_prefix_and_never_emptied(here: Machine, etcd: str, tmp_path: Path) -> None:
    with running_cluster(etcd, tmp_path) as url:
        here.up("--etcd-servers", url, "--etcd-prefix", "mine")
        assert here.status()["store"].endswith(f" at {url}")
        refused = here.kctl("reset")
        assert (refused.code, "kctl did not start and will not empty" in refused.stderr) == (1, True)
        here.up("--name", "two", "--etcd-servers", url, "--etcd-prefix", "yours")
        here.kctl("down", "--all")


def test_an_etcd_cluster_with_mutual_tls_wants_all_three_files(here: Machine, etcd: str, tmp_path: Path) -> None:
    made = certificates(tmp_path)
    flags = ["--cert-file", str(made.server), "--key-file", str(made.server_key)]
    flags += ["--trusted-ca-file", str(made.authority), "--client-cert-auth"]
    trust = ["--etcd-cafile", str(made.authority)]
    identity = ["--etcd-certfile", str(made.client), "--etcd-keyfile", str(made.client_key)]
    with running_cluster(etcd, tmp_path, *flags, scheme="https") as url:
        for incomplete in (identity, trust):
            done = here.kctl("up", "-d", "--port", "0", "--etcd-servers", url, "--timeout", "5s", *incomplete)
            assert (done.code, done.stdout) == (1, "")
            assert done.stderr.startswith("error: ")
        here.up("--etcd-servers", url, *trust, *identity)
        assert here.status()["store"].endswith(f" at {url}")
        here.kctl("down")


def ask_for_users(url: str, name: str, password: str) -> None:
    """Let a cluster know one user, who may do everything, and nobody else from now on."""
    for method, asked in (
        ("user/add", {"name": name, "password": password}),
        ("role/add", {"name": "root"}),
        ("user/grant", {"user": name, "role": "root"}),
        ("enable", {}),
    ):
        body = json.dumps(asked).encode()
        urllib.request.urlopen(urllib.request.Request(f"{url}/v3/auth/{method}", body), timeout=10).close()


def test_an_etcd_cluster_that_asks_for_users_wants_a_name_and_a_password(
    here: Machine, etcd: str, tmp_path: Path
) -> None:
    password = tmp_path / "password"
    password.write_text("secret\n")
    with running_cluster(etcd, tmp_path) as url:
        ask_for_users(url, "root", "secret")
        flags = ["-d", "--port", "0", "--etcd-servers", url, "--timeout", "20s"]
        assert "user name is empty" in here.kctl("up", *flags).stderr
        here.environ["KCTL_ETCD_PASSWORD"] = "guess"
        assert "invalid user ID or password" in here.kctl("up", *flags, "--etcd-user", "root").stderr
        here.up("--etcd-servers", url, "--etcd-user", "root", "--etcd-password-file", str(password))
        assert here.status()["store"].endswith(f" at {url}")
        here.kctl("down")
        here.environ["KCTL_ETCD_PASSWORD"] = "secret"
        here.up("--etcd-servers", url, "--etcd-user", "root")
        here.kctl("down")
        asked = ["doctor", "--etcd-servers", url, "--etcd-user", "root", "--etcd-password-file"]
        assert here.kctl(*asked, str(password)).stdout == "Everything that is stored can be used.\n"
        assert here.kctl(*asked, "/nowhere").code == 1


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


def test_help_has_examples(here: Machine) -> None:
    for verb in ("up", "down", "status", "reset", "env"):
        done = here.kctl(verb, "--help")
        assert (done.code, done.stderr) == (0, "")
        assert "Examples:" in done.stdout


@pytest.mark.parametrize("line", ["--help", "down", "status", "env", "reset", "up --help"])
def test_what_starts_no_server_imports_none(line: str, here: Machine) -> None:
    here.environ["PYTHONPROFILEIMPORTTIME"] = "1"
    stderr = here.kctl(*line.split()).stderr
    imported = {row.rpartition("|")[2].strip() for row in stderr.splitlines() if row.startswith("import time:")}
    heavy = ("aiohttp", "localplane.compose", "localplane.catalog", "localplane.apiserver.endpoints", "rich")
    plain_data = {
        "localplane.compose",
        "localplane.compose.options",
        "localplane.compose.election",
        "localplane.apiserver.endpoints",
        "localplane.apiserver.endpoints.enablement",
    }
    assert "kctl.cli" in imported
    assert sorted(name for name in imported - plain_data if name.startswith(heavy)) == []


def test_a_snapshot_that_is_not_there_is_told_before_anything_is_started(here: Machine) -> None:
    """What a plane begins with is seen in the tests of `kctl snapshot`."""
    done = here.kctl("up", "-d", "--from", "nope")
    where = here.state / ".snapshots" / "nope.snapshot"
    assert done == Outcome(1, "", f"error: there is no snapshot {where}: see `kctl snapshot list`\n")
    assert not (here.state / ".planes").exists()
    both = here.kctl("up", "--from", "-", "-f", "-")
    assert both.stderr.startswith("error: --from - and -f - contradict one another: there is one stdin\n")


POLICY = "{apiVersion: audit.k8s.io/v1, kind: Policy, omitStages: [RequestReceived], rules: [%s]}"


def test_requests_are_recorded_in_an_audit_log(here: Machine) -> None:
    """The paths are those of the directory in which it was started; maxsize 0 is the usual one."""
    policy = here.home / "policy.yaml"
    policy.write_text(POLICY % "{level: Metadata, resources: [{resources: [configmaps]}]}", encoding="utf-8")
    old = here.home / "audit-2020-01-02T03-04-05.000006.log"
    old.write_text("", encoding="utf-8")
    flags = ("--audit-policy-file", "policy.yaml", "--audit-log-path", "audit.log", "--audit-log-maxsize", "0")
    here.up("--name", "audited", *flags, "--audit-log-maxage", "1", "--audit-log-maxbackup", "3")
    assert not old.exists()
    assert here.kctl("get", "cm", "nothing").code == 1
    log = here.home / "audit.log"
    until(lambda: '"nothing"' in log.read_text(encoding="utf-8"))
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    event = next(event for event in events if event["objectRef"].get("name") == "nothing")
    assert (event["verb"], event["responseStatus"]["code"], event["level"]) == ("get", 404, "Metadata")
    assert {event["objectRef"]["resource"] for event in events} == {"configmaps"}
    assert log.stat().st_mode & 0o777 == 0o600


def test_an_audit_log_that_cannot_be_is_refused(here: Machine) -> None:
    policy = here.home / "bad.yaml"
    policy.write_text(POLICY % "{level: Everything}", encoding="utf-8")

    def said(*flags: str) -> str:
        outcome = here.kctl("up", "-d", "--name", "unaudited", "--storage", "memory", "--port", "0", *flags)
        assert outcome.code == 1
        return outcome.stderr

    assert "--audit-log-path needs an --audit-policy-file" in said("--audit-log-path", "-")
    assert "--audit-policy-file needs an --audit-log-path" in said("--audit-policy-file", str(policy))
    both = ("--audit-policy-file", str(policy), "--audit-log-path", "x.log")
    assert '--audit-log-format "xml" is none of json, legacy' in said(*both, "--audit-log-format", "xml")
    assert "--audit-log-maxage -1 is less than 0" in said(*both, "--audit-log-maxage", "-1")
    assert "the audit policy can't be used: rules[0].level: Unsupported value" in said(*both)
    assert not (here.home / "x.log").exists()


def test_a_plane_remembers_as_much_as_it_is_told_to(here: Machine) -> None:
    """With nothing to remember with, every change is gone as soon as the next one comes."""
    refused = here.kctl("up", "--history", "lots")
    assert refused.stderr.startswith(
        'error: invalid argument "lots" for "--history" flag: give a time or a size, such as 1h or 100MB\n'
    )
    here.up("--storage", "memory", "--history", "0")
    assert here.kctl("create", "configmap", "a").code == 0
    revision = here.kctl("get", "cm/a", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    assert here.kctl("create", "configmap", "b").code == 0
    gone = here.kctl("get", "cm", "--at", str(int(revision) - 1))
    assert "is gone: the history of this plane reaches back to revision" in gone.stderr


def test_what_is_stored_is_encrypted_and_a_doctor_without_the_key_removes_none_of_it(here: Machine) -> None:
    keys = {"keys": [{"name": "key1", "secret": base64.b64encode(b"k" * 32).decode()}]}
    rules = [{"resources": ["secrets"], "providers": [{"aesgcm": keys}, {"identity": {}}]}]
    kind = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration"}
    (here.home / "encryption.json").write_text(json.dumps({**kind, "resources": rules}))
    (here.home / "wrong.json").write_text(json.dumps({**kind, "resources": [{"resources": ["*"]}]}))
    flag = "--encryption-provider-config"
    refused = here.kctl("up", "--storage", "sqlite", flag, "wrong.json")
    assert refused.code == 1
    assert refused.stderr.endswith(" core API group or *.* to encrypt all resources\n"), refused.stderr
    assert here.kctl("up", "--storage", "memory", flag, "encryption.json").stderr == (
        f"error: {flag} and --storage=memory contradict one another: nothing is stored there\n"
    )
    here.up("--storage", "sqlite", "--data-dir", "data", flag, "encryption.json")
    made = here.kctl("create", "secret", "generic", "a", "--from-literal=word=unmistakable")
    assert made.code == 0, made.stderr
    assert here.kctl("get", "secret", "a", "-o", "jsonpath={.data.word}").stdout == "dW5taXN0YWthYmxl"
    here.kctl("down")
    stored = b"".join(path.read_bytes() for path in (here.home / "data").glob("sqlite.db*"))
    assert b"k8s:enc:aesgcm:v1:key1:" in stored
    assert b"dW5taXN0YWthYmxl" not in stored
    assert here.kctl("doctor", "--data-dir", "data", flag, "encryption.json").code == 0
    blind = here.kctl("doctor", "--data-dir", "data", "--delete-unreadable")
    assert blind.code == 1
    assert blind.stdout == (
        '/registry/secrets/default/a: unreadable: it is encrypted: by provider aesgcm with the key "key1", which this '
        "server does not have\n"
    )
    here.up("--storage", "sqlite", "--data-dir", "data", flag, "encryption.json")
    assert here.kctl("get", "secret", "a", "-o", "jsonpath={.data.word}").stdout == "dW5taXN0YWthYmxl"
