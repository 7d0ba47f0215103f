"""The recent past: a sliding window over the ordered log of all changes.

It holds the last 75 seconds of events, between 100 and 102,400 of them, as Kubernetes' watch cache does: it doubles
when it is full of younger ones and halves when the older half is not needed. But one window serves everything, and
an event may be a megabyte: so it also has a budget of bytes, which is kept whatever that costs in seconds.

Everything after `base` is here. A watch that resumes at `base` or later gets all it missed; one that resumes earlier
must list again.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from localplane.apiserver.storage.errors import CorruptObject
from localplane.apiserver.storage.interface import EventType, Predicate, WatchEvent
from localplane.apiserver.storage.objects import StoredObject
from localplane.apiserver.storage.store.watch import transition

Entry = StoredObject | CorruptObject
"""What stands under a key: an object, or the reason why it can't be read."""

KEEP_SECONDS = 75.0
SMALLEST = 100
LARGEST = 102_400
MOST_BYTES = 64 * 1024 * 1024

_SHARE_OF_MEMORY = 64
# What an event takes beside the bytes of its object: its records, key, labels and revision.
_BYTES_PER_EVENT = 1_000
# Events that have outlived their time go without being pushed out as soon as they take more than this of the budget.
_QUIET_SHARE = 4


def usual_budget() -> int:
    """In bytes: less on a machine, or in a container, with little memory."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, ValueError):
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(MOST_BYTES, memory // _SHARE_OF_MEMORY)


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

    @property
    def size(self) -> int:
        """Bytes that go when it goes. A deletion holds a copy of the last state; what was replaced is another's."""
        kept = self.old if self.new is None else self.new
        return _BYTES_PER_EVENT + (len(kept.data) if isinstance(kept, StoredObject) else 0)

    def seen_by(self, predicate: Predicate | None) -> WatchEvent | None:
        if predicate is None:
            if self.plain is None:
                self.plain = self._seen_through(None)
            return self.plain
        return self._seen_through(predicate)

    def _seen_through(self, predicate: Predicate | None) -> WatchEvent | None:
        for side in (self.new, self.old):
            if isinstance(side, CorruptObject):
                instead = transition(_readable(self.old), _readable(self.new), self.revision, predicate)
                return WatchEvent(EventType.ERROR, self.revision, error=side, readable=instead)
        assert not isinstance(self.old, CorruptObject)
        assert not isinstance(self.new, CorruptObject)
        return transition(self.old, self.new, self.revision, predicate)


def _readable(entry: Entry | None) -> StoredObject | None:
    return entry if isinstance(entry, StoredObject) else None


_LEFT = LoggedEvent("", 0, None, None, 0.0)


class EventWindow:
    def __init__(
        self,
        *,
        smallest: int = SMALLEST,
        largest: int = LARGEST,
        keep: float = KEEP_SECONDS,
        most_bytes: int | None = None,
    ) -> None:
        self._smallest = smallest
        self._largest = largest
        self._keep = keep
        self._most_bytes = usual_budget() if most_bytes is None else most_bytes
        self.capacity = smallest
        self.base = 0
        self.bytes = 0
        # Two lists with the same positions: revisions are searched, events are read. The first `_start` of them have
        # left the window; their places are cut off in one go when they outnumber the others.
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
        self.bytes = 0
        self.capacity = self._smallest

    def append(self, event: LoggedEvent) -> None:
        self._revisions.append(event.revision)
        self._events.append(event)
        self.bytes += event.size
        if isinstance(event.old, StoredObject):
            event.old.memo = None  # what was derived from it served its present; few will ask for its past
        if len(self) > self.capacity:
            self._resize(event.time)
        while len(self) > self.capacity or self.bytes > self._most_bytes:
            self._evict()

    def prepend(self, events: list[LoggedEvent], base: int) -> None:
        """Reach back to `base`: these are all events after it up to the present base, and none has left so far."""
        self._revisions[:0] = [event.revision for event in events]
        self._events[:0] = events
        self.bytes += sum(event.size for event in events)
        self.base = base
        while self.capacity < min(len(self), self._largest):
            self.capacity = min(self.capacity * 2, self._largest)
        while len(self) > self.capacity or self.bytes > self._most_bytes:
            self._evict()

    def expire(self, now: float) -> None:
        """Let go of what is older than its time, if that is much: nothing new may come to push it out."""
        oldest = now - self._keep
        while self.bytes > self._most_bytes // _QUIET_SHARE and self._events[self._start].time < oldest:
            self._evict()

    def after(self, revision: int) -> list[LoggedEvent]:
        """All events with a greater revision; the caller has checked that `revision` is not below `base`."""
        return self._events[bisect_right(self._revisions, revision, lo=self._start) :]

    def count_after(self, revision: int) -> int:
        return len(self._revisions) - bisect_right(self._revisions, revision, lo=self._start)

    def revision_at(self, moment: float) -> int:
        """The last revision that came up to a moment on the clock of events; `base` if none did."""
        position = bisect_right(self._events, moment, lo=self._start, key=_time_of)
        return self._revisions[position - 1] if position > self._start else self.base

    def _resize(self, now: float) -> None:
        oldest_age = now - self._events[self._start].time
        middle_age = now - self._events[self._start + len(self) // 2].time
        if oldest_age < self._keep:
            self.capacity = min(self.capacity * 2, self._largest)
        elif middle_age > self._keep:
            self.capacity = max(self.capacity // 2, self._smallest)

    def _evict(self) -> None:
        self.base = self._revisions[self._start]
        # Events of one revision leave together: half a transaction must not be resumed.
        while self._start < len(self._revisions) and self._revisions[self._start] == self.base:
            self.bytes -= self._events[self._start].size
            self._events[self._start] = _LEFT
            self._start += 1
        if self._start > len(self):
            del self._revisions[: self._start]
            del self._events[: self._start]
            self._start = 0


def _time_of(event: LoggedEvent) -> float:
    return event.time
