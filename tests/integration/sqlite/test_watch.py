from __future__ import annotations

import asyncio
from typing import Any

import pytest

from localplane.apiserver.storage.backend import Change
from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.sqlite import reader
from localplane.apiserver.storage.sqlite import watch as watch_module
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend


async def write(store: SQLiteBackend, key: str, times: int) -> None:
    revision = 0
    for number in range(times):
        revision = await store.put(key, f"{key}={number}".encode(), expected=revision)


def whole(changes: list[Change]) -> None:
    """Every revision once, in order, and each change with what it replaced."""
    assert [change.revision for change in changes] == list(range(2, len(changes) + 2))
    state: dict[str, Any] = {}
    for change in changes:
        before = state.get(change.key)
        assert (change.previous and (change.previous.value, change.previous.revision)) == before
        state[change.key] = (change.value, change.revision)


@pytest.mark.parametrize("chunk", [7, 1000])
async def test_history_joins_the_present_without_gap_or_repetition(
    store: SQLiteBackend, tools: Any, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(reader, "_HISTORY_CHANGES", chunk)
    await write(store, "/before", 100)
    writers = asyncio.gather(*(write(store, f"/{n}", 50) for n in range(8)))
    watches = [store.watch("/", "0", after=1) for _ in range(4)]
    readers = [asyncio.create_task(tools.read(watch, 500)) for watch in watches]
    await writers
    for changes in await asyncio.gather(*readers):
        whole(changes)
    for watch in watches:
        await watch.close()


async def test_watches_that_begin_in_the_middle_of_writing_miss_nothing(store: SQLiteBackend, tools: Any) -> None:
    writers = asyncio.gather(*(write(store, f"/{n}", 100) for n in range(4)))
    begun: list[tuple[int, Any]] = []
    while not writers.done():
        after = (await store.range("/0", "/1")).revision
        begun.append((after, store.watch("/", "0", after=after)))
        await asyncio.sleep(0)
    await writers
    assert len(begun) > 3
    for after, watch in begun:
        changes = await tools.read(watch, 401 - after) if after < 401 else []
        assert [change.revision for change in changes] == list(range(after + 1, 402))
        await watch.close()


async def test_only_the_range_is_seen(store: SQLiteBackend, tools: Any) -> None:
    live = store.watch("/b/", "/b0", after=1)
    for key in ("/a", "/b", "/b/", "/b/x", "/b0", "/c"):
        await store.put(key, b"v", expected=0)
    late = store.watch("/b/", "/b0", after=1)
    for watch in (live, late):
        assert [change.key for change in await tools.read(watch, 2)] == ["/b/", "/b/x"]
        await watch.close()


async def test_a_watcher_that_does_not_read_stays_small_and_loses_nothing(
    store: SQLiteBackend, tools: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "MAX_PENDING_CHANGES", 10)
    slow = store.watch("/", "0", after=1)
    revision, most = 0, 0
    for _ in range(100):
        revision = await store.put("/a", b"v", expected=revision)
        most = max(most, len(slow._pending))
    assert most <= 10
    assert slow._pending == []
    first = await tools.read(slow, 100)
    await store.put("/a", b"live", expected=revision)
    assert [change.revision for change in first + await tools.read(slow, 1)] == list(range(2, 103))
    await slow.close()


async def test_a_watcher_that_does_not_read_large_values_stays_small(
    store: SQLiteBackend, tools: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_module, "MAX_PENDING_BYTES", 10_000)
    slow = store.watch("/", "0", after=1)
    for number in range(20):
        await store.put(f"/{number}", bytes(1000), expected=0)
        assert slow._pending_bytes <= 10_000
    assert [change.revision for change in await tools.read(slow, 20)] == list(range(2, 22))
    await slow.close()


async def test_history_of_large_values_comes_in_parts(store: SQLiteBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_HISTORY_BYTES", 2500)
    for number in range(9):
        await store.put(f"/{number}", bytes(1000), expected=0)
    watch = store.watch("/", "0", after=1)
    assert [(await anext(watch)).revision for _ in range(3)] == [4, 7, 10]
    await watch.close()


async def test_a_cancelled_reader_can_go_on_reading(store: SQLiteBackend, tools: Any) -> None:
    await write(store, "/a", 20)
    watch = store.watch("/", "0", after=1)
    changes: list[Change] = []
    for turn in range(50):
        reading = asyncio.create_task(anext(watch))
        for _ in range(turn % 5):
            await asyncio.sleep(0)
        reading.cancel()
        try:
            changes += (await reading).changes
        except asyncio.CancelledError:
            continue
    writing = asyncio.create_task(write(store, "/b", 20))
    changes += await tools.read(watch, 40 - len(changes))
    await writing
    whole(changes)
    await watch.close()


async def test_progress_is_told_on_request_and_covers_what_was_read(store: SQLiteBackend) -> None:
    watch = store.watch("/a/", "/a0", after=1)
    reading = asyncio.create_task(anext(watch))
    for number in range(20):
        revision = await store.put(f"/b/{number}", b"v", expected=0)
    assert not reading.done()
    await watch.request_progress()
    batch = await reading
    assert (batch.changes, batch.revision) == ([], revision)
    reading = asyncio.create_task(anext(watch))
    await store.put("/b/x", b"v", expected=0)
    await asyncio.sleep(0)
    assert not reading.done()
    await watch.close()
    with pytest.raises(StopAsyncIteration):
        await reading


async def test_progress_is_never_lower_than_what_an_answer_has_shown(store: SQLiteBackend) -> None:
    """A read can see a write before the watches are fed; the progress asked for then must wait for it."""
    watch = store.watch("/a/", "/a0", after=1)
    put = asyncio.create_task(store.put("/b", b"v", expected=0))
    seen = 1
    while seen == 1:
        seen = (await store.get("/b")).revision
        if seen == 1:
            await asyncio.sleep(0)
    await watch.request_progress()
    assert (await anext(watch)).revision >= seen
    await put
    await watch.close()


async def test_a_watch_of_the_future_begins_there(store: SQLiteBackend, tools: Any) -> None:
    watch = store.watch("/", "0", after=5)
    await write(store, "/a", 8)
    assert [change.revision for change in await tools.read(watch, 4)] == [6, 7, 8, 9]
    await watch.close()


async def test_an_idle_watch_of_another_range_is_not_overtaken_by_compaction(store: SQLiteBackend, tools: Any) -> None:
    watch = store.watch("/quiet/", "/quiet0", after=1)
    await write(store, "/busy", 50)
    await store.compact(await store.current_revision())
    watch._fall_behind()
    await store.put("/quiet/a", b"v", expected=0)
    assert [change.key for change in await tools.read(watch, 1)] == ["/quiet/a"]
    await watch.close()


async def test_previous_values_are_left_out_only_where_nobody_wants_them(store: SQLiteBackend, tools: Any) -> None:
    without = store.watch("/", "0", after=1, previous=False)
    await write(store, "/a", 3)
    assert [change.previous for change in await tools.read(without, 3)] == [None] * 3
    having = store.watch("/", "0", after=1)
    await store.put("/b", b"v", expected=0)
    whole(await tools.read(having, 4))
    await without.close()
    await having.close()


async def test_closing_the_store_ends_its_watches(path: Any) -> None:
    store = await SQLiteBackend.open(path)
    reading = asyncio.create_task(anext(store.watch("/", "0", after=1)))
    await asyncio.sleep(0)
    await store.close()
    with pytest.raises(Unavailable, match="the store is closed"):
        await reading
    with pytest.raises(Unavailable, match="the store is closed"):
        await anext(store.watch("/", "0", after=0))
