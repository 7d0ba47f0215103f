"""What a controller's workers take keys from.

An item that is added several times before it is taken is taken once; one that is added while somebody works on it is
given out again when they are done, so that nobody ever works on the same item twice at a time. Kubernetes:
client-go/util/workqueue.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Hashable
from datetime import timedelta
from itertools import count
from typing import Generic, TypeVar

from localplane.apimachinery.clock.waiting import Timer, call_at, loop_time, mind

from .rate_limiters import RateLimiter, default_controller_rate_limiter

T = TypeVar("T", bound=Hashable)


class ShutDown(Exception):
    """The queue was shut down and what was in it has been given out."""


class WorkQueue(Generic[T]):
    """For one event loop. Whoever `get`s an item says `done` when finished, whatever came of it."""

    def __init__(self, *, rate_limiter: RateLimiter[T] | None = None) -> None:
        self._limiter: RateLimiter[T] = rate_limiter if rate_limiter is not None else default_controller_rate_limiter()
        self._queue: deque[T] = deque()
        self._dirty: set[T] = set()
        self._processing: set[T] = set()
        self._getters: deque[asyncio.Future[None]] = deque()
        self._drained = asyncio.Event()
        self._drained.set()
        self._shutting_down = False
        self._delayed = _Delayed(self.add)
        self._upkeep = _Delayed(self.add, is_upkeep=True)
        mind(self)

    def __len__(self) -> int:
        """How many wait to be taken, delayed ones not counted."""
        return len(self._queue)

    @property
    def shutting_down(self) -> bool:
        return self._shutting_down

    def add(self, item: T) -> None:
        if self._shutting_down or item in self._dirty:
            return
        self._dirty.add(item)
        if item not in self._processing:
            self._queue.append(item)
            self._drained.clear()
            self._wake_one()

    def work_in_hand(self) -> str:
        """An item that somebody works on, or that nobody has taken yet."""
        item = next(iter(self._processing), None) or next(iter(self._queue), None)
        return str(item) if item is not None else ""

    def add_after(self, item: T, delay: timedelta, *, is_upkeep: bool = False) -> None:
        """Of several delays for the same item the shortest counts. `is_upkeep` as in `clock.waiting.call_at`."""
        if self._shutting_down:
            return
        if delay <= timedelta(0):
            self.add(item)
        else:
            (self._upkeep if is_upkeep else self._delayed).add(item, delay)

    def add_rate_limited(self, item: T) -> None:
        """After as long as the item's failures ask for."""
        self.add_after(item, self._limiter.when(item))

    def forget(self, item: T) -> None:
        """The item's failures are over; it is still to be `done`."""
        self._limiter.forget(item)

    def num_requeues(self, item: T) -> int:
        return self._limiter.num_requeues(item)

    async def get(self) -> T:
        """The next item, when there is one. Raises ShutDown."""
        while not self._queue:
            if self._shutting_down:
                raise ShutDown
            await self._wait()
        item = self._queue.popleft()
        self._processing.add(item)
        self._dirty.discard(item)
        return item

    def done(self, item: T) -> None:
        self._processing.discard(item)
        if item in self._dirty:
            self._queue.append(item)
            self._wake_one()
        elif not (self._processing or self._queue):
            self._drained.set()

    def shut_down(self) -> None:
        """Take no more; what is queued is still given out. Delayed items are dropped."""
        self._shutting_down = True
        self._delayed.clear()
        self._upkeep.clear()
        for getter in self._getters:
            if not getter.done():
                getter.set_result(None)

    async def shut_down_with_drain(self) -> None:
        """And wait until the workers have done all that was queued or taken."""
        self.shut_down()
        await self._drained.wait()

    async def _wait(self) -> None:
        getter = asyncio.get_running_loop().create_future()
        self._getters.append(getter)
        try:
            await getter
        except asyncio.CancelledError:
            # We may have been woken for an item and cancelled in the same breath: somebody else has to take it.
            if getter.done() and not getter.cancelled() and self._queue:
                self._wake_one()
            raise
        finally:
            if getter in self._getters:
                self._getters.remove(getter)

    def _wake_one(self) -> None:
        while self._getters:
            getter = self._getters.popleft()
            if not getter.done():
                getter.set_result(None)
                return


class _Delayed(Generic[T]):
    """Items that become due; one timer, for the first of them."""

    def __init__(self, add: Callable[[T], None], *, is_upkeep: bool = False) -> None:
        self._add = add
        self._is_upkeep = is_upkeep
        self._heap: list[tuple[float, int, T]] = []
        self._due: dict[T, float] = {}
        self._order = count()
        self._timer: Timer | None = None

    def add(self, item: T, delay: timedelta) -> None:
        due = loop_time() + delay.total_seconds()
        if due < self._due.get(item, float("inf")):
            self._due[item] = due
            heapq.heappush(self._heap, (due, next(self._order), item))
            self._set_timer()

    def clear(self) -> None:
        self._heap.clear()
        self._due.clear()
        self._set_timer()

    def _release(self) -> None:
        now = loop_time()
        while self._heap and self._heap[0][0] <= now:
            due, _, item = heapq.heappop(self._heap)
            if self._due.get(item) == due:  # otherwise a shorter delay has replaced this one
                del self._due[item]
                self._add(item)
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._heap:
            self._timer = call_at(self._heap[0][0], self._release, is_upkeep=self._is_upkeep)
