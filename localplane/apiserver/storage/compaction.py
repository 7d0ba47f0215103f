"""Forgetting history, so that the store does not grow for ever.

Every five minutes the revision of five minutes ago is compacted. Several servers may share one etcd: they meet at one
key, whose compare-and-swap decides who does it this time. The key and its value are kube-apiserver's own, so that even
a real one on the same etcd takes its turn.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta

from .backend import Backend, KeyValue
from .errors import CompareFailed, StorageError

INTERVAL = timedelta(minutes=5)
KEY = "compact_rev_key"

_MOST_DIGITS = 19  # of a revision

_log = logging.getLogger(__name__)


class Compactor:
    """`seen` tells how far our own watch has come: history it has not read is never taken away from under it."""

    def __init__(self, backend: Backend, *, seen: Callable[[], int], interval: timedelta = INTERVAL) -> None:
        self._backend = backend
        self._seen = seen
        self._interval = interval.total_seconds()
        self._key_revision = 0
        self._due = 0

    async def run(self) -> None:
        """Until it is cancelled. A store that can't be reached is tried again at the next turn."""
        while True:
            await asyncio.sleep(self._interval)
            try:
                await self.turn()
            except StorageError as error:
                _log.warning("history was not compacted this time: %s", error)

    async def turn(self) -> int:
        """Note where the store stands, and compact to where it stood at the last turn. Returns that revision, or 0
        if another server took this turn or it is the first."""
        now = await self._backend.current_revision()
        due = min(self._due, self._seen())
        try:
            self._key_revision = await self._backend.put(KEY, str(now).encode(), expected=self._key_revision)
        except CompareFailed as error:
            self._key_revision = error.current.revision if error.current else 0
            self._due = _noted(error.current) if error.current else 0
            return 0
        self._due = now
        if not due:
            return 0
        await self._backend.compact(due)
        return due


def _noted(note: KeyValue) -> int:
    """What another server noted; 0, which compacts nothing, if the store can't have stood there when it did."""
    value = note.value
    number = int(value) if value.isdigit() and len(value) <= _MOST_DIGITS else 0
    return number if number < note.revision else 0
