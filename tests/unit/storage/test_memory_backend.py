"""What only the backend in a dictionary does: undoing, timers, places in one list."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.storage.backend import Change, KeyValue
from localplane.apiserver.storage.errors import (
    CompareFailed,
    RequestTooLarge,
    ResourceVersionTooLarge,
    ResourceVersionTooOld,
    Unavailable,
)
from localplane.apiserver.storage.memory import MemoryBackend
from tests.unit.storage.virtual_time import settle, virtual_time

EVERYTHING = ("a", "z")


async def put(backend: MemoryBackend, key: str, value: bytes, *, ttl: timedelta | None = None) -> int:
    kv = (await backend.get(key)).kv
    return await backend.put(key, value, expected=kv.revision if kv else 0, ttl=ttl)


async def delete(backend: MemoryBackend, key: str) -> int:
    kv = (await backend.get(key)).kv
    assert kv is not None
    return await backend.delete(key, expected=kv.revision)


async def contents(backend: MemoryBackend, *, revision: int = 0) -> dict[str, tuple[bytes, int]]:
    page = await backend.range(*EVERYTHING, revision=revision)
    assert page.count == len(page.kvs)
    return {kv.key: (kv.value, kv.revision) for kv in page.kvs}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=12), st.integers(0, 12))
@virtual_time
async def test_every_revision_that_is_not_compacted_shows_what_was_there(
    steps: list[tuple[str, bool]], compacted: int
) -> None:
    backend = MemoryBackend()
    states = {1: await contents(backend)}
    for number, (key, remove) in enumerate(steps):
        present = (await backend.get(key)).kv is not None
        revision = await (delete(backend, key) if remove and present else put(backend, key, b"%d" % number))
        states[revision] = await contents(backend)
    compacted = min(compacted, len(steps) + 1)
    await backend.compact(compacted)
    for revision, state in states.items():
        if revision >= compacted:
            assert await contents(backend, revision=revision) == state
        else:
            with pytest.raises(ResourceVersionTooOld):
                await contents(backend, revision=revision)


@virtual_time
async def test_the_state_at_the_compacted_revision_stays_readable() -> None:
    backend = MemoryBackend()
    await put(backend, "a", b"1")
    gone = await delete(backend, "a")
    await put(backend, "a", b"2")
    await backend.compact(gone)
    assert await contents(backend, revision=gone) == {}
    with pytest.raises(ResourceVersionTooOld):
        await backend.get("a", revision=gone - 1)


@virtual_time
async def test_compacting_again_or_to_an_older_revision_does_nothing() -> None:
    backend = MemoryBackend()
    for value in (b"1", b"2", b"3"):
        revision = await put(backend, "a", value)
    await backend.compact(revision)
    await backend.compact(revision)
    await backend.compact(2)
    assert backend.compacted_revision == revision


@virtual_time
async def test_the_future_can_be_neither_read_nor_compacted() -> None:
    backend = MemoryBackend()
    with pytest.raises(ResourceVersionTooLarge):
        await backend.get("a", revision=2)
    with pytest.raises(ResourceVersionTooLarge):
        await backend.compact(2)


@virtual_time
async def test_a_watch_from_the_past_begins_with_the_next_change() -> None:
    backend = MemoryBackend()
    first = await put(backend, "a", b"1")
    second = await put(backend, "a", b"2")
    third = await delete(backend, "a")
    watch = backend.watch(*EVERYTHING, after=first)
    batch = await anext(watch)
    assert batch.changes == [
        Change("a", b"2", second, KeyValue("a", b"1", first)),
        Change("a", None, third, KeyValue("a", b"2", second)),
    ]
    assert batch.revision == third


@virtual_time
async def test_a_watch_sees_only_its_range_but_learns_of_the_rest_when_it_asks() -> None:
    backend = MemoryBackend()
    watch = backend.watch("b", "c", after=1)
    await put(backend, "a", b"1")
    await put(backend, "c", b"1")
    inside = await put(backend, "b", b"1")
    assert [change.key for change in (await anext(watch)).changes] == ["b"]
    outside = await put(backend, "a", b"2")
    await watch.request_progress()
    progress = await anext(watch)
    assert (progress.changes, progress.revision) == ([], outside)
    assert outside > inside


@virtual_time
async def test_a_watch_whose_history_was_compacted_is_told() -> None:
    backend = MemoryBackend()
    for value in (b"1", b"2", b"3"):
        revision = await put(backend, "a", value)
    await backend.compact(revision)
    with pytest.raises(ResourceVersionTooOld):
        await anext(backend.watch(*EVERYTHING, after=1))


@pytest.mark.parametrize("deleted", [False, True])
def test_a_watch_that_begins_at_the_compacted_revision_loses_nothing(deleted: bool) -> None:  # noqa: FBT001 - a parameter
    @virtual_time
    async def story() -> None:
        backend = MemoryBackend()
        before = await put(backend, "a", b"1")
        revision = await (delete(backend, "a") if deleted else put(backend, "a", b"2"))
        await backend.compact(revision)
        watch = backend.watch(*EVERYTHING, after=before)
        async with asyncio.timeout(1):
            try:
                batch = await anext(watch)
            except ResourceVersionTooOld:
                return
        assert [change.revision for change in batch.changes] == [revision]

    story()


@virtual_time
async def test_a_closed_watch_ends_and_is_forgotten() -> None:
    backend = MemoryBackend()
    watch = backend.watch(*EVERYTHING, after=1)
    waiting = asyncio.ensure_future(anext(watch, None))
    await settle()
    await watch.close()
    assert await waiting is None
    assert not backend._watches


@virtual_time
async def test_a_closed_store_ends_its_watches_and_timers_and_refuses_everything() -> None:
    backend = MemoryBackend()
    await put(backend, "a", b"1", ttl=timedelta(seconds=1))
    watch = backend.watch(*EVERYTHING, after=2)
    waiting = asyncio.ensure_future(anext(watch))
    await settle()
    await backend.close()
    with pytest.raises(Unavailable):
        await waiting
    with pytest.raises(Unavailable):
        await backend.get("a")
    with pytest.raises(Unavailable):
        await backend.put("b", b"", expected=0)
    await asyncio.sleep(2)
    assert backend.observed_revision == 2


@virtual_time
async def test_a_key_lives_as_long_as_its_ttl_and_its_end_is_seen() -> None:
    backend = MemoryBackend()
    revision = await put(backend, "a", b"1", ttl=timedelta(seconds=5))
    watch = backend.watch(*EVERYTHING, after=revision)
    await asyncio.sleep(4.9)
    assert (await backend.get("a")).kv is not None
    await asyncio.sleep(0.2)
    assert (await backend.get("a")).kv is None
    assert (await anext(watch)).changes == [Change("a", None, revision + 1, KeyValue("a", b"1", revision))]


@virtual_time
async def test_an_update_without_ttl_forgets_the_old_one_and_one_with_ttl_begins_anew() -> None:
    backend = MemoryBackend()
    for key in ("forgotten", "renewed", "recreated"):
        await put(backend, key, b"1", ttl=timedelta(seconds=5))
    await asyncio.sleep(3)
    await put(backend, "forgotten", b"2")
    await put(backend, "renewed", b"2", ttl=timedelta(seconds=5))
    await delete(backend, "recreated")
    await put(backend, "recreated", b"2")
    await asyncio.sleep(3)
    assert set(await contents(backend)) == {"forgotten", "renewed", "recreated"}
    await asyncio.sleep(3)
    assert set(await contents(backend)) == {"forgotten", "recreated"}


@virtual_time
async def test_of_many_writers_who_expect_the_same_exactly_one_wins() -> None:
    backend = MemoryBackend()
    for expected in (0, 2):
        answers = await asyncio.gather(
            *(backend.put("a", b"%d" % writer, expected=expected) for writer in range(10)), return_exceptions=True
        )
        won = [answer for answer in answers if isinstance(answer, int)]
        lost = [answer for answer in answers if isinstance(answer, CompareFailed)]
        assert (len(won), len(lost)) == (1, 9)
        stored = (await backend.get("a")).kv
        assert stored is not None
        assert all(failure.current == stored for failure in lost)


@virtual_time
async def test_a_refused_write_takes_no_revision_and_keeps_the_ttl() -> None:
    backend = MemoryBackend()
    revision = await put(backend, "a", b"1", ttl=timedelta(seconds=1))
    with pytest.raises(CompareFailed):
        await backend.put("a", b"2", expected=0)
    with pytest.raises(CompareFailed):
        await backend.delete("a", expected=revision + 1)
    with pytest.raises(RequestTooLarge):
        await backend.put("a", bytes(2 * 1024 * 1024), expected=revision)
    assert await backend.current_revision() == revision
    await asyncio.sleep(2)
    assert (await backend.get("a")).kv is None


@virtual_time
async def test_a_raised_revision_is_exceeded_by_the_next_write() -> None:
    backend = MemoryBackend()
    assert await backend.advance_revision(100) == 100
    assert await backend.advance_revision(50) == 100
    assert await put(backend, "a", b"1") == 101


@virtual_time
async def test_a_page_tells_how_many_there_are_in_all() -> None:
    backend = MemoryBackend()
    for key in ("a", "b", "c", "zz"):
        await put(backend, key, b"1")
    page = await backend.range("a", "z", limit=2)
    assert ([kv.key for kv in page.kvs], page.count, page.revision) == (["a", "b"], 3, 5)
    assert await backend.count("a", "z") == 3


@virtual_time
async def test_history_stays_within_its_bytes_and_what_is_gone_is_said_to_be() -> None:
    backend = MemoryBackend(most_history_bytes=100_000)
    watch = backend.watch(*EVERYTHING, after=1)
    seen: list[int] = []
    for number in range(200):
        await put(backend, "a", b"x" * 10_000)
        if number % 3 == 0:
            seen += [change.revision for change in (await anext(watch)).changes]
        assert backend._history_bytes < 250_000
    seen += [change.revision for change in (await anext(watch)).changes]
    assert seen == list(range(2, 202)), "who reads misses nothing"
    with pytest.raises(ResourceVersionTooOld):
        await backend.range(*EVERYTHING, revision=2)
    assert (await backend.get("a", revision=200)).kv == KeyValue("a", b"x" * 10_000, 200)


@virtual_time
async def test_who_never_reads_does_not_hold_history() -> None:
    backend = MemoryBackend(most_history_bytes=100_000)
    watch = backend.watch(*EVERYTHING, after=1)
    for _ in range(200):
        await put(backend, "a", b"x" * 10_000)
        assert backend._history_bytes < 300_000
    with pytest.raises(ResourceVersionTooOld):
        await anext(watch)


@virtual_time
async def test_a_page_of_the_past_is_the_beginning_of_all_of_it() -> None:
    backend = MemoryBackend()
    for key in ("b", "d", "f", "h"):
        await put(backend, key, b"old")
    then = await backend.current_revision()
    await delete(backend, "b")
    await put(backend, "c", b"new")
    await put(backend, "f", b"new")
    page = await backend.range(*EVERYTHING, limit=2, revision=then)
    assert ([kv.key for kv in page.kvs], page.count) == (["b", "d"], 4)
    rest = await backend.range("e", "z", limit=5, revision=then)
    assert ([(kv.key, kv.value) for kv in rest.kvs], rest.count) == ([("f", b"old"), ("h", b"old")], 2)
