"""What was defined is served again before the server says that it is ready."""

from __future__ import annotations

from pathlib import Path

from localplane.apiserver.server.options import ServerOptions
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from tests.integration.apiextensions.definitions import DEFINITIONS, custom, definition, of_spec, version, widgets


async def test_custom_resources_are_there_after_a_restart(tmp_path: Path) -> None:
    group, schema = "kept.example.com", of_spec(n={"type": "integer", "default": 7})
    options = ClusterOptions(
        storage=StorageOptions(kind=StorageKind.SQLITE, data_dir=tmp_path),
        server=ServerOptions(port=0),
        controllers=("none",),
    )
    async with open_cluster(options) as plane:
        await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", schema)))
        await widgets(plane.client, group).create(custom(group, "w", {}))
    async with open_cluster(options) as plane:
        assert (await widgets(plane.client, group).get("w"))["spec"] == {"n": 7}
        assert plane.installer.serves(group)
