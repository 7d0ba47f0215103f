"""An etcd that is killed, stopped or full."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from localplane.apiserver.storage.backend import prefix_end
from localplane.apiserver.storage.errors import NoSpace, TimedOut, Unavailable
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.etcd.space import reclaim
from tests.integration.etcd_client.server import QUICK_ELECTIONS, EtcdServer, answering

KEY = "/k/"


@asynccontextmanager
async def backend_on(etcd: EtcdServer, patience: timedelta) -> AsyncIterator[EtcdBackend]:
    backend = EtcdBackend(EtcdClient([etcd.listen], timeout=patience, connect_timeout=patience), exclusive=True)
    await answering(backend)
    yield backend
    await backend.close()


@pytest.fixture
async def mistreated(etcd: EtcdServer) -> AsyncIterator[EtcdBackend]:
    """One that would wait for a minute."""
    async with backend_on(etcd, timedelta(minutes=1)) as backend:
        yield backend


@pytest.fixture
async def impatient(etcd: EtcdServer) -> AsyncIterator[EtcdBackend]:
    async with backend_on(etcd, timedelta(seconds=0.5)) as backend:
        yield backend


async def test_a_kill_fails_everything_in_flight_at_once_and_a_restart_heals(
    etcd: EtcdServer, mistreated: EtcdBackend
) -> None:
    acknowledged: dict[str, int] = {}
    failures: list[Unavailable] = []
    under_way = asyncio.Event()

    async def write(writer: int) -> None:
        for number in range(1_000_000):
            key = f"{KEY}{writer}/{number}"
            try:
                acknowledged[key] = await mistreated.put(key, b"v" * 1000, expected=0)
            except Unavailable as failure:
                failures.append(failure)
                return
            if len(acknowledged) >= 300:
                under_way.set()

    watch = mistreated.watch(KEY, prefix_end(KEY), after=1)
    await watch.request_progress()
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        for writer in range(32):
            group.create_task(write(writer))
        await under_way.wait()
        etcd.kill()
        killed = time.monotonic()
    assert time.monotonic() - killed < 30  # not by their timeouts
    assert len(failures) == 32
    assert not any(isinstance(failure, TimedOut) for failure in failures)
    with pytest.raises(Unavailable):
        async for _ in watch:
            pass

    started = time.monotonic()
    with pytest.raises(Unavailable) as raised:
        await mistreated.put(KEY + "down", b"", expected=0)
    assert time.monotonic() - started < 30
    assert not raised.value.may_have_happened

    revision_before = mistreated.observed_revision
    etcd.start()
    await answering(mistreated)
    page = await mistreated.range(KEY, prefix_end(KEY))
    stored = {kv.key: kv.revision for kv in page.kvs}
    assert acknowledged.items() <= stored.items()
    assert page.revision >= revision_before


async def test_a_stopped_etcd_times_out_and_is_then_refused_quickly(etcd: EtcdServer, impatient: EtcdBackend) -> None:
    identity = await impatient.identity()
    etcd.pause()
    try:
        with pytest.raises(TimedOut):
            await impatient.put(KEY + "a", b"v", expected=0)

        with pytest.raises(Unavailable, match="can't be reached") as raised:
            await impatient.put(KEY + "b", b"v", expected=0)
        assert not raised.value.may_have_happened
        with pytest.raises(Unavailable):
            await impatient.get(KEY + "a")
    finally:
        etcd.resume()

    await answering(impatient)
    assert await impatient.identity() == identity
    assert (await impatient.get(KEY + "b")).kv is None


async def test_a_full_etcd_says_so_still_deletes_and_can_be_repaired() -> None:
    with tempfile.TemporaryDirectory(prefix="etcd-") as directory:
        quota = "--quota-backend-bytes=16777216"
        etcd = EtcdServer(Path(directory), f"unix://{directory}/client.sock", (*QUICK_ELECTIONS, quota))
        etcd.start()
        backend = EtcdBackend(EtcdClient([etcd.listen]), exclusive=False)
        try:
            await answering(backend)
            with pytest.raises(NoSpace):
                await fill(backend)
            assert backend.no_space.is_set()
            assert (await backend.status()).is_full

            (alarm,) = (await backend.status()).alarms
            servers = f"unix://{directory}/client.sock"
            assert alarm == (
                "etcd's database is full (NOSPACE): "
                f"run `kctl etcd repair --etcd-servers {servers}`, or give it a larger quota"
            )
            found = (await backend.get(KEY + "a")).kv
            assert found is not None
            deleted = await backend.delete(KEY + "a", expected=found.revision)
            with pytest.raises(NoSpace, match=f"exceeded: run `kctl etcd repair --etcd-servers {servers}`"):
                await backend.put(KEY + "b", b"", expected=0)

            await backend.compact(deleted)
            reclaimed = await reclaim(backend)
            assert reclaimed.after_bytes < reclaimed.before_bytes / 10
            assert await backend.disarm() == 1
            assert await backend.disarm() == 0

            assert (await backend.status()).alarms == ()
            await backend.put(KEY + "b", b"", expected=0)
        finally:
            await backend.close()
            etcd.kill()


async def test_what_a_full_etcd_refuses_has_not_happened_and_what_it_took_is_there() -> None:
    """The write that reaches the quota is done, and answered as if it were not."""
    with tempfile.TemporaryDirectory(prefix="etcd-") as directory:
        quota = "--quota-backend-bytes=16777216"
        etcd = EtcdServer(Path(directory), f"unix://{directory}/client.sock", (*QUICK_ELECTIONS, quota))
        etcd.start()
        backend = EtcdBackend(EtcdClient([etcd.listen]), exclusive=True)
        taken: dict[str, int] = {}
        refused: set[str] = set()

        async def write(writer: int) -> None:
            for number in range(400):
                if len(refused) > 8:
                    return
                key = f"{KEY}{writer}-{number}"
                try:
                    taken[key] = await backend.put(key, f"{key} ".encode() * 10_000, expected=0)
                except NoSpace:
                    refused.add(key)

        try:
            await answering(backend)
            await asyncio.gather(*(write(writer) for writer in range(8)))
            page = await backend.range(KEY, "/k0")
        finally:
            await backend.close()
            etcd.kill()
    assert refused
    assert {kv.key: kv.revision for kv in page.kvs} == taken


async def fill(backend: EtcdBackend) -> None:
    """etcd measures its database when it commits, which a busy disk delays: so it is given more than would do."""
    revision = 0
    for _ in range(200):
        revision = await backend.put(KEY + "a", b"x" * 2**20, expected=revision)
