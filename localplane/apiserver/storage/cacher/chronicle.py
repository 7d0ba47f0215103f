"""The past for people: every event by revision, for as long as its budget lasts, which is longer than any watch needs.

It has the same events as the window, whose objects are shared with the present: what it costs is what the window has
let go of. `base` says how far back it reaches. A server that starts, or that fills its cache anew, begins here with
nothing.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Final

from .window import EventWindow, LoggedEvent, usual_budget

USUAL_BYTES: Final = 16 * 1024 * 1024
_UNLIMITED: Final = 1 << 62
_MILLION: Final = 1_000_000
_MICROSECOND: Final = timedelta(microseconds=1)
_JUMP: Final = 500_000  # microseconds; a clock that is kept right drifts by less in a day
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Chronicle(EventWindow):
    """Holds so many bytes of events, or those of so long a time, whichever is less."""

    def __init__(self, *, most_bytes: int | None = None, longest: timedelta | None = None) -> None:
        most_bytes = min(USUAL_BYTES, usual_budget()) if most_bytes is None else most_bytes
        super().__init__(smallest=_UNLIMITED, largest=_UNLIMITED, most_bytes=most_bytes)
        self._longest = longest.total_seconds() if longest is not None else float("inf")
        self.began = time.monotonic()
        """When what is at `base` was so."""
        self._wall = 0

    def restart(self, revision: int) -> None:
        super().restart(revision)
        self.began = time.monotonic()

    def expire(self, now: float) -> None:
        while len(self) and self._events[self._start].time < now - self._longest:
            self._evict()

    def of(self, key: str) -> list[LoggedEvent]:
        """What happened to one object, the oldest first."""
        return [event for event in self.after(0) if event.key == key]

    def revision_then(self, moment: datetime) -> int:
        """The last one at that time; -1 if it is before all that is known."""
        microseconds = (moment - _EPOCH) // _MICROSECOND - self._offset()
        at = (microseconds + 0.5) / _MILLION  # what `moment_of` says of an event leads back to it
        return self.revision_at(at) if at >= self.began else -1

    def moment_of(self, event_time: float) -> datetime:
        """By the clock on the wall: the same each time, unless somebody has set it meanwhile."""
        return _EPOCH + timedelta(microseconds=ceil(event_time * _MILLION) + self._offset())

    def _offset(self) -> int:
        """Microseconds between the clock of events and the one on the wall. Their difference is measured anew only when
        one of them has jumped, such as after a sleep of the machine."""
        now = round((time.time() - time.monotonic()) * _MILLION)
        if abs(now - self._wall) > _JUMP:
            self._wall = now
        return self._wall

    def _evict(self) -> None:
        self.began = self._events[self._start].time
        super()._evict()
