"""The benchmark of pods runs, and what it says can be true. How fast anything is, is not asserted."""

from __future__ import annotations

import math
from pathlib import Path

from localplane.compose.options import StorageKind
from tests.bench import life
from tests.bench.report import as_text


def test_every_figure_is_taken_and_can_be_true(tmp_path: Path) -> None:
    table = life.measure(life.PROOF, StorageKind.MEMORY, tmp_path)
    figures = {figure.name: figure.sides[life.SIDE] for figure in table.figures}
    assert list(figures) == [
        "1 pods, ready after",
        "1 pods, CPU so far",
        "3 pods, ready after",
        "3 pods, CPU so far",
        "3 pods, memory",
        "3 pods, idle CPU",
    ]
    for name, spread in figures.items():
        assert 0 <= spread.lowest <= spread.median <= spread.highest < math.inf, name
    assert figures["1 pods, ready after"].median > 0
    assert "the command that repeats it" in as_text({}, [table], "the command that repeats it", heading=life.HEADING)
