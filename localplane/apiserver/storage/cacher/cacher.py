"""Fills the cache from one list and one watch of the registry's root, and keeps it filled.

When the store goes away the feed resumes where it stopped, and watchers notice nothing. Only when its place in history
is gone too (a compaction overtook it) is the cache filled anew: all watches end, and those who resume from before get
a 410, so that nobody misses an event without being told.
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
from .index import ObjectIndex
from .storage import CachedStorage
from .watchers import Watchers
from .window import Entry, EventWindow, LoggedEvent

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
        self._store_revision = SharedQuestion(backend.current_revision)
        # Our own writes that were acknowledged before the feed has brought them: the newest version of their objects.
        self._written: dict[str, StoredObject] = {}
        self._feed: BackendWatch | None = None
        self._filled = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Returns when the cache is filled and followed. Raises what the first attempt at it raises."""
        await self._fill()
        self._tasks = [asyncio.create_task(self._follow()), asyncio.create_task(self._tick())]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._filled.clear()
        self.watchers.end_all()

    def resource(self, prefix: str) -> CachedStorage:
        """The storage of one resource, whose keys start with `prefix` (`/configmaps/`). Costs nothing."""
        keys = KeySchema(self._root, prefix)
        return CachedStorage(self, Store(self.backend, keys), keys)

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

    async def _fill(self) -> None:
        prefix = self._root + "/"
        end = prefix_end(prefix)
        entries: list[tuple[str, Entry]] = []
        start, revision = prefix, 0
        while True:
            page = await self.backend.range(start, end, limit=_PAGE, revision=revision)
            revision = revision or page.revision
            entries.extend((kv.key, _entry(kv.key, kv.value, kv.revision)) for kv in page.kvs)
            if len(page.kvs) == page.count:
                break
            start = page.kvs[-1].key + "\x00"
        self.watchers.end_all()
        self._written.clear()
        self.index.replace(entries)
        self.window.restart(revision)
        self._open_feed(revision)
        self.freshness.advance(revision)
        self._filled.set()

    def _open_feed(self, after: int) -> None:
        prefix = self._root + "/"
        self._feed = self.backend.watch(prefix, prefix_end(prefix), after=after, previous=False)

    async def _follow(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            try:
                if not self.ready:
                    await self._fill()
                elif self._feed is None:
                    await self.backend.current_revision()  # is anybody there? a watch alone can't tell
                    self._open_feed(self.revision)
                pause = _FIRST_PAUSE
                await self._consume()
            except ResourceVersionTooOld:
                _log.warning("the watch cache fell behind a compaction and is filled anew")
                self._filled.clear()
            except StorageError as error:
                if self._feed is not None:  # once for each time, not for each attempt to come back
                    _log.warning("the watch cache lost the store: %s", error)
            await self._close_feed()
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _consume(self) -> None:
        assert self._feed is not None
        async for batch in self._feed:
            self._apply(batch)

    def _apply(self, batch: Batch) -> None:
        now = time.monotonic()
        for change in batch.changes:
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
            new = _entry(change.key, change.value, change.revision)
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


def _entry(key: str, value: bytes, revision: int) -> Entry:
    try:
        return StoredObject.from_stored(key, value, revision)
    except CorruptObject as error:
        return error
