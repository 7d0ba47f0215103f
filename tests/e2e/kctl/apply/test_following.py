"""`kctl apply --watch`, and how far a large apply is."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time

from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.kctl.desk import Desk


def test_watched_files_are_applied_again_when_they_change(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    process = subprocess.Popen(
        [*KCTL, "-n", desk.namespace, "apply", "-f", file, "--watch"],
        cwd=desk.directory,
        env=environment(desk.machine.home, {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "configmap/a created\n"
        lines: list[str] = []
        for value in range(2, 40):  # the first change may come before anybody watches
            desk.config_map("a.yaml", "a", x=str(value))
            time.sleep(0.2)
            if desk.run("get", "cm", "a", "-o", "jsonpath={.data.x}").stdout == str(value):
                break
        while not lines or lines[-1] != "configmap/a configured\n":
            lines.append(process.stdout.readline())
    finally:
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 0
    assert lines[:2] == ["--- a.yaml (applied)\n", "+++ a.yaml\n"]
    assert "-  x: '1'\n" in lines


def test_what_cant_be_watched_is_refused(desk: Desk) -> None:
    said = "error: --watch works with files and directories only\n"
    assert desk.run("apply", "-f", "-", "--watch") == Outcome(1, "", said)


def _on_a_terminal(desk: Desk, *arguments: str) -> str:
    """All that stands there when the command has ended."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*KCTL, "-n", desk.namespace, *arguments],
        cwd=desk.directory,
        env=environment(desk.machine.home, {**desk.machine.environ, "TERM": "xterm"}),
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    seen = b""
    try:
        while chunk := os.read(master, 65536):
            seen += chunk
    except OSError:  # the other side is closed
        pass
    finally:
        os.close(master)
    assert process.wait(timeout=20) == 0
    return seen.decode()


def test_a_terminal_shows_how_far_a_large_apply_is_and_nothing_else_does(desk: Desk) -> None:
    text = "".join(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{n}}}\n---\n" for n in range(12))
    file = desk.write("many.yaml", text)
    shown = _on_a_terminal(desk, "apply", "-f", file)
    assert "12/12" in shown
    assert "configmap/c11 created" in shown
    plain = desk.run("apply", "-f", file)
    assert plain.stdout == "".join(f"configmap/c{n} unchanged\n" for n in range(12))
    assert plain.stderr == ""
    assert "1/1" not in _on_a_terminal(desk, "apply", "-f", desk.config_map("one.yaml", "one"))
