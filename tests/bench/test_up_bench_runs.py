"""The benchmark of `kctl up` runs, and what it says can be true. How fast anything is, is not asserted."""

from __future__ import annotations

import math
from pathlib import Path

from localplane.compose.options import StorageKind
from tests.bench import up
from tests.bench.http.kube import KUBE
from tests.bench.report import as_text


def test_every_figure_is_taken_and_can_be_true(tmp_path: Path) -> None:
    kinds = [StorageKind.SQLITE, StorageKind.MEMORY]
    table = up.measure(up.PROOF, kinds, tmp_path, controllers="*")

    figures = {figure.name: figure for figure in table.figures}
    assert list(figures) == [
        "fresh start to /readyz",
        "what it says itself",
        "start on existing data",
        "memory, server",
        "idle CPU, server",
    ]
    for name, figure in figures.items():
        sides = {"sqlite"} if name == "start on existing data" else {"sqlite", "memory"}
        assert set(figure.sides) - {KUBE} == sides
        for spread in figure.sides.values():
            assert 0 <= spread.lowest <= spread.median <= spread.highest < math.inf, figure
    assert figures["fresh start to /readyz"].sides["memory"].median > 0
    assert "the command that repeats it" in as_text({}, [table], "the command that repeats it", heading=up.HEADING)


def test_the_slowest_imports_are_told() -> None:
    lines = up.slowest_imports(3).splitlines()
    assert len(lines) == 4
    assert "modules" in lines[-1]
    assert float(lines[0].split()[0]) >= float(lines[1].split()[0]) >= float(lines[2].split()[0])
