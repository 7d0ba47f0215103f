from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from localplane.apiserver.storage.errors import ResourceVersionTooLarge, ResourceVersionTooOld
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend

State = dict[str, tuple[bytes, int]]


async def some_history(store: SQLiteBackend, writes: int) -> dict[int, State]:
    """Random puts and deletes of few keys; the state at every revision."""
    chance = random.Random(7)
    state: State = {}
    states = {1: dict(state)}
    for number in range(writes):
        key = f"/{chance.choice('abcdefgh')}"
        expected = state[key][1] if key in state else 0
        if expected and chance.random() < 0.4:
            revision = await store.delete(key, expected=expected)
            del state[key]
        else:
            value = str(number).encode()
            revision = await store.put(key, value, expected=expected)
            state[key] = (value, revision)
        states[revision] = dict(state)
    return states


async def state_at(store: SQLiteBackend, revision: int) -> State:
    page = await store.range("/", "0", revision=revision)
    assert page.count == len(page.kvs)
    assert [kv.key for kv in page.kvs] == sorted(kv.key for kv in page.kvs)
    return {kv.key: (kv.value, kv.revision) for kv in page.kvs}


async def test_every_revision_reads_as_it_was(store: SQLiteBackend) -> None:
    states = await some_history(store, 200)
    for revision, state in states.items():
        assert await state_at(store, revision) == state
    assert await state_at(store, 0) == states[201]


async def test_single_keys_read_as_they_were(store: SQLiteBackend) -> None:
    states = await some_history(store, 60)
    for revision, state in states.items():
        for key in ("/a", "/b", "/nothing"):
            kv = (await store.get(key, revision=revision)).kv
            assert (kv and (kv.value, kv.revision)) == state.get(key)


async def test_compaction_leaves_every_later_revision_as_it_was(store: SQLiteBackend) -> None:
    states = await some_history(store, 200)
    for limit in (50, 51, 120, 201):
        await store.compact(limit)
        for revision, state in states.items():
            if revision < limit:
                with pytest.raises(ResourceVersionTooOld, match="required revision has been compacted"):
                    await store.range("/", "0", revision=revision)
            else:
                assert await state_at(store, revision) == state


async def test_the_future_is_refused(store: SQLiteBackend) -> None:
    await store.put("/a", b"1", expected=0)
    for revision in (3, 2**63 - 1, 2**70):
        with pytest.raises(ResourceVersionTooLarge) as caught:
            await store.get("/a", revision=revision)
        assert caught.value.current == 2


async def test_a_page_counts_the_whole_range(store: SQLiteBackend) -> None:
    for number in range(10):
        await store.put(f"/a/{number}", b"v", expected=0)
    await store.put("/b", b"v", expected=0)
    await store.delete("/a/9", expected=11)
    page = await store.range("/a/", "/a0", limit=3)
    assert ([kv.key for kv in page.kvs], page.count, page.revision) == (["/a/0", "/a/1", "/a/2"], 9, 13)
    page = await store.range("/a/3", "/a0", limit=3, revision=11)
    assert ([kv.key for kv in page.kvs], page.count) == (["/a/3", "/a/4", "/a/5"], 7)
    assert await store.count("/a/", "/a0") == 9


async def test_keys_are_in_byte_order(store: SQLiteBackend) -> None:
    keys = ["/Z", "/a", "/a-", "/a/b", "/ab", "/é", "/字", "/\U0001f600", "/a\0b"]
    for key in keys:
        await store.put(key, b"v", expected=0)
    page = await store.range("/", "0")
    assert [kv.key for kv in page.kvs] == sorted(keys, key=str.encode)


async def test_an_empty_value_is_a_value(store: SQLiteBackend) -> None:
    await store.put("/a", b"", expected=0)
    kv = (await store.get("/a")).kv
    assert kv is not None
    assert kv.value == b""


async def test_a_new_store_stands_at_revision_1(store: SQLiteBackend) -> None:
    assert await store.current_revision() == 1
    assert (await store.get("/a")).revision == 1
    assert (await store.get("/a", revision=1)).kv is None
    assert await store.put("/a", b"v", expected=0) == 2


async def test_reads_see_every_acknowledged_write_while_others_write(store: SQLiteBackend) -> None:
    async def client(name: str) -> None:
        revision = 0
        for number in range(50):
            value = f"{name}{number}".encode()
            revision = await store.put(f"/{name}", value, expected=revision)
            found = await store.get(f"/{name}")
            assert found.kv is not None
            assert (found.kv.value, found.kv.revision) == (value, revision)
            page = await store.range(f"/{name}", f"/{name}\0")
            assert page.kvs == [found.kv]
            assert revision <= found.revision <= page.revision <= store.observed_revision

    await asyncio.gather(*(client(f"c{number}") for number in range(8)))


async def test_a_long_read_holds_up_neither_the_loop_nor_the_writer(store: SQLiteBackend) -> None:
    """The read is kept in its thread until a write has gone through beside it, and does not see it."""
    for number in range(20):
        await store.put(f"/{number:02}", b"v", expected=0)
    loop, written, begun = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

    def slow(connection: object) -> int:
        assert hasattr(connection, "execute")
        (before,) = connection.execute("SELECT count(*) FROM live").fetchone()
        loop.call_soon_threadsafe(begun.set)
        asyncio.run_coroutine_threadsafe(written.wait(), loop).result(10)
        (after,) = connection.execute("SELECT count(*) FROM live").fetchone()
        assert before == after
        return int(after)

    reading = asyncio.create_task(store._readers.ask(slow))
    await begun.wait()
    await store.put("/new", b"v", expected=0)
    assert (await store.get("/new")).kv is not None
    written.set()
    assert await reading == 20


async def test_what_was_written_is_there_after_reopening(path: Path) -> None:
    store = await SQLiteBackend.open(path)
    states = await some_history(store, 100)
    name = await store.identity()
    await store.close()
    store = await SQLiteBackend.open(path)
    assert await store.identity() == name
    assert await store.current_revision() == 101
    for revision, state in states.items():
        assert await state_at(store, revision) == state
    await store.close()
