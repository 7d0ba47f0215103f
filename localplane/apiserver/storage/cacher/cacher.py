"""Fills the cache from one list and one watch of the registry's root, and keeps it filled.

When the store goes away the feed resumes where it stopped, and watchers notice nothing. Only when its place in history
is gone too (a compaction overtook it) is the cache filled anew: all watches end, and those who resume from before get
a 410, so that nobody misses an event without being told.

A store that others may replace (an etcd restored from a backup) is not taken on trust. When an answer is behind what
was seen, when it comes from another cluster, or when the place where the feed stopped is not in its history, everything
here may never have happened: the cache is filled anew, and whoever watches is told so.

A fault of ours that ends the following ends the cache too: it is no longer ready, and the log says why.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from datetime import timedelta

from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.storage.backend import Backend, BackendWatch, Batch, Change, KeyValue, prefix_end
from localplane.apiserver.storage.errors import (
    CorruptObject,
    NotReady,
    ResourceVersionTooLarge,
    ResourceVersionTooOld,
    StorageError,
    Unavailable,
)
from localplane.apiserver.storage.keys import DEFAULT_ROOT, KeySchema
from localplane.apiserver.storage.objects import StoredObject
from localplane.apiserver.storage.store import CertainWrites, Store

from .chronicle import Chronicle
from .freshness import Freshness, SharedQuestion
from .history import MOST_REVISIONS, read_history
from .index import ObjectIndex
from .judgement import Judgement
from .storage import CachedStorage
from .watchers import Watchers
from .window import Entry, EventWindow, LoggedEvent, read_entry

_log = logging.getLogger(__name__)

_PAGE = 2_500  # a store answers with a page at a time, which is read in one go
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
# How long the feed of a store that others write to may stand still before it is asked how far it is. Their writes
# elsewhere are compacted too, five minutes later or more: a feed that did not hear of them would have to begin anew.
_STANDSTILL = 30.0


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
        certain_writes: CertainWrites | None = None,
        chronicle: Chronicle | None = None,
    ) -> None:
        self.backend = backend
        self._certain_writes = certain_writes or CertainWrites(backend)
        self.index = ObjectIndex()
        self.window = EventWindow() if window is None else window
        self.chronicle = Chronicle() if chronicle is None else chronicle
        self.watchers = Watchers()
        self.freshness = Freshness(freshness_timeout, self._request_progress)
        self.judgement = Judgement(root, self.index, self.watchers, lambda: self.revision)
        self.root = root
        self._bookmark_tick = bookmark_tick.total_seconds()
        self._recall_timeout = freshness_timeout.total_seconds()
        self._store_revision = SharedQuestion(self._ask_revision)
        # Our own writes that were acknowledged before the feed has brought them: the newest version of their objects.
        self._written: dict[str, StoredObject] = {}
        self._feed: BackendWatch | None = None
        self._filled = asyncio.Event()
        self._filled_at = 0
        self._recalled_at = 0
        self._recalling = asyncio.Lock()
        # Our place in the store's history.
        self._last_change: Change | None = None
        self._doubts = self._doubts_at_fill = 0
        self._doubted_feeds: asyncio.Queue[BackendWatch] = asyncio.Queue()
        self._why_not_ready = "the cache is being filled"
        self._abandoned = 0
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Returns when the cache is filled and followed. Raises what the first attempt at it raises."""
        await self._fill()
        self._follow_feed()

    def _follow_feed(self) -> None:
        self._running = asyncio.create_task(self._run())
        self._running.add_done_callback(_log_fault)

    def start_as(self, other: Cacher) -> None:
        """Instead of `start`, for a branch of another cache's store: nothing is read. Everything that the other holds
        is here too, and the objects are shared. The other has caught up, and nothing was written since the branch."""
        assert other.ready
        assert other.has_caught_up
        assert other.revision == self.backend.observed_revision
        self.index.copy_from(other.index)
        self.judgement.inherit(other.judgement)
        self._begin_at(other.revision)
        self._follow_feed()

    @property
    def has_caught_up(self) -> bool:
        """Whether the cache shows all that the store is known to hold."""
        return self.revision == self.backend.observed_revision

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait((self._running,))
        await self._end()

    def resource(self, prefix: str) -> CachedStorage:
        """The storage of one resource, whose keys start with `prefix` (`/configmaps/`). Costs nothing."""
        keys = KeySchema(self.root, prefix)
        return CachedStorage(self, Store(self.backend, keys, certain_writes=self._certain_writes), keys)

    def count(self, prefix: str) -> int:
        """How many objects there are of the resource with this prefix (`/configmaps/`)."""
        return self.index.count(self.root + prefix)

    @property
    def revision(self) -> int:
        """How far the cache has come; a compaction must stay behind it."""
        return self.freshness.revision

    @property
    def ready(self) -> bool:
        return self._filled.is_set()

    @property
    def why_not_ready(self) -> str:
        """For people; it says something only while the cache is not ready."""
        return self._why_not_ready

    @property
    def discontinuities(self) -> int:
        """How often the store turned out to be another than it was."""
        return self._doubts

    def check_ready(self) -> None:
        if not self.ready:
            raise NotReady("storage is (re)initializing")

    def start_over(self, why: str) -> None:
        """The store is not the one that we followed: `why` says how that is known. Nothing that is here is shown to
        anybody from now on, until it was read anew."""
        _log.error("%s. Everything is read anew, and all watches end", why)
        self._doubts += 1
        self._abandoned = max(self._abandoned, self.freshness.revision, self.backend.observed_revision)
        self._why_not_ready = f"{why}: the cache is being filled anew"
        self._filled.clear()
        self.watchers.end_all(ResourceVersionTooOld(f"too old resource version: {why}"))
        self.lose_feed()

    def is_abandoned(self, revision: int) -> bool:
        """Whether a revision is one of a past that the store has lost: ahead of what is there now, and seen before."""
        return self.freshness.revision < revision <= self._abandoned

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
        newest = backend.observed_revision if backend.exclusive else await self._newest_of_all()
        if self.freshness.revision < newest:
            await self.freshness.reach(newest)

    async def _newest_of_all(self) -> int:
        known, doubts = self.freshness.revision, self._doubts
        newest = await self._store_revision.answer()
        if newest < known and doubts == self._doubts:
            self.start_over(f"the store went back in time: it had reached revision {known} and now stands at {newest}")
        self.check_ready()
        return newest

    async def _ask_revision(self) -> int:
        return await self.backend.current_revision()

    def revision_before(self, age: timedelta) -> int:
        """How far the cache had come so long ago, or as far back as it remembers."""
        oldest = max(self.window.base, self.backend.compacted_revision)
        return max(oldest, min(self.revision, self.window.revision_at(time.monotonic() - age.total_seconds())))

    def lose_feed(self) -> None:
        """The store is out of reach: nothing is sure to be fresh until it can be followed again."""
        feed, self._feed = self._feed, None
        if feed is not None:
            self._doubted_feeds.put_nowait(feed)

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
                    history = await read_history(self.backend, self.root + "/", until=filled_at)
            except (ResourceVersionTooOld, CorruptObject, TimeoutError) as error:
                _log.info("what happened before revision %d is not known: %s", filled_at, error)
            else:
                if self.window.base == filled_at:  # nothing has left it meanwhile
                    self.window.prepend(history.events, history.base)
            self._recalled_at = filled_at

    async def _fill(self) -> None:
        prefix = self.root + "/"
        end = prefix_end(prefix)
        entries: list[tuple[str, Entry]] = []
        last_change: Change | None = None
        start, revision, doubts, slices = prefix, 0, self._doubts, TimeSlices()
        while True:
            page = await self.backend.range(start, end, limit=_PAGE, revision=revision)
            revision = revision or page.revision
            for kv in page.kvs:
                entries.append((kv.key, read_entry(kv.key, kv.value, kv.revision)))
                if slices.is_over:
                    await slices.next()
            if page.kvs and not self.backend.exclusive:
                newest = max(page.kvs, key=_revision_of)
                if last_change is None or newest.revision > last_change.revision:
                    last_change = Change(newest.key, newest.value, newest.revision, None)
            if len(page.kvs) == page.count:
                break
            start = page.kvs[-1].key + "\x00"
        if doubts != self._doubts:
            raise Unavailable("the store was replaced while it was read")
        self.watchers.end_all()
        self._written.clear()
        self.index.replace(entries)
        self._last_change = last_change
        self.judgement.restart(entries)
        if doubts != self._doubts_at_fill:
            self._recalled_at = revision  # what came before belongs to another past than the one that clients saw
        self._doubts_at_fill = doubts
        self._begin_at(revision)

    def _begin_at(self, revision: int) -> None:
        """The index shows what there was at this revision."""
        self.window.restart(revision)
        self.chronicle.restart(revision)
        self._filled_at = revision
        self._open_feed(revision)
        self.freshness.advance(revision)
        self._filled.set()

    def _open_feed(self, after: int) -> None:
        prefix = self.root + "/"
        self._feed = self.backend.watch(prefix, prefix_end(prefix), after=after, previous=False)

    async def _run(self) -> None:
        """Until it is cancelled, or a fault of ours ends it: then whoever reads here must be told so."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._follow())
                group.create_task(self._tick())
                group.create_task(self._end_doubted_feeds())
                group.create_task(self.judgement.run())
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
                    await self._resume_feed()
                if self._feed is None:
                    continue  # the store is in doubt, and is read anew
                async for batch in self._feed:
                    await self._apply(batch)
                    pause, lost = 0.0, False
            except ResourceVersionTooOld:
                _log.warning("the watch cache fell behind a compaction and is filled anew")
                self._why_not_ready = "the cache fell behind a compaction and is being filled anew"
                self._filled.clear()
            except StorageError as error:
                if not lost:  # once for each time, not for each attempt to come back
                    _log.warning("the watch cache lost the store: %s", error)
                lost = True
            await self._close_feed()
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE) or _FIRST_PAUSE

    async def _resume_feed(self) -> None:
        await self._check_continuity()
        if self.ready:
            self._open_feed(self.revision)

    async def _check_continuity(self) -> None:
        """Is the last change that the feed brought a part of this store's history?"""
        last = self._last_change
        if self.backend.exclusive or last is None or not self.ready:
            return
        doubts = self._doubts
        try:
            there = (await self.backend.get(last.key, revision=last.revision)).kv
        except ResourceVersionTooOld:
            return  # compacted: the feed can't be resumed either
        except ResourceVersionTooLarge:
            continues = False
        else:
            continues = there == (None if last.value is None else KeyValue(last.key, last.value, last.revision))
        if not continues and doubts == self._doubts:
            self.start_over(f"the store's history is not what it was: {last.key} did not change at {last.revision}")

    async def _end_doubted_feeds(self) -> None:
        while True:
            await (await self._doubted_feeds.get()).close()

    async def _apply(self, batch: Batch) -> None:
        """A long batch in slices: between two revisions of it the cache is as true as after the last."""
        if not self.ready:
            return  # it was in doubt before it could be read
        now = time.monotonic()
        seen, slices = self.freshness.revision, TimeSlices()
        applied = seen
        for change in batch.changes:
            if change.revision <= seen:
                continue  # a store that resumes may repeat itself
            if change.revision > applied > seen and slices.is_over:
                self.freshness.advance(applied)
                await slices.next()
                if not self._filled.is_set():
                    return  # it came into doubt meanwhile
            applied = change.revision
            event = self._log_change(change, now)
            self.window.append(event)
            self.chronicle.append(event)
            self.index.apply(event)
            self.watchers.dispatch(event)
        if batch.changes:
            self._last_change = batch.changes[-1]
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
            self.judgement.bad_objects.forget(change.key)
        elif ours is not None and ours.revision == change.revision:
            new = ours  # made when it was written: nothing to parse
            self.judgement.bad_objects.forget(change.key)
        else:
            new = read_entry(change.key, change.value, change.revision)
            if not self._certain_writes.is_on_its_way(change.key, change.value):
                new = self.judgement.of(new)
            else:  # ours, and the feed was faster than the answer
                self.judgement.bad_objects.forget(change.key)
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
        loop = asyncio.get_running_loop()
        stood_at, since = self.revision, loop.time()
        while True:
            await asyncio.sleep(self._bookmark_tick)
            self.window.expire(time.monotonic())
            self.chronicle.expire(time.monotonic())
            if self.ready:
                self.watchers.send_bookmarks(self.revision)
            if self.revision != stood_at or self.backend.exclusive:
                stood_at, since = self.revision, loop.time()
            elif loop.time() - since >= _STANDSTILL:
                since = loop.time()
                await self._request_progress()


def _revision_of(kv: KeyValue) -> int:
    return kv.revision


def _log_fault(task: asyncio.Task[None]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        _log.error("the watch cache has stopped", exc_info=error)
