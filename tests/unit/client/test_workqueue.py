"""What the work queue promises."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.client.workqueue.queue import ShutDown, WorkQueue
from localplane.client.workqueue.rate_limiters import ItemExponentialFailureRateLimiter

SOON = timedelta(milliseconds=5)


async def _next(queue: WorkQueue[str]) -> str:
    async with asyncio.timeout(30):
        return await queue.get()


async def test_items_come_out_in_the_order_in_which_they_were_added() -> None:
    queue = WorkQueue[str]()
    for item in "cab":
        queue.add(item)
    assert [await _next(queue) for _ in range(3)] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("steps", "waiting"),
    [
        ("add", 1),
        ("add add", 1),
        ("add get", 0),
        ("add get add", 0),
        ("add get add add done", 1),
        ("add get done", 0),
        ("add get done add", 1),
        ("add get done done", 0),
    ],
)
async def test_an_item_waits_at_most_once_and_never_while_somebody_works_on_it(steps: str, waiting: int) -> None:
    queue = WorkQueue[str]()
    for step in steps.split():
        if step == "get":
            await _next(queue)
        else:
            getattr(queue, step)("a")
    assert len(queue) == waiting


async def test_workers_never_have_the_same_item_at_a_time() -> None:
    queue = WorkQueue[str]()
    busy: set[str] = set()
    done: list[str] = []

    async def work() -> None:
        while True:
            try:
                item = await queue.get()
            except ShutDown:
                return
            assert item not in busy
            busy.add(item)
            await asyncio.sleep(0)
            busy.remove(item)
            done.append(item)
            queue.done(item)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(5):
            tasks.create_task(work())
        for number in range(200):
            queue.add(f"item-{number % 7}")
            if number % 3 == 0:
                await asyncio.sleep(0)
        await queue.shut_down_with_drain()
    assert set(done) == {f"item-{number}" for number in range(7)}


async def test_whoever_waits_is_woken_by_an_add() -> None:
    queue = WorkQueue[str]()
    getting = asyncio.create_task(_next(queue))
    await asyncio.sleep(0)
    queue.add("a")
    assert await getting == "a"


async def test_an_item_is_not_lost_with_a_getter_that_is_cancelled_as_it_comes() -> None:
    queue = WorkQueue[str]()
    first, second = asyncio.create_task(_next(queue)), asyncio.create_task(_next(queue))
    await asyncio.sleep(0)
    queue.add("a")
    first.cancel()
    assert await second == "a"
    assert first.cancelled()


async def test_a_delayed_item_comes_when_its_time_has_come() -> None:
    queue = WorkQueue[str]()
    started = asyncio.get_running_loop().time()
    queue.add_after("late", 4 * SOON)
    queue.add_after("soon", 2 * SOON)
    queue.add_after("now", timedelta(0))
    assert len(queue) == 1
    assert [await _next(queue) for _ in range(3)] == ["now", "soon", "late"]
    assert asyncio.get_running_loop().time() - started >= 4 * SOON.total_seconds()


@pytest.mark.parametrize("delays", [(SOON, timedelta(hours=1)), (timedelta(hours=1), SOON)], ids=["longer", "shorter"])
async def test_of_two_delays_the_shorter_counts_and_the_item_comes_once(delays: tuple[timedelta, ...]) -> None:
    queue = WorkQueue[str]()
    for delay in delays:
        queue.add_after("a", delay)
    assert await _next(queue) == "a"
    queue.done("a")
    assert len(queue) == 0
    queue.shut_down()


async def test_failures_of_an_item_add_up_until_they_are_forgotten() -> None:
    queue = WorkQueue[str](rate_limiter=ItemExponentialFailureRateLimiter(SOON / 5))
    for count in range(1, 4):
        queue.add_rate_limited("a")
        assert queue.num_requeues("a") == count
        assert await _next(queue) == "a"
        queue.done("a")
    queue.forget("a")
    assert queue.num_requeues("a") == 0


async def test_a_queue_that_is_shut_down_gives_out_what_it_has_and_takes_nothing_more() -> None:
    queue = WorkQueue[str]()
    queue.add("a")
    queue.add_after("delayed", SOON)
    queue.shut_down()
    queue.add("b")
    queue.add_after("c", timedelta(0))
    assert queue.shutting_down
    assert await _next(queue) == "a"
    with pytest.raises(ShutDown):
        await _next(queue)


async def test_shutting_down_wakes_all_who_wait() -> None:
    queue = WorkQueue[str]()
    waiting = [asyncio.create_task(_next(queue)) for _ in range(3)]
    await asyncio.sleep(0)
    queue.shut_down()
    assert [type(found) for found in await asyncio.gather(*waiting, return_exceptions=True)] == [ShutDown] * 3


async def test_a_drain_waits_for_work_under_way_and_for_what_is_queued() -> None:
    queue = WorkQueue[str]()
    queue.add("a")
    queue.add("b")
    await _next(queue)
    draining = asyncio.create_task(queue.shut_down_with_drain())
    await asyncio.sleep(0)
    queue.done("a")
    await asyncio.sleep(0)
    assert not draining.done()
    assert await _next(queue) == "b"
    queue.done("b")
    async with asyncio.timeout(30):
        await draining


async def test_an_idle_queue_drains_at_once() -> None:
    async with asyncio.timeout(30):
        await WorkQueue[str]().shut_down_with_drain()
