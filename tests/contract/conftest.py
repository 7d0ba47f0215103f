"""One contract, eight storages: four backends, each asked directly and through the cacher."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.contract import summary
from tests.contract.etcd_server import EtcdServer, running_etcd
from tests.contract.subjects import Subject, open_backend, opened
from tests.contract.upstream import SUBJECTS

_roots = count()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    summary.label(items)


@pytest.fixture(scope="session")
def etcd_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EtcdServer]:
    with running_etcd(tmp_path_factory.mktemp("etcd")) as server:
        yield server


@pytest.fixture(params=SUBJECTS)
async def subject(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Subject]:
    """A storage for pods, empty, and what a test needs to look behind it."""
    name: str = request.param
    etcd = request.getfixturevalue("etcd_server") if name.endswith("etcd") else None
    backend = await open_backend(name.removeprefix("cacher-"), tmp_path, etcd)
    # Tests share one etcd, and see each other's revisions but never each other's keys.
    root = f"/registry-{next(_roots)}"
    async with opened(backend, root, cached=name.startswith("cacher-")) as subject:
        yield subject
