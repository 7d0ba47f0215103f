"""A clock that can be advanced: who waits for it is woken in order, and only those who go by it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from localplane.apimachinery import times
from localplane.apimachinery.clock import elapsed, present, timestamp
from localplane.apimachinery.clock.virtual import NotAtRest, VirtualClock
from localplane.apimachinery.clock.waiting import AtWork, call_at, loop_time, mind, sleep, time_limit
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client.informers import informer as informers
from localplane.client.informers.informer import SharedInformer
from localplane.client.rest.options import ListOptions
from localplane.client.rest.watch import WatchStream

WITHIN = timedelta(seconds=30)
MINUTE = timedelta(minutes=1)


async def test_without_a_clock_the_machines_is_read() -> None:
    assert abs(present() - datetime.now(UTC)) < MINUTE
    assert abs(timestamp() - time.time()) < 60
    assert abs(elapsed() - time.monotonic()) < 60
    assert loop_time() - asyncio.get_running_loop().time() == pytest.approx(0, abs=60)
    with pytest.raises(TimeoutError):
        async with time_limit(0.001):
            await asyncio.Event().wait()
    rung = asyncio.Event()
    call_at(loop_time() + 0.001, rung.set)
    await rung.wait()
    await sleep(timedelta(milliseconds=1))


async def test_what_runs_in_a_clocks_block_reads_that_clock() -> None:
    clock = VirtualClock(ahead=timedelta(days=10))
    ahead = datetime.now(UTC) + timedelta(days=10)
    with clock.running():
        assert abs(present() - ahead) < MINUTE
        assert abs(times.parse_time(times.now()) - ahead) < MINUTE
        assert abs(times.parse_time(times.micro_now()) - ahead) < MINUTE
        assert times.age(times.format_time(ahead - timedelta(days=3))) == "3d"
        assert elapsed() - time.monotonic() == pytest.approx(864_000, abs=60)
        assert abs(await asyncio.to_thread(present) - ahead) < MINUTE
    assert abs(present() - datetime.now(UTC)) < MINUTE


async def test_timers_ring_in_order_each_at_its_time() -> None:
    clock, rung = VirtualClock(), list[tuple[str, int]]()
    began = clock.elapsed()

    def ring(name: str) -> None:
        rung.append((name, round((clock.elapsed() - began) / 60)))
        if name == "first":
            clock.call_at(clock.elapsed() + 600, ring, "set by the first")

    clock.call_at(began + 3600, ring, "last")
    clock.call_at(began + 60, ring, "first")
    clock.call_at(began + 1800, ring, "middle")
    clock.call_at(began + 120, ring, "cancelled").cancel()
    clock.call_at(began + 7200, ring, "too late")
    await clock.advance(timedelta(minutes=61), within=WITHIN)
    assert rung == [("first", 1), ("set by the first", 11), ("middle", 30), ("last", 60)]
    clock.close()


async def test_timers_that_nobody_waits_for_are_swept_out() -> None:
    clock, rung = VirtualClock(), list[int]()
    kept = [clock.call_at(clock.elapsed() + 3600 + number, rung.append, number) for number in range(20)]
    for _ in range(5_000):
        clock.call_at(clock.elapsed() + 86_400, rung.append, -1).cancel()
    kept[3].cancel()
    assert clock.timers < 300
    await clock.advance(timedelta(hours=25), within=WITHIN)
    assert rung == [number for number in range(20) if number != 3]
    assert clock.timers == 0


async def test_those_who_sleep_and_those_who_have_a_limit_wake_in_virtual_time() -> None:
    clock, woken = VirtualClock(), list[str]()

    async def sleeper() -> None:
        await sleep(timedelta(hours=1))
        woken.append("slept")

    async def limited() -> None:
        try:
            async with time_limit(1800):
                await asyncio.Event().wait()
        except TimeoutError:
            woken.append("gave up")

    with clock.running():
        tasks = [asyncio.create_task(sleeper()), asyncio.create_task(limited())]
    await clock.advance(timedelta(minutes=59), within=WITHIN)
    assert woken == ["gave up"]
    await clock.advance(timedelta(minutes=2), within=WITHIN)
    assert woken == ["gave up", "slept"]
    await asyncio.gather(*tasks)


async def test_it_goes_on_as_the_machines_does_while_nobody_advances_it() -> None:
    clock, rung = VirtualClock(ahead=timedelta(days=1)), asyncio.Event()
    clock.call_at(clock.elapsed() + 0.01, rung.set)
    async with asyncio.timeout(30):
        await rung.wait()


async def test_upkeep_is_done_as_always_at_first_and_then_made_up_for_where_somebody_stops() -> None:
    clock, beats, seen = VirtualClock(), list[float](), list[float]()
    began = clock.elapsed()

    def beat() -> None:
        beats.append(clock.elapsed() - began)
        clock.call_at(clock.elapsed() + 10, beat, is_upkeep=True)

    def look() -> None:
        seen.append(clock.elapsed() - began - beats[-1])

    clock.call_at(began + 10, beat, is_upkeep=True)
    clock.call_at(began + 7200, look)
    await clock.advance(timedelta(hours=24), within=WITHIN)
    closely = [moment for moment in beats if moment < 130]
    assert len(closely) in (11, 12), "for two minutes"
    assert len(beats) == len(closely) + 2, "once before somebody looks, and at the end"
    assert seen[0] < 10, "whoever looks finds it fresh"
    assert beats[-1] >= 86_400
    clock.close()


async def test_the_next_thing_happens_when_all_are_done_with_the_last() -> None:
    clock, order = VirtualClock(), list[str]()

    async def work() -> None:
        with AtWork("a pot of tea"):
            await asyncio.to_thread(time.sleep, 0.02)
            order.append("done")

    with clock.running():
        tasks = list[asyncio.Task[None]]()
        call_at(loop_time() + 60, lambda: tasks.append(asyncio.create_task(work())))
        call_at(loop_time() + 61, lambda: order.append("next"))
    await clock.advance(timedelta(minutes=2), within=WITHIN)
    assert order == ["done", "next"]


async def test_who_is_never_done_is_named_and_who_is_gone_is_forgotten() -> None:
    class Worker:
        def work_in_hand(self) -> str:
            return "the dishes"

    clock, worker = VirtualClock(), Worker()
    with clock.running():
        mind(worker)
    with pytest.raises(NotAtRest, match="the cluster does not come to rest: there is still work on the dishes"):
        await clock.advance(MINUTE, within=timedelta(0))
    del worker
    await clock.advance(MINUTE, within=WITHIN)


async def test_what_is_always_due_again_comes_to_an_end() -> None:
    clock = VirtualClock()

    def again() -> None:
        clock.call_at(clock.elapsed() + 0.5, again)

    again()
    with pytest.raises(NotAtRest, match="there is always something else that is due"):
        await clock.advance(timedelta(days=300), within=timedelta(milliseconds=100))
    clock.close()


async def test_a_branch_says_the_same_and_goes_its_own_way() -> None:
    clock = VirtualClock()
    await clock.advance(timedelta(hours=5), within=WITHIN)
    branch = clock.branch()
    assert branch.ahead == clock.ahead
    await branch.advance(timedelta(hours=1), within=WITHIN)
    assert timedelta(minutes=59) < branch.ahead - clock.ahead <= timedelta(hours=1)


async def test_what_a_block_starts_goes_by_the_clock_and_who_is_in_it_does_not() -> None:
    clock, told = VirtualClock(ahead=timedelta(days=10)), list[datetime]()

    @asynccontextmanager
    async def block() -> AsyncIterator[str]:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(note())
            yield "entered"

    async def note() -> None:
        told.append(present())

    async with clock.around(block()) as entered:
        assert entered == "entered"
        assert present() < datetime.now(UTC) + MINUTE
    assert told[0] > datetime.now(UTC) + timedelta(days=9)


@pytest.mark.parametrize("by", [timedelta(0), timedelta(seconds=-1), timedelta(days=3_000_000)])
async def test_only_forward_and_not_for_ever(by: timedelta) -> None:
    clock = VirtualClock()
    with pytest.raises(ValueError, match=r"forward only|after the year 9000"):
        await clock.advance(by, within=WITHIN)
    assert clock.ahead == timedelta(0)


async def test_an_informer_whose_first_list_never_comes_is_waited_for_no_longer_than_lists_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Refusing:
        async def list(self, options: ListOptions) -> JSONObject:
            raise NotFound(f"nobody serves this ({options.limit})")

        def watch(self, options: ListOptions) -> WatchStream:
            raise NotFound(f"nobody serves this ({options.limit})")

    clock = VirtualClock()
    with clock.running():
        informer = SharedInformer(Refusing())
        assert informer.work_in_hand() == ""
        async with informer:
            await asyncio.sleep(0.01)
            assert informer.work_in_hand() == "what informers list first"
            with pytest.raises(NotAtRest, match="there is still work on what informers list first"):
                await clock.advance(MINUTE, within=timedelta(0))
            monkeypatch.setattr(informers, "_FIRST_LIST_SECONDS", 0.0)
            await clock.advance(MINUTE, within=WITHIN)
