"""What is chosen by name is looked at before there is a store: a wrong name leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from localplane.apiserver.server.options import InvalidOptions
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions


async def test_all_names_that_nobody_knows_are_told_before_anything_is_started(tmp_path: Path) -> None:
    options = ClusterOptions(
        storage=StorageOptions(kind=StorageKind.SQLITE, data_dir=tmp_path / "data"),
        controllers=("no-controller",),
        enabled_admission_plugins=("NoPlugin",),
    )
    with pytest.raises(InvalidOptions, match=r'"no-controller" .*NoPlugin'):
        async with open_cluster(options):
            pytest.fail("it was started")
    assert not (tmp_path / "data").exists()


async def test_a_cluster_can_not_be_called_as_no_directory_can(tmp_path: Path) -> None:
    with pytest.raises(InvalidOptions, match="can't be a server's name"):
        async with open_cluster(ClusterOptions(name="a/b", storage=StorageOptions(kind=StorageKind.SQLITE))):
            pytest.fail("it was started")
    assert not list(tmp_path.iterdir())
