"""`kctl clock`: whole outputs, on a plane that goes by the machine's clock; tests/e2e/up has one of its own."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk


def test_a_plane_goes_by_the_machines_clock_unless_it_was_told_otherwise(desk: Desk) -> None:
    assert desk.run("clock", "show") == Outcome(0, "<time>, by the machine's clock\n", "")
    clock = json.loads(desk.run("clock", "show", "--output", "json").stdout)
    assert sorted(clock) == ["advances", "ahead", "now"]
    assert desk.run("clock", "show", "-o", "yaml").stdout.startswith("advances: false\nahead: 0s\nnow: ")
    refused = desk.run("clock", "advance", "1h", "--output", "json")
    assert refused.code == 1
    assert "start it with `kctl up --own-clock`" in refused.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("clock advance", "say by how much, once: kctl clock advance 1h30m"),
        ("clock advance 1h 2h", "say by how much, once: kctl clock advance 1h30m"),
        ("clock show now", "a plane has one clock: leave out now"),
        ("clock show -o wide", "--output wide is none that is known here: use json, yaml"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(desk: Desk, line: str, words: str) -> None:
    done = desk.run(*line.split())
    assert (done.code, done.stdout) == (1, "")
    assert words in done.stderr


def test_no_duration_is_no_duration(desk: Desk) -> None:
    done = desk.run("clock", "advance", "soon")
    assert done.code == 1
    assert '"soon" is no duration, such as 90s, 5m or 1h30m' in done.stderr
