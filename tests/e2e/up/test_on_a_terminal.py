"""`kctl up` where somebody looks: what stands on a real terminal while it starts, runs and ends."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, environment
from tests.e2e.terminal import Terminal, needs_tmux
from tests.e2e.up.machine import Machine, until

pytestmark = needs_tmux


@pytest.fixture
def terminal(here: Machine, tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(tmp_path, environment(here.home, {"PATH": "/usr/bin:/bin"}))
    opened.start(width=100, height=24)
    yield opened
    opened.end()


def up(terminal: Terminal, *arguments: str) -> None:
    words = [*KCTL, "up", "--storage", "sqlite", "--port", "0", *arguments]
    terminal.type(f"clear; {shlex.join(words)}; echo it ended with $?", "Enter")


def report(terminal: Terminal) -> list[str]:
    """From its first line to its last, without what the shell shows."""
    lines = [line.rstrip() for line in terminal.text.splitlines()]
    begin = next(number for number, line in enumerate(lines) if line.endswith(" is up"))
    return [line for line in lines[begin:] if line]


def test_the_report_says_where_it_is_and_how_to_stop_it(here: Machine, terminal: Terminal) -> None:
    (here.home / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    up(terminal, "-f", str(here.home / "a.yaml"))
    until(lambda: "Ctrl-C stops it." in terminal.text)
    shown = report(terminal)
    assert shown == [
        "● default is up",
        f"  server    {here.record()['url']}",
        "  context   kctl-default (current)",
        shown[3],
        "  data      ~/.local/state/kctl/default",
        "  nodes     1 simulated: pods are scheduled and become ready, and nothing runs",
        "  applied   1 object",
        shown[-1],
    ]
    assert shown[3].startswith("  store     sqlite ")
    assert shown[-1].startswith("Ready in ")
    assert "\x1b[1m\x1b[32m● \x1b[39mdefault is up" in terminal.coloured
    terminal.type("C-c")
    until(lambda: "it ended with 0" in terminal.text)
    assert "default has stopped. The data stays in ~/.local/state/kctl/default." in terminal.text


def test_reset_asks_first_unless_it_is_told_not_to(terminal: Terminal) -> None:
    terminal.type(f"clear; {shlex.join([*KCTL, 'reset'])}; echo it ended with $?", "Enter")
    until(lambda: "Delete everything that is stored in default? [y/N]" in terminal.text)
    terminal.type("n", "Enter")
    until(lambda: "it ended with 1" in terminal.text)
    assert "nothing was deleted: default is as it was" in terminal.text
    terminal.type(f"clear; {shlex.join([*KCTL, 'reset', '--yes'])}; echo it ended with $?", "Enter")
    until(lambda: "it ended with 0" in terminal.text)
    assert "default is down and keeps no data." in terminal.text
    assert "[y/N]" not in terminal.text


def test_forty_columns_are_enough(here: Machine, terminal: Terminal) -> None:
    terminal.resize(40, 24)
    up(terminal)
    until(lambda: "stops it." in terminal.text)
    assert report(terminal)[0] == "● default is up"
    assert "  context   kctl-default (current)" in terminal.text
    terminal.type("C-c")
    until(lambda: "it ended with 0" in terminal.text)
