"""How an example ends and begins again: its data stays, its watches end, and nothing of it is left."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.examples.conftest import flunder
from tests.e2e.examples.kubectl import Kubectl
from tests.e2e.examples.serving import MINIMAL, WARDLE, serving, start
from tests.integration.etcd_process.kernel import gone_within

FLUNDERS = "/apis/wardle.example.com/v1beta1/namespaces/default/flunders"


@pytest.fixture(params=["etcd", "sqlite"])
def store(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The flags that choose a store."""
    if request.param == "etcd":
        return ("--storage", "etcd", "--etcd", str(request.getfixturevalue("etcd")))
    return ("--storage", "sqlite")


def attempt(example: Path, *flags: str, home: Path) -> Outcome:
    """Run an example that is expected to end by itself."""
    said, wrong = home / "attempt.stdout", home / "attempt.stderr"
    with said.open("w") as stdout, wrong.open("w") as stderr:
        process = start(example, *flags, home=home, files=(None, stdout, stderr))
    with process:
        code = process.wait()
    return Outcome(code, said.read_text(), wrong.read_text())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_restart_keeps_the_objects(tmp_path: Path, store: tuple[str, ...], number: signal.Signals) -> None:
    with serving(WARDLE, *store, home=tmp_path) as first, first.http() as http:
        created = http.post(FLUNDERS, json=flunder("v1beta1", "x", {})).raise_for_status().json()
        assert first.signal(number) == (0 if number is signal.SIGTERM else -signal.SIGKILL)
    with serving(WARDLE, *store, home=tmp_path) as second, second.http() as http:
        assert http.get(f"{FLUNDERS}/x").raise_for_status().json() == created
        assert http.post(FLUNDERS, json=flunder("v1beta1", "y", {})).status_code == 201
        assert second.stop() == 0
        assert second.complaints() == []


def test_a_kubeconfig_is_good_after_a_restart_on_the_same_port(tmp_path: Path, kubectl_program: Path) -> None:
    with serving(WARDLE, "--storage", "sqlite", home=tmp_path) as first:
        kubectl = Kubectl(kubectl_program, first.kubeconfig, tmp_path)
        kubectl.ok("create", "-f", "-", stdin=json.dumps(flunder("v1beta1", "x", {})))
        kept = tmp_path / "kept"
        kept.write_bytes(first.kubeconfig.read_bytes())
        port = first.url.rpartition(":")[2]
        assert first.stop() == 0
    with serving(WARDLE, "--storage", "sqlite", "--port", port, home=tmp_path):
        again = Kubectl(kubectl_program, kept, tmp_path)
        assert again.ok("get", "flunders", "-o", "name") == "flunder.wardle.example.com/x\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_ends_watches_and_leaves_no_etcd(
    tmp_path: Path, etcd: Path, kubectl_program: Path, number: signal.Signals
) -> None:
    """The signal goes to the whole process group, as Ctrl-C in a terminal does."""
    with serving(WARDLE, "--etcd", str(etcd), home=tmp_path) as server:
        kubectl = Kubectl(kubectl_program, server.kubeconfig, tmp_path)
        kubectl.ok("create", "-f", "-", stdin=json.dumps(flunder("v1beta1", "x", {})))
        (etcd_pid,) = server.etcd_pids()
        with kubectl.running("get", "flunders", "-w", "-o", "name") as watching:
            assert watching.stdout is not None
            assert watching.stdout.readline() == "flunder.wardle.example.com/x\n"
            kubectl.ok("label", "flunder", "x", "colour=red")  # that was the list; this is seen by the watch
            assert watching.stdout.readline() == "flunder.wardle.example.com/x\n"
            os.killpg(server.process.pid, number)
            assert server.process.wait(30) == 0
            assert watching.communicate(timeout=10) == ("", "")
            assert watching.returncode == 0
        assert server.complaints() == []
        assert gone_within(etcd_pid, 30)


def test_a_killed_server_takes_its_etcd_with_it(tmp_path: Path, etcd: Path) -> None:
    with serving(WARDLE, "--etcd", str(etcd), home=tmp_path) as server:
        (etcd_pid,) = server.etcd_pids()
        assert server.signal(signal.SIGKILL) == -signal.SIGKILL
        assert gone_within(etcd_pid, 30)


def test_one_data_directory_is_for_one_server(tmp_path: Path, store: tuple[str, ...]) -> None:
    data = tmp_path / "data"
    with serving(WARDLE, *store, "--data-dir", str(data), home=tmp_path) as server:
        outcome = attempt(MINIMAL, "--port", "0", *store, "--data-dir", str(data), home=tmp_path)
        started = json.loads((data / "lock.json").read_bytes())["started"]
        sentence = (
            f"error: data directory {data} is in use by process {server.process.pid} (started {started}): "
            "stop it, or choose another directory with --data-dir\n"
        )
        assert outcome == Outcome(1, "", sentence)


def test_servers_of_different_names_share_nothing(tmp_path: Path) -> None:
    flags = ("--storage", "sqlite")
    with serving(WARDLE, *flags, home=tmp_path) as wardle, serving(MINIMAL, *flags, home=tmp_path) as minimal:
        state = tmp_path / "state" / "kctl"
        assert wardle.kubeconfig == state / "wardle.example.com" / "kubeconfig"
        assert minimal.kubeconfig == state / "hello.example.com" / "kubeconfig"


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with serving(MINIMAL, "--storage", "memory", home=tmp_path) as server:
        port = server.url.rpartition(":")[2]
        outcome = attempt(WARDLE, "--storage", "memory", "--port", port, home=tmp_path)
        sentence = (
            f"error: cannot listen on 127.0.0.1:{port}: Address already in use: "
            "choose another port with --port; 0 takes a free one\n"
        )
        assert outcome == Outcome(1, "", sentence)


def test_a_wrong_etcd_is_told_and_leaves_no_traces(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("#!/bin/sh\necho something else\n")
    wrong.chmod(0o755)
    outcome = attempt(WARDLE, "--port", "0", "--etcd", str(wrong), home=tmp_path)
    sentence = (
        f"error: --etcd: {wrong} is not etcd: to --version it answered 'something else'; "
        "run `kctl etcd install`, or name another with --etcd PATH or KCTL_ETCD\n"
    )
    assert outcome == Outcome(1, "", sentence)
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        ("--por 0", "unrecognized arguments: --por 0"),
        ("--port http", "argument --port: invalid int value: 'http'"),
        ("--storage paper", "argument --storage: invalid StorageKind value: 'paper'"),
        ("--storage memory --data-dir d", "--data-dir and --storage memory contradict one another"),
        ("--storage sqlite --etcd /bin/etcd", "--etcd and --storage sqlite contradict one another"),
    ],
)
def test_a_wrong_flag_is_an_error(tmp_path: Path, flags: str, why: str) -> None:
    outcome = attempt(MINIMAL, *flags.split(), home=tmp_path)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr.endswith(f"greetings.py: error: {why}\n")
    assert not (tmp_path / "state").exists()


def test_a_port_that_is_none_is_told(tmp_path: Path) -> None:
    outcome = attempt(MINIMAL, "--storage", "memory", "--port", "70000", home=tmp_path)
    assert outcome == Outcome(1, "", "error: port 70000 is not between 0 and 65535\n")


def test_without_an_etcd_the_report_says_what_is_used_instead(tmp_path: Path) -> None:
    with serving(MINIMAL, home=tmp_path) as server:
        lines = server.report.splitlines()
        assert lines[0] == f"hello.example.com is served at {server.url}"
        assert lines[1].startswith("  store  sqlite ")
        assert lines[2:4] == [
            f"  data   {tmp_path}/state/kctl/hello.example.com",
            f"  try    kubectl --kubeconfig {server.kubeconfig} api-resources",
        ]
        assert lines[4].startswith("  note   etcd is not used: no etcd on PATH")
        assert lines[5] == "Ctrl-C stops it."
        assert server.stop() == 0
        assert server.kubeconfig.stat().st_mode & 0o777 == 0o600
