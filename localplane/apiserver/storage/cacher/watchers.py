"""The open watches: found by key, fed without waiting, closed when they are too slow."""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import partial
from itertools import count
from weakref import ReferenceType, ref

from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.storage.errors import CorruptObject, StorageError
from localplane.apiserver.storage.interface import EventType, Predicate, WatchEvent

from .index import prefixes_of
from .window import LoggedEvent

QUEUE_EVENTS = 1_000
QUEUE_BYTES = 16 * 1024 * 1024
BOOKMARK_PERIOD = timedelta(minutes=1)
BOOKMARK_BEFORE_TIMEOUT = timedelta(seconds=2)

# A reader that is only waiting for its turn on the event loop is not slow.
_SMALLEST_GRACE = 0.05
_LARGEST_BUDGET = 0.1
_BUDGET_PER_SECOND = 0.05
_GOING_ON_FACTOR = 10

_INITIAL_AT_ONCE = 500


class CacheWatcher:
    """One reader's queue. It ends, it never skips: after a gap the reader could not know what it missed.

    What it begins with may be a lot, so it is made as it is read: `initial` has None for what the reader does not want.
    """

    def __init__(self, after: int, predicate: Predicate | None, initial: Iterable[WatchEvent | None] = ()) -> None:
        self.after = after
        self.predicate = predicate
        self.ended = False
        self.forget: Callable[[], None] | None = None
        self._initial: Iterator[WatchEvent | None] | None = iter(initial)
        self._queue: deque[WatchEvent] = deque()
        self._bytes = 0
        self._news: asyncio.Future[None] | None = None

    def __aiter__(self) -> CacheWatcher:
        return self

    async def __anext__(self) -> WatchEvent:
        if self._initial is not None:
            events = await self._take_initial(1)
            if events:
                return events[0]
        await self._wait()
        if not self._queue:
            raise StopAsyncIteration
        event = self._queue.popleft()
        self._bytes -= _size(event)
        return event

    async def take(self) -> list[WatchEvent]:
        events: list[WatchEvent] = []
        if self._initial is not None:
            events = await self._take_initial(_INITIAL_AT_ONCE)
            if self._initial is not None:
                return events
        if not events:
            await self._wait()
        events += self._queue
        self._queue.clear()
        self._bytes = 0
        return events

    async def _take_initial(self, most: int) -> list[WatchEvent]:
        """The next of the initial events. When there are no more, there is no `_initial` either."""
        events: list[WatchEvent] = []
        slices = TimeSlices()
        for event in self._initial or ():
            if event is not None:
                events.append(event)
                if event.type is EventType.ERROR:
                    self.end()
                    self._queue.clear()  # nothing may follow an error
                    break
                if len(events) == most:
                    if most > 1:
                        await slices.next()
                    return events
            if slices.is_over:
                await slices.next()
        self._initial = None
        return events

    async def stop(self) -> None:
        self.end()

    def end(self) -> None:
        """Nothing more comes; what is queued can still be read."""
        self.ended = True
        forget, self.forget = self.forget, None  # it holds us as we hold it
        if forget is not None:
            forget()
        self._wake()

    def offer(self, event: WatchEvent) -> None:
        if self.ended:
            return
        self._queue.append(event)
        self._bytes += _size(event)
        if event.type is EventType.ERROR:
            self.end()
        elif self._news is not None:
            self._wake()

    def is_behind(self) -> bool:
        return len(self._queue) > QUEUE_EVENTS or (self._bytes > QUEUE_BYTES and len(self._queue) > 1)

    def is_hopeless(self) -> bool:
        return len(self._queue) > QUEUE_EVENTS * _GOING_ON_FACTOR or (
            self._bytes > QUEUE_BYTES * _GOING_ON_FACTOR and len(self._queue) > 1
        )

    async def _wait(self) -> None:
        while not (self._queue or self.ended):
            self._news = asyncio.get_running_loop().create_future()
            try:
                await self._news
            finally:
                self._news = None

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


class ReadableWatcher(CacheWatcher):
    """For a reader who passes over what can't be read: for it such an object is not there."""

    def offer(self, event: WatchEvent) -> None:
        if isinstance(event.error, CorruptObject):
            if event.readable is None:
                return
            event = event.readable
        super().offer(event)


def _size(event: WatchEvent) -> int:
    return len(event.object.data) if event.object is not None else 0


class Watchers:
    """All watches by the key or prefix they were opened for. An event looks up its own few prefixes, so a watch costs
    nothing when other resources change."""

    def __init__(self) -> None:
        self._by_place: dict[str, dict[CacheWatcher, None]] = {}
        # By weak reference: a watch that has ended must not be held, with all in its queue, until a bookmark is due.
        self._bookmarks: list[tuple[float, int, ReferenceType[CacheWatcher], float | None]] = []
        self._order = count()
        self._budget = TimeBudget()
        self._behind: set[CacheWatcher] = set()

    def __len__(self) -> int:
        return sum(len(watchers) for watchers in self._by_place.values())

    def add(self, place: str, watcher: CacheWatcher) -> None:
        self._by_place.setdefault(place, {})[watcher] = None
        watcher.forget = partial(self._remove, place, watcher)

    def _remove(self, place: str, watcher: CacheWatcher) -> None:
        watchers = self._by_place.get(place)
        if watchers is not None:
            watchers.pop(watcher, None)
            if not watchers:
                del self._by_place[place]

    def dispatch(self, event: LoggedEvent) -> None:
        for place in (*prefixes_of(event.key), event.key):
            watchers = self._by_place.get(place)
            if watchers is None:
                continue
            for watcher in list(watchers):  # a watcher that ends leaves while we go round
                if event.revision <= watcher.after:
                    continue
                seen = event.seen_by(watcher.predicate)
                if seen is not None:
                    watcher.offer(seen)
                    if watcher.is_behind():
                        self._hurry(watcher)

    def tell_of_condemned(self, event: LoggedEvent) -> None:
        """Nothing has changed in the store: only those who see no unreadable objects lose sight of one."""
        for place in (*prefixes_of(event.key), event.key):
            for watcher in list(self._by_place.get(place, ())):
                seen = event.seen_by(watcher.predicate) if isinstance(watcher, ReadableWatcher) else None
                if seen is not None:
                    watcher.offer(seen)

    def end_all(self, error: StorageError | None = None) -> None:
        """With an error that is the last thing they see, or so that they may resume from what they saw last."""
        for watchers in list(self._by_place.values()):
            for watcher in list(watchers):
                if error is not None:
                    watcher.offer(WatchEvent(EventType.ERROR, 0, error=error))
                watcher.end()

    def schedule_bookmarks(self, watcher: CacheWatcher, timeout: timedelta | None) -> None:
        now = asyncio.get_running_loop().time()
        self._schedule(watcher, now, None if timeout is None else now + timeout.total_seconds())

    def send_bookmarks(self, revision: int) -> None:
        """To every watch whose bookmark is due. All events up to `revision` have been dispatched."""
        now = asyncio.get_running_loop().time()
        bookmark = WatchEvent(EventType.BOOKMARK, revision)
        while self._bookmarks and self._bookmarks[0][0] <= now:
            _, _, reference, deadline = heapq.heappop(self._bookmarks)
            watcher = reference()
            if watcher is None or watcher.ended:
                continue
            if revision >= watcher.after:
                watcher.offer(bookmark)
            self._schedule(watcher, now, deadline)

    def _schedule(self, watcher: CacheWatcher, now: float, deadline: float | None) -> None:
        due = now + BOOKMARK_PERIOD.total_seconds()
        if deadline is not None:
            last = deadline - BOOKMARK_BEFORE_TIMEOUT.total_seconds()
            # After the one before the deadline there is none left to send but the ordinary ones.
            due = min(due, last) if last > now else due
        heapq.heappush(self._bookmarks, (due, next(self._order), ref(watcher), deadline))

    def _hurry(self, watcher: CacheWatcher) -> None:
        """Give a slow reader what is left of the time that all slow ones share, then end it."""
        if watcher.is_hopeless():
            watcher.end()
        elif watcher not in self._behind:
            self._behind.add(watcher)
            loop = asyncio.get_running_loop()
            grace = max(_SMALLEST_GRACE, self._budget.take(loop.time()))
            loop.call_later(grace, self._end_if_behind, watcher)

    def _end_if_behind(self, watcher: CacheWatcher) -> None:
        self._behind.discard(watcher)
        if watcher.is_behind():
            watcher.end()


class TimeBudget:
    """Time that slow readers may use up together: refilled slowly, so that many of them can't add up to a stall."""

    def __init__(self) -> None:
        self._left = _LARGEST_BUDGET
        self._at: float | None = None

    def take(self, now: float) -> float:
        if self._at is not None:
            self._left = min(_LARGEST_BUDGET, self._left + (now - self._at) * _BUDGET_PER_SECOND)
        self._at = now
        taken, self._left = self._left, 0.0
        return taken
