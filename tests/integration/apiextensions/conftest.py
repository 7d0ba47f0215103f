"""A whole cluster without controllers, one for each file of tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from localplane.apiserver.server.options import ServerOptions
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plane() -> AsyncIterator[Plane]:
    options = ClusterOptions(
        storage=StorageOptions(kind=StorageKind.MEMORY), server=ServerOptions(port=0), controllers=("none",)
    )
    async with open_cluster(options) as plane:
        yield plane
