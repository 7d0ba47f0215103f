"""What happened before the cache was filled, as far as the store remembers it.

A server that was restarted has an empty window, but its clients come back with revisions from just before. What they
missed is read from the store, so that they need not list everything again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from localplane.apiserver.storage.backend import Backend, Change, prefix_end
from localplane.apiserver.storage.errors import CorruptObject, ResourceVersionTooOld, Unavailable

from .window import LoggedEvent, read_entry

MOST_REVISIONS = 1_000
"""Further back a client is better off with a list."""


@dataclass(frozen=True, slots=True)
class History:
    """Every event after `base`, up to the revision that was asked for."""

    base: int
    events: list[LoggedEvent]


async def read_history(backend: Backend, prefix: str, *, until: int) -> History:
    """The last events up to a revision that the store has reached; raises StorageError."""
    base = max(until - MOST_REVISIONS, backend.compacted_revision)
    try:
        return await _read(backend, prefix, after=base, until=until)
    except ResourceVersionTooOld:
        # Now the backend knows how far back it can go.
        return await _read(backend, prefix, after=backend.compacted_revision, until=until)


async def _read(backend: Backend, prefix: str, *, after: int, until: int) -> History:
    events: list[LoggedEvent] = []
    now = time.monotonic()
    watch = backend.watch(prefix, prefix_end(prefix), after=after)
    try:
        await watch.request_progress()  # the last revision may have changed nothing here
        async for batch in watch:
            events.extend(_event(change, now) for change in batch.changes if change.revision <= until)
            if batch.revision >= until:
                return History(after, events)
    finally:
        await watch.close()
    raise Unavailable("the watch ended")


def _event(change: Change, now: float) -> LoggedEvent:
    key, before = change.key, change.previous
    if change.value is None and before is None:
        raise CorruptObject(key, "its last state is no longer known")
    old = None if before is None else read_entry(key, before.value, before.revision)
    new = None if change.value is None else read_entry(key, change.value, change.revision)
    return LoggedEvent(key, change.revision, old, new, now)
