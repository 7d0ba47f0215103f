"""Deletes keys when their ttl is over, each by a compare-and-swap delete of its own, as any other client would."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from localplane.apimachinery.clock import timestamp
from localplane.apimachinery.clock.reading import RUNNING
from localplane.apimachinery.clock.waiting import Timer, call_at, loop_time, mind
from localplane.apiserver.storage.errors import StorageError, Unavailable

from .group import QueuedWrite

if TYPE_CHECKING:
    from datetime import timedelta

    from .writer import Writer

_AT_ONCE = 500
# Keys that expire close together are deleted together.
_PAUSE_MS = 100
_RETRY_MS = 1000


class Clock:
    """Wall time that is read once and then runs steadily, so that setting the system's clock expires nothing. It is
    that of who opens the store, also in the writer's thread."""

    def __init__(self) -> None:
        clock = RUNNING.get()
        self._elapsed = time.monotonic if clock is None else clock.elapsed
        self._offset = timestamp() - self._elapsed()

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return int((self._offset + self._elapsed()) * 1000)

    def after(self, ttl: timedelta) -> int:
        """When a ttl that begins now is over; what is left of a millisecond counts as one."""
        return self.now() + max(int(ttl.total_seconds() * 1000), 0) + 1


class Expiry:
    """Sleeps until the earliest key is due, then lets the writer delete what is."""

    def __init__(self, writer: Writer, clock: Clock) -> None:
        self._writer = writer
        self._clock = clock
        self._timer: Timer | None = None
        self._is_sweeping = False
        self._due: int | None = None
        self._stopped = False
        mind(self)

    def work_in_hand(self) -> str:
        return "what has expired" if self._is_sweeping else ""

    def expect(self, due: int | None) -> None:
        """A key will be due then; None says that there is none."""
        if self._stopped or due is None or (self._due is not None and self._due <= due):
            return
        self._cancel()
        self._due = due
        self._timer = call_at(loop_time() + max(due - self._clock.now(), 0) / 1000, self._sweep)

    def stop(self) -> None:
        self._stopped = True
        self._cancel()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._due = None

    def _sweep(self) -> None:
        self._timer = self._due = None
        with suppress(Unavailable):
            self._writer.run(partial(delete_expired, now=self._clock.now)).add_done_callback(self._swept)
            self._is_sweeping = True

    def _swept(self, done: asyncio.Future[int | None]) -> None:
        self._is_sweeping = False
        if done.cancelled():
            return
        failed = done.exception() is not None
        due = self._clock.now() + _RETRY_MS if failed else done.result()
        self.expect(None if due is None else max(due, self._clock.now() + _PAUSE_MS))


def delete_expired(writer: Writer, *, now: Callable[[], int]) -> int | None:
    """Delete what is due, and say when the next key will be. Runs on the writer's thread."""
    rows = writer.connection.execute(
        "SELECT key, revision FROM live WHERE expires<=? ORDER BY expires LIMIT ?", (now(), _AT_ONCE)
    ).fetchall()
    writes = [QueuedWrite(key, None, revision) for key, revision in rows]
    if writes:
        writer.commit(writes)
    for write in writes:
        if isinstance(write.outcome, StorageError):
            raise write.outcome
    (due,) = writer.connection.execute("SELECT min(expires) FROM live WHERE expires IS NOT NULL").fetchone()
    assert due is None or isinstance(due, int)
    return due
