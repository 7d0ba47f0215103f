"""Fills the cache from one list and one watch of the registry's root, and keeps it filled.

When the store goes away the feed resumes where it stopped, and watchers notice nothing. Only when its place in history
is gone too (a compaction overtook it) is the cache filled anew: all watches end, and those who resume from before get
a 410, so that nobody misses an event without being told.

A fault of ours that ends the following ends the cache too: it is no longer ready, and the log says why.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from datetime import timedelta

from localplane.apiserver.storage.backend import Backend, BackendWatch, Batch, Change, prefix_end
from localplane.apiserver.storage.errors import (
    CorruptObject,
    NotReady,
    ResourceVersionTooOld,
    StorageError,
    Unavailable,
)
from localplane.apiserver.storage.keys import DEFAULT_ROOT, KeySchema
from localplane.apiserver.storage.objects import StoredObject
from localplane.apiserver.storage.store import Store

from .freshness import Freshness, SharedQuestion
from .history import MOST_REVISIONS, read_history
from .index import ObjectIndex
from .storage import CachedStorage
from .watchers import Watchers
from .window import Entry, EventWindow, LoggedEvent, read_entry

_log = logging.getLogger(__name__)

_PAGE = 10_000
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0


class Cacher:
    """`freshness_timeout` is how long a reader waits for a revision that the cache has not reached."""

    def __init__(
        self,
        backend: Backend,
        *,
        root: str = DEFAULT_ROOT,
        freshness_timeout: timedelta = timedelta(seconds=3),
        window: EventWindow | None = None,
        bookmark_tick: timedelta = timedelta(seconds=1),
    ) -> None:
        self.backend = backend
        self.index = ObjectIndex()
        self.window = EventWindow() if window is None else window
        self.watchers = Watchers()
        self.freshness = Freshness(freshness_timeout, self._request_progress)
        self._root = root
        self._bookmark_tick = bookmark_tick.total_seconds()
        self._recall_timeout = freshness_timeout.total_seconds()
        self._store_revision = SharedQuestion(backend.current_revision)
        # Our own writes that were acknowledged before the feed has brought them: the newest version of their objects.
        self._written: dict[str, StoredObject] = {}
        self._feed: BackendWatch | None = None
        self._filled = asyncio.Event()
        self._filled_at = 0
        self._recalled_at = 0
        self._recalling = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Returns when the cache is filled and followed. Raises what the first attempt at it raises."""
        await self._fill()
        self._running = asyncio.create_task(self._run())
        self._running.add_done_callback(_log_fault)

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait((self._running,))
        await self._end()

    def resource(self, prefix: str) -> CachedStorage:
        """The storage of one resource, whose keys start with `prefix` (`/configmaps/`). Costs nothing."""
        keys = KeySchema(self._root, prefix)
        return CachedStorage(self, Store(self.backend, keys), keys)

    def count(self, prefix: str) -> int:
        """How many objects there are of the resource with this prefix (`/configmaps/`)."""
        return self.index.count(self._root + prefix)

    @property
    def revision(self) -> int:
        """How far the cache has come; a compaction must stay behind it."""
        return self.freshness.revision

    @property
    def ready(self) -> bool:
        return self._filled.is_set()

    def check_ready(self) -> None:
        if not self.ready:
            raise NotReady("storage is (re)initializing")

    def note_write(self, written: StoredObject) -> None:
        """Remember what we wrote until the feed brings it, so that the next write need not read it back."""
        if written.revision > self.freshness.revision:
            self._written[written.key] = written

    def newest(self, key: str) -> StoredObject | None:
        """The newest version that this process knows of: a suggestion, because others may write too."""
        written = self._written.get(key)
        if written is not None:
            return written
        entry = self.index.get(key)
        return entry if isinstance(entry, StoredObject) else None

    async def catch_up(self) -> None:
        """Wait until the cache shows everything that was acknowledged, to anyone, before this call."""
        if self._feed is None:
            raise Unavailable("the store can't be reached")
        backend = self.backend
        newest = backend.observed_revision if backend.exclusive else await self._store_revision.answer()
        if self.freshness.revision < newest:
            await self.freshness.reach(newest)

    async def recall(self, after: int) -> None:
        """Let the window reach back before the fill, for a watch that resumes from there, if the store remembers.

        It is done once for each fill, and serves all. Raises Unavailable: then it may be tried again.
        """
        if after < self._filled_at - MOST_REVISIONS:
            return
        async with self._recalling:
            filled_at = self._filled_at
            if self._recalled_at == filled_at or self.window.base != filled_at:
                return
            try:
                async with asyncio.timeout(self._recall_timeout):
                    history = await read_history(self.backend, self._root + "/", until=filled_at)
            except (ResourceVersionTooOld, CorruptObject, TimeoutError) as error:
                _log.info("what happened before revision %d is not known: %s", filled_at, error)
            else:
                if self.window.base == filled_at:  # nothing has left it meanwhile
                    self.window.prepend(history.events, history.base)
            self._recalled_at = filled_at

    async def _fill(self) -> None:
        prefix = self._root + "/"
        end = prefix_end(prefix)
        entries: list[tuple[str, Entry]] = []
        start, revision = prefix, 0
        while True:
            page = await self.backend.range(start, end, limit=_PAGE, revision=revision)
            revision = revision or page.revision
            entries.extend((kv.key, read_entry(kv.key, kv.value, kv.revision)) for kv in page.kvs)
            if len(page.kvs) == page.count:
                break
            start = page.kvs[-1].key + "\x00"
        self.watchers.end_all()
        self._written.clear()
        self.index.replace(entries)
        self.window.restart(revision)
        self._filled_at = revision
        self._open_feed(revision)
        self.freshness.advance(revision)
        self._filled.set()

    def _open_feed(self, after: int) -> None:
        prefix = self._root + "/"
        self._feed = self.backend.watch(prefix, prefix_end(prefix), after=after, previous=False)

    async def _run(self) -> None:
        """Until it is cancelled, or a fault of ours ends it: then whoever reads here must be told so."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._follow())
                group.create_task(self._tick())
        finally:
            await self._end()

    async def _end(self) -> None:
        self._filled.clear()
        self.watchers.end_all()
        await self._store_revision.close()
        await self.freshness.close()
        await self._close_feed()

    async def _follow(self) -> None:
        """A feed that has brought something is opened again at once when it breaks: the store is probably there.

        After that the store is asked first, since a watch alone can't tell, and less and less often.
        """
        pause, lost = 0.0, False
        while True:
            try:
                if not self.ready:
                    await self._fill()
                    pause, lost = _FIRST_PAUSE, False
                elif self._feed is None:
                    if pause > _FIRST_PAUSE:
                        await self.backend.current_revision()
                        pause, lost = _FIRST_PAUSE, False
                    self._open_feed(self.revision)
                assert self._feed is not None
                async for batch in self._feed:
                    self._apply(batch)
                    pause, lost = 0.0, False
            except ResourceVersionTooOld:
                _log.warning("the watch cache fell behind a compaction and is filled anew")
                self._filled.clear()
            except StorageError as error:
                if not lost:  # once for each time, not for each attempt to come back
                    _log.warning("the watch cache lost the store: %s", error)
                lost = True
            await self._close_feed()
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE) or _FIRST_PAUSE

    def _apply(self, batch: Batch) -> None:
        now = time.monotonic()
        for change in batch.changes:
            if change.revision <= self.freshness.revision:
                continue  # a store that resumes may repeat itself
            event = self._log_change(change, now)
            self.window.append(event)
            self.index.apply(event)
            self.watchers.dispatch(event)
        if batch.revision > self.freshness.revision:
            self.freshness.advance(batch.revision)

    def _log_change(self, change: Change, now: float) -> LoggedEvent:
        old = self.index.get(change.key)
        ours = self._written.get(change.key)
        if ours is not None and ours.revision <= change.revision:
            del self._written[change.key]
        new: Entry | None
        if change.value is None:
            new = None
        elif ours is not None and ours.revision == change.revision:
            new = ours  # made when it was written: nothing to parse
        else:
            new = read_entry(change.key, change.value, change.revision)
        return LoggedEvent(change.key, change.revision, old, new, now)

    async def _close_feed(self) -> None:
        feed, self._feed = self._feed, None
        if feed is not None:
            await feed.close()

    async def _request_progress(self) -> None:
        if self._feed is not None:
            with contextlib.suppress(StorageError):  # the feed itself reports it
                await self._feed.request_progress()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._bookmark_tick)
            if self.ready:
                self.watchers.send_bookmarks(self.revision)


def _log_fault(task: asyncio.Task[None]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        _log.error("the watch cache has stopped", exc_info=error)
