"""The short form of `python -m tests.faults.life`."""

from __future__ import annotations

from pathlib import Path

from tests.faults.life import run


def test_workloads_are_as_they_should_be_after_kills_and_nothing_was_done_twice(tmp_path: Path) -> None:
    verdict = run(tmp_path, kills=3, storage="sqlite", seed=1)
    assert verdict.violations == []
    assert (verdict.kills, verdict.jobs, verdict.rollouts) == (3, 3, 9)
