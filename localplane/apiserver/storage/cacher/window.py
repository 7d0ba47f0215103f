"""The recent past: a sliding window over the ordered log of all changes.

It holds at least the last 75 seconds of events, between 100 and 102,400 of them, as Kubernetes' watch cache does: it
doubles when it is full of younger ones and halves when the older half is not needed.

Everything after `base` is here. A watch that resumes at `base` or later gets all it missed; one that resumes earlier
must list again.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from localplane.apiserver.storage.errors import CorruptObject
from localplane.apiserver.storage.interface import EventType, Predicate, WatchEvent
from localplane.apiserver.storage.objects import StoredObject
from localplane.apiserver.storage.store.watching import transition

Entry = StoredObject | CorruptObject
"""What stands under a key: an object, or the reason why it can't be read."""

KEEP_SECONDS = 75.0
SMALLEST = 100
LARGEST = 102_400


def read_entry(key: str, value: bytes, revision: int) -> Entry:
    try:
        return StoredObject.from_stored(key, value, revision)
    except CorruptObject as error:
        return error


@dataclass(slots=True)
class LoggedEvent:
    """A change with both sides, so that every watcher can be told what it means to it.

    `plain` is what those see who select nothing: made once, shared by all of them.
    """

    key: str
    revision: int
    old: Entry | None
    new: Entry | None
    time: float
    plain: WatchEvent | None = None

    def seen_by(self, predicate: Predicate | None) -> WatchEvent | None:
        if predicate is None:
            if self.plain is None:
                self.plain = self._seen_through(None)
            return self.plain
        return self._seen_through(predicate)

    def _seen_through(self, predicate: Predicate | None) -> WatchEvent | None:
        for side in (self.new, self.old):
            if isinstance(side, CorruptObject):
                return WatchEvent(EventType.ERROR, self.revision, error=side)
        assert not isinstance(self.old, CorruptObject)
        assert not isinstance(self.new, CorruptObject)
        return transition(self.old, self.new, self.revision, predicate)


class EventWindow:
    def __init__(self, *, smallest: int = SMALLEST, largest: int = LARGEST, keep: float = KEEP_SECONDS) -> None:
        self._smallest = smallest
        self._largest = largest
        self._keep = keep
        self.capacity = smallest
        self.base = 0
        # Two lists with the same positions: revisions are searched, events are read. The first `_start` of them have
        # left the window; they are cut off in one go when they outnumber the others.
        self._revisions: list[int] = []
        self._events: list[LoggedEvent] = []
        self._start = 0

    def __len__(self) -> int:
        return len(self._events) - self._start

    def restart(self, revision: int) -> None:
        """Forget everything: the cache was filled anew at `revision`."""
        self._revisions.clear()
        self._events.clear()
        self._start = 0
        self.base = revision
        self.capacity = self._smallest

    def append(self, event: LoggedEvent) -> None:
        self._revisions.append(event.revision)
        self._events.append(event)
        if len(self) > self.capacity:
            self._resize(event.time)
            while len(self) > self.capacity:
                self._evict()

    def prepend(self, events: list[LoggedEvent], base: int) -> None:
        """Reach back to `base`: these are all events after it up to the present base, and none has left so far."""
        self._revisions[:0] = [event.revision for event in events]
        self._events[:0] = events
        self.base = base
        while self.capacity < min(len(self), self._largest):
            self.capacity = min(self.capacity * 2, self._largest)
        while len(self) > self.capacity:
            self._evict()

    def after(self, revision: int) -> list[LoggedEvent]:
        """All events with a greater revision; the caller has checked that `revision` is not below `base`."""
        return self._events[bisect_right(self._revisions, revision, lo=self._start) :]

    def count_after(self, revision: int) -> int:
        return len(self._revisions) - bisect_right(self._revisions, revision, lo=self._start)

    def _resize(self, now: float) -> None:
        oldest_age = now - self._events[self._start].time
        middle_age = now - self._events[self._start + len(self) // 2].time
        if oldest_age < self._keep:
            self.capacity = min(self.capacity * 2, self._largest)
        elif middle_age > self._keep:
            self.capacity = max(self.capacity // 2, self._smallest)

    def _evict(self) -> None:
        self.base = self._revisions[self._start]
        self._start += 1
        # Events of one revision leave together: half a transaction must not be resumed.
        while self._start < len(self._revisions) and self._revisions[self._start] == self.base:
            self._start += 1
        if self._start > len(self):
            del self._revisions[: self._start]
            del self._events[: self._start]
            self._start = 0
