"""Waiting until the cache has come as far as a reader needs.

The cache stands at one revision. A reader that needs a later one waits here; when the log does not get there by
itself (the revision belongs to a key outside the registry), the feed is asked to report its progress.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import count

from localplane.apiserver.storage.errors import ResourceVersionTooLarge

_BEFORE_ASKING = 0.005
_BETWEEN_ASKING = 0.1


class Freshness:
    def __init__(self, timeout: timedelta, request_progress: Callable[[], Awaitable[None]]) -> None:
        self._timeout = timeout.total_seconds()
        self._request_progress = request_progress
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = count()
        self.revision = 0

    def advance(self, revision: int) -> None:
        """The cache now shows everything up to `revision`. It may also be set back, when it is filled anew."""
        self.revision = revision
        while self._waiting and self._waiting[0][0] <= revision:
            future = heapq.heappop(self._waiting)[2]
            if not future.done():
                future.set_result(None)

    async def reach(self, revision: int) -> None:
        """Raises ResourceVersionTooLarge when the revision has not come within the time a reader will wait."""
        if self.revision >= revision:
            return
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (revision, next(self._order), future))
        try:
            async with asyncio.timeout(self._timeout):
                await self._wait_and_ask(future)
        except TimeoutError:
            raise ResourceVersionTooLarge(revision, self.revision) from None
        finally:
            future.cancel()

    async def _wait_and_ask(self, future: asyncio.Future[None]) -> None:
        pause = _BEFORE_ASKING
        while True:
            await asyncio.wait((future,), timeout=pause)
            if future.done():
                return
            await self._request_progress()
            pause = _BETWEEN_ASKING


class SharedQuestion:
    """One question asked for many: whoever comes while it is under way shares the next one.

    Not the present one: its answer may be older than the moment at which they began to ask.
    """

    def __init__(self, ask: Callable[[], Awaitable[int]]) -> None:
        self._ask = ask
        self._asking: asyncio.Task[int] | None = None
        self._next: asyncio.Task[int] | None = None

    async def answer(self) -> int:
        if self._asking is None or self._asking.done():
            task = self._asking = asyncio.create_task(self._run(None))
        elif self._next is None:
            task = self._next = asyncio.create_task(self._run(self._asking))
        else:
            task = self._next
        # Shielded: one reader that gives up must not take the answer away from the others.
        return await asyncio.shield(task)

    async def _run(self, after: asyncio.Task[int] | None) -> int:
        if after is not None:
            await asyncio.wait((after,))
            self._asking, self._next = self._next, None
        return await self._ask()
