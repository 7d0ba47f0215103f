"""An etcd is restored from an older copy, emptied or exchanged while a server uses it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from localplane.apiserver.server.monitoring.health import Unhealthy
from localplane.apiserver.storage.cacher.storage import CachedStorage
from localplane.apiserver.storage.errors import KeyNotFound, ResourceVersionTooOld, StorageError, Unavailable
from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, find_etcd
from localplane.apiserver.storage.interface import EventType, ListOptions, WatchOptions
from localplane.apiserver.storage.objects import StoredObject
from localplane.compose.options import StorageKind, StorageOptions
from localplane.compose.storage import OpenStorage, open_storage
from tests.integration.etcd_client.server import EtcdServer, free_port

PREFIX = "/configmaps/"
PATIENCE_SECONDS = 30


@pytest.fixture(autouse=True)
def _needs_etcd() -> None:
    try:
        find_etcd()
    except EtcdNotFound as error:
        pytest.skip(str(error))


@pytest.fixture
def etcd(tmp_path: Path) -> Iterator[EtcdServer]:
    server = EtcdServer(tmp_path, f"http://127.0.0.1:{free_port()}", peer_url=f"http://127.0.0.1:{free_port()}")
    server.start()
    yield server
    server.kill()


async def eventually(ask: Callable[[], Awaitable[object]]) -> None:
    """Until it no longer raises: nothing tells when another process is ready."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                await ask()
            except (StorageError, Unhealthy, AssertionError):
                await asyncio.sleep(0.02)
            else:
                return


@asynccontextmanager
async def using(etcd: EtcdServer) -> AsyncIterator[OpenStorage]:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:  # until it answers for the first time
            try:
                async with open_storage(StorageOptions(etcd_servers=(etcd.listen,))) as opened:
                    yield opened
                    return
            except Unavailable:
                await asyncio.sleep(0.02)


async def create(storage: CachedStorage, name: str) -> StoredObject:
    metadata = {"name": name, "namespace": "default", "uid": os.urandom(8).hex()}
    obj = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata}
    return await storage.create(f"{PREFIX}default/{name}", obj)


async def names(storage: CachedStorage) -> list[str]:
    return [obj.key.rpartition("/")[2] for obj in (await storage.list(PREFIX, ListOptions())).items]


def put_back(etcd: EtcdServer, copy: Path) -> None:
    """What a restore from a backup does."""
    etcd.kill()
    shutil.rmtree(etcd.directory / etcd.name)
    shutil.copytree(copy, etcd.directory / etcd.name)
    etcd.start()


def copy_of(etcd: EtcdServer, tmp_path: Path) -> Path:
    etcd.kill()
    copy = tmp_path / "copy"
    shutil.copytree(etcd.directory / etcd.name, copy)
    etcd.start()
    return copy


async def test_a_restored_etcd_is_noticed_and_nothing_is_acknowledged_that_vanishes(
    etcd: EtcdServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with using(etcd) as opened:
        storage = opened.cacher.resource(PREFIX)
        await create(storage, "old")
        copy = copy_of(etcd, tmp_path)
        await eventually(lambda: create(storage, "lost-0"))
        for number in range(1, 20):
            lost = await create(storage, f"lost-{number}")
        watch = await storage.watch(PREFIX, WatchOptions(resource_version=str(lost.revision)))

        put_back(etcd, copy)
        await eventually(lambda: create(storage, "new"))
        await eventually(lambda: names(storage))
        await storage.get(f"{PREFIX}default/new")

        assert await names(storage) == ["new", "old"]
        with pytest.raises(KeyNotFound):
            await storage.get(f"{PREFIX}default/lost-7")
        async with asyncio.timeout(PATIENCE_SECONDS):
            events = [event async for event in watch]
        assert [type(event.error) for event in events if event.type is EventType.ERROR] == [ResourceVersionTooOld]
        assert opened.cacher.discontinuities == 1
        assert "Everything is read anew" in caplog.text
        for check in opened.readiness():
            await check.run()


async def test_an_etcd_that_others_wrote_to_after_the_restore_is_noticed_too(etcd: EtcdServer, tmp_path: Path) -> None:
    """As with a revision that the restore has raised: no number is lower than one that was seen."""
    async with using(etcd) as opened:
        storage = opened.cacher.resource(PREFIX)
        await create(storage, "old")
        copy = copy_of(etcd, tmp_path)
        await eventually(lambda: create(storage, "lost"))
        await eventually(lambda: storage.get(f"{PREFIX}default/lost"))
        port = etcd.listen
        etcd.kill()
        shutil.rmtree(etcd.directory / etcd.name)
        shutil.copytree(copy, etcd.directory / etcd.name)
        etcd.listen = f"http://127.0.0.1:{free_port()}"
        etcd.start()
        async with using(etcd) as other:
            for number in range(50):
                await create(other.cacher.resource(PREFIX), f"other-{number:02}")
        etcd.kill()
        etcd.listen = port
        etcd.start()

        await eventually(lambda: create(storage, "new"))
        await eventually(lambda: names(storage))
        await storage.get(f"{PREFIX}default/new")
        assert await names(storage) == ["new", "old", *(f"other-{number:02}" for number in range(50))]
        assert opened.cacher.discontinuities >= 1


async def test_another_cluster_at_the_same_address_is_noticed(etcd: EtcdServer) -> None:
    async with using(etcd) as opened:
        storage = opened.cacher.resource(PREFIX)
        await create(storage, "lost")
        etcd.kill()
        shutil.rmtree(etcd.directory / etcd.name)
        etcd.options = ("--initial-cluster-token=another", "--heartbeat-interval=10", "--election-timeout=100")
        etcd.start()
        await eventually(lambda: create(storage, "new"))
        await eventually(lambda: names(storage))
        await storage.get(f"{PREFIX}default/new")
        assert await names(storage) == ["new"]
        assert opened.cacher.discontinuities >= 1


async def killed(opened: OpenStorage) -> None:
    pid = opened.etcd_pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    await eventually(partial(_is_gone, opened, pid))


async def _is_gone(opened: OpenStorage, pid: int) -> None:
    assert opened.etcd_pid != pid


async def readiness(opened: OpenStorage) -> str:
    for check in opened.readiness():
        try:
            await check.run()
        except Unhealthy as unhealthy:
            return str(unhealthy)
    return ""


async def _says_why_not_ready(opened: OpenStorage) -> None:
    assert "restore the newest copy" in await readiness(opened)


@pytest.mark.parametrize("replaced_by", ["nothing", "an older copy"])
async def test_our_own_etcd_is_not_used_on_other_data_and_used_again_on_its_own(
    tmp_path: Path, replaced_by: str
) -> None:
    options = StorageOptions(kind=StorageKind.ETCD, data_dir=tmp_path / "data")
    async with open_storage(options) as opened:
        storage = opened.cacher.resource(PREFIX)
        await create(storage, "old")
    data, older, newest = tmp_path / "data" / "etcd", tmp_path / "older", tmp_path / "newest"
    shutil.copytree(data, older)

    async with open_storage(options) as opened:
        storage = opened.cacher.resource(PREFIX)
        for number in range(20):
            await create(storage, f"newer-{number}")
        data.rename(newest)  # etcd does not notice: its files are open
        if replaced_by == "an older copy":
            shutil.copytree(older, data)
        await killed(opened)

        await eventually(partial(_says_why_not_ready, opened))
        for _ in range(3):
            with pytest.raises(StorageError):
                await create(storage, "vanishing")
            await asyncio.sleep(0.02)

        shutil.rmtree(data)
        newest.rename(data)
        await eventually(lambda: create(storage, "new"))
        await eventually(lambda: names(storage))
        assert await readiness(opened) == ""
        assert len(await names(storage)) == 22
        assert opened.cacher.discontinuities == 0
