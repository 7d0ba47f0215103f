"""Forgetting history, so that the store does not grow for ever.

Every five minutes the revision of five minutes ago is compacted. Several servers may share one etcd: they meet at one
key, whose compare-and-swap decides who does it this time. The key is kube-apiserver's own, and so is its value, the
revision that was compacted to (etcd3/compact.go): a real one on the same etcd takes its turn, and may drop from its
cache what the value says is gone.

A second key says where the store stood, and when, for whoever starts next: a server that never runs for five minutes
compacts too, to where the store stood five minutes ago or longer, before it was there.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from .backend import Backend, KeyValue
from .errors import CompareFailed, NoSpace, StorageError

INTERVAL = timedelta(minutes=5)
KEY = "compact_rev_key"
NOTE_KEY = "localplane/compaction"

_MOST_DIGITS = 19  # of a revision
_END_OF_TIME = 1e12  # in seconds since 1970: what is later is no time

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Note:
    """Where the store stood, and when, in seconds since 1970."""

    revision: int
    time: float


class Compactor:
    """`seen` tells how far our own watch has come: history it has not read is never taken away from under it."""

    def __init__(
        self,
        backend: Backend,
        *,
        seen: Callable[[], int],
        interval: timedelta = INTERVAL,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._backend = backend
        self._seen = seen
        self._interval = interval.total_seconds()
        self._clock = clock
        self._key_revision = 0
        self._note_revision = 0
        self._due = 0
        self._compacted = 0

    async def run(self) -> None:
        """Until it is cancelled. A store that can't be reached is tried again at the next turn."""
        pause = self._interval
        try:
            pause = (await self.begin()).total_seconds()
        except StorageError as error:
            _log.warning("nobody can tell when history was last compacted: %s", error)
        while True:
            await asyncio.sleep(pause)
            pause = self._interval
            try:
                await self.turn()
            except StorageError as error:
                _log.warning("history was not compacted this time: %s", error)

    async def begin(self) -> timedelta:
        """Learn what those before us left, leave a note where there is none, and say when our first turn is: an
        interval after the note was taken, which may be now."""
        self._learn((await self._backend.get(KEY)).kv)
        written = (await self._backend.get(NOTE_KEY)).kv
        self._note_revision = written.revision if written else 0
        note = _read(written) if written else None
        if note is None:
            self._due = await self._backend.current_revision()
            await self._note(self._due)
            return timedelta(seconds=self._interval)
        self._due = note.revision
        age = self._clock() - note.time
        return timedelta(seconds=min(max(self._interval - age, 0), self._interval))

    async def turn(self) -> int:
        """Note where the store stands, and compact to where it stood at the last turn. Returns that revision, or 0
        if there was nothing to compact or another server took this turn."""
        now = await self._backend.current_revision()
        if now < self._compacted:
            self._compacted = 0  # the store was replaced by an older one
        due = min(self._due, self._seen())
        ours = await self._record(due)
        self._due = now
        if not ours:
            return 0
        await self._note(now)
        return await self._compact(due)

    async def compact_now(self) -> int:
        """Out of turn, and as far as we have seen: for a store that fills faster than turns come. Returns how far."""
        seen = self._seen()
        await self._record(seen)
        return await self._compact(seen)

    async def _record(self, due: int) -> bool:
        """Say to all compactors that we do it now. False if another has meanwhile. A full store takes no notes, and
        needs the compaction all the more."""
        value = str(max(due, self._compacted)).encode()
        try:
            with suppress(NoSpace):
                self._key_revision = await self._backend.put(KEY, value, expected=self._key_revision)
        except CompareFailed as error:
            self._learn(error.current)
            return False
        return True

    async def _compact(self, due: int) -> int:
        if due <= self._compacted:
            return 0
        await self._backend.compact(due)
        self._compacted = due
        return due

    def _learn(self, record: KeyValue | None) -> None:
        """What another server recorded, if the store can have stood there when it did."""
        self._key_revision = record.revision if record else 0
        if record is not None:
            self._compacted = max(self._compacted, _revision(record.value, below=record.revision))

    async def _note(self, revision: int) -> None:
        note = json.dumps({"revision": revision, "time": round(self._clock(), 3)}).encode()
        try:
            with suppress(NoSpace):
                self._note_revision = await self._backend.put(NOTE_KEY, note, expected=self._note_revision)
        except CompareFailed as error:  # somebody else's note is as good as ours
            self._note_revision = error.current.revision if error.current else 0


def _revision(digits: bytes, *, below: int) -> int:
    number = int(digits) if digits.isdigit() and len(digits) <= _MOST_DIGITS else 0
    return number if number < below else 0


def _read(note: KeyValue) -> _Note | None:
    """What was noted; None if nobody can have meant it."""
    try:
        document = json.loads(note.value)
        revision, noted_at = document["revision"], document["time"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if type(revision) is not int or not 0 < revision < note.revision:
        return None
    if not isinstance(noted_at, int | float) or not 0 <= noted_at < _END_OF_TIME:
        return None
    return _Note(revision, noted_at)
