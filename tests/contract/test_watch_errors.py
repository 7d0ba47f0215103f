"""A change that can't be shown ends the watch: leaving it out would be a lie."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apiserver.storage.errors import CorruptObject
from localplane.apiserver.storage.interface import EventType, Watch, WatchOptions
from tests.contract.pods import create, key_of, pod
from tests.contract.subjects import Subject
from tests.contract.watching import PATIENCE_SECONDS, expect, expect_added, expect_end, next_change, remaining_changes

KEY = key_of(pod("foo"))


async def expect_corruption(watch: Watch) -> None:
    event = await next_change(watch)
    assert event.type is EventType.ERROR
    assert isinstance(event.error, CorruptObject)
    assert event.object is None
    await expect_end(watch)


@pytest.mark.upstream("RunTestWatchError")
async def test_an_unreadable_object_is_an_error_event_and_the_last(subject: Subject) -> None:
    revision = await subject.storage.current_revision()
    options = WatchOptions(resource_version=str(revision), recursive=False)
    watch = await subject.storage.watch(KEY, options)
    created = await create(subject.storage, pod("foo"))
    await expect_added(watch, created)

    await subject.corrupt(KEY)

    await expect_corruption(watch)


@pytest.mark.upstream("RunTestWatchError")
async def test_a_watch_from_before_the_corruption_finds_it_too(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    await subject.corrupt(KEY)

    options = WatchOptions(resource_version=str(created.revision), recursive=False)
    watch = await subject.storage.watch(KEY, options)

    await expect_corruption(watch)


@pytest.mark.upstream("RunTestWatchError")
async def test_other_watches_go_on(subject: Subject) -> None:
    revision = await subject.storage.current_revision()
    watch = await subject.storage.watch("/pods/healthy", WatchOptions(resource_version=str(revision)))
    await create(subject.storage, pod("foo"))
    await subject.corrupt(KEY)

    healthy = await create(subject.storage, pod("bar", "healthy"))

    await expect(watch, EventType.ADDED, healthy)
    await watch.stop()


@pytest.mark.upstream("RunTestWatchWithUnsafeDelete")
async def test_the_deletion_of_an_unreadable_object_is_an_error_event(subject: Subject) -> None:
    await create(subject.storage, pod("foo"))
    corrupted = await subject.corrupt(KEY)
    options = WatchOptions(resource_version=str(corrupted), recursive=False)
    watch = await subject.storage.watch(KEY, options)
    with pytest.raises(CorruptObject):
        await subject.storage.delete(KEY)

    await subject.storage.delete(KEY, even_if_corrupt=True)

    await expect_corruption(watch)


@pytest.mark.upstream("RunWatchErrorIsBlockingFurtherEvents")
async def test_nothing_comes_after_an_error_event(subject: Subject) -> None:
    foo = await create(subject.storage, pod("foo", "test"))
    await create(subject.storage, pod("bar", "test"))
    await subject.corrupt("/pods/test/bar")
    await create(subject.storage, pod("baz", "test"))
    options = WatchOptions(resource_version=str(foo.revision + 1))

    async def whole_watch() -> list[EventType]:
        watch = await subject.storage.watch("/pods/", options)
        return [event.type for event in await remaining_changes(watch)]

    async with asyncio.timeout(PATIENCE_SECONDS):
        seen = await asyncio.gather(*(whole_watch() for _ in range(10)))

    assert seen == [[EventType.ERROR]] * 10
