"""One etcd for each file of tests, and one for each test that is going to mistreat it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest
import uvloop

from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from tests.integration.etcd_client.server import EtcdServer, answering

_prefixes = count()


@pytest.hookimpl(optionalhook=True)
def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


@pytest.fixture(scope="module")
def shared_etcd() -> Iterator[EtcdServer]:
    yield from _running()


@pytest.fixture
def etcd() -> Iterator[EtcdServer]:
    yield from _running()


def _running() -> Iterator[EtcdServer]:
    # Not pytest's directory: a socket's path has to be short.
    with tempfile.TemporaryDirectory(prefix="etcd-") as directory:
        server = EtcdServer(Path(directory), f"unix://{directory}/client.sock")
        server.start()
        try:
            yield server
        finally:
            server.kill()


@pytest.fixture
async def backend(shared_etcd: EtcdServer) -> AsyncIterator[EtcdBackend]:
    backend = EtcdBackend(EtcdClient([shared_etcd.listen]), exclusive=False, page_size=100)
    await answering(backend)
    yield backend
    await backend.close()


@pytest.fixture
def prefix() -> str:
    """Keys that no other test uses."""
    return f"/test-{next(_prefixes)}/"
