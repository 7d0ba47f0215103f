"""A watch: history from the log, then live changes, joined so that nothing is missed or seen twice.

A watch that is not read keeps a bounded number of live changes. Past that it drops them and, when it is read
again, goes on in the log from where its reader stopped: nothing is lost, memory stays small, and a reader that was
only slow for a moment need not begin anew. One that is slower than compaction is told so, as a late one is.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from localplane.apiserver.storage.backend import Batch, Change
from localplane.apiserver.storage.errors import StorageError, Unavailable

from .group import Detail, WriteGroup
from .reader import Readers, Span, read_history

if TYPE_CHECKING:
    from .feed import Feed

MAX_PENDING_CHANGES = 4096
MAX_PENDING_BYTES = 16 << 20


class SQLiteWatch:
    """`_delivered`: the reader has everything up to here. `_joined`: `_pending` has everything after here.

    Between the two lies what must be read from the log; `_joined` None means that nothing is kept at all.
    """

    def __init__(self, feed: Feed, readers: Readers, *, start: str, end: str, after: int, previous: bool) -> None:
        self.detail = Detail.PREVIOUS if previous else Detail.CHANGES
        self._feed = feed
        self._readers = readers
        self._start = start
        self._end = end
        self._delivered = after
        self._joined: int | None = None if after < feed.revision else feed.revision
        self._pending: list[Change] = []
        self._pending_bytes = 0
        self._progress: int | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._failure = ""
        self._closed = False
        feed.join(self)

    def __aiter__(self) -> SQLiteWatch:
        return self

    async def __anext__(self) -> Batch:
        while not self._closed:
            if self._joined is None:
                self._joined = self._feed.revision
            if self._delivered < self._joined:
                batch = await self._read_log(self._joined)
                if batch.changes:
                    return batch
            elif self._pending or self._progress_is_due():
                return self._take()
            elif self._failure:
                self._closed = True
                raise Unavailable(self._failure)
            else:
                await self._wait()
        raise StopAsyncIteration

    async def request_progress(self) -> None:
        """The answer waits for writes that are on the disk but not yet published, so it is never too low."""
        self.expect_progress(self._feed.observed)
        self._wake()

    def expect_progress(self, revision: int) -> None:
        """Say so when the watch has come that far, even if nothing happened in its range."""
        self._progress = max(revision, self._progress or 0)

    async def close(self) -> None:
        self._closed = True
        self._pending.clear()
        self._feed.leave(self)
        self._wake()

    def feed(self, group: WriteGroup) -> None:
        """Called by the feed with each group, in order."""
        if self._joined is not None:
            if group.detail < self.detail:
                self._fall_behind()
            else:
                self._keep(group.changes)
                self._skip_to(group.revision)
        self._wake_if_due()

    def fail(self, reason: str) -> None:
        """The store is gone: end the watch, after what is pending has been read."""
        self._failure = reason
        self._feed.leave(self)
        self._wake()

    def _keep(self, changes: list[Change]) -> None:
        for change in changes:
            if self._start <= change.key < self._end and change.revision > self._delivered:
                self._pending.append(change)
                self._pending_bytes += len(change.value or b"")
                if change.previous is not None:
                    self._pending_bytes += len(change.previous.value)
        if len(self._pending) > MAX_PENDING_CHANGES or self._pending_bytes > MAX_PENDING_BYTES:
            self._fall_behind()

    def _skip_to(self, revision: int) -> None:
        """With nothing left to hand out, changes elsewhere bring the watch forward, out of compaction's reach."""
        if self._joined is not None and not self._pending and self._delivered >= self._joined:
            self._joined = max(self._joined, revision)
            self._delivered = max(self._delivered, revision)

    def _fall_behind(self) -> None:
        self._joined = None
        self._pending = []
        self._pending_bytes = 0

    def _take(self) -> Batch:
        batch = Batch(self._pending, max(self._feed.revision, self._delivered))
        self._pending = []
        self._pending_bytes = 0
        self._delivered = self._joined = batch.revision
        self._forget_progress()
        return batch

    async def _read_log(self, until: int) -> Batch:
        span = Span(self._start, self._end, self._delivered, until)
        try:
            batch = await self._readers.ask(partial(read_history, span=span, previous=self.detail is Detail.PREVIOUS))
        except StorageError:
            await self.close()
            raise
        self._delivered = batch.revision
        if batch.changes:
            self._forget_progress()
        return batch

    def _progress_is_due(self) -> bool:
        return self._progress is not None and self._feed.revision >= max(self._progress, self._delivered)

    def _forget_progress(self) -> None:
        if self._progress is not None and self._delivered >= self._progress:
            self._progress = None

    async def _wait(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake_if_due(self) -> None:
        if self._pending or self._joined is None or self._progress_is_due():
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
