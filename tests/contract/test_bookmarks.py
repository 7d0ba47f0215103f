"""Bookmarks: how far a watch has come when it has nothing to show."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.apiserver.storage.backend import prefix_end
from localplane.apiserver.storage.interface import EventType, WatchOptions
from tests.contract.pods import create, key_of, pod
from tests.contract.subjects import Subject
from tests.contract.watching import PATIENCE_SECONDS, expect_added, expect_nothing_more, next_event

# A bookmark is due two seconds before the end, and the clock ticks every second at the latest.
STAY = timedelta(seconds=2.1)


@pytest.mark.upstream("RunOptionalTestProgressNotify")
async def test_a_backend_tells_how_far_it_is_when_nothing_happens_in_the_range(subject: Subject) -> None:
    """Upstream asks this of the watch itself; here it is what the cacher asks of its feed."""
    created = await create(subject.storage, pod("foo"))
    start = subject.absolute("/pods/")
    watch = subject.backend.watch(start, prefix_end(start), after=created.revision)
    newest = await subject.write_elsewhere()

    async with asyncio.timeout(PATIENCE_SECONDS):
        await watch.request_progress()
        batch = await anext(watch)
        while batch.revision < newest:
            await watch.request_progress()
            batch = await anext(watch)

    assert batch.changes == []
    await watch.close()


@pytest.mark.upstream("RunTestWatchDispatchBookmarkEvents")
async def test_a_bookmark_comes_before_the_end_to_those_who_want_one(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    options = WatchOptions(resource_version=str(created.revision), recursive=False, timeout=STAY)
    without = await subject.storage.watch(key_of(pod("foo")), options)
    asking = WatchOptions(resource_version=str(created.revision), recursive=False, timeout=STAY, allow_bookmarks=True)
    watch = await subject.storage.watch(key_of(pod("foo")), asking)
    elsewhere = await create(subject.storage, pod("foo", "other-ns"))

    if subject.cached:
        event = await next_event(watch)
        assert event.type is EventType.BOOKMARK
        assert event.revision == elsewhere.revision
        assert event.object is None
        assert not event.initial_events_end
    await expect_nothing_more(subject.storage, watch)
    await without.stop()
    assert [event async for event in without] == []


@pytest.mark.upstream("RunTestOptionalWatchBookmarksWithCorrectResourceVersion")
async def test_a_bookmark_is_never_ahead_of_an_event(subject: Subject) -> None:
    revision = await subject.storage.current_revision()
    options = WatchOptions(resource_version=str(revision), allow_bookmarks=True, timeout=STAY)
    watch = await subject.storage.watch("/pods/test-ns", options)
    bookmarked = asyncio.Event()

    async def keep_writing() -> None:
        number = 0
        while not bookmarked.is_set():
            await create(subject.storage, pod(f"foo-{number}"))
            await asyncio.sleep(0.005)
            number += 1
        await create(subject.storage, pod("last"))

    async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
        group.create_task(keep_writing())
        last = revision
        while True:
            event = await next_event(watch)
            if event.type is EventType.BOOKMARK:
                bookmarked.set()
                assert event.revision >= last
            else:
                assert event.revision > last
            last = event.revision
            if event.object is not None and event.object.key.endswith("/last"):
                break

    assert bookmarked.is_set()
    await watch.stop()


@pytest.mark.upstream("RunTestWatchDispatchBookmarkEvents")
async def test_a_watch_that_stays_gets_no_bookmark_out_of_turn(subject: Subject) -> None:
    watch = await subject.storage.watch("/pods/", WatchOptions(allow_bookmarks=True))
    await expect_added(watch, await create(subject.storage, pod("foo")))

    await expect_nothing_more(subject.storage, watch)
