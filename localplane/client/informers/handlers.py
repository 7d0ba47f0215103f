"""What hears of changes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.client.workqueue.supervision import Contained

from .delta_fifo import DeletedFinalStateUnknown

Deleted = JSONObject | DeletedFinalStateUnknown


class EventHandler(Protocol):
    """Called for one change after the other, in order; a coroutine is awaited before the next.

    The objects are those in the informer's copy: don't change them. If a method raises, the informer ends with that.
    """

    def on_add(self, obj: JSONObject, /, *, is_in_initial_list: bool) -> Awaitable[None] | None:
        """An object that this handler has not seen; `is_in_initial_list` if it was there before we were."""

    def on_update(self, old: JSONObject, new: JSONObject, /) -> Awaitable[None] | None:
        """Also called with twice the same object, at a resync."""

    def on_delete(self, obj: Deleted, /) -> Awaitable[None] | None:
        """A DeletedFinalStateUnknown if nobody saw it go; `deleted_object` gives the object in either case."""


def deleted_object(obj: Deleted) -> JSONObject:
    """What a handler's `on_delete` got, as an object: it may be wrapped in a DeletedFinalStateUnknown."""
    return obj.object if isinstance(obj, DeletedFinalStateUnknown) else obj


@dataclass(frozen=True, slots=True)
class HandlerFunctions:
    """A handler of the functions that are given."""

    add: Callable[[JSONObject], Awaitable[None] | None] | None = None
    update: Callable[[JSONObject, JSONObject], Awaitable[None] | None] | None = None
    delete: Callable[[Deleted], Awaitable[None] | None] | None = None

    def on_add(self, obj: JSONObject, /, *, is_in_initial_list: bool) -> Awaitable[None] | None:  # noqa: ARG002 - few care
        return self.add(obj) if self.add is not None else None

    def on_update(self, old: JSONObject, new: JSONObject, /) -> Awaitable[None] | None:
        return self.update(old, new) if self.update is not None else None

    def on_delete(self, obj: Deleted, /) -> Awaitable[None] | None:
        return self.delete(obj) if self.delete is not None else None


@dataclass(frozen=True, slots=True)
class FilteringHandler:
    """Only what passes: an object that begins to pass is added, one that ceases to is deleted."""

    passes: Callable[[JSONObject], bool]
    handler: EventHandler

    def on_add(self, obj: JSONObject, /, *, is_in_initial_list: bool) -> Awaitable[None] | None:
        return self.handler.on_add(obj, is_in_initial_list=is_in_initial_list) if self.passes(obj) else None

    def on_update(self, old: JSONObject, new: JSONObject, /) -> Awaitable[None] | None:
        match self.passes(old), self.passes(new):
            case True, True:
                return self.handler.on_update(old, new)
            case False, True:
                return self.handler.on_add(new, is_in_initial_list=False)
            case True, False:
                return self.handler.on_delete(old)
            case _:
                return None

    def on_delete(self, obj: Deleted, /) -> Awaitable[None] | None:
        return self.handler.on_delete(obj) if self.passes(deleted_object(obj)) else None


# One handler of an informer, with a queue of its own: it may be as slow as it likes.


@dataclass(frozen=True, slots=True)
class Added:
    object: JSONObject
    is_in_initial_list: bool


@dataclass(frozen=True, slots=True)
class UpdateNotification:
    old: JSONObject
    new: JSONObject


@dataclass(frozen=True, slots=True)
class Removed:
    object: Deleted


Notification = Added | UpdateNotification | Removed


class ProcessorListener:
    """What `SharedInformer.add_handler` gives: has the handler seen all that was there, and how to be rid of it.

    A handler that raises is not called again for that change; it hears of the next one."""

    def __init__(
        self, handler: EventHandler, *, resync: timedelta, on_remove: Callable[[ProcessorListener], None]
    ) -> None:
        self._handler = handler
        self._on_remove = on_remove
        self._pending: deque[Notification] = deque()
        self._current: Notification | None = None
        self._contained = Contained(self._described)
        self._wake = asyncio.Event()
        self._removed = False
        self._initial_left = 0
        self._informer_synced = False
        self._synced = asyncio.Event()
        self.resync = resync
        self.next_resync = float("inf")
        self.is_resyncing = False

    @property
    def has_synced(self) -> bool:
        """The handler has been called for every object of the initial list."""
        return self._synced.is_set()

    async def wait_for_sync(self) -> None:
        await self._synced.wait()

    @property
    def is_behind(self) -> bool:
        """There are changes that the handler has not been called for."""
        return bool(self._pending)

    def remove(self) -> None:
        """The handler is not called again, except that a call under way finishes."""
        if not self._removed:
            self._removed = True
            self._wake.set()
            self._on_remove(self)

    # For the informer

    def notify(self, notification: Notification) -> None:
        if isinstance(notification, Added) and notification.is_in_initial_list:
            self._initial_left += 1
        self._pending.append(notification)
        self._wake.set()

    def informer_has_synced(self) -> None:
        """Whatever belongs to the initial list has been passed to `notify`."""
        self._informer_synced = True
        self._check_synced()

    def schedule_resync(self, now: float) -> None:
        self.next_resync = now + self.resync.total_seconds() if self.resync else float("inf")

    async def run(self) -> None:
        slices = TimeSlices()
        while not self._removed:
            if not self._pending:
                self._wake.clear()
                await self._wake.wait()
                continue
            notification = self._current = self._pending.popleft()
            with self._contained:
                waiting = self._call(notification)
                if waiting is not None:
                    await waiting
            if isinstance(notification, Added) and notification.is_in_initial_list:
                self._initial_left -= 1
                self._check_synced()
            if slices.is_over:
                await slices.next()

    def _call(self, notification: Notification) -> Awaitable[None] | None:
        match notification:
            case Added(obj, is_in_initial_list):
                return self._handler.on_add(obj, is_in_initial_list=is_in_initial_list)
            case UpdateNotification(old, new):
                return self._handler.on_update(old, new)
            case Removed(obj):
                return self._handler.on_delete(obj)

    def _described(self) -> str:
        current = self._current
        obj = current.new if isinstance(current, UpdateNotification) else current.object if current is not None else {}
        last = obj.object if isinstance(obj, DeletedFinalStateUnknown) else obj
        metadata = last.get("metadata") or {}
        place = "/".join(filter(None, (metadata.get("namespace"), metadata.get("name"))))
        return f"a handler, told of {last.get('kind') or 'an object'} {place},"

    def _check_synced(self) -> None:
        if self._informer_synced and not self._initial_left:
            self._synced.set()
