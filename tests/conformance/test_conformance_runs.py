"""The runner counts right, and does nothing where there is nothing to replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.__main__ import main
from tests.conformance.recordings import find_recordings
from tests.conformance.scores import of_objects, of_stories

STORIES = [
    {"area": "watch", "name": "good", "steps": [{"ok": True}, {"ok": True}]},
    {"area": "watch", "name": "bad", "steps": [{"ok": True}, {"ok": False}]},
    {"area": "list", "name": "good", "steps": [{"ok": True}]},
]


def test_steps_and_cases_are_counted_by_area() -> None:
    scores = of_stories("all of it", STORIES, whole=["list", "watch", "absent"])
    assert list(scores.lines()) == [
        "all of it",
        "  list                  1 of 1     steps    1 of 1    cases  whole",
        "  watch                 3 of 4     steps    1 of 2    cases  BROKEN",
        "  all                   4 of 5     steps    2 of 3    cases",
    ]
    assert scores.broken == ["absent", "watch"]


def test_what_is_excused_breaks_nothing_and_is_told() -> None:
    scores = of_stories("all of it", STORIES, whole=["watch"], excuses={"watch/bad": "so it is", "watch/good": "never"})
    assert scores.broken == []
    assert list(scores.lines())[-1] == "  excused: watch/bad: so it is"


def test_objects_are_counted_and_agreements_are_noted() -> None:
    tests = [
        {"name": "a.yaml#0 Pod", "status": "pass"},
        {"name": "a.yaml#1 Pod", "status": "fail"},
        {"name": "b.yaml#0 Job", "status": "skip"},
    ]
    scores = of_objects("manifests", {"tests": tests}, notes=["agreement, table: 1/2"])
    assert list(scores.lines())[1:] == [
        "  objects               1 of 2     steps    1 of 2    cases  BROKEN",
        "  all                   1 of 2     steps    1 of 2    cases",
        "  agreement, table: 1/2",
    ]


def test_without_recordings_it_says_so_and_succeeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert find_recordings(tmp_path).missing == ["api", "cli", "corpus"]
    assert main(["--recordings", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == "skipped, no recordings here: api, cli, corpus (see KCTL_RECORDINGS)\n"
