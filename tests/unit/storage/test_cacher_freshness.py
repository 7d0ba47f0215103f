"""Reads through the cacher are as new as they must be, or say that they can't be."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.apiserver.storage.errors import KeyNotFound, ResourceVersionTooLarge, Unavailable
from localplane.apiserver.storage.interface import EventType, ListOptions, WatchOptions
from tests.unit.storage.faulty import FaultyBackend, caching
from tests.unit.storage.samples import PREFIX, absolute, config_map, encoded, key_of
from tests.unit.storage.virtual_time import now, settle, virtual_time


@virtual_time
async def test_a_read_waits_until_the_cache_shows_what_was_acknowledged() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        backend.hold()
        created = await storage.create(key_of("a"), config_map("a"))
        reads = [
            asyncio.create_task(storage.get(key_of("a"))),
            asyncio.create_task(storage.list(PREFIX, ListOptions())),
            asyncio.create_task(storage.watch(PREFIX, WatchOptions())),
        ]
        await asyncio.sleep(1)
        assert not any(read.done() for read in reads)
        backend.release()
        await asyncio.wait(reads)
        assert (await storage.get(key_of("a"))).revision == created.revision == cacher.revision
        for read in reads:
            read.result()


@virtual_time
async def test_a_read_of_any_version_does_not_wait() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        backend.hold()
        await storage.create(key_of("a"), config_map("a"))
        with pytest.raises(KeyNotFound):
            await storage.get(key_of("a"), resource_version="0")
        assert (await storage.list(PREFIX, ListOptions(resource_version="0"))).items == []
        assert now() == 0.0


@virtual_time
async def test_a_feed_that_stands_still_makes_reads_fail_after_three_seconds() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        backend.hold()
        created = await storage.create(key_of("a"), config_map("a"))
        with pytest.raises(ResourceVersionTooLarge) as raised:
            await storage.get(key_of("a"))
        assert now() == pytest.approx(3.0)
        assert (raised.value.requested, raised.value.current) == (created.revision, created.revision - 1)


@virtual_time
async def test_the_future_is_waited_for_and_then_refused() -> None:
    async with caching(FaultyBackend(), freshness_timeout=timedelta(seconds=1)) as cacher:
        storage = cacher.resource(PREFIX)
        for version in ("2", "1000", str(2**64 - 1)):
            with pytest.raises(ResourceVersionTooLarge):
                await storage.get(key_of("a"), resource_version=version)
            with pytest.raises(ResourceVersionTooLarge):
                await storage.list(PREFIX, ListOptions(resource_version=version))
        assert now() == pytest.approx(6.0)
        reading = asyncio.create_task(storage.get(key_of("a"), resource_version="2"))
        await settle()
        await storage.create(key_of("a"), config_map("a"))
        assert (await reading).revision == 2


@virtual_time
async def test_a_revision_taken_outside_the_registry_is_reached_by_asking_for_progress() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        outside = await backend.put("elsewhere", b"", expected=0)
        assert (await cacher.resource(PREFIX).list(PREFIX, ListOptions())).revision == outside
        assert now() < 0.1
        assert backend.watches[0].progress_questions == 1


@virtual_time
async def test_while_the_feed_is_down_only_reads_of_any_version_are_answered() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        created = await storage.create(key_of("a"), config_map("a"))
        await settle()
        await backend.fail()
        await settle()
        with pytest.raises(Unavailable):
            await cacher.catch_up()
        with pytest.raises(Unavailable):
            await storage.get(key_of("a"))
        with pytest.raises(Unavailable):
            await storage.list(PREFIX, ListOptions())
        with pytest.raises(Unavailable):
            await storage.watch(PREFIX, WatchOptions())
        assert (await storage.get(key_of("a"), resource_version="0")).revision == created.revision
        assert len((await storage.list(PREFIX, ListOptions(resource_version="0"))).items) == 1
        resumed = await storage.watch(PREFIX, WatchOptions(resource_version=str(created.revision)))
        assert len(cacher.watchers) == 1
        backend.down = False
        await asyncio.sleep(2)
        assert (await storage.get(key_of("a"))).revision == created.revision
        await resumed.stop()


@virtual_time
async def test_who_owns_the_store_never_asks_how_far_it_is() -> None:
    backend = FaultyBackend(exclusive=True)
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        await storage.create(key_of("a"), config_map("a"))
        await asyncio.gather(*(storage.get(key_of("a")) for _ in range(50)))
        assert backend.revision_questions == 0


@virtual_time
async def test_who_shares_the_store_asks_once_for_many_readers() -> None:
    backend = FaultyBackend(exclusive=False)
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        await storage.create(key_of("a"), config_map("a"))
        await asyncio.gather(*(storage.get(key_of("a")) for _ in range(50)))
        assert 1 <= backend.revision_questions <= 2


@virtual_time
async def test_a_write_by_another_server_is_seen_by_every_read_that_begins_after_it() -> None:
    backend = FaultyBackend(exclusive=False)
    answered = asyncio.Event()

    async def slowly() -> None:
        await answered.wait()
        await asyncio.sleep(0.2)

    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        answered.set()
        backend.before_revision = slowly
        early = asyncio.create_task(storage.list(PREFIX, ListOptions()))
        await asyncio.sleep(0.1)
        for number in range(20):
            name = f"object-{number}"
            revision = await backend.inner.put(absolute(name), encoded(name), expected=0)
            assert (await storage.get(key_of(name))).revision == revision
        await early


@virtual_time
async def test_a_reader_that_gives_up_leaves_the_question_to_the_others() -> None:
    backend = FaultyBackend(exclusive=False)

    async def slowly() -> None:
        await asyncio.sleep(1)

    async with caching(backend) as cacher:
        backend.before_revision = slowly
        readers = [asyncio.create_task(cacher.catch_up()) for _ in range(3)]
        await asyncio.sleep(0.5)
        readers[0].cancel()
        readers[1].cancel()
        await asyncio.wait(readers)
        assert readers[2].exception() is None


@virtual_time
async def test_closing_leaves_no_question_behind() -> None:
    backend = FaultyBackend(exclusive=False)
    async with caching(backend) as cacher:
        backend.before_revision = asyncio.Event().wait  # type: ignore[assignment]  # what it returns is not used
        reader = asyncio.create_task(cacher.catch_up())
        await settle()
        reader.cancel()
        await asyncio.wait((reader,))


@virtual_time
async def test_an_idle_watch_gets_its_bookmark_in_time_and_only_if_it_asked() -> None:
    async with caching(FaultyBackend()) as cacher:
        storage = cacher.resource(PREFIX)
        timeout = timedelta(seconds=10)
        asked = await storage.watch(PREFIX, WatchOptions(allow_bookmarks=True, timeout=timeout))
        silent = await storage.watch(PREFIX, WatchOptions(timeout=timeout))
        created = await cacher.resource("/secrets/").create("/secrets/default/a", config_map("a"))
        bookmark = await anext(asked)
        assert (bookmark.type, bookmark.revision) == (EventType.BOOKMARK, created.revision)
        assert 8.0 <= now() < 10.0
        await silent.stop()
        assert [event async for event in silent] == []


@virtual_time
async def test_a_bookmark_never_runs_ahead_of_events_that_come_later() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        watch = await storage.watch(PREFIX, WatchOptions(allow_bookmarks=True, timeout=timedelta(seconds=10)))
        backend.hold()
        created = await storage.create(key_of("a"), config_map("a"))
        await asyncio.sleep(9)
        backend.release()
        await settle()
        events = await watch.take()
        assert [event.type for event in events] == [EventType.BOOKMARK, EventType.ADDED]
        assert events[0].revision < created.revision == events[1].revision


@virtual_time
async def test_watches_that_come_and_go_leave_nothing_behind() -> None:
    async with caching(FaultyBackend()) as cacher:
        storage = cacher.resource(PREFIX)

        async def visit(number: int) -> None:
            options = WatchOptions(allow_bookmarks=True, timeout=timedelta(seconds=number % 7))
            watch = await storage.watch(PREFIX if number % 2 else "/configmaps/default", options)
            try:
                async with asyncio.timeout(number / 100):
                    async for _ in watch:
                        pass
            except TimeoutError:
                pass
            finally:
                await watch.stop()

        visits = [asyncio.create_task(visit(number)) for number in range(100)]
        for number in range(20):
            await asyncio.sleep(0.05)
            await storage.create(key_of(str(number)), config_map(str(number)))
        for task in visits[::3]:
            task.cancel()
        await asyncio.wait(visits)
        assert len(cacher.watchers) == 0
        await asyncio.sleep(120)
        assert not cacher.watchers._bookmarks
        assert not cacher.watchers._behind
