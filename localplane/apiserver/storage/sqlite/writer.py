"""The one thread that writes. While one group is being synced, the next one gathers in the queue."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from localplane.apiserver.storage.errors import NoSpace, StorageError, Unavailable

from .errors import CLOSED, storage_error
from .group import QueuedWrite, WriteGroup, apply_group

if TYPE_CHECKING:
    from .feed import Feed
    from .schema import Database

T = TypeVar("T")

# Bounds on what one transaction makes its first write wait for.
_GROUP_WRITES = 1024
_GROUP_BYTES = 16 << 20


@dataclass(slots=True)
class Job:
    """Work that needs the write connection to itself: compaction, expiry. It begins its own transactions."""

    run: Callable[[Writer], Any]
    future: asyncio.Future[Any]


class Writer:
    """Takes writes from the loop and gives them back done, one call into the loop for each group.

    The feed gets each group, in revision order, before the writes in it return to their callers.
    """

    def __init__(self, database: Database, feed: Feed) -> None:
        self.connection = database.connection
        self.revision = database.revision
        self.compacted = database.compacted
        self.alarm = ""
        self.commits = 0
        self._feed = feed
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[QueuedWrite | Job | None] = SimpleQueue()
        self._hand: list[QueuedWrite | Job] = []  # what the thread is at, for the case that it dies of it
        self._closed = ""
        self._thread = threading.Thread(target=self._main, name="sqlite-writer", daemon=True)
        self._thread.start()

    def submit(self, write: QueuedWrite) -> asyncio.Future[int]:
        """Queue a write. Once queued it runs, whether or not anyone still waits for it."""
        self._check_open()
        write.future = self._loop.create_future()
        self._queue.put(write)
        return write.future

    def run(self, job: Callable[[Writer], T]) -> asyncio.Future[T]:
        """Queue a job behind the writes that are already there."""
        self._check_open()
        future: asyncio.Future[T] = self._loop.create_future()
        self._queue.put(Job(job, future))
        return future

    def refuse_more(self) -> None:
        """From now on nothing is accepted; what is queued is still done."""
        if not self._closed:
            self._closed = CLOSED
            self._queue.put(None)

    def join(self) -> None:
        """Wait, off the loop, until the queue is done and the thread has ended."""
        self._thread.join()

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable(self._closed)

    def _main(self) -> None:
        try:
            item: QueuedWrite | Job | None = self._queue.get()
            while item is not None:
                self._hand = [item]
                carried: Job | None = None
                if isinstance(item, Job):
                    self._do(item)
                else:
                    writes, carried = self._gather(item)
                    self.commit(writes)
                item = carried or self._queue.get()
        finally:
            # After `refuse_more` nothing is left here; otherwise a defect ended the thread, and nobody may hang.
            self._tell(self._end)

    def _gather(self, first: QueuedWrite) -> tuple[list[QueuedWrite], Job | None]:
        """The writes that are queued by now, and the job that came behind them, if that is what ended the group."""
        writes = [first]
        size = len(first.value or b"")
        while len(writes) < _GROUP_WRITES and size < _GROUP_BYTES and self._queue.qsize():
            item = self._queue.get()
            if item is None:
                self._queue.put(None)
                break
            self._hand.append(item)
            if isinstance(item, Job):
                return writes, item
            writes.append(item)
            size += len(item.value or b"")
        return writes, None

    def commit(self, writes: list[QueuedWrite]) -> None:
        """Run one group. Where room runs out each write gets its own chance, small ones and deletes may yet fit."""
        failure = self._attempt(writes)
        if not isinstance(failure, NoSpace):
            if failure is not None:
                self._refuse(writes, failure)
            return
        self._rewind_log()
        for write in writes:
            failure = self._attempt([write])
            if failure is not None:
                if isinstance(failure, NoSpace):
                    self.alarm = str(failure)
                self._refuse([write], failure)

    def _attempt(self, writes: list[QueuedWrite]) -> StorageError | None:
        committing = False
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            # Read off the loop: a watch that comes too late for this group finds it in the log.
            group = apply_group(self.connection, writes, self.revision, self._feed.detail)
            committing = group.revision > self.revision
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.roll_back()
            return storage_error(error, committing=committing)
        if committing:
            self.commits += 1
            self.revision = group.revision
            self.alarm = ""
        self._tell(self._deliver, group)
        return None

    def _do(self, job: Job) -> None:
        try:
            result = job.run(self)
        except sqlite3.Error as error:
            self.roll_back()
            self._tell(_fail, job.future, storage_error(error))
        except StorageError as error:
            self._tell(_fail, job.future, error)
        else:
            self._tell(_succeed, job.future, result)

    def publish(self, revision: int) -> None:
        """What a job has written is on the disk: those who watch read it in the log, before anything that follows."""
        self.commits += 1
        self.revision = revision
        self.alarm = ""
        self._tell(self._deliver, WriteGroup([], revision))

    def roll_back(self) -> None:
        """Leave the transaction, if the error has not done so already."""
        with suppress(sqlite3.Error):
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def _rewind_log(self) -> None:
        """Fold the log into the file, so that the next write can use the log's space again."""
        with suppress(sqlite3.Error):
            self.connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()

    def _refuse(self, writes: list[QueuedWrite], failure: StorageError) -> None:
        for write in writes:
            # Each its own, because raising writes a traceback into it.
            write.outcome = copy(failure)
        self._tell(_settle, writes)

    def _tell(self, call: Callable[..., None], *arguments: Any) -> None:
        # A loop that was closed over our head has nobody left to tell.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call, *arguments)

    def _deliver(self, group: WriteGroup) -> None:
        self._feed.publish(group)
        _settle(group.writes)

    def _end(self) -> None:
        self._closed = self._closed or "the writer of the store has died"
        while self._queue.qsize():
            item = self._queue.get()
            if item is not None:
                self._hand.append(item)
        for item in self._hand:
            if item.future is not None:
                _fail(item.future, Unavailable(self._closed, may_have_happened=True))


def _settle(writes: list[QueuedWrite]) -> None:
    """Let those who still wait for these writes go on."""
    for write in writes:
        if write.future is None:
            continue
        if isinstance(write.outcome, int):
            _succeed(write.future, write.outcome)
        else:
            _fail(write.future, write.outcome)


def _succeed(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[Any], error: StorageError) -> None:
    if not future.done():
        future.set_exception(error)
