"""Until it is time, by the clock that what runs here goes by; and who has work in hand, for one who advances it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from typing import Any, Protocol

from .reading import RUNNING
from .virtual import VirtualClock, Worker


class Timer(Protocol):
    def cancel(self) -> None: ...


def loop_time() -> float:
    """As `elapsed`, and on the event loop's own scale: what `call_at` is told."""
    clock = RUNNING.get()
    return asyncio.get_running_loop().time() if clock is None else clock.elapsed()


def call_at(when: float, callback: Callable[..., object], *args: Any, is_upkeep: bool = False) -> Timer:
    """`is_upkeep` is for what only keeps things fresh, as a heartbeat does: who advances a clock by hours may do it
    once instead of a thousand times."""
    clock = RUNNING.get()
    if clock is None:
        return asyncio.get_running_loop().call_at(when, callback, *args)
    return clock.call_at(when, callback, *args, is_upkeep=is_upkeep)


async def sleep(delay: timedelta, *, is_upkeep: bool = False) -> None:
    """`is_upkeep` as in call_at."""
    clock = RUNNING.get()
    if clock is None:
        await asyncio.sleep(delay.total_seconds())
        return
    over = asyncio.Event()
    timer = clock.call_at(clock.elapsed() + delay.total_seconds(), over.set, is_upkeep=is_upkeep)
    try:
        await over.wait()
    finally:
        timer.cancel()


def time_limit(seconds: float | None) -> AbstractAsyncContextManager[object]:
    """A block that raises TimeoutError when it has taken so long; None is no limit."""
    clock = RUNNING.get()
    if clock is None or seconds is None:
        return asyncio.timeout(seconds)
    return _limited(clock, seconds)


@asynccontextmanager
async def _limited(clock: VirtualClock, seconds: float) -> AsyncIterator[None]:
    async with asyncio.timeout(None) as scope:
        loop = asyncio.get_running_loop()
        timer = clock.call_at(clock.elapsed() + seconds, lambda: scope.reschedule(loop.time()))
        try:
            yield
        finally:
            timer.cancel()


def mind(worker: Worker) -> None:
    """Who advances the clock waits for this one; it is forgotten when nobody else has it. It costs nothing where there
    is no such clock."""
    clock = RUNNING.get()
    if clock is not None:
        clock.mind(worker)


class AtWork:
    """A block during which somebody has work in hand."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        mind(self)

    def __exit__(self, *_: object) -> None:
        self._what = ""

    def work_in_hand(self) -> str:
        return self._what
