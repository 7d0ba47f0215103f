"""The past for people: every event by revision, for as long as its budget lasts, which is longer than any watch needs.

It has the same events as the window, whose objects are shared with the present: what it costs is what the window has
let go of. `base` says how far back it reaches. A server that starts, or that fills its cache anew, begins here with
nothing.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Final

from .window import EventWindow, LoggedEvent, usual_budget

USUAL_BYTES: Final = 16 * 1024 * 1024
_UNLIMITED: Final = 1 << 62


class Chronicle(EventWindow):
    """Holds so many bytes of events, or those of so long a time, whichever is less."""

    def __init__(self, *, most_bytes: int | None = None, longest: timedelta | None = None) -> None:
        most_bytes = min(USUAL_BYTES, usual_budget()) if most_bytes is None else most_bytes
        super().__init__(smallest=_UNLIMITED, largest=_UNLIMITED, most_bytes=most_bytes)
        self._longest = longest.total_seconds() if longest is not None else float("inf")
        self.began = time.monotonic()
        """When what is at `base` was so."""

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
        at = time.monotonic() - (datetime.now(UTC) - moment).total_seconds()
        return self.revision_at(at) if at >= self.began else -1

    def _evict(self) -> None:
        self.began = self._events[self._start].time
        super()._evict()


def moment_of(event_time: float) -> datetime:
    """By the clock on the wall, as it is now."""
    return datetime.now(UTC) - timedelta(seconds=time.monotonic() - event_time)
