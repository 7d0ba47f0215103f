"""A whole cluster without controllers, one for each file of tests, and webhooks on a socket of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from localplane.apiserver.server.options import ServerOptions
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane
from tests.integration.admission.reviewing import Reviewer, running_reviewer


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plane() -> AsyncIterator[Plane]:
    options = ClusterOptions(
        storage=StorageOptions(kind=StorageKind.MEMORY),
        server=ServerOptions(port=0),
        controllers=("none",),
        disabled_admission_plugins=("ServiceAccount",),
    )
    async with open_cluster(options) as plane:
        yield plane


@pytest_asyncio.fixture(loop_scope="module")
async def reviewer(tmp_path: Path) -> AsyncIterator[Reviewer]:
    async with running_reviewer(tmp_path) as reviewer:
        yield reviewer
