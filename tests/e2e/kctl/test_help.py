"""Help: the same form for every verb, whichever way one asks, and never wider than the terminal."""

from __future__ import annotations

import importlib
import os
import pty
import subprocess
from pathlib import Path

import pytest

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, switch
from kctl.command_line.help_pages import help_text
from kctl.command_line.verbs import GROUPS
from tests.e2e.command_line import KCTL, environment
from tests.e2e.conftest import Kctl
from tests.e2e.up.machine import Machine

VERBS = [verb for group in GROUPS for verb in group.verbs if not verb.hidden]


@pytest.mark.parametrize("line", ["", "--help", "-h", "help", "-n x --help"])
def test_help_lists_every_verb_in_its_group(line: str, run_kctl: Kctl) -> None:
    outcome = run_kctl(*line.split())
    assert (outcome.code, outcome.stderr) == (0, "")
    for group in (group for group in GROUPS if group.verbs):
        assert f"\n{group.title}:\n" in outcome.stdout
    for verb in VERBS:
        assert f"\n  {verb.name:<13}  {verb.summary}\n" in outcome.stdout
    assert outcome.stdout.index("\nExamples:\n") < outcome.stdout.index("\nBasic Commands (Beginner):\n")


@pytest.mark.parametrize("line", ["config set-cluster --help", "config set-cluster -h", "help config set-cluster"])
def test_a_verb_explains_itself_on_stdout_whichever_way_one_asks(line: str, run_kctl: Kctl) -> None:
    outcome = run_kctl(*line.split())
    assert (outcome.code, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith("Add a cluster, or change what you name of one that is there.\n\nUsage:\n")
    places = [outcome.stdout.index(f"\n{title}:\n") for title in ("Usage", "Examples", "Flags")]
    assert places == sorted(places)
    assert "\n      --server TEXT " in outcome.stdout
    assert outcome.stdout.endswith("\n'kctl options' lists the flags that every command has.\n")


def test_our_own_verbs_look_the_same(run_kctl: Kctl) -> None:
    outcome = run_kctl("down", "--help")
    assert (outcome.code, outcome.stderr) == (0, "")
    assert "\nUsage:\n  kctl down [flags]\n\nExamples:\n  kctl down\n" in outcome.stdout
    assert "\n      --timeout DURATION  How long to wait for its end: 30s, 2m. (default 1m)\n" in outcome.stdout
    inner = run_kctl("help", "etcd", "install").stdout
    assert "\nUsage:\n  kctl etcd install [flags]\n" in inner
    assert "\n      --base-url URL " in inner


def test_a_verb_of_verbs_alone_shows_its_help_on_stderr_and_fails(run_kctl: Kctl) -> None:
    for name in ("etcd", "config", "kuberc"):
        outcome = run_kctl(name)
        assert (outcome.code, outcome.stdout) == (1, "")
        assert outcome.stderr == run_kctl(name, "--help").stdout
        assert "\nAvailable Commands:\n" in outcome.stderr


@pytest.mark.parametrize("verb", VERBS, ids=[verb.name for verb in VERBS])
def test_every_declared_verb_has_a_summary_examples_and_flags_that_are_explained(verb: object) -> None:
    module = importlib.import_module(verb.module)  # type: ignore[attr-defined]  # a Verb, which mypy sees as an object
    if not hasattr(module, "COMMAND"):
        return
    waiting: list[Command] = [module.COMMAND]
    while waiting:
        command = waiting.pop()
        waiting += command.commands
        assert command.summary, command.usage
        assert command.examples or command.commands, command.usage
        assert [flag.name for flag in command.flags if not flag.usage and not flag.hidden] == []


def test_what_is_long_is_broken_and_stays_in_its_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    command = Command(
        "try",
        "try NAME",
        "Try it",
        flags=(
            switch("all", "Everything that there is, however much it may turn out to be in the end.", short="a"),
            Flag("number", "int", 3, "How many."),
            Flag("a-name-that-is-far-too-long-for-it", usage="Long."),
            switch("hidden", "Nobody sees it.", hidden=True),
        ),
        description="One sentence that is\nbroken somewhere.\n\n  as it is\n\n- a list\n- of two",
        examples="# One\nkctl try it",
    )
    assert help_text(command, "kctl try") == (
        "One sentence that is broken somewhere.\n\n  as it is\n\n- a list\n- of two\n\n"
        "Usage:\n  kctl try NAME [flags]\n\n"
        "Examples:\n  # One\n  kctl try it\n\n"
        "Flags:\n"
        "      --a-name-that-is-far-too-long-for-it TEXT\n"
        "                  Long.\n"
        "  -a, --all       Everything that there is,\n"
        "                  however much it may turn out to\n"
        "                  be in the end.\n"
        "      --number N  How many. (default 3)\n\n"
        "'kctl options' lists the flags that every command\nhas.\n"
    )


def on_terminal(home: Path, *arguments: str, **environ: str) -> str:
    """What a person sees who runs it on a terminal of sixty columns."""
    mine, theirs = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    process = subprocess.Popen(
        [*KCTL, *arguments],
        cwd=home,
        env=environment(home, {"TERM": "xterm", **environ}),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(mine, 65536):
            seen += piece
    except OSError:  # the other side is closed
        pass
    process.wait(60)
    os.close(mine)
    return seen.decode().replace("\r\n", "\n")


def test_on_a_terminal_help_fits_and_headings_stand_out(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, "config", "view", "--help")
    assert "\n\x1b[1mExamples:\x1b[0m\n" in shown
    flags = shown.partition("\x1b[1mFlags:\x1b[0m\n")[2]
    assert flags
    assert all(len(line) <= 60 for line in flags.splitlines())
    assert "\x1b" not in on_terminal(tmp_path, "config", "view", "--help", NO_COLOR="1")
    assert "\x1b" not in on_terminal(tmp_path, "config", "view", "--help", "--color=never")


def test_on_a_terminal_a_typing_error_is_answered_with_what_was_probably_meant(tmp_path: Path, run_kctl: Kctl) -> None:
    shown = on_terminal(tmp_path, "rollout", "statsu", "--color=never")
    told = "error: unknown command \"statsu\"\nSee 'kctl rollout -h' for help and examples\n"
    assert shown == f"{told}\nDid you mean this?\n\tstatus\n"
    assert run_kctl("rollout", "statsu").stderr == told


def test_on_a_terminal_a_mistyped_type_is_guessed(plane: Machine) -> None:
    told = 'error: the server doesn\'t have a resource type "podz"\n'
    shown = on_terminal(plane.home, "get", "podz", "--color=never", **plane.environ)
    assert shown == f"{told}\nDid you mean this?\n\tpods\n"
    assert plane.kctl("get", "podz").stderr == told
