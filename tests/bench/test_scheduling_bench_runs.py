"""The benchmark of scheduling runs, and what it says can be true. How fast anything is, is not asserted."""

from __future__ import annotations

import math

from localplane.compose.options import StorageKind
from tests.bench import scheduling
from tests.bench.report import as_text


async def test_every_figure_is_taken_and_can_be_true() -> None:
    table = await scheduling.measure(scheduling.PROOF, StorageKind.MEMORY)

    assert [figure.name for figure in table.figures] == ["bound", "CPU for one pod"]
    for figure in table.figures:
        assert set(figure.sides) == {"plain", "replica set"}
        for spread in figure.sides.values():
            assert 0 < spread.lowest <= spread.median <= spread.highest < math.inf, figure
    assert "6 pods on 3 nodes" in as_text({}, [table], "the command", heading=scheduling.HEADING)
