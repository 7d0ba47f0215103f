"""Watch, straight from the backend: one backend watch for each watcher.

The cacher does this once for everybody; this is the plain form that shows what it must equal.
"""

from __future__ import annotations

from collections import deque

from localplane.apiserver.storage.backend import Backend, BackendWatch, Change, prefix_end
from localplane.apiserver.storage.errors import CorruptObject, ResourceVersionTooOld, StorageError
from localplane.apiserver.storage.interface import EventType, ListOptions, Match, Predicate, WatchEvent, WatchOptions
from localplane.apiserver.storage.keys import parse_resource_version
from localplane.apiserver.storage.objects import StoredObject

from .reads import list_objects

WATCH_TOO_OLD = "The resourceVersion for the provided watch is too old."


async def watch(backend: Backend, prefix: str, options: WatchOptions) -> StoreWatch:
    requested = parse_resource_version(options.resource_version)
    initial: list[WatchEvent] = []
    after = requested
    if options.send_initial_events or (options.send_initial_events is None and not requested):
        state = await list_objects(
            backend,
            prefix,
            ListOptions(
                resource_version=options.resource_version,
                match=Match.NOT_OLDER_THAN,
                predicate=options.predicate,
                recursive=options.recursive,
                only_readable=options.only_readable,
            ),
        )
        after = state.revision
        initial = [WatchEvent(EventType.ADDED, obj.revision, obj) for obj in state.items]
        if options.send_initial_events and options.allow_bookmarks:
            initial.append(WatchEvent(EventType.BOOKMARK, after, initial_events_end=True))
    elif not requested:
        after = await backend.current_revision()
    end = prefix_end(prefix) if options.recursive else prefix + "\x00"
    source = backend.watch(prefix, end, after=after)
    return StoreWatch(source, initial, options.predicate, only_readable=options.only_readable)


class StoreWatch:
    def __init__(
        self,
        source: BackendWatch,
        initial: list[WatchEvent],
        predicate: Predicate | None,
        *,
        only_readable: bool = False,
    ) -> None:
        self._source = source
        self._pending = deque(initial)
        self._predicate = predicate
        self._event_of = readable_event_of if only_readable else event_of
        self._ended = False

    def __aiter__(self) -> StoreWatch:
        return self

    async def __anext__(self) -> WatchEvent:
        if not self._pending:
            await self._gather()
        if not self._pending:
            raise StopAsyncIteration
        return self._pending.popleft()

    async def take(self) -> list[WatchEvent]:
        if not self._pending:
            await self._gather()
        events = list(self._pending)
        self._pending.clear()
        return events

    async def stop(self) -> None:
        self._ended = True
        await self._source.close()

    async def _gather(self) -> None:
        """Fill `_pending` with at least one event, unless the watch has ended."""
        while not self._pending and not self._ended:
            try:
                batch = await anext(self._source)
                for change in batch.changes:
                    event = self._event_of(change, self._predicate)
                    if event is not None:
                        self._pending.append(event)
            except StopAsyncIteration:
                await self.stop()
            except StorageError as error:
                self._pending.append(WatchEvent(EventType.ERROR, 0, error=_for_watchers(error)))
                await self.stop()


def _for_watchers(error: StorageError) -> StorageError:
    return ResourceVersionTooOld(WATCH_TOO_OLD) if isinstance(error, ResourceVersionTooOld) else error


def event_of(change: Change, predicate: Predicate | None) -> WatchEvent | None:
    """What a change means to a reader who sees only what the predicate lets through; None if nothing.

    Raises CorruptObject: an event that can't be shown ends the watch, since leaving it out would be a lie.
    """
    before = change.previous
    old = StoredObject.from_stored(change.key, before.value, before.revision) if before else None
    if change.value is None:
        if old is None:
            raise CorruptObject(change.key, "its last state is no longer known")
        return transition(old, None, change.revision, predicate)
    return transition(
        old, StoredObject.from_stored(change.key, change.value, change.revision), change.revision, predicate
    )


def readable_event_of(change: Change, predicate: Predicate | None) -> WatchEvent | None:
    """The same for a reader to whom an object that can't be read is not there."""
    before = change.previous
    old = _readable(change.key, before.value, before.revision) if before else None
    new = _readable(change.key, change.value, change.revision) if change.value is not None else None
    return transition(old, new, change.revision, predicate)


def _readable(key: str, value: bytes, revision: int) -> StoredObject | None:
    try:
        return StoredObject.from_stored(key, value, revision)
    except CorruptObject:
        return None


def transition(
    old: StoredObject | None, new: StoredObject | None, revision: int, predicate: Predicate | None
) -> WatchEvent | None:
    """Entering the selection looks like a creation, leaving it like a deletion, with the last state that was in it."""
    was_in = old is not None and (predicate is None or predicate(old))
    is_in = new is not None and (predicate is None or predicate(new))
    if is_in:
        return WatchEvent(EventType.MODIFIED if was_in else EventType.ADDED, revision, new)
    if was_in and old is not None:
        return WatchEvent(EventType.DELETED, revision, old.at_revision(revision))
    return None
