"""A watch that goes wrong: it ends too early, has no bookmarks, or tells everything late."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from localplane.apiserver.request import Severed
from localplane.apiserver.storage.errors import ResourceVersionTooOld
from localplane.apiserver.storage.interface import EventType, Watch, WatchEvent

from .rule import Ending, WatchFault

_ARRIVAL_SECONDS: Final = 0.05
"""How long the last events have to arrive: many clients throw away what they have not read when a connection breaks."""

TOO_OLD: Final = "The resourceVersion for the provided watch is too old."


class FaultyWatch:
    """A Watch on another. What its fault ends is ended between two events, so nothing that a client was told is lost:
    it resumes from the last one."""

    def __init__(self, inner: Watch, fault: WatchFault) -> None:
        self._inner = inner
        self._fault = fault
        self._left = fault.after_events
        after = None if fault.after is None else fault.after.total_seconds()
        if after is None and fault.after_events is None:
            after = 0.0
        loop = asyncio.get_running_loop()
        ends_by_time = fault.ending is not None and after is not None
        self._until = loop.time() + (after or 0.0) if ends_by_time else None
        self._ended = False
        self._taken: deque[WatchEvent] = deque()

    def __aiter__(self) -> FaultyWatch:
        return self

    async def __anext__(self) -> WatchEvent:
        if not self._taken:
            self._taken.extend(await self.take())
        if not self._taken:
            raise StopAsyncIteration
        return self._taken.popleft()

    async def take(self) -> list[WatchEvent]:
        if self._ended:
            return []
        while True:
            if self._left == 0:
                await asyncio.sleep(_ARRIVAL_SECONDS)
                return self._end()
            try:
                async with asyncio.timeout_at(self._until) as scope:
                    events = await self._inner.take()
                    await asyncio.sleep(self._fault.delay.total_seconds())
            except TimeoutError:
                if scope.expired():
                    return self._end()
                raise
            if not events:
                return []
            kept = self._kept(events)
            if kept:
                return kept

    async def stop(self) -> None:
        await self._inner.stop()

    def _kept(self, events: list[WatchEvent]) -> list[WatchEvent]:
        """Bookmarks are not counted: when they come is nobody's business."""
        kept: list[WatchEvent] = []
        for event in events:
            if event.type is EventType.BOOKMARK:
                if self._fault.bookmarks or event.initial_events_end:
                    kept.append(event)
                continue
            if self._left == 0:
                break
            if self._left is not None:
                self._left -= 1
            kept.append(event)
        return kept

    def _end(self) -> list[WatchEvent]:
        """Raises Severed if the connection is to break."""
        self._ended = True
        match self._fault.ending:
            case Ending.CUT:
                raise Severed
            case Ending.EXPIRE:
                return [WatchEvent(EventType.ERROR, 0, error=ResourceVersionTooOld(TOO_OLD))]
        return []
