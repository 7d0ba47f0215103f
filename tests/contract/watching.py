"""Reading a watch in a test: what must come next, and that nothing else did."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apiserver.storage.interface import EventType, Storage, Watch, WatchEvent, WatchOptions
from localplane.apiserver.storage.objects import StoredObject
from tests.contract.pods import create, pod

PATIENCE_SECONDS = 10
"""Only a failing test waits this long."""


async def next_event(watch: Watch) -> WatchEvent:
    async with asyncio.timeout(PATIENCE_SECONDS):
        return await anext(watch)


async def next_change(watch: Watch) -> WatchEvent:
    """The next event that is no bookmark."""
    event = await next_event(watch)
    while event.type is EventType.BOOKMARK:
        event = await next_event(watch)
    return event


async def expect(watch: Watch, event_type: EventType, obj: StoredObject) -> None:
    """The next change is this one: the type, the state and the revision, in the event and in the object."""
    event = await next_change(watch)
    assert event.error is None
    assert event.object is not None
    assert (event.type, event.object.decode()) == (event_type, obj.decode())
    assert (event.revision, event.object.revision) == (obj.revision, obj.revision)


async def expect_added(watch: Watch, *objects: StoredObject) -> None:
    for obj in objects:
        await expect(watch, EventType.ADDED, obj)


async def expect_initial_events_end(watch: Watch) -> WatchEvent:
    event = await next_event(watch)
    assert event.type is EventType.BOOKMARK
    assert event.initial_events_end
    assert event.object is None
    return event


async def expect_end(watch: Watch) -> None:
    with pytest.raises(StopAsyncIteration):
        await next_event(watch)


async def remaining_changes(watch: Watch) -> list[WatchEvent]:
    """Everything that a watch still has to say, up to its end."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        return [event async for event in watch if event.type is not EventType.BOOKMARK]


async def expect_nothing_more(storage: Storage, watch: Watch) -> None:
    """Everything the watch had to say was read. It gets as long as another watch needs to see one more write."""
    revision = await storage.current_revision()
    other = await storage.watch("/pods/witness-ns", WatchOptions(resource_version=str(revision)))
    witness = await create(storage, pod("witness", "witness-ns"))
    await expect_added(other, witness)
    await other.stop()
    await watch.stop()
    rest = await remaining_changes(watch)
    assert [event for event in rest if event.revision != witness.revision] == []
