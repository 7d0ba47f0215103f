"""Taking keys off a queue until there is nothing left to do, and hearing of objects for as long as one works."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any, Final, TypeVar

from localplane.apimachinery.errors import APIError, Conflict
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices, Turns
from localplane.client import ClientError, HandlerFunctions, SharedInformer, WorkQueue, deleted_object
from localplane.client.informers.handlers import ProcessorListener
from localplane.client.workqueue.supervision import Contained

T = TypeVar("T", bound=Hashable)
R = TypeVar("R")
_log = logging.getLogger(__name__)
_AT_ONCE: Final = 16


class NotYet(Exception):
    """The work could not be finished for a reason of its own; it is tried again, later and later."""


class TryAfter(Exception):
    """The work is to be looked at again in a while; nothing failed."""

    def __init__(self, delay: timedelta) -> None:
        super().__init__(f"again in {delay}")
        self.delay = delay


async def work(queue: WorkQueue[T], sync: Callable[[T], Awaitable[None]], *, workers: int = 1) -> None:
    """`sync` every key, several at a time, until cancelled. What fails is tried again, later and later: one object that
    nobody can work on leaves the others alone."""
    async with asyncio.TaskGroup() as tasks:
        for _ in range(workers):
            tasks.create_task(_work_on(queue, sync))


async def _work_on(queue: WorkQueue[T], sync: Callable[[T], Awaitable[None]]) -> None:
    slices = TimeSlices()  # a sync that finds nothing to do never waits, and there may be thousands
    while True:
        key = await queue.get()
        contained = Contained(partial("the work on {}".format, key))
        try:
            with contained:
                await _work_once(queue, sync, key)
            if contained.error is not None:
                queue.add_rate_limited(key)
        finally:
            queue.done(key)
        if slices.is_over:
            await slices.next()


async def _work_once(queue: WorkQueue[T], sync: Callable[[T], Awaitable[None]], key: T) -> None:
    try:
        await sync(key)
    except TryAfter as later:
        queue.add_after(key, later.delay)
    except (APIError, ClientError, NotYet) as error:
        level = logging.DEBUG if isinstance(error, Conflict) else logging.INFO
        _log.log(level, "%s is tried again: %s", key, error)
        queue.add_rate_limited(key)
    else:
        queue.forget(key)


async def together(calls: Iterable[Coroutine[Any, Any, R]]) -> list[R]:
    """All of them, to their end; then the first that failed is raised, as it is. A few are under way at a time, and
    each begins in a round of the loop of its own: a server in this process may answer without ever waiting."""
    gate, turns, waiting = asyncio.Semaphore(_AT_ONCE), Turns(), list(calls)

    async def admitted(call: Coroutine[Any, Any, R]) -> R:
        async with gate:
            await turns.next()
            return await call

    try:
        outcomes = await asyncio.gather(*map(admitted, waiting), return_exceptions=True)
    finally:
        for call in waiting:
            call.close()  # one that was cancelled before its turn came
    results = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        results.append(outcome)
    return results


async def first_of(calls: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Until the first of them has ended; the others are cancelled. Raises what it raised."""
    waiting = [asyncio.ensure_future(call) for call in calls]
    try:
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)


@contextmanager
def hearing(
    informer: SharedInformer, hear: Callable[[JSONObject], None], *, deletions: bool = True
) -> Iterator[ProcessorListener]:
    """Call `hear` with every object that comes or changes (or goes) while the block lasts."""
    listener = informer.add_handler(
        HandlerFunctions(
            add=hear,
            update=lambda _, new: hear(new),
            delete=(lambda obj: hear(deleted_object(obj))) if deletions else None,
        )
    )
    try:
        yield listener
    finally:
        listener.remove()
