"""`python -m tests.growth` measures everything it is told to, keeps to its time, and finds what grows too fast."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.growth import __main__ as run
from tests.growth.measuring import HIGHEST_EXPONENT, growth_within
from tests.growth.subjects import Subject


def _linear(size: int) -> Callable[[], Any]:
    return lambda: sum(range(size * 1_000))


def _square(size: int) -> Callable[[], Any]:
    return lambda: sum(range(size * size))


def test_a_square_is_found_and_linear_work_is_not() -> None:
    assert growth_within(_square, smallest=64, largest=1024, seconds=0.1).exponent > HIGHEST_EXPONENT
    assert growth_within(_linear, smallest=64, largest=1024, seconds=0.1).exponent < HIGHEST_EXPONENT


def test_whoever_has_little_time_is_measured_with_small_inputs() -> None:
    begun = time.thread_time()
    assert growth_within(_linear, smallest=16, largest=1 << 20, seconds=0.0).large == 64
    assert time.thread_time() - begun < 1.0, "the largest would take minutes"


def test_every_input_is_measured_and_the_worst_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    subjects: Sequence[Subject] = (
        Subject("good", {"few": _linear, "many": _linear}, 64),
        Subject("bad", {"some": _square}, 64),
    )
    monkeypatch.setattr(run, "families", lambda: {"works": subjects})
    assert run.main(["--only", "works", "--minutes", "0.02", "--jobs", "1"]) == 1
    printed = capsys.readouterr().out
    assert "all: 2 functions or places, 3 inputs" in printed
    assert "1 too fast" in printed
    assert printed.count("works: bad: some:") == 2, "among those that grow fastest, and as too fast"
