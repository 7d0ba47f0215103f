"""The bench of snapshots measures what it says."""

from __future__ import annotations

from pathlib import Path

from localplane.compose.options import StorageKind
from tests.bench.snapshots import measure


async def test_everything_is_measured(tmp_path: Path) -> None:
    costs = await measure(StorageKind.SQLITE, tmp_path, count=50, trials=2)
    assert set(costs) == {
        "restore, until it can be read",
        "take",
        "read the file",
        "chronicle, for all events",
    }
    assert all(cost.clock > 0 for cost in costs.values())
