"""Long work on an event loop in slices of a few milliseconds, so that nobody else waits longer than that.

    slices = TimeSlices()
    for obj in objects:
        do_something_with(obj)
        if slices.is_over:
            await slices.next()

What is counted is time and not turns, since nobody knows how large the next object is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from time import perf_counter

SLICE_SECONDS = 0.003


async def _next_turn() -> None:
    await asyncio.sleep(0)


class TimeSlices:
    """`turn` returns when the next slice may begin; by default when everybody else who is ready has run."""

    __slots__ = ("_end", "_turn")

    def __init__(self, turn: Callable[[], Awaitable[None]] = _next_turn) -> None:
        self._turn = turn
        self._end = perf_counter() + SLICE_SECONDS

    @property
    def is_over(self) -> bool:
        return perf_counter() >= self._end

    async def next(self) -> None:
        await self._turn()
        self._end = perf_counter() + SLICE_SECONDS

    def begin(self) -> None:
        """A new slice, for whoever has waited for something anyway."""
        self._end = perf_counter() + SLICE_SECONDS


class Turns:
    """Lets one of all who wait go on in each round of the loop: many long pieces of work are no longer than one."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def next(self) -> None:
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            loop.call_soon(self._admit, loop)
        await turn

    def _admit(self, loop: asyncio.AbstractEventLoop) -> None:
        """Those who gave up are passed over."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                break
        if self._waiting:
            loop.call_soon(self._admit, loop)
