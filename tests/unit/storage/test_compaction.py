"""Compactors that take turns: history goes once, late, and never before it has been read."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.storage.compaction import INTERVAL, KEY, NOTE_KEY, Compactor
from localplane.apiserver.storage.errors import NoSpace, Unavailable
from tests.unit.storage.faulty import FaultyBackend
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
async def test_one_takes_over_when_the_other_died_and_keeps_a_whole_turn() -> None:
    backend = CountingBackend()
    died, survivor = compactor(backend), compactor(backend)
    await write(backend, 5)
    await died.turn()
    stood = await write(backend, 5)
    assert await survivor.turn() == 0
    await write(backend, 5)
    assert await survivor.turn() == stood


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


async def recorded(backend: FaultyBackend) -> bytes | None:
    kv = (await backend.inner.get("compact_rev_key")).kv
    return kv.value if kv else None


@virtual_time
async def test_the_record_is_kubernetes_own_the_revision_that_was_compacted_to() -> None:
    """Others drop from their caches what it says is gone, so it must never be ahead of the compaction."""
    backend = CountingBackend()
    one = compactor(backend)
    stood = await write(backend, 5)
    await one.turn()
    assert await recorded(backend) == b"0"
    for _ in range(3):
        standing = await write(backend, 5)
        await one.turn()
        assert await recorded(backend) == str(stood).encode()
        assert backend.compacted_revision == stood
        stood = standing


@virtual_time
async def test_the_record_never_goes_back_below_what_another_has_compacted() -> None:
    backend = CountingBackend()
    far = await write(backend, 20)
    await write(backend)
    await backend.put(KEY, str(far).encode(), expected=0)
    one = compactor(backend, seen=3)
    await one.begin()
    assert await one.turn() == 0
    assert await recorded(backend) == str(far).encode()
    assert not backend.compactions


@pytest.mark.parametrize("record", [b"", b"-5", b"abc", b" 7", b"\xff", "٣".encode(), b"9" * 5000, b"1000000"])
def test_a_record_that_says_nothing_sensible_costs_one_turn_at_most(record: bytes) -> None:
    @virtual_time
    async def story() -> None:
        backend = CountingBackend()
        await write(backend, 5)
        await backend.put(KEY, record, expected=0)
        one = compactor(backend)
        assert await one.turn() == 0
        stood = backend.inner.observed_revision
        assert await one.turn() == stood
        assert await recorded(backend) == str(stood).encode()

    story()


@virtual_time
async def test_it_takes_its_turn_every_interval_until_it_is_cancelled() -> None:
    backend = CountingBackend()
    running = asyncio.create_task(Compactor(backend, seen=lambda: 10**9, interval=timedelta(minutes=5)).run())
    await write(backend, 5)
    await asyncio.sleep(5 * 60 - 1)
    assert (await backend.get(KEY)).kv is None
    await asyncio.sleep(2)
    assert (await backend.get(KEY)).kv is not None
    assert len(backend.compactions) == 1
    await asyncio.sleep(10 * 60)
    assert len(backend.compactions) == 3
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
        assert len(backend.compactions) == 2

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
    await write(backend, 5)
    with pytest.raises(Unavailable):
        await one.turn()
    stood = await write(backend, 5)
    assert await one.turn() == 0
    assert await one.turn() == stood


class Full(CountingBackend):
    """Takes no writes, and compacts: as etcd does under its alarm."""

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        raise NoSpace("etcdserver: mvcc: database space exceeded")


@virtual_time
async def test_a_full_store_is_compacted_although_it_takes_no_notes() -> None:
    backend = Full()
    stood = await write(backend, 5)
    one = compactor(backend)
    await one.begin()
    await write(backend, 5)
    assert await one.turn() == stood
    assert await compactor(backend, seen=9).compact_now() == 9
    assert backend.compactions == [stood, 9]


class Clock:
    """The time of day, over the lives of several servers."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


async def session(backend: FaultyBackend, clock: Clock, *, writes: int, lasts: timedelta) -> list[int]:
    """A server starts, writes, and ends before its clock says anything; returns what it compacted."""
    one = Compactor(backend, seen=lambda: backend.inner.observed_revision, clock=clock)
    began, pause = clock.now, await one.begin()
    done = []
    if pause <= timedelta(0):
        done.append(await one.turn())
    await write(backend, writes)
    clock.now = began + lasts.total_seconds()
    return [revision for revision in done if revision]


@virtual_time
async def test_sessions_shorter_than_the_interval_compact_to_the_start_of_the_one_before() -> None:
    backend, clock = CountingBackend(), Clock()
    starts = []
    for _ in range(50):
        starts.append(backend.inner.observed_revision)
        await session(backend, clock, writes=100, lasts=timedelta(minutes=1))
        clock.now += 3600  # the next one comes an hour later
    assert backend.compactions == starts[:-1]
    assert len(backend.inner._changes) < 3 * 100


@virtual_time
async def test_restarts_in_quick_succession_keep_an_interval_of_history() -> None:
    """Clients come back to a server that was restarted with revisions from just before."""
    backend, clock = CountingBackend(), Clock()
    stood: list[tuple[float, int]] = []
    for _ in range(60):
        stood.append((clock.now, backend.inner.observed_revision))
        await session(backend, clock, writes=3, lasts=timedelta(seconds=20))
        five_minutes_ago = max((revision for at, revision in stood if at <= clock.now - 300), default=0)
        assert backend.compacted_revision <= five_minutes_ago
    assert backend.compacted_revision >= next(revision for at, revision in stood if at >= clock.now - 900)


@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b'{"revision": 3}',
        b'{"revision": "3", "time": 0}',
        b'{"revision": true, "time": 0}',
        b'{"revision": 3, "time": "noon"}',
        b'{"revision": -3, "time": 0}',
        b'{"revision": 3, "time": NaN}',
        b'{"revision": 3, "time": 1%s}' % (b"0" * 400),
        b'{"revision": 1000000, "time": 0}',
        b"[" * 100_000,
    ],
)
def test_a_note_that_nobody_can_have_meant_is_written_anew(note: bytes) -> None:
    @virtual_time
    async def story() -> None:
        backend, clock = CountingBackend(), Clock()
        await write(backend, 5)
        await backend.put(NOTE_KEY, note, expected=0)
        assert await session(backend, clock, writes=0, lasts=timedelta(minutes=6)) == []
        assert len(await session(backend, clock, writes=0, lasts=timedelta(minutes=6))) == 1

    story()


@virtual_time
async def test_a_clock_that_was_set_back_puts_the_first_turn_off_by_an_interval_and_no_more() -> None:
    backend, clock = CountingBackend(), Clock()
    await session(backend, clock, writes=5, lasts=timedelta(minutes=1))
    clock.now -= 86400 * 365
    assert await Compactor(backend, seen=lambda: 10**9, clock=clock).begin() == INTERVAL
