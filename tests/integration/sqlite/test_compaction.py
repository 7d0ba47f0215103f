from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from localplane.apiserver.storage.errors import ResourceVersionTooLarge, ResourceVersionTooOld
from localplane.apiserver.storage.sqlite import compaction
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend


def rows(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    try:
        return [revision for (revision,) in connection.execute("SELECT revision FROM changes ORDER BY revision")]
    finally:
        connection.close()


async def test_no_revision_is_used_twice_after_compaction_and_reopening(path: Path) -> None:
    store = await SQLiteBackend.open(path)
    highest = 1
    for _ in range(3):
        created = await store.put("/a", b"v", expected=0)
        deleted = await store.delete("/a", expected=created)
        assert (created, deleted) == (highest + 1, highest + 2)
        highest = deleted
        await store.compact(highest)
        await store.close()
        store = await SQLiteBackend.open(path)
        assert await store.current_revision() == highest
        assert store.compacted_revision == highest
        assert (await store.get("/a")).revision == highest
    await store.close()


async def test_only_what_can_still_be_asked_for_is_kept(path: Path, store: SQLiteBackend) -> None:
    """The change at the limit stays, with what it replaced, because a watch may begin with it."""
    await store.put("/kept", b"v", expected=0)  # 2
    a = await store.put("/a", b"1", expected=0)  # 3
    a = await store.put("/a", b"2", expected=a)  # 4
    a = await store.put("/a", b"3", expected=a)  # 5
    b = await store.put("/b", b"1", expected=0)  # 6
    await store.delete("/b", expected=b)  # 7
    a = await store.put("/a", b"4", expected=a)  # 8
    await store.compact(8)
    assert rows(path) == [2, 5, 8]
    await store.put("/c", b"1", expected=0)  # 9
    await store.compact(9)
    assert rows(path) == [2, 8, 9]


async def test_compaction_is_idempotent_and_never_goes_back(store: SQLiteBackend) -> None:
    revision = 0
    for _ in range(9):
        revision = await store.put("/a", b"v", expected=revision)
    await store.compact(8)
    await store.compact(8)
    await store.compact(3)
    assert store.compacted_revision == 8
    with pytest.raises(ResourceVersionTooOld):
        await store.get("/a", revision=7)
    with pytest.raises(ResourceVersionTooLarge):
        await store.compact(11)


async def test_a_watch_may_begin_with_the_change_at_the_limit_but_not_before(store: SQLiteBackend) -> None:
    revision = await store.put("/a", b"1", expected=0)
    await store.put("/b", b"1", expected=0)
    deleted = await store.delete("/a", expected=revision)
    await store.put("/b", b"2", expected=3)
    await store.compact(deleted)
    watch = store.watch("/", "0", after=deleted - 1)
    first, second = (await anext(watch)).changes
    assert (first.key, first.value, first.revision) == ("/a", None, deleted)
    assert first.previous is not None
    assert first.previous.value == b"1"
    assert second.previous is not None
    assert second.previous.value == b"1"
    late = store.watch("/", "0", after=deleted - 2)
    with pytest.raises(ResourceVersionTooOld, match="required revision has been compacted"):
        await anext(late)
    with pytest.raises(StopAsyncIteration):
        await anext(late)
    await watch.close()


async def test_an_interrupted_sweep_is_finished_by_the_next(path: Path, tools: Any) -> None:
    store = await SQLiteBackend.open(path)
    revision = await tools.rewrite(store, "/a", 700)
    compacting = asyncio.create_task(store.compact(revision))
    await asyncio.sleep(0)
    compacting.cancel()
    await store.close()
    assert len(rows(path)) > 100
    store = await SQLiteBackend.open(path)
    assert store.compacted_revision == revision
    with pytest.raises(ResourceVersionTooOld):
        await store.get("/a", revision=revision - 1)
    revision = await store.put("/a", b"v", expected=revision)
    await store.compact(revision)
    await store.close()
    assert rows(path) == [revision - 1, revision]


async def test_writes_go_on_between_the_steps_of_a_compaction(store: SQLiteBackend, tools: Any) -> None:
    revision = await tools.rewrite(store, "/a", 1500)
    compacting = asyncio.create_task(store.compact(revision))
    during = 0
    while not compacting.done():
        revision = await store.put("/a", b"v", expected=revision)
        during += 1
    assert during >= 5


async def test_the_file_gives_space_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "_SPARE_PAGES", 16)
    store = await SQLiteBackend.open(path)
    revisions = await asyncio.gather(*(store.put(f"/{n}", bytes(100_000), expected=0) for n in range(30)))
    await asyncio.gather(*(store.delete(f"/{n}", expected=r) for n, r in enumerate(revisions[:-1])))
    await store.compact(await store.current_revision())
    kept = (await store.get("/29")).kv
    assert kept is not None
    assert kept.value == bytes(100_000)
    await store.close()
    assert path.stat().st_size < 1_000_000


async def test_the_revision_can_be_raised_and_stays_raised(path: Path) -> None:
    store = await SQLiteBackend.open(path)
    first = await store.put("/a", b"v", expected=0)
    watch = store.watch("/", "0", after=first)
    assert await store.advance_revision(1000) == 1000
    batch = await anext(watch)
    assert (batch.changes, batch.revision) == ([], 1000)
    assert store.observed_revision == 1000
    assert await store.advance_revision(500) == 1000
    assert (await store.get("/a")).revision == 1000
    await store.close()
    store = await SQLiteBackend.open(path)
    assert await store.current_revision() == 1000
    assert await store.put("/a", b"w", expected=first) == 1001
    await store.compact(1001)
    assert (await store.get("/a", revision=1001)).kv is not None
    await store.close()
