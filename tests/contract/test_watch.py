"""Watches: which events, from where on, and how a watch ends."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import ResourceVersionTooOld
from localplane.apiserver.storage.interface import EventType, Predicate, WatchOptions
from localplane.apiserver.storage.objects import StoredObject
from tests.contract.pods import create, key_of, labelled, name_of, pod, selecting, with_metadata, write
from tests.contract.subjects import Subject
from tests.contract.watching import (
    PATIENCE_SECONDS,
    expect,
    expect_added,
    expect_end,
    expect_nothing_more,
    next_change,
    next_event,
    remaining_changes,
)

KEY = key_of(pod("foo"))
ADDED, MODIFIED, DELETED = EventType.ADDED, EventType.MODIFIED, EventType.DELETED

PLAIN, ASSIGNED = pod("foo"), pod("foo", node="bar")
SELECTED, SELECTED_ASSIGNED = pod("foo", labels={"select": "true"}), pod("foo", node="bar", labels={"select": "true"})

STORIES: dict[str, tuple[Predicate | None, list[tuple[JSONObject | None, EventType | None]]]] = {
    "a creation": (None, [(PLAIN, ADDED)]),
    "an update that begins to match": (selecting("spec.nodeName=bar"), [(PLAIN, None), (ASSIGNED, ADDED)]),
    "an update": (None, [(PLAIN, ADDED), (ASSIGNED, MODIFIED)]),
    "an update that no longer matches": (selecting("spec.nodeName!=bar"), [(PLAIN, ADDED), (ASSIGNED, DELETED)]),
    "in and out and in again": (
        labelled("select", "true"),
        [(SELECTED, ADDED), (PLAIN, DELETED), (SELECTED, ADDED), (SELECTED_ASSIGNED, MODIFIED), (None, DELETED)],
    ),
}


@pytest.mark.upstream("RunTestWatch")
@pytest.mark.parametrize("recursive", [True, False], ids=["namespace", "one object"])
@pytest.mark.parametrize("story", STORIES)
async def test_events_tell_what_a_write_means_to_the_selection(
    subject: Subject, story: str, *, recursive: bool
) -> None:
    predicate, steps = STORIES[story]
    revision = await subject.storage.current_revision()
    options = WatchOptions(resource_version=str(revision), predicate=predicate, recursive=recursive)
    watch = await subject.storage.watch("/pods/test-ns" if recursive else KEY, options)
    await create(subject.storage, pod("foo", "test-ns-bad"))

    shown: StoredObject | None = None
    for obj, event_type in steps:
        written = await subject.storage.delete(KEY) if obj is None else await write(subject.storage, obj)
        if event_type is DELETED:
            assert shown is not None
            await expect(watch, DELETED, shown.at_revision(written.revision))
        elif event_type is not None:
            await expect(watch, event_type, written)
        shown = written

    await expect_nothing_more(subject.storage, watch)


@pytest.mark.upstream("RunTestWatch")
async def test_a_stopped_watch_ends(subject: Subject) -> None:
    watch = await subject.storage.watch("/pods/", WatchOptions())
    await watch.stop()

    await expect_end(watch)
    assert await watch.take() == []


@pytest.mark.upstream("RunTestWatch")
async def test_events_that_have_gathered_can_be_taken_at_once(subject: Subject) -> None:
    watch = await subject.storage.watch("/pods/", WatchOptions())
    created = [await create(subject.storage, pod(f"foo-{number}")) for number in range(5)]

    taken: list[StoredObject | None] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(taken) < 5:
            taken += [event.object for event in await watch.take()]

    assert [obj.data for obj in taken if obj] == [obj.data for obj in created]
    await watch.stop()


@pytest.mark.upstream("RunTestWatchFromZero")
async def test_a_watch_from_zero_begins_with_what_is_there(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    # A cache may be behind, and so may a watch from anywhere: a read brings it up to date.
    await subject.storage.get(KEY)
    options = WatchOptions(resource_version="0", recursive=False)
    watch = await subject.storage.watch(KEY, options)
    await expect_added(watch, created)
    updated = await subject.storage.guaranteed_update(KEY, with_metadata(annotations={"a": "1"}))
    await expect(watch, MODIFIED, updated)
    await watch.stop()

    again = await subject.storage.watch(KEY, options)

    await expect_added(again, updated)
    await again.stop()


@pytest.mark.upstream("RunTestWatchFromZero")
async def test_a_watch_from_zero_survives_a_compaction_and_one_from_before_it_does_not(subject: Subject) -> None:
    await create(subject.storage, pod("foo"))
    old = await subject.storage.guaranteed_update(KEY, with_metadata(annotations={"a": "1"}))
    for number in range(3):
        newest = await subject.storage.guaranteed_update(KEY, with_metadata(annotations={"a": f"{number}"}))
    await subject.backend.compact(newest.revision)

    # A server that was started just now: it remembers nothing that the store has forgotten.
    async with subject.restarted() as storage:
        from_zero = await storage.watch(KEY, WatchOptions(resource_version="0", recursive=False))
        await expect_added(from_zero, newest)
        await from_zero.stop()
        from_before = await storage.watch(KEY, WatchOptions(resource_version=str(old.revision), recursive=False))
        event = await next_event(from_before)
        assert event.type is EventType.ERROR
        assert isinstance(event.error, ResourceVersionTooOld)
        await expect_end(from_before)


@pytest.mark.upstream("RunTestDeleteTriggerWatch")
async def test_a_delete_is_an_event(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    options = WatchOptions(resource_version=str(created.revision), recursive=False)
    watch = await subject.storage.watch(KEY, options)

    await subject.storage.delete(KEY)

    assert (await next_change(watch)).type is DELETED
    await watch.stop()


@pytest.mark.upstream("RunTestWatchDeleteEventObjectHaveLatestRV")
async def test_a_deleted_object_is_shown_at_the_revision_of_its_deletion(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    options = WatchOptions(resource_version=str(created.revision), recursive=False)
    watch = await subject.storage.watch(KEY, options)

    deleted = await subject.storage.delete(KEY)

    assert deleted.revision > created.revision
    await expect(watch, DELETED, deleted)
    await watch.stop()


@pytest.mark.upstream("RunTestWatchFromNonZero")
async def test_a_watch_begins_after_its_resource_version(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    options = WatchOptions(resource_version=str(created.revision), recursive=False)
    watch = await subject.storage.watch(KEY, options)

    updated = await subject.storage.guaranteed_update(KEY, with_metadata(annotations={"version": "2"}))

    await expect(watch, MODIFIED, updated)
    await expect_nothing_more(subject.storage, watch)


@pytest.mark.upstream("RunTestWatchFromNonZero")
async def test_a_watch_from_the_past_repeats_all_that_happened_since(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    other = await create(subject.storage, pod("other"))
    updated = await subject.storage.guaranteed_update(KEY, with_metadata(labels={"a": "b"}))
    deleted = await subject.storage.delete(KEY)

    watch = await subject.storage.watch("/pods/", WatchOptions(resource_version=str(created.revision)))

    await expect_added(watch, other)
    await expect(watch, MODIFIED, updated)
    await expect(watch, DELETED, deleted)
    await expect_nothing_more(subject.storage, watch)


@pytest.mark.upstream("RunTestDelayedWatchDelivery")
async def test_what_had_gathered_when_a_watch_was_stopped_is_still_delivered(subject: Subject) -> None:
    start = await create(subject.storage, pod("foo"))
    watch = await subject.storage.watch("/pods/test-ns", WatchOptions(resource_version=str(start.revision)))
    witness = await subject.storage.watch("/pods/test-ns", WatchOptions(resource_version=str(start.revision)))
    created = [await create(subject.storage, pod(f"foo-{number}")) for number in range(21)]
    await expect_added(witness, *created)
    await expect_added(watch, created[0])

    await watch.stop()

    rest = [name_of(event.object) for event in await remaining_changes(watch) if event.object]
    assert len(rest) >= 10
    assert rest == [f"foo-{number}" for number in range(1, len(rest) + 1)], "in order and without a gap"
    await witness.stop()


@pytest.mark.upstream("RunTestWatchContextCancel")
async def test_a_cancelled_reader_is_no_error_of_the_watch(subject: Subject) -> None:
    watch = await subject.storage.watch("/pods/", WatchOptions())
    reader = asyncio.create_task(anext(watch))
    await asyncio.sleep(0)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader

    # Nothing is lost by it, and the watch still ends when it is told to.
    created = await create(subject.storage, pod("foo"))
    await expect_added(watch, created)
    await watch.stop()
    await expect_end(watch)


@pytest.mark.upstream("RunTestWatcherTimeout")
async def test_readers_that_do_not_read_slow_nobody_down(subject: Subject) -> None:
    options = WatchOptions(resource_version=str(await subject.storage.current_revision()))
    idle = [await subject.storage.watch("/pods/test-ns", options) for _ in range(50)]
    reading = await subject.storage.watch("/pods/test-ns", options)

    async with asyncio.timeout(PATIENCE_SECONDS):
        for number in range(22):
            await expect_added(reading, await create(subject.storage, pod(f"foo-{number}")))

    for watch in (*idle, reading):
        await watch.stop()


@pytest.mark.upstream("RunTestWatchInitializationSignal")
@pytest.mark.parametrize("resource_version", ["", "0", "newest"])
async def test_an_opened_watch_misses_nothing_that_is_written_afterwards(
    subject: Subject, resource_version: str
) -> None:
    created = await create(subject.storage, pod("foo"))
    await subject.storage.get(KEY)
    from_where = str(created.revision) if resource_version == "newest" else resource_version
    options = WatchOptions(resource_version=from_where, send_initial_events=False)

    async with asyncio.timeout(30):
        watch = await subject.storage.watch("/pods/", options)
        later = await create(subject.storage, pod("later"))
        await expect_added(watch, later)

    await watch.stop()
