"""The short form of `python -m tests.faults.restores`."""

from __future__ import annotations

from pathlib import Path

import pytest

from localplane.compose.options import StorageKind
from tests.faults.restores import strike


@pytest.mark.parametrize(("kind", "kills"), [(StorageKind.SQLITE, 3), (StorageKind.ETCD, 2)])
def test_a_kill_leaves_all_of_a_snapshot_or_all_of_the_other(kind: StorageKind, kills: int, tmp_path: Path) -> None:
    blows = strike(tmp_path, kind, kills=kills, seed=7, objects=600)
    assert len(blows) == kills
    assert [blow.problem for blow in blows if blow.problem] == []
