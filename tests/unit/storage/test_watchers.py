"""Open watches by themselves: who is told what, and what happens to the slow."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apiserver.storage.cacher import watchers as watchers_module
from localplane.apiserver.storage.cacher.watchers import (
    QUEUE_EVENTS,
    CacheWatcher,
    TimeBudget,
    Watchers,
)
from localplane.apiserver.storage.cacher.window import LoggedEvent
from localplane.apiserver.storage.errors import CorruptObject
from localplane.apiserver.storage.interface import EventType, WatchEvent
from localplane.apiserver.storage.objects import StoredObject
from tests.unit.storage.samples import has_app, stored
from tests.unit.storage.virtual_time import settle, virtual_time
from tests.unit.storage.watching import ALL, added, gathered, opened


@virtual_time
async def test_an_event_reaches_the_watches_of_its_place_and_no_others() -> None:
    watchers = Watchers()
    places = {
        "/registry/": True,
        ALL: True,
        ALL + "default/": True,
        ALL + "default/a": True,
        ALL + "default/ab": False,
        ALL + "default/a/": False,
        ALL + "defaul/": False,
        ALL + "other/": False,
        "/registry/configmap/": False,
        "/registry/secrets/": False,
    }
    opened_at = {place: opened(watchers, place) for place in places}
    watchers.dispatch(added(5))
    assert {place: bool(await gathered(watcher)) for place, watcher in opened_at.items()} == places


@virtual_time
async def test_a_watch_never_goes_back_in_time() -> None:
    watchers = Watchers()
    watcher = opened(watchers, after=5)
    for revision in (4, 5, 6, 7):
        watchers.dispatch(added(revision))
    assert await gathered(watcher) == [6, 7]


@virtual_time
async def test_all_who_select_nothing_share_one_event() -> None:
    watchers = Watchers()
    readers = [opened(watchers) for _ in range(3)]
    watchers.dispatch(added(5))
    events = [(await reader.take())[0] for reader in readers]
    assert events[0] is events[1] is events[2]


@virtual_time
async def test_an_event_that_is_not_selected_leaves_no_trace() -> None:
    watchers = Watchers()
    watcher = opened(watchers, predicate=has_app)
    watchers.dispatch(added(5))
    assert await gathered(watcher) == []


@virtual_time
async def test_a_stopped_watch_is_forgotten_and_its_reader_wakes() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    reading = asyncio.ensure_future(watcher.take())
    await settle()
    assert len(watchers) == 1
    await watcher.stop()
    await watcher.stop()
    assert await reading == []
    assert len(watchers) == 0
    assert not watchers._by_place
    watchers.dispatch(added(5))
    assert [event async for event in watcher] == []


@virtual_time
async def test_a_cancelled_reader_loses_no_event() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    reading = asyncio.ensure_future(anext(watcher))
    await settle()
    watchers.dispatch(added(5))
    reading.cancel()
    await asyncio.wait((reading,))
    watchers.dispatch(added(6))
    assert await gathered(watcher) == [5, 6]


@virtual_time
async def test_what_is_queued_can_be_read_after_the_end() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    watchers.dispatch(added(5))
    watchers.dispatch(added(6))
    watchers.end_all()
    watchers.dispatch(added(7))
    assert [event.revision async for event in watcher] == [5, 6]
    assert await watcher.take() == []
    assert len(watchers) == 0


@virtual_time
async def test_initial_events_come_first_and_do_not_count_as_slowness() -> None:
    initial = [WatchEvent(EventType.ADDED, revision, stored("a", revision)) for revision in range(1, 3 * QUEUE_EVENTS)]
    watcher = CacheWatcher(9999, None, initial)
    watchers = Watchers()
    watchers.add(ALL, watcher)
    watchers.dispatch(added(10_000))
    await asyncio.sleep(10)
    assert not watcher.ended
    assert await gathered(watcher) == [*range(1, 3 * QUEUE_EVENTS), 10_000]


@virtual_time
async def test_an_error_is_the_last_event() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    watchers.dispatch(added(5))
    watchers.dispatch(LoggedEvent(ALL + "default/b", 6, None, CorruptObject("b", "no JSON"), 0.0))
    watchers.dispatch(added(7))
    assert [event.type async for event in watcher] == [EventType.ADDED, EventType.ERROR]
    assert len(watchers) == 0


@virtual_time
async def test_a_slow_reader_is_ended_without_a_gap_and_others_are_not_held_up() -> None:
    watchers = Watchers()
    slow, quick = opened(watchers), opened(watchers)
    total = QUEUE_EVENTS + 500
    seen: list[int] = []
    for revision in range(1, total + 1):
        watchers.dispatch(added(revision))
        seen.extend(event.revision for event in await quick.take())
    assert len(watchers) == 2, "a reader that only waits for its turn is not slow"
    await asyncio.sleep(1)
    assert slow.ended
    watchers.dispatch(added(total + 1))
    assert seen == [*range(1, total + 1)]
    assert await gathered(quick) == [total + 1]
    assert [event.revision async for event in slow] == [*range(1, total + 1)]
    assert len(watchers) == 1


@virtual_time
async def test_a_reader_that_catches_up_in_time_stays() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    for burst in range(5):
        for number in range(QUEUE_EVENTS + 1):
            watchers.dispatch(added(burst * 10_000 + number + 1))
        assert len(await watcher.take()) == QUEUE_EVENTS + 1
        await asyncio.sleep(1)
    assert not watcher.ended


@virtual_time
async def test_a_reader_that_is_hopelessly_behind_is_ended_at_once() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    revision = 0
    while not watcher.ended:
        revision += 1
        watchers.dispatch(added(revision))
    assert revision == QUEUE_EVENTS * 10 + 1
    assert await gathered(watcher) == [*range(1, revision + 1)]
    await asyncio.sleep(1)
    assert not watchers._behind


@virtual_time
async def test_a_few_large_events_make_a_reader_slow_too() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    for revision in range(1, 21):
        watchers.dispatch(added(revision, data="x" * 1024 * 1024))
    await asyncio.sleep(1)
    assert watcher.ended


@virtual_time
async def test_bytes_are_counted_down_when_they_are_read() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    for revision in range(1, 101):
        watchers.dispatch(added(revision, data="x" * 1024 * 1024))
        await (watcher.take() if revision % 2 else anext(watcher))
    await asyncio.sleep(1)
    assert not watcher.ended
    assert watcher._bytes == 0


def test_one_large_event_alone_makes_nobody_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchers_module, "QUEUE_BYTES", 10)

    @virtual_time
    async def story() -> None:
        watchers = Watchers()
        watcher = opened(watchers)
        watchers.dispatch(added(1, data="x" * 1000))
        await asyncio.sleep(1)
        assert not watcher.ended
        watchers.dispatch(added(2))
        await asyncio.sleep(1)
        assert watcher.ended

    story()


def test_a_reader_that_is_hopelessly_behind_in_bytes_is_ended_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchers_module, "QUEUE_BYTES", 1000)

    @virtual_time
    async def story() -> None:
        watchers = Watchers()
        watcher = opened(watchers)
        sizes: list[int] = []
        while not watcher.ended:
            event = added(len(sizes) + 1, data="x" * 1000)
            watchers.dispatch(event)
            assert isinstance(event.new, StoredObject)
            sizes.append(len(event.new.data))
        assert sum(sizes[:-1]) <= 10_000 < sum(sizes)
        await asyncio.sleep(1)

    story()


def test_the_time_that_slow_readers_share_is_used_up_and_comes_back_slowly() -> None:
    budget = TimeBudget()
    assert budget.take(0.0) == pytest.approx(0.1)
    assert budget.take(0.0) == 0.0
    assert budget.take(1.0) == pytest.approx(0.05)
    assert budget.take(100.0) == pytest.approx(0.1)
