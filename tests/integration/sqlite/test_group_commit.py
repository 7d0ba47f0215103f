from __future__ import annotations

import asyncio
from typing import Any

import pytest

from localplane.apiserver.storage.errors import CompareFailed, InvalidKey, RequestTooLarge, Unavailable
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend
from localplane.apiserver.storage.sqlite.writer import Writer


async def test_writes_that_wait_together_share_one_commit_and_have_a_revision_each(
    store: SQLiteBackend, tools: Any
) -> None:
    before = store._writer.commits
    with tools.writer_held(store):
        puts = [asyncio.create_task(store.put(f"/k{n:03}", b"v", expected=0)) for n in range(100)]
        await asyncio.sleep(0)
    assert await asyncio.gather(*puts) == list(range(2, 102))
    assert store._writer.commits == before + 1


async def test_a_lone_write_is_committed_at_once(store: SQLiteBackend) -> None:
    before = store._writer.commits
    assert await store.put("/a", b"1", expected=0) == 2
    assert await store.put("/a", b"2", expected=2) == 3
    assert store._writer.commits == before + 2


async def test_each_write_of_a_group_sees_those_before_it(store: SQLiteBackend, tools: Any) -> None:
    """The refused ones take no number and leave their neighbours alone."""
    with tools.writer_held(store):
        tasks = [
            asyncio.create_task(call)
            for call in (
                store.put("/a", b"1", expected=0),  # 2
                store.put("/a", b"again", expected=0),  # refused: it is at 2
                store.put("/b", b"1", expected=0),  # 3
                store.put("/a", b"2", expected=2),  # 4
                store.delete("/b", expected=2),  # refused: it is at 3
                store.delete("/b", expected=3),  # 5
                store.put("/b", b"2", expected=3),  # refused: it is gone
                store.put("/b", b"3", expected=0),  # 6
                store.delete("/c", expected=0),  # refused: there is nothing to delete
            )
        ]
        await asyncio.sleep(0)
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [out if isinstance(out, int) else type(out) for out in outcomes] == [
        2, CompareFailed, 3, 4, CompareFailed, 5, CompareFailed, 6, CompareFailed,
    ]  # fmt: skip
    currents = [out.current for out in outcomes if isinstance(out, CompareFailed)]
    assert [current and (current.value, current.revision) for current in currents] == [
        (b"1", 2), (b"1", 3), None, None,
    ]  # fmt: skip
    page = await store.range("/", "0")
    assert [(kv.key, kv.value, kv.revision) for kv in page.kvs] == [("/a", b"2", 4), ("/b", b"3", 6)]
    assert page.revision == 6


async def test_a_refused_write_takes_no_revision(store: SQLiteBackend) -> None:
    await store.put("/a", b"1", expected=0)
    with pytest.raises(CompareFailed) as caught:
        await store.put("/a", b"2", expected=7)
    assert caught.value.current is not None
    assert caught.value.current.value == b"1"
    assert await store.current_revision() == 2
    assert await store.put("/a", b"2", expected=2) == 3


async def test_watchers_have_a_write_before_its_caller_does(store: SQLiteBackend) -> None:
    seen: list[int] = []
    watch = store.watch("/", "0", after=1)

    async def follow() -> None:
        async for batch in watch:
            seen.append(batch.revision)  # noqa: PERF401 - one at a time is the point

    follower = asyncio.create_task(follow())
    await asyncio.sleep(0)
    for revision in range(2, 12):
        assert await store.put(f"/{revision}", b"v", expected=0) == revision
        assert store.observed_revision == revision
        assert seen[-1] == revision
    await watch.close()
    await follower


async def test_a_cancelled_caller_neither_loses_nor_repeats_a_write(store: SQLiteBackend, tools: Any) -> None:
    watch = store.watch("/", "0", after=1)
    with tools.writer_held(store):
        puts = [asyncio.create_task(store.put(f"/{n}", b"v", expected=0)) for n in range(10)]
        await asyncio.sleep(0)
        for put in puts[::2]:
            put.cancel()
    outcomes = await asyncio.gather(*puts, return_exceptions=True)
    assert [type(out) for out in outcomes] == [asyncio.CancelledError, int] * 5
    changes = await tools.read(watch, 10)
    assert [(change.key, change.revision) for change in changes] == [(f"/{n}", n + 2) for n in range(10)]
    assert (await store.range("/", "0")).count == 10


async def test_a_value_as_large_as_etcd_takes_is_stored_and_a_larger_one_is_refused(store: SQLiteBackend) -> None:
    largest = bytes(1_572_864)
    await store.put("/a", largest, expected=0)
    found = await store.get("/a")
    assert found.kv is not None
    assert found.kv.value == largest
    with pytest.raises(RequestTooLarge, match=r"^etcdserver: request is too large$"):
        await store.put("/b", largest + b"x", expected=0)


async def test_a_key_without_a_utf8_form_is_refused_and_the_store_goes_on(store: SQLiteBackend) -> None:
    with pytest.raises(InvalidKey):
        await store.put("/\ud800", b"", expected=0)
    assert await store.put("/ü", b"", expected=0) == 2


async def test_writes_that_were_accepted_are_done_before_the_store_closes(path: Any, tools: Any) -> None:
    store = await SQLiteBackend.open(path)
    with tools.writer_held(store):
        puts = [asyncio.create_task(store.put(f"/{n}", b"v", expected=0)) for n in range(5)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(store.close())
        await asyncio.sleep(0)
        with pytest.raises(Unavailable, match="the store is closed"):
            await store.put("/late", b"v", expected=0)
    assert await asyncio.gather(*puts) == [2, 3, 4, 5, 6]
    await closing
    with pytest.raises(Unavailable, match="the store is closed"):
        await store.get("/0")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_nobody_waits_for_a_writer_that_died(path: Any) -> None:
    store = await SQLiteBackend.open(path)

    def defect(_: Writer) -> None:
        raise ZeroDivisionError

    job = store._writer.run(defect)
    put = asyncio.create_task(store.put("/a", b"v", expected=0))
    with pytest.raises(Unavailable, match="died"):
        await job
    with pytest.raises(Unavailable, match="died"):
        await put
    with pytest.raises(Unavailable, match="died"):
        await store.put("/b", b"v", expected=0)
    await store.close()
