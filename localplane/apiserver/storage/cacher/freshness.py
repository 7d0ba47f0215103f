"""Waiting until the cache has come as far as a reader needs.

The cache stands at one revision. A reader that needs a later one waits here; when the log stands still before it (the
revision belongs to a key outside the registry), the feed is asked to report its progress, once for all who wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from itertools import count
from typing import Any

from sortedcontainers import SortedDict

from localplane.apiserver.storage.errors import ResourceVersionTooLarge, Unavailable

_BEFORE_ASKING = 0.005
_BETWEEN_ASKING = 0.1


class Freshness:
    def __init__(self, timeout: timedelta, request_progress: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._timeout = timeout.total_seconds()
        self._progress = _ProgressQuestion(request_progress, lambda: self.revision)
        # By the revision that is waited for, and among equals by who came first.
        self._waiting: SortedDict[tuple[int, int], asyncio.Future[None]] = SortedDict()
        self._order = count()
        self.revision = 0

    def advance(self, revision: int) -> None:
        """The cache now shows everything up to `revision`. It may also be set back, when it is filled anew."""
        self.revision = revision
        waiting = self._waiting
        while waiting and waiting.peekitem(0)[0][0] <= revision:
            future = waiting.popitem(0)[1]
            if not future.done():
                future.set_result(None)

    async def reach(self, revision: int) -> None:
        """Raises ResourceVersionTooLarge when the revision has not come within the time a reader will wait."""
        if self.revision >= revision:
            return
        place = revision, next(self._order)
        future = self._waiting[place] = asyncio.get_running_loop().create_future()
        self._progress.ask_soon()
        try:
            async with asyncio.timeout(self._timeout):
                await future
        except TimeoutError:
            raise ResourceVersionTooLarge(revision, self.revision) from None
        finally:
            self._waiting.pop(place, None)
            if not self._waiting:
                self._progress.stop_asking()

    async def close(self) -> None:
        """Whoever still waits is told that it is in vain."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(Unavailable("the cache is closed"))
        await self._progress.close()


class _ProgressQuestion:
    """Asks the feed how far it is, as long as somebody waits and it stands still: soon, then now and then."""

    def __init__(self, ask: Callable[[], Coroutine[Any, Any, None]], revision: Callable[[], int]) -> None:
        self._ask = ask
        self._revision = revision
        self._seen = 0
        self._timer: asyncio.TimerHandle | None = None
        self._asking: asyncio.Task[None] | None = None

    def ask_soon(self) -> None:
        """For a reader who has just come: a question that went out before says nothing about what it needs."""
        loop = asyncio.get_running_loop()
        if self._timer is None or self._timer.when() > loop.time() + _BEFORE_ASKING:
            self._ask_in(_BEFORE_ASKING)

    def stop_asking(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def close(self) -> None:
        self.stop_asking()
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait((self._asking,))

    def _ask_in(self, pause: float) -> None:
        self.stop_asking()
        self._seen = self._revision()
        self._timer = asyncio.get_running_loop().call_later(pause, self._due)

    def _due(self) -> None:
        if self._revision() != self._seen:
            self._ask_in(_BEFORE_ASKING)  # it moves by itself
            return
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        self._ask_in(_BETWEEN_ASKING)


class SharedQuestion:
    """One question asked for many: whoever comes while it is under way shares the next one.

    Not the present one: its answer may be older than the moment at which they began to ask.
    """

    def __init__(self, ask: Callable[[], Awaitable[int]]) -> None:
        self._ask = ask
        self._asking: asyncio.Task[int] | None = None
        self._next: asyncio.Task[int] | None = None

    async def answer(self) -> int:
        """Raises what asking raises, and Unavailable when the question is withdrawn."""
        if self._next is not None:
            task = self._next
        elif self._asking is None or self._asking.done():
            task = self._asking = asyncio.create_task(self._run(None))
        else:
            task = self._next = asyncio.create_task(self._run(self._asking))
        try:
            # Shielded: one reader that gives up must not take the answer away from the others.
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled() and not _is_cancelled():
                raise Unavailable("the cache is closed") from None
            raise

    async def close(self) -> None:
        """Withdraw what is being asked."""
        tasks = [task for task in (self._asking, self._next) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, after: asyncio.Task[int] | None) -> int:
        if after is not None:
            await asyncio.wait((after,))
            self._asking, self._next = self._next, None
        return await self._ask()


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
