"""`kctl watch` where somebody looks: a real terminal, and what stands on it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from localplane.client.rest.names import GroupVersionResource
from tests.e2e.command_line import KCTL, environment
from tests.e2e.terminal import Terminal, needs_tmux
from tests.e2e.up.machine import Machine, until
from tests.e2e.watch.conftest import Writer

pytestmark = needs_tmux


@pytest.fixture
def terminal(plane: Machine, tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(tmp_path, environment(plane.home, {"PATH": "/usr/bin:/bin"}))
    opened.start(width=100, height=20)
    yield opened
    opened.end()


def watch(terminal: Terminal, *arguments: str) -> None:
    terminal.type(shlex.join([*KCTL, "watch", *arguments]) + "; echo it ended with $?", "Enter")


def test_the_table_updates_in_place(terminal: Terminal, writer: Writer) -> None:
    writer.make("one", data={"a": "b"})
    watch(terminal, "cm,sa", "-n", writer.namespace, "--field-selector", "metadata.name!=kube-root-ca.crt")
    until(lambda: "configmap/one" in terminal.text)
    assert "  NAME           DATA  AGE" in terminal.text
    until(lambda: "  serviceaccount/default" in terminal.text)
    writer.make("two")
    until(lambda: "+ configmap/two" in terminal.text)
    writer.patch("one", {"data": {"c": "d"}})
    until(lambda: "~ configmap/one  2" in terminal.text)
    assert "\x1b[1m\x1b[33m2" in terminal.coloured
    writer.remove("two")
    until(lambda: "- configmap/two" in terminal.text)
    until(lambda: "configmap/two" not in terminal.text)
    assert terminal.text.count("configmap/one") == 1
    terminal.type("C-c")
    until(lambda: "it ended with 0" in terminal.text)
    assert "configmap/one  2" in terminal.text  # the last state stays


def test_ages_tick_and_a_narrow_terminal_is_enough(terminal: Terminal, writer: Writer) -> None:
    writer.make("a-name-that-is-longer-than-the-terminal-will-be")
    watch(terminal, "cm", "-n", writer.namespace)
    until(lambda: "configmap/a-name" in terminal.text)
    before = terminal.text.splitlines()[2].split()[-1]
    until(lambda: terminal.text.splitlines()[2].split()[-1] != before)
    terminal.resize(40, 10)
    until(lambda: "…" in terminal.text)
    lines = terminal.text.splitlines()
    assert "NAME" in lines[1]
    assert "DATA" in lines[1]
    assert lines[2].strip().startswith("configmap/a-name-that")
    terminal.type("q")
    until(lambda: "it ended with 0" in terminal.text)


@pytest.mark.parametrize("flag", ["--live", "--live=false"])
def test_escape_sequences_are_shown_and_not_obeyed(terminal: Terminal, writer: Writer, flag: str) -> None:
    writer.make(
        "evil",
        resource=GroupVersionResource("", "v1", "events"),
        involvedObject={"kind": "Pod", "name": "x", "namespace": writer.namespace},
        message="\x1b[2J\x1b]0;mine\x07gone",
        reason="Evil",
    )
    watch(terminal, "events", "-n", writer.namespace, flag)
    until(lambda: "^[[2J^[]0;mine^Ggone" in terminal.text)
    terminal.type("C-c")
    until(lambda: "it ended with 0" in terminal.text)


def test_without_colour_nothing_is_coloured(plane: Machine, tmp_path: Path, writer: Writer) -> None:
    terminal = Terminal(tmp_path, environment(plane.home, {"PATH": "/usr/bin:/bin", "NO_COLOR": "1"}))
    terminal.start(width=80, height=10)
    try:
        watch(terminal, "cm", "-n", writer.namespace)
        until(lambda: "configmap/kube-root-ca.crt" in terminal.text)
        writer.make("new")
        until(lambda: "+ configmap/new" in terminal.text)
        assert "\x1b[" not in terminal.coloured
    finally:
        terminal.end()
