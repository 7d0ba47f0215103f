"""A server that never runs as long as the compaction's interval does not let its store grow for ever."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from localplane.apiserver.storage.backend import Backend
from localplane.apiserver.storage.compaction import Compactor
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, find_etcd
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend
from tests.integration.etcd_client.server import EtcdServer, answering, free_port

SESSIONS = 50
WRITES = 20
VALUE_BYTES = 20_000
A_FEW_SESSIONS = 5 * WRITES * VALUE_BYTES

Open = Callable[[], Awaitable[Backend]]


class TimeOfDay:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


async def sizes_after_each(open_store: Open) -> list[int]:
    """The bytes that the store uses at the end of each session, an hour apart."""
    clock, sizes = TimeOfDay(), []
    for _ in range(SESSIONS):
        backend = await open_store()
        observed = await backend.current_revision()
        compactor = Compactor(backend, seen=partial(int, observed), clock=clock)
        if not await compactor.begin():
            await compactor.turn()
        for _ in range(WRITES):
            current = (await backend.get("/registry/a")).kv
            await backend.put("/registry/a", os.urandom(VALUE_BYTES), expected=current.revision if current else 0)
        status = await backend.status()
        sizes.append(status.in_use_bytes or status.size_bytes)
        await backend.close()
        clock.now += 3600
    return sizes


async def test_fifty_short_sessions_leave_an_sqlite_file_as_large_as_a_few(tmp_path: Path) -> None:
    sizes = await sizes_after_each(lambda: SQLiteBackend.open(tmp_path / "sqlite.db"))
    # Free pages up to 4 MiB are kept for the next writes.
    assert max(sizes[-5:]) < A_FEW_SESSIONS + (4 << 20)
    assert max(sizes[-5:]) < 1.1 * max(sizes[20:30])


async def test_fifty_short_sessions_leave_an_etcd_as_large_as_a_few(tmp_path: Path) -> None:
    try:
        find_etcd()
    except EtcdNotFound as error:
        pytest.skip(str(error))
    etcd = EtcdServer(tmp_path, f"http://127.0.0.1:{free_port()}")
    etcd.start()

    async def open_store() -> Backend:
        backend = EtcdBackend(EtcdClient([etcd.listen]), exclusive=False)
        await answering(backend)
        return backend

    try:
        sizes = await sizes_after_each(open_store)
    finally:
        etcd.kill()
    assert max(sizes[-5:]) < A_FEW_SESSIONS
