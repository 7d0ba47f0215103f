"""A server is started again: clients that come back soon go on where they were, if the store still knows."""

from __future__ import annotations

import asyncio
import random

import pytest

from localplane.apiserver.storage.backend import BackendWatch
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.cacher.history import MOST_REVISIONS
from localplane.apiserver.storage.cacher.window import EventWindow
from localplane.apiserver.storage.errors import ResourceVersionTooOld, Unavailable
from localplane.apiserver.storage.interface import EventType, ListOptions, Match, Watch, WatchOptions
from localplane.apiserver.storage.keys import KeySchema
from localplane.apiserver.storage.store import Store
from tests.unit.storage.faulty import FaultyBackend, caching
from tests.unit.storage.samples import PREFIX, ROOT, absolute, config_map, has_app, key_of
from tests.unit.storage.virtual_time import now, settle, virtual_time
from tests.unit.storage.writers import Writer

Seen = tuple[EventType, str, int, bytes]


class PastKeepingBackend(FaultyBackend):
    """Counts the watches that begin in the past."""

    def __init__(self) -> None:
        super().__init__()
        self.looks_back = 0

    def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> BackendWatch:
        self.looks_back += after < self.inner.observed_revision
        return super().watch(start, end, after=after, previous=previous)


async def written(times: int, *, elsewhere: int = 0) -> PastKeepingBackend:
    backend = PastKeepingBackend()
    writer = Writer(backend.inner, random.Random(1))
    for _ in range(times):
        await writer.write()
    if elsewhere:
        await writer.write_elsewhere(times=elsewhere)
    return backend


async def seen(watch: Watch, count: int) -> list[Seen]:
    events: list[Seen] = []
    while len(events) < count:
        for event in await watch.take():
            assert event.object is not None
            events.append((event.type, event.object.key, event.revision, event.object.data))
    return events


async def is_refused(cacher: Cacher, revision: int) -> bool:
    watch = await cacher.resource(PREFIX).watch(PREFIX, WatchOptions(resource_version=str(revision)))
    events = [event async for event in watch] if watch.ended else []
    await watch.stop()
    return bool(events) and isinstance(events[0].error, ResourceVersionTooOld)


@virtual_time
async def test_a_watch_from_before_the_start_gets_what_the_store_itself_would_tell_and_then_the_present() -> None:
    backend = await written(60, elsewhere=3)
    store = Store(backend.inner, KeySchema(ROOT, PREFIX))
    async with caching(backend) as cacher:
        for revision in (50, 1, 59, 61, 63):
            for predicate in (None, has_app):
                options = WatchOptions(resource_version=str(revision), predicate=predicate)
                cached, plain = await cacher.resource(PREFIX).watch(PREFIX, options), await store.watch(PREFIX, options)
                await cacher.resource(PREFIX).create(key_of("z"), config_map("z", app="x"))
                last = await cacher.resource(PREFIX).delete(key_of("z"))
                expected = await seen(plain, 2)
                while expected[-1][2] < last.revision:
                    expected += await seen(plain, 1)
                assert await seen(cached, len(expected)) == expected
                await cached.stop()
                await plain.stop()
        assert backend.looks_back == 1


@virtual_time
async def test_the_store_is_not_asked_about_the_past_unless_somebody_needs_it() -> None:
    backend = await written(10)
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        for version in ("", "0", str(cacher.revision)):
            await (await storage.watch(PREFIX, WatchOptions(resource_version=version))).stop()
        assert backend.looks_back == 0


@virtual_time
async def test_many_who_come_back_at_once_have_the_past_read_once() -> None:
    backend = await written(10)
    async with caching(backend) as cacher:
        watches = await asyncio.gather(
            *(cacher.resource(PREFIX).watch(PREFIX, WatchOptions(resource_version="3")) for _ in range(20))
        )
        for watch in watches:
            assert [event.revision for event in await watch.take()] == [*range(4, 12)]
        assert backend.looks_back == 1


@virtual_time
async def test_what_lies_too_far_back_is_refused_without_asking() -> None:
    backend = await written(MOST_REVISIONS + 100)
    async with caching(backend) as cacher:
        filled_at = cacher.revision
        assert await is_refused(cacher, filled_at - MOST_REVISIONS - 1)
        assert backend.looks_back == 0
        assert not await is_refused(cacher, filled_at - MOST_REVISIONS)
        assert cacher.window.base == filled_at - MOST_REVISIONS
        await cacher.resource(PREFIX).create(key_of("new"), config_map("new"))
        await settle()
        assert cacher.window.base == filled_at - MOST_REVISIONS, "young events stay, wherever they came from"


@virtual_time
async def test_the_past_reaches_back_to_the_compaction_and_no_further() -> None:
    backend = await written(60)
    await backend.inner.compact(40)
    async with caching(backend) as cacher:
        assert await is_refused(cacher, 39)
        assert not await is_refused(cacher, 40)
        assert cacher.window.base == 40


@virtual_time
async def test_a_compaction_that_the_backend_has_not_heard_of_is_found() -> None:
    """As with etcd, which tells of it when a watch begins too early."""

    class Ignorant(PastKeepingBackend):
        known = 0

        @property
        def compacted_revision(self) -> int:
            return self.known

        def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> BackendWatch:
            if after + 1 < self.inner.compacted_revision:
                self.known = self.inner.compacted_revision
            return super().watch(start, end, after=after, previous=previous)

    backend = Ignorant()
    writer = Writer(backend.inner, random.Random(1))
    for _ in range(60):
        await writer.write()
    await backend.inner.compact(40)
    async with caching(backend) as cacher:
        assert not await is_refused(cacher, 50)
        assert cacher.window.base == 40


@virtual_time
async def test_a_store_that_does_not_answer_costs_some_seconds_once() -> None:
    backend = await written(10)
    async with caching(backend) as cacher:
        backend.hold()
        assert all(await asyncio.gather(*(is_refused(cacher, 5) for _ in range(10))))
        assert now() < 4
        backend.release()
        assert await is_refused(cacher, 5)
        assert len(backend.watches) == 1


@virtual_time
async def test_while_the_store_is_away_those_who_come_back_are_put_off_and_not_sent_to_list_again() -> None:
    backend = await written(10)
    async with caching(backend) as cacher:
        await backend.fail()
        for _ in range(2):
            with pytest.raises(Unavailable):
                await is_refused(cacher, 5)
        backend.down = False
        assert not await is_refused(cacher, 5)


@virtual_time
async def test_the_past_is_of_no_use_once_something_has_left_the_window() -> None:
    backend = await written(10)
    cacher = Cacher(backend, window=EventWindow(smallest=4, largest=4))
    await cacher.start()
    for name in "abcdef":
        await cacher.resource(PREFIX).create(key_of(name), config_map(name))
    await cacher.catch_up()
    base = cacher.window.base
    assert await is_refused(cacher, 8)
    assert (cacher.window.base, backend.looks_back) == (base, 0)
    await cacher.close()


@virtual_time
async def test_a_window_with_too_little_room_keeps_the_newest() -> None:
    backend = await written(20)
    cacher = Cacher(backend, window=EventWindow(smallest=4, largest=10))
    await cacher.start()
    assert await is_refused(cacher, 5)
    assert not await is_refused(cacher, 11)
    assert (cacher.window.base, len(cacher.window)) == (11, 10)
    await cacher.close()


@virtual_time
async def test_a_past_object_that_cannot_be_read_ends_the_watches_that_meet_it() -> None:
    backend = await written(5)
    bad = await backend.inner.put(absolute("bad"), b"no object", expected=0)
    await backend.inner.delete(absolute("bad"), expected=bad)
    async with caching(backend) as cacher:
        watch = await cacher.resource(PREFIX).watch(PREFIX, WatchOptions(resource_version=str(bad - 2)))
        assert [event.type async for event in watch][-1] is EventType.ERROR
        after = await cacher.resource(PREFIX).watch(PREFIX, WatchOptions(resource_version=str(bad + 1)))
        assert not after.ended


@virtual_time
async def test_past_lists_are_right_whether_the_window_reaches_back_or_not() -> None:
    backend = await written(40)
    store = Store(backend.inner, KeySchema(ROOT, PREFIX))
    async with caching(backend) as cacher:
        assert not await is_refused(cacher, 10)
        for revision in range(1, 42):
            options = ListOptions(resource_version=str(revision), match=Match.EXACT)
            cached, plain = await cacher.resource(PREFIX).list(PREFIX, options), await store.list(PREFIX, options)
            assert [obj.data for obj in cached.items] == [obj.data for obj in plain.items]
