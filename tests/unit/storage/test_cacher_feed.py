"""The feed breaks, hangs and comes back while others write: no watch may notice anything but a delay."""

from __future__ import annotations

import asyncio
import random

import pytest

from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.interface import EventType, ListOptions, Predicate, Watch, WatchEvent, WatchOptions
from localplane.apiserver.storage.objects import StoredObject
from localplane.apiserver.storage.store.watch import event_of
from tests.unit.storage.faulty import FaultyBackend, caching
from tests.unit.storage.samples import PREFIX, config_map, has_app, key_of
from tests.unit.storage.virtual_time import settle, virtual_time
from tests.unit.storage.writers import Writer

Seen = tuple[EventType, str, int, bytes]


def seen(event: WatchEvent) -> Seen:
    assert event.object is not None
    return event.type, event.object.key, event.revision, event.object.data


class Observer:
    """One watch, what it said, and what the log says that it should have said."""

    def __init__(self, watch: Watch, start: int, predicate: Predicate | None, *, initial: bool) -> None:
        self.watch = watch
        self._start = start
        self._predicate = predicate
        self._initial = initial
        self.events: list[Seen] = []

    async def follow(self) -> None:
        async for event in self.watch:
            self.events.append(seen(event))

    def expected(self, writer: Writer) -> list[Seen]:
        events: list[Seen] = []
        if self._initial:
            state = writer.state_at(self._start)
            objects = [StoredObject.from_stored(key, state[key].value, state[key].revision) for key in sorted(state)]
            events = [
                (EventType.ADDED, obj.key, obj.revision, obj.data)
                for obj in objects
                if self._predicate is None or self._predicate(obj)
            ]
        changes = (event_of(change, self._predicate) for change in writer.after(self._start))
        return events + [seen(event) for event in changes if event is not None]


async def opened(cacher: Cacher, chance: random.Random) -> Observer:
    """A watch from now, from any time, or from somewhere in the window; tried again while the store is away."""
    predicate = chance.choice((None, has_app))
    choice = chance.choice(("", "0", "past"))
    while True:
        requested = max(cacher.window.base, cacher.revision - chance.randrange(20))
        version = str(requested) if choice == "past" else choice
        try:
            watch = await cacher.resource(PREFIX).watch(
                PREFIX, WatchOptions(resource_version=version, predicate=predicate)
            )
        except Unavailable:
            await asyncio.sleep(0.01)
            continue
        start = requested if choice == "past" else cacher.revision
        return Observer(watch, start, predicate, initial=choice != "past")


async def trouble(backend: FaultyBackend, chance: random.Random) -> None:
    for _ in range(15):
        await asyncio.sleep(chance.random() * 0.2)
        match chance.choice(("cut", "hold", "lose", "fail")):
            case "cut":
                await backend.cut()
            case "hold":
                backend.hold()
                await asyncio.sleep(chance.random() * 0.1)
                backend.release()
            case "lose":  # what was on its way when the connection broke never arrives
                backend.hold()
                await asyncio.sleep(chance.random() * 0.1)
                await backend.cut()
                backend.release()
            case "fail":
                await backend.fail()
                await asyncio.sleep(chance.random() * 0.3)
                backend.down = False


async def caught_up(cacher: Cacher) -> None:
    while True:
        try:
            await cacher.catch_up()
        except Unavailable:
            await asyncio.sleep(0.05)
        else:
            return await settle()


@pytest.mark.parametrize("seed", range(12))
def test_a_feed_that_breaks_at_any_moment_leaves_no_gap_and_repeats_nothing(seed: int) -> None:
    @virtual_time
    async def story() -> None:
        chance = random.Random(seed)
        backend = FaultyBackend()
        writer = Writer(backend.inner, chance)
        observers: list[Observer] = []

        async def write() -> None:
            for _ in range(60):
                await asyncio.sleep(chance.random() * 0.05)
                await writer.write()

        async def observe(cacher: Cacher, group: asyncio.TaskGroup) -> None:
            for _ in range(8):
                await asyncio.sleep(chance.random() * 0.2)
                observers.append(await opened(cacher, chance))
                group.create_task(observers[-1].follow())

        async with caching(backend) as cacher, asyncio.TaskGroup() as following:
            async with asyncio.TaskGroup() as group:
                group.create_task(write())
                group.create_task(write())
                group.create_task(trouble(backend, chance))
                group.create_task(observe(cacher, following))
            await caught_up(cacher)
            listed = await cacher.resource(PREFIX).list(PREFIX, ListOptions())
            for observer in observers:
                await observer.watch.stop()
            assert len(cacher.watchers) == 0
        assert {obj.key: obj.revision for obj in listed.items} == {
            key: kv.revision for key, kv in writer.state_at(listed.revision).items()
        }
        assert len(writer.log) == 120
        for observer in observers:
            assert observer.events == observer.expected(writer)

    story()


@virtual_time
async def test_a_batch_that_was_lost_with_its_connection_is_asked_for_again() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        watch = await storage.watch(PREFIX, WatchOptions())
        backend.hold()
        created = await storage.create(key_of("a"), config_map("a"))
        await settle()
        await backend.cut()
        backend.release()
        async with asyncio.timeout(30):
            assert [event.revision for event in await watch.take()] == [created.revision]
            await storage.create(key_of("b"), config_map("b"))
            assert [event.revision for event in await watch.take()] == [created.revision + 1]


@virtual_time
async def test_a_broken_feed_ends_no_watch_and_the_cache_stays_ready() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        watch = await storage.watch(PREFIX, WatchOptions())
        await backend.fail()
        await asyncio.sleep(60)
        assert cacher.ready
        assert len(cacher.watchers) == 1
        backend.down = False
        created = await storage.create(key_of("a"), config_map("a"))
        async with asyncio.timeout(30):
            assert (await anext(watch)).revision == created.revision


@virtual_time
async def test_a_store_that_is_away_for_long_is_asked_for_patiently() -> None:
    backend = FaultyBackend()
    async with caching(backend):
        await backend.fail()
        await asyncio.sleep(2)
        asked = backend.revision_questions
        await asyncio.sleep(60)
        assert 50 <= backend.revision_questions - asked <= 70


@virtual_time
async def test_a_start_without_a_store_fails_and_leaves_nothing_running() -> None:
    backend = FaultyBackend()
    backend.down = True
    cacher = Cacher(backend)
    with pytest.raises(Unavailable):
        await cacher.start()
    assert not cacher.ready
    await cacher.close()


@virtual_time
async def test_closing_ends_all_watches() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        watches = [await cacher.resource(PREFIX).watch(PREFIX, WatchOptions()) for _ in range(3)]
        readers = [asyncio.create_task(watch.take()) for watch in watches]
        await settle()
    assert await asyncio.gather(*readers) == [[], [], []]
    assert len(cacher.watchers) == 0


@virtual_time
async def test_closing_closes_the_feed_too() -> None:
    backend = FaultyBackend()
    async with caching(backend):
        assert len(backend.watches) == 1
    assert not backend.watches


@virtual_time
async def test_a_slow_reader_resumes_where_it_was_ended_and_misses_nothing() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        slow = await storage.watch(PREFIX, WatchOptions())
        quick = await storage.watch(PREFIX, WatchOptions())
        received: list[int] = []
        for number in range(1500):
            await storage.create(key_of(f"{number:04}"), config_map(f"{number:04}"))
            received.extend(event.revision for event in await quick.take())
        await asyncio.sleep(1)
        await storage.create(key_of("last"), config_map("last"))
        await settle()
        first = [event.revision async for event in slow]
        resumed = await storage.watch(PREFIX, WatchOptions(resource_version=str(first[-1])))
        rest = [event.revision for event in await resumed.take()]
        assert received == [*range(2, 1502)]
        assert rest
        assert first + rest == [*range(2, 1503)]


@virtual_time
async def test_a_watch_of_the_future_sees_nothing_before_it() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        watch = await storage.watch(PREFIX, WatchOptions(resource_version="5"))
        for name in "abcdefg":
            await storage.create(key_of(name), config_map(name))
        await settle()
        assert [event.revision for event in await watch.take()] == [6, 7, 8]
