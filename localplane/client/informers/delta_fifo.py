"""What happened to objects since somebody last looked, by object.

Keys come out in the order in which they first had something to tell; with a key come all of its changes, the oldest
first. Two deletions in a row become one. Kubernetes: client-go/tools/cache/delta_fifo.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from localplane.apimachinery.objects import JSONObject

from .indexer import object_key

Transform = Callable[[JSONObject], JSONObject]
"""Sees an object before anybody else, and may change it in place. If it raises, the informer ends."""


class DeltaType(Enum):
    ADDED = "Added"
    UPDATED = "Updated"
    DELETED = "Deleted"
    REPLACED = "Replaced"
    """It was in a list; whether it changed is not known."""
    SYNC = "Sync"
    """Nothing happened; somebody wants to see it again."""


@dataclass(frozen=True, slots=True)
class DeletedFinalStateUnknown:
    """An object that is gone, though nobody saw it go. `object` is the last that was seen of it."""

    key: str
    object: JSONObject


@dataclass(frozen=True, slots=True)
class Delta:
    type: DeltaType
    object: JSONObject | DeletedFinalStateUnknown


Deltas = list[Delta]


class Process(Protocol):
    def __call__(self, key: str, deltas: Deltas, *, is_in_initial_list: bool) -> None: ...


class KnownObjects(Protocol):
    """What the consumer has seen so far."""

    def keys(self) -> Iterable[str]: ...
    def get(self, key: str) -> JSONObject | None: ...


class FIFOReplacement:
    """See `list_watch.Replacement`."""

    def __init__(self, fifo: DeltaFIFO) -> None:
        self._fifo = fifo
        self._keys: set[str] = set()

    def add(self, obj: JSONObject) -> None:
        self._keys.add(self._fifo.queue_replaced(obj))

    def discard(self, obj: JSONObject) -> None:
        self._keys.discard(object_key(obj))

    def finish(self) -> None:
        self._fifo.drop_others(self._keys)


class DeltaFIFO:
    """One producer and one consumer, in one event loop."""

    def __init__(self, known: KnownObjects, *, transform: Transform | None = None) -> None:
        self._known = known
        self._transform = transform
        self._items: dict[str, Deltas] = {}
        self._ready = asyncio.Event()
        self._populated = False
        self._initial_left = 0
        self.synced = asyncio.Event()
        """Set when the consumer has processed all of the first list."""

    def __len__(self) -> int:
        return len(self._items)

    def add(self, obj: JSONObject) -> None:
        self._note_change()
        self._queue(DeltaType.ADDED, object_key(obj), self._transformed(obj))

    def update(self, obj: JSONObject) -> None:
        self._note_change()
        self._queue(DeltaType.UPDATED, object_key(obj), self._transformed(obj))

    def delete(self, obj: JSONObject) -> None:
        """An object that nobody knows was already deleted by a list that came after it."""
        self._note_change()
        key = object_key(obj)
        if key in self._items or self._known.get(key) is not None:
            self._queue(DeltaType.DELETED, key, self._transformed(obj))

    def replace(self, objects: Iterable[JSONObject]) -> None:
        """These are all there are: whatever else is known or queued was deleted while nobody watched."""
        replacement = self.replacement()
        for obj in objects:
            replacement.add(obj)
        replacement.finish()

    def replacement(self) -> FIFOReplacement:
        """The same as the objects come. The consumer may take what is queued already."""
        return FIFOReplacement(self)

    def queue_replaced(self, obj: JSONObject) -> str:
        key = object_key(obj)
        self._queue(DeltaType.REPLACED, key, self._transformed(obj))
        return key

    def drop_others(self, keys: set[str]) -> None:
        """The end of a replacement that had these keys."""
        gone = {key: self._latest(key) for key in [*self._items, *self._known.keys()] if key not in keys}
        for key, last in gone.items():
            self._queue(DeltaType.DELETED, key, DeletedFinalStateUnknown(key, last))
        if not self._populated:
            self._populated = True
            self._initial_left = len(self._items)
            self._check_synced()

    def resync(self) -> None:
        """Everything that is known, once more; what has news queued will be seen anyway."""
        for key in list(self._known.keys()):
            obj = self._known.get(key)
            if obj is not None and key not in self._items:
                self._queue(DeltaType.SYNC, key, obj)

    async def pop(self, process: Process) -> None:
        """Wait for a key and process its changes. Nothing else can happen to the queue meanwhile."""
        while not self._items:
            self._ready.clear()
            await self._ready.wait()
        key = next(iter(self._items))
        deltas = self._items.pop(key)
        process(key, deltas, is_in_initial_list=not self.synced.is_set())
        if self._initial_left:
            self._initial_left -= 1
            self._check_synced()

    def _note_change(self) -> None:
        self._populated = True
        self._check_synced()

    def _check_synced(self) -> None:
        if self._populated and not self._initial_left:
            self.synced.set()

    def _transformed(self, obj: JSONObject) -> JSONObject:
        return obj if self._transform is None else self._transform(obj)

    def _latest(self, key: str) -> JSONObject:
        if deltas := self._items.get(key):
            last = deltas[-1].object
            return last.object if isinstance(last, DeletedFinalStateUnknown) else last
        known = self._known.get(key)
        assert known is not None  # its key was just listed
        return known

    def _queue(self, kind: DeltaType, key: str, obj: JSONObject | DeletedFinalStateUnknown) -> None:
        deltas = self._items.setdefault(key, [])
        if kind is DeltaType.DELETED and deltas and deltas[-1].type is DeltaType.DELETED:
            # The one that knows the final state says more.
            if isinstance(deltas[-1].object, DeletedFinalStateUnknown):
                deltas[-1] = Delta(kind, obj)
        else:
            deltas.append(Delta(kind, obj))
        self._ready.set()
