"""A compaction overtakes the feed: the cache is filled anew, and everybody is told."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.errors import (
    NotReady,
    ResourceVersionTooLarge,
    ResourceVersionTooOld,
    StorageError,
    Unavailable,
)
from localplane.apiserver.storage.interface import EventType, ListOptions, WatchOptions
from tests.unit.storage.faulty import FaultyBackend, caching
from tests.unit.storage.samples import PREFIX, config_map, key_of
from tests.unit.storage.virtual_time import settle, until, virtual_time
from tests.unit.storage.writers import Writer


async def overtake(backend: FaultyBackend, writer: Writer) -> int:
    """Break the feed, write, and compact away what it has not seen; returns the store's revision."""
    await backend.fail()
    await writer.write()
    await writer.write()
    revision = await writer.write_elsewhere(times=2)
    await backend.inner.compact(revision)
    backend.down = False
    return revision


@asynccontextmanager
async def overtaken() -> AsyncIterator[tuple[FaultyBackend, Cacher]]:
    """A cacher at the moment when it has noticed that history is gone."""
    backend = FaultyBackend()
    writer = Writer(backend.inner, random.Random(1))
    for _ in range(5):
        await writer.write()
    async with caching(backend) as cacher:
        await overtake(backend, writer)
        await until(lambda: not cacher.ready)
        yield backend, cacher


@virtual_time
async def test_watches_end_and_those_who_resume_from_before_are_told_to_list_again() -> None:
    backend = FaultyBackend()
    writer = Writer(backend.inner, random.Random(1))
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        before = await writer.write()
        watch = await storage.watch(PREFIX, WatchOptions(resource_version=str(before)))
        after = await overtake(backend, writer)
        async with asyncio.timeout(30):
            assert await watch.take() == []
        await until(lambda: cacher.ready)
        assert cacher.revision == cacher.window.base == after
        for old in (1, before, after - 1):
            refused = await storage.watch(PREFIX, WatchOptions(resource_version=str(old)))
            events = [event async for event in refused]
            assert [event.type for event in events] == [EventType.ERROR]
            assert isinstance(events[0].error, ResourceVersionTooOld)
        assert len(cacher.watchers) == 0
        resumed = await storage.watch(PREFIX, WatchOptions(resource_version=str(after)))
        written = await writer.write()
        assert [event.revision for event in await resumed.take()] == [written]


@virtual_time
async def test_the_new_cache_shows_what_the_store_holds() -> None:
    async with overtaken() as (backend, cacher):
        await until(lambda: cacher.ready)
        listed = await cacher.resource(PREFIX).list(PREFIX, ListOptions())
        truth = await backend.inner.range("/registry/", "/registry0")
        assert [(obj.key, obj.revision) for obj in listed.items] == [(kv.key, kv.revision) for kv in truth.kvs]


@virtual_time
async def test_while_it_is_filled_watches_and_whole_lists_are_put_off() -> None:
    async with overtaken() as (_, cacher):
        storage = cacher.resource(PREFIX)
        with pytest.raises(NotReady):
            await storage.watch(PREFIX, WatchOptions())
        with pytest.raises(NotReady):
            await storage.list(PREFIX, ListOptions())
        assert not storage.ready()
        await until(lambda: cacher.ready)
        await storage.list(PREFIX, ListOptions())


@virtual_time
async def test_while_it_is_filled_the_store_answers_for_single_objects_and_pages() -> None:
    async with overtaken() as (backend, cacher):
        storage = cacher.resource(PREFIX)
        created = await storage.create(key_of("new"), config_map("new"))
        assert not cacher.ready
        assert (await storage.get(key_of("new"))).revision == created.revision
        page = await storage.list(PREFIX, ListOptions(limit=2))
        assert page.revision == backend.inner.observed_revision
        assert len(page.items) == 2


@virtual_time
async def test_filling_is_tried_until_it_works() -> None:
    async with overtaken() as (backend, cacher):
        backend.down = True
        await asyncio.sleep(30)
        assert not cacher.ready
        backend.down = False
        async with asyncio.timeout(30):
            await until(lambda: cacher.ready)


@virtual_time
async def test_a_reader_who_waits_while_it_is_filled_gets_the_new_state() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        backend.hold()
        for name in ("a", "b", "c"):
            await storage.create(key_of(name), config_map(name))
            await settle()
        reading = asyncio.create_task(storage.get(key_of("c")))
        await settle()
        await Writer(backend.inner, random.Random(1)).write_elsewhere(times=2)
        await backend.inner.compact(backend.inner.observed_revision)
        backend.release()
        assert (await reading).key.endswith("/c")


class Reflector:
    """A client as clients are: list, watch, resume, and list again when told that the past is gone."""

    def __init__(self, cacher: Cacher, chance: random.Random) -> None:
        self._storage = cacher.resource(PREFIX)
        self._chance = chance
        self.revision = 0
        self.state: dict[str, int] = {}
        self.lists = 0
        # Where each list left us, and the revisions of all events since.
        self.spans: list[tuple[int, list[int]]] = []

    async def run(self) -> None:
        while True:
            try:
                await self._list()
                while await self._follow():
                    pass
            except (NotReady, Unavailable, ResourceVersionTooLarge):
                await asyncio.sleep(0.05)

    async def _list(self) -> None:
        version = self._chance.choice(("", "0"))
        listed = await self._storage.list(PREFIX, ListOptions(resource_version=version))
        assert listed.revision >= self.revision, "a list went back in time"
        self.state = {obj.key: obj.revision for obj in listed.items}
        self.revision = listed.revision
        self.lists += 1
        self.spans.append((listed.revision, []))

    async def _follow(self) -> bool:
        """One watch to its end; says whether to resume from where it ended."""
        watch = await self._storage.watch(PREFIX, WatchOptions(resource_version=str(self.revision)))
        async for event in watch:
            if event.type is EventType.ERROR:
                assert isinstance(event.error, ResourceVersionTooOld)
                return False
            assert event.object is not None
            assert event.revision > self.revision, "a watch went back in time"
            if event.type is EventType.DELETED:
                del self.state[event.object.key]
            else:
                assert (event.object.key in self.state) is (event.type is EventType.MODIFIED)
                self.state[event.object.key] = event.revision
            self.revision = event.revision
            self.spans[-1][1].append(event.revision)
        return True


async def trouble(backend: FaultyBackend, writer: Writer, chance: random.Random) -> None:
    for _ in range(12):
        await asyncio.sleep(chance.random() * 0.3)
        match chance.choice(("cut", "overtake", "overtake while held")):
            case "cut":
                await backend.cut()
            case "overtake":
                await overtake(backend, writer)
            case "overtake while held":
                backend.hold()
                await asyncio.sleep(chance.random() * 0.1)
                await backend.inner.compact(await writer.write_elsewhere(times=2))
                backend.release()


@pytest.mark.parametrize("seed", range(10))
def test_clients_that_follow_the_rules_end_with_the_truth_and_miss_no_event_untold(seed: int) -> None:
    @virtual_time
    async def story() -> None:
        chance = random.Random(seed)
        backend = FaultyBackend()
        writer = Writer(backend.inner, chance)
        async with caching(backend) as cacher:
            clients = [Reflector(cacher, chance) for _ in range(4)]
            running = [asyncio.create_task(client.run()) for client in clients]

            async def write() -> None:
                for _ in range(80):
                    await asyncio.sleep(chance.random() * 0.05)
                    await writer.write()

            await asyncio.gather(write(), write(), trouble(backend, writer, chance))
            await until(lambda: cacher.ready and cacher.revision >= writer.log[-1].revision)
            await asyncio.sleep(1)
            for task in running:
                task.cancel()
            await asyncio.wait(running)
        assert all(task.cancelled() for task in running), [task.exception() for task in running if not task.cancelled()]
        truth = {key: kv.revision for key, kv in writer.state_at(writer.log[-1].revision).items()}
        revisions = [change.revision for change in writer.log]
        for client in clients:
            assert client.state == truth
            assert client.lists > 1
            for start, events in client.spans:
                assert events == [revision for revision in revisions if start < revision <= max([start, *events])]

    story()


@virtual_time
async def test_a_failed_refill_is_a_storage_error_and_nothing_else() -> None:
    """Whatever the store says while the cache is empty, readers get an error that the registry can name."""
    async with overtaken() as (backend, cacher):
        backend.down = True
        storage = cacher.resource(PREFIX)
        for call in (storage.get(key_of("a")), storage.list(PREFIX, ListOptions())):
            with pytest.raises(StorageError):
                await call
        with pytest.raises(StorageError):
            await storage.watch(PREFIX, WatchOptions(resource_version="1"))
