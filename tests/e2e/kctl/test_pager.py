"""--pager and KCTL_PAGER: long output, a screen at a time, where somebody reads it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, environment
from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.test_help import on_terminal
from tests.e2e.terminal import Terminal, needs_tmux
from tests.e2e.up.machine import Machine, until

PAGER = "sed 's/^/> /'"


def seen(shop: Machine, *arguments: str, **environ: str) -> str:
    return on_terminal(shop.home, *arguments, "-n", "shop", **{"PATH": "/usr/bin:/bin", **shop.environ, **environ})


def test_a_pager_gets_what_the_terminal_would_have_got(shop: Machine) -> None:
    plain = seen(shop, "get", "cm/pear", "-o", "yaml")
    assert plain.startswith("\x1b[36mapiVersion")
    paged = "".join(f"> {line}\n" for line in plain.splitlines())
    assert seen(shop, "get", "cm/pear", "-o", "yaml", KCTL_PAGER=PAGER) == paged
    assert seen(shop, "get", "cm/pear", "-o", "yaml", "--pager", PAGER=PAGER) == paged
    assert seen(shop, "get", "cm/pear", "-o", "yaml", PAGER=PAGER) == plain
    assert seen(shop, "get", "cm/pear", "-o", "yaml", "--pager=false", KCTL_PAGER=PAGER) == plain
    assert seen(shop, "get", "cm/pear", "-o", "yaml", KCTL_PAGER=PAGER, TERM="dumb").startswith("apiVersion")


def test_errors_come_after_the_pager_and_keep_their_words(shop: Machine) -> None:
    assert seen(shop, "get", "cm/pear", "cm/nope", "-o", "name", "--color=never", KCTL_PAGER=PAGER).splitlines() == [
        "> configmap/pear",
        'Error from server (NotFound): configmaps "nope" not found',
    ]


def test_who_leaves_the_pager_has_seen_enough(shop: Machine) -> None:
    """Nothing is said of the rest, which is more than a pipe holds."""
    assert seen(shop, "explain", "pod", "--recursive", "--color=never", KCTL_PAGER="head -n1") == ("KIND:       Pod\n")


def test_in_a_pipe_there_is_no_pager(read: Read) -> None:
    assert read("get", "cm/pear", "-o", "name", "--pager", KCTL_PAGER=PAGER).stdout == "configmap/pear\n"


@pytest.mark.parametrize(
    ("line", "what"),
    [("get cm -w --pager", "kctl get --watch"), ("edit cm pear --pager", "kctl edit")],
)
def test_what_does_not_end_by_itself_has_no_pager(read: Read, line: str, what: str) -> None:
    done = read(*line.split())
    assert (done.code, done.stderr) == (1, f"error: --pager is for output that ends: {what} can't have one\n")


def test_a_pager_that_is_not_there_is_an_error(shop: Machine) -> None:
    text = seen(shop, "get", "cm", "--color=never", KCTL_PAGER="/nowhere/less")
    assert text.startswith("error: the pager '/nowhere/less' can't be started: ")
    assert text.endswith("KCTL_PAGER names another one\n")


@needs_tmux
def test_a_person_leaves_the_usual_pager_with_a_key(shop: Machine, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, environment(shop.home, {**shop.environ, "PATH": "/usr/bin:/bin"}))
    terminal.start(width=80, height=10)
    try:
        line = shlex.join([*KCTL, "explain", "pod.spec", "--pager"])
        terminal.type(f"{line}; echo it ended with $?", "Enter")
        until(lambda: terminal.text.splitlines()[0] == "KIND:       Pod")
        terminal.type("q")
        until(lambda: "it ended with 0" in terminal.text)
    finally:
        terminal.end()
