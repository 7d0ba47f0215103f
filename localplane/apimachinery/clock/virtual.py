"""A clock that can be advanced. Between two advances it goes as the machine's does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import Context, copy_context
from datetime import UTC, datetime, timedelta
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, Final, Protocol, TypeVar
from weakref import WeakSet

from .reading import RUNNING

T = TypeVar("T")

_CLOSELY: Final = 120.0
"""For so many seconds everything that keeps things fresh happens as often as always: long enough for all who wait for
news of somebody, a node above all, to have missed him."""

_TOGETHER: Final = 0.001  # seconds
_UPKEEP_TOGETHER: Final = 1.0
_ROUNDS: Final = 8
_LOOKS: Final = 6
_PATIENCE: Final = 50
_PAUSE: Final = 0.001
_MOST_CANCELLED: Final = 100
_LATEST: Final = datetime(9000, 1, 1, tzinfo=UTC)


class Worker(Protocol):
    def work_in_hand(self) -> str:
        """What it works on or has yet to work on, in a few words; empty if there is nothing."""
        ...


class NotAtRest(TimeoutError):
    """There was always something else to do."""


class VirtualTimer:
    __slots__ = ("_call", "_context", "_timers", "due", "is_over")

    def __init__(self, due: float, call: Callable[[], object], timers: _Timers) -> None:
        self.due = due
        self.is_over = False
        self._call = call
        self._timers = timers
        self._context: Context = copy_context()

    def cancel(self) -> None:
        if not self.is_over:
            self.is_over = True
            self._timers.cancelled()

    def ring(self) -> None:
        self.is_over = True
        asyncio.get_running_loop().call_soon(self._call, context=self._context)


class _Timers:
    """The first that is due comes first; of two for the same moment, the one that was set first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, VirtualTimer]] = []
        self._order = count()
        self._cancelled = 0

    def __len__(self) -> int:
        """Those that nobody waits for any more count until they are swept out."""
        return len(self._heap)

    def add(self, due: float, call: Callable[[], object]) -> VirtualTimer:
        timer = VirtualTimer(due, call, self)
        heappush(self._heap, (due, next(self._order), timer))
        return timer

    def first(self) -> VirtualTimer | None:
        while self._heap:
            timer = self._heap[0][2]
            if not timer.is_over:
                return timer
            heappop(self._heap)
        return None

    def cancelled(self) -> None:
        """Most timers are set anew before they ring, and some would lie there for a day."""
        self._cancelled += 1
        if self._cancelled > _MOST_CANCELLED and self._cancelled * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if not entry[2].is_over]
            heapify(self._heap)
            self._cancelled = 0


class VirtualClock:
    """`ahead` is by how much it is before the machine's. What is waited for by this clock rings in its time, also while
    nobody advances it. For one event loop."""

    def __init__(self, *, ahead: timedelta = timedelta(0)) -> None:
        self._ahead = ahead.total_seconds()
        self._timers = _Timers()
        self._upkeep = _Timers()
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_due = float("inf")
        self._workers: WeakSet[Worker] = WeakSet()
        self._advancing = asyncio.Lock()

    def branch(self) -> VirtualClock:
        """Another clock that says the same, and is advanced by itself from now on."""
        return VirtualClock(ahead=self.ahead)

    @property
    def ahead(self) -> timedelta:
        return timedelta(seconds=self._ahead)

    @property
    def timers(self) -> int:
        """How many are set, with those that were cancelled lately."""
        return len(self._timers) + len(self._upkeep)

    def timestamp(self) -> float:
        return time.time() + self._ahead

    def elapsed(self) -> float:
        return time.monotonic() + self._ahead

    @contextmanager
    def running(self) -> Iterator[None]:
        """Whatever runs or is started in this block goes by this clock."""
        token = RUNNING.set(self)
        try:
            yield
        finally:
            RUNNING.reset(token)

    @asynccontextmanager
    async def around(self, block: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
        """What the block starts goes by this clock, but not who is in it: he may use several."""
        async with AsyncExitStack() as stack:
            stack.callback(self.close)
            with self.running():
                entered = await stack.enter_async_context(block)
            yield entered

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, is_upkeep: bool = False
    ) -> VirtualTimer:
        """When `elapsed` is that far; see `waiting.call_at`."""
        timer = (self._upkeep if is_upkeep else self._timers).add(when, lambda: callback(*args))
        if self._alarm is None or when < self._alarm_due:
            self._set_alarm()
        return timer

    def mind(self, worker: Worker) -> None:
        """`advance` waits until this one has no work in hand."""
        self._workers.add(worker)

    def close(self) -> None:
        """Nothing rings any more."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._timers, self._upkeep = _Timers(), _Timers()

    async def advance(self, by: timedelta, *, within: timedelta) -> None:
        """It is ahead by so much more then. Everything that becomes due meanwhile happens, in order, and whoever it
        concerns is done with it before the next. Who advances while another does so waits for his turn. Raises
        ValueError for what is not forward, and NotAtRest if the machine needs longer than `within`; what has happened
        by then stays."""
        if by <= timedelta(0):
            raise ValueError(f"a clock goes forward only: by more than 0, not by {by}")
        if datetime.fromtimestamp(self.timestamp(), UTC) > _LATEST - by:
            raise ValueError(f"{by} from now is after the year {_LATEST.year}, and no timestamp can say when")
        give_up = time.monotonic() + within.total_seconds()
        async with self._advancing:
            await self._rest(give_up)
            ahead, closely_until = self._ahead + by.total_seconds(), self.elapsed() + _CLOSELY
            while (stop := self._next_stop(time.monotonic() + ahead, closely_until)) is not None:
                if time.monotonic() > give_up:
                    raise NotAtRest("there is always something else that is due")
                self._go_to(stop)
                await self._catch_up(stop, give_up)
            self._ahead = ahead
            await self._catch_up(self.elapsed(), give_up)

    def _next_stop(self, end: float, closely_until: float) -> float | None:
        """When something is due next; what keeps things fresh is no reason to stop later on."""
        dues = []
        if (timer := self._timers.first()) is not None:
            dues.append(timer.due)
        if (upkeep := self._upkeep.first()) is not None and upkeep.due <= closely_until:
            dues.append(upkeep.due)
        due = min(dues, default=float("inf"))
        return due if due <= end else None

    def _go_to(self, moment: float) -> None:
        self._ahead += max(0.0, moment - self.elapsed())

    async def _catch_up(self, moment: float, give_up: float) -> None:
        """What is to be fresh comes first, one after the other: it may have been passed over for hours."""
        while (upkeep := self._upkeep.first()) is not None and upkeep.due <= moment:
            self._ring((self._upkeep,), upkeep.due + min(_UPKEEP_TOGETHER, moment - upkeep.due))
            await self._rest(give_up)
        self._ring((self._timers, self._upkeep), moment + _TOGETHER)
        await self._rest(give_up)

    def _ring(self, all_timers: tuple[_Timers, ...], until: float) -> None:
        """The callbacks run in the next round of the loop, in order."""
        while due := [timer for timers in all_timers if (timer := timers.first()) and timer.due <= until]:
            min(due, key=lambda timer: timer.due).ring()
        self._set_alarm()

    def _set_alarm(self) -> None:
        """For the first that is due if nobody advances the clock."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        firsts = [timer.due for timer in (self._timers.first(), self._upkeep.first()) if timer is not None]
        if firsts:
            self._alarm_due = min(firsts)
            delay = max(0.0, self._alarm_due - self.elapsed())
            self._alarm = asyncio.get_running_loop().call_later(delay, self._strike)

    def _strike(self) -> None:
        self._ring((self._timers, self._upkeep), self.elapsed() + _TOGETHER)

    async def _rest(self, give_up: float) -> None:
        """Until nobody has work in hand, and has not had for longer than it takes for news to come round: each who
        passes it on does so in the next round of the loop."""
        looks, busy_looks = 0, 0
        while looks < _LOOKS:
            for _ in range(_ROUNDS):
                await asyncio.sleep(0)
            work = self._work_in_hand()
            looks = 0 if work else looks + 1
            busy_looks += bool(work)
            if work and time.monotonic() > give_up:
                raise NotAtRest(f"the cluster does not come to rest: there is still work on {work}")
            if busy_looks > _PATIENCE:  # a thread or a disk is waited for, and they need the processor
                await asyncio.sleep(_PAUSE)

    def _work_in_hand(self) -> str:
        return next((work for worker in list(self._workers) if (work := worker.work_in_hand())), "")
