"""One etcd for each file of tests; each test has a prefix of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, find_etcd
from localplane.compose.storage import etcd_backend
from tests.integration.etcd_client.server import EtcdServer, answering, free_port
from tests.integration.several.servers import Shared


@pytest.fixture(scope="module")
def etcd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EtcdServer]:
    try:
        find_etcd()
    except EtcdNotFound as error:
        pytest.skip(str(error))
    directory = tmp_path_factory.mktemp("etcd")
    server = EtcdServer(directory, f"http://127.0.0.1:{free_port()}")
    server.start()
    asyncio.run(_ready(server))
    yield server
    server.kill()


async def _ready(server: EtcdServer) -> None:
    backend = etcd_backend(server.listen, exclusive=False)
    await answering(backend)
    await backend.close()


@pytest.fixture(scope="module")
def _keys(etcd: EtcdServer, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    shared = Shared(etcd.listen, tmp_path_factory.mktemp("servers"))
    shared.make_keys()
    return shared


@pytest.fixture
def shared(_keys: Shared) -> Shared:
    return replace(_keys, prefix=Shared(_keys.etcd, Path()).prefix)
