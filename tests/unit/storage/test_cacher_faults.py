"""What the cache does when the feed breaks for a moment, repeats itself, or meets a fault of ours."""

from __future__ import annotations

import asyncio
import logging

import pytest

from localplane.apiserver.storage.backend import Batch, Change
from localplane.apiserver.storage.errors import NotReady, Unavailable
from localplane.apiserver.storage.interface import EventType, ListOptions, WatchOptions
from localplane.apiserver.storage.objects import StoredObject
from tests.unit.storage.faulty import FaultyBackend, caching
from tests.unit.storage.samples import PREFIX, absolute, config_map, encoded, key_of
from tests.unit.storage.virtual_time import now, settle, until, virtual_time


def broken(_: StoredObject) -> bool:
    raise ZeroDivisionError


def test_a_fault_of_ours_is_logged_and_the_cache_is_no_longer_ready(caplog: pytest.LogCaptureFixture) -> None:
    @virtual_time
    async def story() -> None:
        backend = FaultyBackend()
        async with caching(backend) as cacher:
            storage = cacher.resource(PREFIX)
            healthy = await storage.watch("/configmaps/other", WatchOptions())
            await storage.watch(PREFIX, WatchOptions(predicate=broken))
            backend.hold()
            created = await storage.create(key_of("a"), config_map("a"))
            waiting = asyncio.create_task(cacher.catch_up())
            await settle()
            backend.release()
            await settle()
            assert not cacher.ready
            assert await healthy.take() == []
            with pytest.raises(Unavailable):
                await waiting
            with pytest.raises(NotReady):
                await storage.watch(PREFIX, WatchOptions())
            assert (await storage.get(key_of("a"))).revision == created.revision
            assert not backend.watches

    with caplog.at_level(logging.ERROR):
        story()
    assert [record.getMessage() for record in caplog.records] == ["the watch cache has stopped"]


@virtual_time
async def test_a_feed_that_breaks_is_opened_again_before_anybody_notices() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        for name in "abcdef":
            created = await storage.create(key_of(name), config_map(name))
            assert (await storage.get(key_of(name))).revision == created.revision
            await backend.cut()
            await settle()
            assert (await storage.list(PREFIX, ListOptions())).revision == created.revision
        assert now() < 0.05
        assert backend.revision_questions == 0


@virtual_time
async def test_a_feed_that_breaks_right_after_the_start_is_opened_again_at_once() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        await settle()
        await backend.cut()
        await settle()
        await cacher.catch_up()
        assert now() < 0.05


@virtual_time
async def test_a_feed_that_breaks_without_having_brought_anything_is_not_opened_all_the_time() -> None:
    backend = FaultyBackend()
    async with caching(backend):
        opened = 0
        while now() < 10:
            opened += len(backend.watches)
            await backend.cut()
            await asyncio.sleep(0.001)
        assert 10 < opened < 250


def test_a_store_that_goes_away_and_comes_back_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    @virtual_time
    async def story() -> None:
        backend = FaultyBackend()
        async with caching(backend) as cacher:
            for name in "ab":
                await cacher.resource(PREFIX).create(key_of(name), config_map(name))
                await backend.fail()
                await asyncio.sleep(30)
                backend.down = False
                await asyncio.sleep(30)
                await cacher.catch_up()

    with caplog.at_level(logging.WARNING):
        story()
    assert [record.getMessage() for record in caplog.records] == [
        "the watch cache lost the store: the connection broke"
    ] * 2


@virtual_time
async def test_changes_that_a_store_repeats_are_passed_over() -> None:
    async with caching(FaultyBackend()) as cacher:
        storage = cacher.resource(PREFIX)
        watch = await storage.watch(PREFIX, WatchOptions())
        first = Change(absolute("a"), encoded("a", data="1"), 2, None)
        second = Change(absolute("a"), encoded("a", data="2"), 3, None)
        await cacher._apply(Batch([first, second], 3))
        await cacher._apply(Batch([first, second], 3))
        await cacher._apply(Batch([first], 2))
        await cacher._apply(Batch([], 1))
        assert cacher.revision == 3
        assert [(event.type, event.revision) for event in await watch.take()] == [
            (EventType.ADDED, 2),
            (EventType.MODIFIED, 3),
        ]
        assert (await storage.get(key_of("a"), resource_version="0")).revision == 3
        assert [event.revision for event in cacher.window.after(0)] == [2, 3]


@virtual_time
async def test_closing_while_the_store_is_away_leaves_nothing_behind() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        await backend.fail()
        await until(lambda: now() > 0.1)
    assert not cacher.ready
    assert not backend.watches
