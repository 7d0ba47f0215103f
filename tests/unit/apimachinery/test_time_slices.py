"""Long work in slices: others run in between, and many who work so are no slower for others than one."""

from __future__ import annotations

import asyncio
from time import perf_counter

from localplane.apimachinery.time_slices import SLICE_SECONDS, TimeSlices, Turns


async def test_a_slice_is_over_when_its_time_is_and_others_run_before_the_next() -> None:
    slices = TimeSlices()
    _spend(SLICE_SECONDS)
    assert slices.is_over
    order: list[str] = []
    asyncio.get_running_loop().call_soon(order.append, "another")
    await slices.next()
    order.append("we")
    assert order == ["another", "we"]


async def test_of_all_who_wait_one_goes_on_in_each_round() -> None:
    """A round is what happens between two looks at the sockets."""
    turns, rounds, ran = Turns(), 0, []

    async def work() -> None:
        for _ in range(3):
            await turns.next()
            ran.append(rounds)

    workers = [asyncio.create_task(work()) for _ in range(5)]
    while not all(worker.done() for worker in workers):
        await asyncio.sleep(0)
        rounds += 1
    assert len(ran) == 15
    assert len(set(ran)) == len(ran)


async def test_who_gives_up_keeps_nobody_from_a_turn() -> None:
    turns = Turns()
    waiting = [asyncio.create_task(turns.next()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    waiting[1].cancel()
    await asyncio.wait_for(waiting[2], 10)
    await asyncio.wait_for(turns.next(), 10)


def _spend(seconds: float) -> None:
    end = perf_counter() + seconds
    while perf_counter() < end:
        pass
