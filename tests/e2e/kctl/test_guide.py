"""`kctl guide`: which there are, and one of them, for a person or for a program."""

from __future__ import annotations

import re
from pathlib import Path

from kctl import guides
from kctl.guides import GUIDES
from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.conftest import Kctl
from tests.e2e.terminal import Terminal, needs_tmux
from tests.e2e.up.machine import until

_STYLES = re.compile(r"\x1b\[[\d;]*m")


def test_they_are_listed_with_what_they_are_about(run_kctl: Kctl) -> None:
    done = run_kctl("guide")
    assert (done.code, done.stderr) == (0, "")
    heading, *lines = done.stdout.splitlines()
    assert heading.split() == ["NAME", "ABOUT"]
    assert [tuple(line.split(maxsplit=1)) for line in lines] == [tuple(guide) for guide in GUIDES]


def test_in_a_pipe_one_is_plain_markdown(run_kctl: Kctl) -> None:
    for guide in GUIDES:
        shown = run_kctl("guide", guide.name)
        assert shown == Outcome(0, guides.text_of(guide), "")
        assert shown.stdout.startswith("# ")
        assert "<!--" not in shown.stdout
    assert run_kctl("guide", "PyTest").stdout == guides.text_of(GUIDES[0])


def test_colours_can_be_had_in_a_pipe(run_kctl: Kctl) -> None:
    shown = run_kctl("guide", "pytest", "--color=always", COLUMNS="90").stdout
    assert _STYLES.search(shown)
    plain = _STYLES.sub("", shown)
    assert "```" not in plain
    assert "A cluster for each test: pytest" in plain
    assert max(map(len, plain.splitlines())) <= 90


def test_a_name_that_is_nearly_right_is_recognized(run_kctl: Kctl) -> None:
    assert run_kctl("guide", "webhook") == Outcome(
        1, "", 'error: there is no guide "webhook"\nDid you mean this?\n\twebhooks\n'
    )
    assert run_kctl("guide", "cooking") == Outcome(
        1, "", "error: there is no guide \"cooking\"\n'kctl guide' lists them.\n"
    )
    assert run_kctl("guide", "go", "ci").stderr == "error: one guide at a time, not 2: go ci\n"


def test_names_are_completed(run_kctl: Kctl) -> None:
    offered = run_kctl("__complete", "guide", "c").stdout.splitlines()
    assert [line.partition("\t")[0] for line in offered[:-1]] == [
        guide.name for guide in GUIDES if guide.name.startswith("c")
    ]
    assert offered[-1] == ":4"
    assert run_kctl("__complete", "guide", "ci", "").stdout == ":4\n"


@needs_tmux
def test_on_a_terminal_it_is_set_in_its_width(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, environment(tmp_path, {"PATH": "/usr/bin:/bin", "TERM": "screen-256color"}))
    terminal.start(width=70, height=60)
    try:
        terminal.type(f"clear; {' '.join(KCTL)} guide uninstalling", "Enter")
        until(lambda: "Nothing else was touched" in terminal.text)
        assert "```" not in terminal.text
        assert "Remove everything" in terminal.text
        assert "\x1b[" in terminal.coloured
    finally:
        terminal.end()
