"""When bookmarks come, to whom, and behind what."""

from __future__ import annotations

import asyncio
import weakref
from datetime import timedelta

from localplane.apiserver.storage.cacher.watchers import BOOKMARK_PERIOD, CacheWatcher, Watchers
from localplane.apiserver.storage.interface import EventType, WatchEvent
from tests.unit.storage.samples import stored
from tests.unit.storage.virtual_time import virtual_time
from tests.unit.storage.watching import ALL, added, gathered, opened


@virtual_time
async def test_bookmarks_come_every_minute_to_those_who_asked() -> None:
    watchers = Watchers()
    asked, silent = opened(watchers), opened(watchers)
    watchers.schedule_bookmarks(asked, None)
    watchers.send_bookmarks(5)
    assert await gathered(asked) == []
    for revision in (6, 7):
        await asyncio.sleep(BOOKMARK_PERIOD.total_seconds() - 1)
        watchers.send_bookmarks(revision)
        assert await gathered(asked) == []
        await asyncio.sleep(1)
        watchers.send_bookmarks(revision)
        events = await asked.take()
        assert [(event.type, event.revision, event.object) for event in events] == [
            (EventType.BOOKMARK, revision, None)
        ]
    assert await gathered(silent) == []


@virtual_time
async def test_a_bookmark_comes_shortly_before_the_reader_leaves() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    watchers.schedule_bookmarks(watcher, timedelta(seconds=10))
    await asyncio.sleep(7.9)
    watchers.send_bookmarks(5)
    assert await gathered(watcher) == []
    await asyncio.sleep(0.2)
    watchers.send_bookmarks(6)
    assert await gathered(watcher) == [6]
    await asyncio.sleep(1)
    watchers.send_bookmarks(7)
    assert await gathered(watcher) == []


@virtual_time
async def test_a_bookmark_waits_behind_what_has_not_been_read() -> None:
    watchers = Watchers()
    watcher = CacheWatcher(4, None, [WatchEvent(EventType.ADDED, 3, stored("a", 3))])
    watchers.add(ALL, watcher)
    watchers.schedule_bookmarks(watcher, None)
    watchers.dispatch(added(5))
    await asyncio.sleep(60)
    watchers.send_bookmarks(6)
    watchers.dispatch(added(7))
    events = await watcher.take()
    assert [event.revision for event in events] == [3, 5, 6, 7]
    assert [event.type for event in events][2] is EventType.BOOKMARK


@virtual_time
async def test_a_watch_of_the_future_gets_no_bookmark_of_the_past() -> None:
    watchers = Watchers()
    watcher = opened(watchers, after=100)
    watchers.schedule_bookmarks(watcher, None)
    await asyncio.sleep(60)
    watchers.send_bookmarks(99)
    assert await gathered(watcher) == []
    await asyncio.sleep(60)
    watchers.send_bookmarks(100)
    assert await gathered(watcher) == [100]


@virtual_time
async def test_a_stopped_watch_gets_no_bookmark_and_its_place_in_the_queue_is_given_up() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    watchers.schedule_bookmarks(watcher, None)
    await watcher.stop()
    await asyncio.sleep(60)
    watchers.send_bookmarks(5)
    assert await watcher.take() == []
    assert not watchers._bookmarks


@virtual_time
async def test_a_stopped_watch_is_not_held_until_its_bookmark_is_due() -> None:
    watchers = Watchers()
    watcher = opened(watchers)
    watchers.schedule_bookmarks(watcher, None)
    watchers.dispatch(added(5))
    gone = weakref.ref(watcher)
    await watcher.stop()
    del watcher
    assert gone() is None
    await asyncio.sleep(60)
    watchers.send_bookmarks(5)
    assert not watchers._bookmarks


@virtual_time
async def test_watches_that_stop_while_bookmarks_are_sent_do_no_harm() -> None:
    watchers = Watchers()
    readers = [opened(watchers) for _ in range(50)]
    for reader in readers:
        watchers.schedule_bookmarks(reader, timedelta(seconds=5))

    async def leave(number: int) -> None:
        await asyncio.sleep(2 + number / 50)
        await readers[number].stop()

    async with asyncio.TaskGroup() as group:
        for number in range(0, 50, 2):
            group.create_task(leave(number))
        for _ in range(40):
            await asyncio.sleep(0.1)
            watchers.send_bookmarks(9)
    assert len(watchers) == 25
    assert [await gathered(reader) for reader in readers[1::2]] == [[9]] * 25
