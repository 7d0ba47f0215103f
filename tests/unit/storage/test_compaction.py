"""Compactors that take turns: history goes once, late, and never before it has been read."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.storage.compaction import KEY, Compactor
from localplane.apiserver.storage.errors import Unavailable
from tests.unit.storage.faulty import FaultyBackend
from tests.unit.storage.samples import briefly
from tests.unit.storage.virtual_time import virtual_time


class CountingBackend(FaultyBackend):
    """Remembers every compaction that was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.compactions: list[int] = []

    async def compact(self, revision: int) -> None:
        self.compactions.append(revision)
        await super().compact(revision)


async def write(backend: FaultyBackend, times: int = 1) -> int:
    for _ in range(times):
        current = (await backend.inner.get("/registry/a")).kv
        await backend.inner.put("/registry/a", b"{}", expected=current.revision if current else 0)
    return backend.inner.observed_revision


def compactor(backend: FaultyBackend, *, seen: int = 10**9) -> Compactor:
    return Compactor(backend, seen=lambda: seen)


@virtual_time
async def test_the_first_turn_compacts_nothing() -> None:
    backend = CountingBackend()
    await write(backend, 10)
    assert await compactor(backend).turn() == 0
    assert not backend.compactions


@virtual_time
async def test_each_turn_compacts_to_where_the_store_stood_at_the_last() -> None:
    backend = CountingBackend()
    one = compactor(backend)
    stood = await write(backend, 5)
    await one.turn()
    for _ in range(3):
        standing = await write(backend, 5)
        assert await one.turn() == stood
        assert backend.compacted_revision == stood
        stood = standing


@virtual_time
async def test_history_that_has_not_been_read_stays() -> None:
    backend = CountingBackend()
    one = compactor(backend, seen=3)
    await write(backend, 10)
    await one.turn()
    await write(backend, 10)
    assert await one.turn() == 3
    assert backend.compacted_revision == 3


@virtual_time
async def test_of_two_who_come_in_one_turn_one_does_the_work() -> None:
    backend = CountingBackend()
    one, two = compactor(backend), compactor(backend)
    for turn in range(6):
        await write(backend, 5)
        done = await asyncio.gather(one.turn(), two.turn())
        assert len(backend.compactions) == turn
        assert sum(revision > 0 for revision in done) == min(turn, 1)
    assert backend.compactions == sorted(set(backend.compactions))


@virtual_time
async def test_one_goes_on_where_the_other_died() -> None:
    backend = CountingBackend()
    died, survivor = compactor(backend), compactor(backend)
    stood = await write(backend, 5)
    await died.turn()
    assert await survivor.turn() == 0
    await write(backend, 5)
    assert await survivor.turn() == stood


@briefly
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), max_size=20))
@virtual_time
async def test_whatever_the_order_of_turns_nothing_younger_than_one_turn_goes(turns: list[tuple[int, int]]) -> None:
    """Each step: who takes a turn, after how many writes. What was written since the last turn must stay."""
    backend = CountingBackend()
    compactors = [compactor(backend) for _ in range(3)]
    at_last_turn = 0
    for who, writes in turns:
        await write(backend, writes)
        standing = backend.inner.observed_revision
        await compactors[who].turn()
        assert backend.compacted_revision <= at_last_turn
        at_last_turn = standing
    assert backend.compactions == sorted(set(backend.compactions))


@virtual_time
async def test_the_note_is_the_one_that_kubernetes_leaves() -> None:
    backend = CountingBackend()
    stood = await write(backend, 5)
    await compactor(backend).turn()
    noted = (await backend.get("compact_rev_key")).kv
    assert noted is not None
    assert noted.value == str(stood).encode()


@pytest.mark.parametrize("note", [b"", b"-5", b"abc", b" 7", b"\xff", "٣".encode()])
def test_a_note_that_is_no_number_compacts_nothing(note: bytes) -> None:
    @virtual_time
    async def story() -> None:
        backend = CountingBackend()
        await write(backend, 5)
        await backend.put(KEY, note, expected=0)
        one = compactor(backend)
        assert await one.turn() == 0
        assert await one.turn() == 0
        assert await one.turn() > 0

    story()


@virtual_time
async def test_a_note_with_thousands_of_digits_does_not_end_the_compactor() -> None:
    backend = CountingBackend()
    await backend.put(KEY, b"9" * 5000, expected=0)
    assert await compactor(backend).turn() == 0


@virtual_time
async def test_a_note_from_the_future_does_not_take_away_the_present() -> None:
    backend = CountingBackend()
    await backend.put(KEY, b"1000000", expected=0)
    one = compactor(backend, seen=await write(backend, 5))
    await one.turn()
    await one.turn()
    assert backend.compacted_revision == 0


@virtual_time
async def test_it_takes_its_turn_every_interval_until_it_is_cancelled() -> None:
    backend = CountingBackend()
    running = asyncio.create_task(Compactor(backend, seen=lambda: 10**9, interval=timedelta(minutes=5)).run())
    await write(backend, 5)
    await asyncio.sleep(5 * 60 - 1)
    assert (await backend.get(KEY)).kv is None
    await asyncio.sleep(2)
    assert (await backend.get(KEY)).kv is not None
    assert not backend.compactions
    await asyncio.sleep(10 * 60)
    assert len(backend.compactions) == 2
    running.cancel()
    await asyncio.wait((running,))
    assert running.cancelled()


def test_a_store_that_is_away_costs_one_turn_and_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    @virtual_time
    async def story() -> None:
        backend = CountingBackend()
        running = asyncio.create_task(Compactor(backend, seen=lambda: 10**9, interval=timedelta(minutes=5)).run())
        await write(backend, 5)
        await asyncio.sleep(301)
        backend.down = True
        await asyncio.sleep(300)
        backend.down = False
        await asyncio.sleep(300)
        running.cancel()
        await asyncio.wait((running,))
        assert len(backend.compactions) == 1

    with caplog.at_level(logging.WARNING):
        story()
    assert [record.getMessage() for record in caplog.records] == [
        "history was not compacted this time: the store is down"
    ]


@virtual_time
async def test_a_write_of_unknown_fate_is_not_trusted() -> None:
    """The note was written but the answer was lost: the next turn sees its own note as another's, and goes on."""

    class Forgetful(CountingBackend):
        forgets = True

        async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
            revision = await super().put(key, value, expected=expected, ttl=ttl)
            if self.forgets:
                self.forgets = False
                raise Unavailable("no answer", may_have_happened=True)
            return revision

    backend = Forgetful()
    one = compactor(backend)
    stood = await write(backend, 5)
    with pytest.raises(Unavailable):
        await one.turn()
    await write(backend, 5)
    assert await one.turn() == 0
    assert await one.turn() == stood
