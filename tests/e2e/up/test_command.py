"""`kctl up -- CMD`: a plane for one command, and nothing of it afterwards."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, environment
from tests.e2e.terminal import Terminal, needs_tmux
from tests.e2e.up.machine import WITHIN, Machine, is_gone, until

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: given}\n"
SH = "/bin/sh"
QUICK = ("--controllers", "none")

COUNTS_SIGNALS = """
import os, signal, sys, time
heard = []
def hear(number, frame):
    heard.append(signal.Signals(number).name)
    os.write(1, (heard[-1] + chr(10)).encode())  # print can't be entered again by the next signal
    if len(heard) == 2 or sys.argv[1:] == ["once"]:
        time.sleep(0.3)
        sys.exit(len(heard) + 10)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, hear)
print("listening", flush=True)
while True:
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(here: Machine) -> Path:
    """Where its temporary files are, so that one can see that they are gone."""
    directory = Path(tempfile.mkdtemp(prefix="kctl-tests-"))  # a short path: sockets are made below it
    here.environ["TMPDIR"] = str(directory)
    return directory


@pytest.fixture(autouse=True)
def nothing_is_left(here: Machine, temporary: Path) -> Iterator[None]:
    yield
    assert list(temporary.iterdir()) == []
    temporary.rmdir()
    assert list(here.state.glob(".planes/*")) == []
    assert [entry.name for entry in here.state.glob("*")] in ([], [".planes"])
    assert not here.kubeconfig.exists()


@contextmanager
def running(here: Machine, *words: str) -> Iterator[subprocess.Popen[str]]:
    with here.foreground("--storage", "memory", *QUICK, "--", *words) as process:
        yield process


def test_a_command_finds_its_plane_and_its_exit_code_is_ours(here: Machine) -> None:
    """Everything that one run can show: streams, environment, manifests, words that look like flags, the log."""
    (here.home / "map.yaml").write_text(CONFIG_MAP)
    asked = shlex.join([*KCTL, "get", "cm,nodes", "--field-selector=metadata.name!=kube-root-ca.crt"])
    script = f'{asked} -o name; echo "$@"; cat; echo problem >&2; env | grep ^KUBE; exit 7'
    flags = ("--ephemeral", "--nodes", "2", "-f", "map.yaml", "--log-file", "kept.log")
    done = subprocess.run(
        [*KCTL, "up", *flags, "--", SH, "-c", script, "sh", "--help", "--", "-d"],
        cwd=here.home,
        env=environment(here.home, {**here.environ, "KUBERNETES_SERVICE_HOST": "10.0.0.1", "PATH": "/usr/bin:/bin"}),
        input="typed",
        capture_output=True,
        text=True,
        check=False,
        timeout=WITHIN,
    )
    assert done.returncode == 7
    *names, words, rest = done.stdout.split("\n", 4)
    assert names == ["configmap/given", "node/node-0", "node/node-1"]
    assert words == "--help -- -d"
    assert rest.startswith(f"typedKUBECONFIG={here.environ['TMPDIR']}/localplane-")
    assert rest.count("\n") == 1
    kept = (here.home / "kept.log").read_text()
    assert " INFO run-" in kept
    assert " ready in " in kept
    assert done.stderr == f"problem\n--- the plane's log:\n{kept}---\n"


def test_signals_go_to_the_command(here: Machine) -> None:
    with running(here, sys.executable, "-c", COUNTS_SIGNALS) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "listening\n"
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "SIGINT\n"
        os.kill(process.pid, signal.SIGTERM)
        assert process.communicate(timeout=WITHIN)[0] == "SIGTERM\n"
    assert process.returncode == 12


def test_a_command_that_is_killed_takes_its_plane_with_it(here: Machine) -> None:
    """On SQLite, whose data is in a directory."""
    with here.foreground("--storage", "sqlite", *QUICK, "--", SH, "-c", "echo $KUBECONFIG; kill -9 $$") as process:
        stdout, stderr = process.communicate(timeout=WITHIN)
    assert process.returncode == 128 + 9
    assert stdout.startswith(f"{here.environ['TMPDIR']}/kctl-")
    assert stderr.startswith("--- the plane's log:\n")


def test_of_one_that_was_killed_itself_the_next_takes_away_what_is_left(here: Machine, temporary: Path) -> None:
    waits = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    with running(here, sys.executable, "-c", waits) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
        process.wait()
        os.kill(child, signal.SIGKILL)
        until(lambda: is_gone(child))
    assert list(temporary.iterdir()) != []
    assert len(list(here.state.glob(".planes/*"))) == 1
    assert here.kctl("up", *QUICK, "--", SH, "-c", "exit 0").code == 0


def test_a_plane_that_can_t_start_says_why_and_no_command_runs(here: Machine) -> None:
    (here.home / "map.yaml").write_text(CONFIG_MAP.replace("given", "Given"))
    done = here.kctl("up", *QUICK, "-f", "map.yaml", "--", SH, "-c", "echo it ran")
    assert (done.code, done.stdout) == (1, "")
    assert "error: not everything could be applied:\n* " in done.stderr
    assert 'metadata.name: Invalid value: "Given"' in done.stderr


def test_wrong_command_lines_start_nothing(here: Machine) -> None:
    def refused(*arguments: str) -> tuple[int, str]:
        done = here.kctl("up", *arguments)
        assert done.stdout == ""
        return done.code, done.stderr

    assert refused("--") == (1, "error: there is no command behind `--`\n")
    assert refused("--", "no-such-program", "-x") == (
        127,
        "error: no-such-program: there is no such program, so no plane was started\n",
    )
    code, said = refused("-d", "--", "true")
    assert (code, said.partition(":")[0]) == (1, "error")
    code, said = refused("true")
    assert (code, said.splitlines()[0]) == (1, "error: extra arguments: [true]")


@needs_tmux
def test_what_is_typed_at_a_terminal_is_heard_once(here: Machine, tmp_path: Path) -> None:
    script = here.home / "counts.py"
    script.write_text(COUNTS_SIGNALS)
    terminal = Terminal(tmp_path, environment(here.home, {**here.environ, "PATH": "/usr/bin:/bin"}))
    terminal.start(width=150, height=24)
    try:
        words = [*KCTL, "up", *QUICK, "--", sys.executable, str(script), "once"]
        terminal.type(f"clear; {shlex.join(words)}; echo it ended with $?", "Enter")
        until(lambda: "listening" in terminal.text)
        terminal.type("C-c")
        until(lambda: "it ended with 1" in terminal.text)
        assert "it ended with 11" in terminal.text  # one signal was heard
        assert terminal.text.count("SIGINT") == 1
    finally:
        terminal.end()
