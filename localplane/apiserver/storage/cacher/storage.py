"""One resource's view of the cache: Kubernetes' storage.Interface, answered from memory where that is right."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.storage.continuation import encode_continue
from localplane.apiserver.storage.errors import CorruptObject, KeyNotFound, ResourceVersionTooOld
from localplane.apiserver.storage.interface import (
    UNCONDITIONAL,
    EventType,
    ListOptions,
    ObjectList,
    Preconditions,
    Predicate,
    Stats,
    UpdateFunc,
    UpdateOptions,
    Validation,
    WatchEvent,
    WatchOptions,
)
from localplane.apiserver.storage.keys import KeySchema, parse_resource_version
from localplane.apiserver.storage.objects import StoredObject
from localplane.apiserver.storage.store import Store
from localplane.apiserver.storage.store.reads import ListStart, list_start, too_old

from .index import Listing, Past
from .watchers import CacheWatcher, ReadableWatcher
from .window import Entry, EventWindow, LoggedEvent

if TYPE_CHECKING:
    from .cacher import Cacher

# Undoing more events than this costs more than asking the store for the old state.
_MOST_UNDONE = 20_000
_ITEMS = object()


class CachedStorage:
    def __init__(self, cacher: Cacher, store: Store, keys: KeySchema) -> None:
        self._cacher = cacher
        self._store = store
        self._keys = keys

    async def create(self, key: str, obj: JSONObject, *, ttl: timedelta | None = None) -> StoredObject:
        created = await self._store.create(key, obj, ttl=ttl)
        self._cacher.note_write(created)
        return created

    async def get(self, key: str, *, resource_version: str = "") -> StoredObject:
        absolute = self._keys.one(key)
        at_least = parse_resource_version(resource_version)
        cacher = self._cacher
        if not cacher.ready:
            return await self._store.get(key, resource_version=resource_version)
        if not resource_version:
            await cacher.catch_up()
        elif at_least > cacher.freshness.revision:
            await cacher.freshness.reach(at_least)
        entry = cacher.index.get(absolute)
        if entry is None:
            raise KeyNotFound(absolute)
        return _readable(entry)

    def peek(self, key: str) -> StoredObject | None:
        """Our own writes are included; of a deletion it may learn a moment later."""
        return self._cacher.newest(self._keys.one(key))

    def is_known_empty(self, key: str) -> bool:
        """Whether there is nothing below a key, as far as the cache has come. It costs next to nothing to ask."""
        return self._cacher.ready and not self._cacher.index.count(self._keys.below(key))

    async def list(self, key: str, options: ListOptions) -> ObjectList:
        prefix = self._keys.below(key) if options.recursive else self._keys.one(key)
        begin = list_start(prefix, options)
        cacher = self._cacher
        if not cacher.ready:
            if options.limit and options.predicate is None:
                return await self._store.list(key, options)
            cacher.check_ready()
        if begin.revision:
            return await self._list_at(key, prefix, begin, options)
        if begin.at_least:
            await cacher.freshness.reach(begin.at_least)
        elif begin.continued or options.resource_version != "0":
            await cacher.catch_up()
        return await self._list_now(prefix, begin, options)

    async def _list_now(self, prefix: str, begin: ListStart, options: ListOptions) -> ObjectList:
        cacher = self._cacher
        # Whoever takes any version takes all of it: as in Kubernetes' cache, resourceVersion 0 has no pages.
        limit = 0 if options.resource_version == "0" and not begin.continued else options.limit
        if not options.recursive:
            entry = cacher.index.get(prefix)
            return await _cut([] if entry is None else [entry], prefix, cacher.revision, 0, options)
        if options.predicate is not None:
            entries = cacher.index.listing(prefix).entries
            if begin.start != prefix:
                entries = entries[bisect_left(entries, begin.start, key=_key) :]
            return await _cut(entries, prefix, cacher.revision, limit, options)
        if begin.start == prefix and not limit:
            listing = cacher.index.listing(prefix)
            items = _items(listing, only_readable=options.only_readable)
            left_out = len(listing.entries) - len(items)
            return ObjectList(list(items), cacher.revision, memo=listing.memo, left_out=left_out)
        total = cacher.index.count_from(prefix, begin.start)
        return await _cut(cacher.index.page(prefix, begin.start), prefix, cacher.revision, limit, options, total=total)

    async def _list_at(self, key: str, prefix: str, begin: ListStart, options: ListOptions) -> ObjectList:
        """A past state: today's with the later events undone, or the store's own if the window does not reach."""
        cacher = self._cacher
        revision = begin.revision
        if cacher.is_abandoned(revision) or (revision < cacher.backend.compacted_revision and not options.remembered):
            raise too_old(begin.start, prefix, continued=begin.continued)
        await cacher.freshness.reach(revision)
        if options.remembered:
            if revision < cacher.chronicle.base:
                raise too_old(begin.start, prefix, continued=begin.continued)
            past_events: EventWindow = cacher.chronicle
        elif revision < cacher.window.base or cacher.window.count_after(revision) > _MOST_UNDONE:
            return await self._store.list(key, options)
        else:
            past_events = cacher.window
        later = [event for event in past_events.after(revision) if event.key.startswith(prefix)]
        if not options.recursive:
            entry = cacher.index.get(prefix)
            now = [] if entry is None else [entry]
            then = [entry for entry in Past.of(later).entries(now, prefix) if entry.key == prefix]
            return await _cut(then, prefix, revision, options.limit, options, total=len(then))
        past, start = Past.of(later), begin.start
        total = past.count(cacher.index, prefix, start)
        found = past.entries(cacher.index.page(prefix, start), start)
        # What is asked for each entry takes time in which today's would change under us.
        entries = found if options.predicate is None else list(found)
        return await _cut(entries, prefix, revision, options.limit, options, total=total)

    async def delete(
        self,
        key: str,
        *,
        preconditions: Preconditions | None = None,
        validate: Validation | None = None,
        suggestion: StoredObject | None = None,
        even_if_corrupt: bool = False,
    ) -> StoredObject:
        return await self._store.delete(
            key,
            preconditions=preconditions,
            validate=validate,
            suggestion=self.peek(key) or suggestion,
            even_if_corrupt=even_if_corrupt,
        )

    async def guaranteed_update(
        self,
        key: str,
        update: UpdateFunc,
        options: UpdateOptions = UNCONDITIONAL,
        *,
        suggestion: StoredObject | None = None,
    ) -> StoredObject:
        newest = self.peek(key) or suggestion  # what is here is newer than whatever a caller has kept
        updated = await self._store.guaranteed_update(key, update, options, suggestion=newest)
        self._cacher.note_write(updated)
        return updated

    async def watch(self, key: str, options: WatchOptions) -> CacheWatcher:
        place = self._keys.below(key) if options.recursive else self._keys.one(key)
        requested = parse_resource_version(options.resource_version)
        cacher = self._cacher
        cacher.check_ready()
        if not options.resource_version:
            await cacher.catch_up()
        elif requested and options.send_initial_events:
            await cacher.freshness.reach(requested)
        elif 0 < requested < cacher.window.base:
            await cacher.recall(requested)
        # From here to the registration nothing may await, or an event could slip between.
        new_watcher = ReadableWatcher if options.only_readable else CacheWatcher
        if options.send_initial_events or (options.send_initial_events is None and not requested):
            watcher = new_watcher(cacher.revision, options.predicate, self._initial_events(place, options))
        elif not requested:
            watcher = new_watcher(cacher.revision, options.predicate)
        elif requested < cacher.window.base or cacher.is_abandoned(requested):
            return _refused(requested, cacher.window.base)
        else:
            watcher = new_watcher(requested, options.predicate, self._missed_events(place, requested, options))
        cacher.watchers.add(place, watcher)
        if options.allow_bookmarks:
            cacher.watchers.schedule_bookmarks(watcher, options.timeout)
        return watcher

    def _initial_events(self, place: str, options: WatchOptions) -> Iterator[WatchEvent | None]:
        """The objects are taken now, the events are made when they are read."""
        index = self._cacher.index
        if options.recursive:
            present = _items(index.listing(place), only_readable=options.only_readable)
        else:
            entry = index.get(place)
            present = [] if entry is None or _is_passed_over(entry, options) else [_readable(entry)]
        bookmark = None
        if options.send_initial_events and options.allow_bookmarks:
            bookmark = WatchEvent(EventType.BOOKMARK, self._cacher.revision, initial_events_end=True)
        return _added(present, options.predicate, bookmark)

    def _missed_events(self, place: str, after: int, options: WatchOptions) -> Iterator[WatchEvent | None]:
        logged = self._cacher.window.after(after)
        return (
            _seen(event, options)
            if (event.key.startswith(place) if options.recursive else event.key == place)
            else None
            for event in logged
        )

    async def stats(self) -> Stats:
        listing = self._cacher.index.listing(self._keys.prefix).entries
        sizes = [len(entry.stored or entry.data) for entry in listing if isinstance(entry, StoredObject)]
        return Stats(len(listing), sum(sizes) // len(sizes) if sizes else 0)

    async def current_revision(self) -> int:
        return await self._store.current_revision()

    def compacted_revision(self) -> int:
        return self._store.compacted_revision()

    def ready(self) -> bool:
        return self._cacher.ready


def _items(listing: Listing, *, only_readable: bool) -> list[StoredObject]:
    """Looked through once: a quiet resource is listed again and again. What is kept of a list with unreadable objects
    is only ever seen by those who pass over them: to others it fails."""
    found: list[StoredObject] | None = listing.memo.get(_ITEMS)
    if found is None:
        readable = [entry for entry in listing.entries if isinstance(entry, StoredObject)]
        if len(readable) == len(listing.entries):
            found = listing.memo[_ITEMS] = readable
        elif only_readable:
            return readable
        else:
            found = [_readable(entry) for entry in listing.entries]
    return found


def _readable(entry: Entry) -> StoredObject:
    if isinstance(entry, CorruptObject):
        raise CorruptObject(entry.key, entry.why)  # a new one: a shared one would gather tracebacks
    return entry


def _is_passed_over(entry: Entry, options: WatchOptions) -> bool:
    return options.only_readable and isinstance(entry, CorruptObject)


def _seen(event: LoggedEvent, options: WatchOptions) -> WatchEvent | None:
    seen = event.seen_by(options.predicate)
    if seen is not None and options.only_readable and isinstance(seen.error, CorruptObject):
        return seen.readable
    return seen


def _added(
    objects: list[StoredObject], predicate: Predicate | None, bookmark: WatchEvent | None
) -> Iterator[WatchEvent | None]:
    for obj in objects:
        wanted = predicate is None or predicate(obj)
        yield WatchEvent(EventType.ADDED, obj.revision, obj) if wanted else None
    yield bookmark


def _key(entry: Entry) -> str:
    return entry.key


async def _cut(
    entries: Iterable[Entry], prefix: str, revision: int, limit: int, options: ListOptions, *, total: int = 0
) -> ObjectList:
    """The entries that are wanted, up to the limit, and where to go on after them. With a predicate they are looked at
    in slices, and must not change meanwhile."""
    predicate = options.predicate
    if options.only_readable:
        entries = (entry for entry in entries if isinstance(entry, StoredObject))
    if predicate is None and not limit:
        return ObjectList([_readable(entry) for entry in entries], revision)
    items: list[StoredObject] = []
    slices = TimeSlices()
    for examined, entry in enumerate(entries):
        if limit and len(items) == limit:
            token = encode_continue(items[-1].key + "\x00", prefix, revision)
            return ObjectList(items, revision, token, total - examined if predicate is None else None)
        obj = _readable(entry)
        if predicate is None or predicate(obj):
            items.append(obj)
        if predicate is not None and slices.is_over:
            await slices.next()
    return ObjectList(items, revision)


def _refused(requested: int, base: int) -> CacheWatcher:
    error = ResourceVersionTooOld(f"too old resource version: {requested} ({base})")
    watcher = CacheWatcher(0, None, [WatchEvent(EventType.ERROR, 0, error=error)])
    watcher.end()
    return watcher
