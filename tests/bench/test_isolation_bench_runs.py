"""The benchmark of tests' clusters runs, and what it says can be true. How fast anything is, is not asserted."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.bench import isolation


@pytest.mark.timeout(600)
def test_every_figure_is_taken_and_can_be_true(tmp_path: Path) -> None:
    table = isolation.measure(6, tmp_path)
    assert [figure.name for figure in table.figures] == [
        "all of it",
        "a test's overhead",
        "a test's overhead, CPU",
        "a whole test",
        "a whole test, CPU",
    ]
    for figure in table.figures:
        for side in isolation.SIDES:
            spread = figure.sides[side]
            assert 0 < spread.lowest <= spread.median <= spread.highest < math.inf, (figure.name, side)
