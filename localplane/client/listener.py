"""One handler of an informer, with a queue of its own: it may be as slow as it likes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from .handlers import Deleted, EventHandler

Object = dict[str, Any]
_YIELD_EVERY = 100


@dataclass(frozen=True, slots=True)
class Added:
    object: Object
    is_in_initial_list: bool


@dataclass(frozen=True, slots=True)
class Updated:
    old: Object
    new: Object


@dataclass(frozen=True, slots=True)
class Removed:
    object: Deleted


Notification = Added | Updated | Removed


class Listener:
    """What `SharedInformer.add_handler` gives: has the handler seen all that was there, and how to be rid of it."""

    def __init__(self, handler: EventHandler, *, resync: timedelta, on_remove: Callable[[Listener], None]) -> None:
        self._handler = handler
        self._on_remove = on_remove
        self._pending: deque[Notification] = deque()
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
        calls = 0
        while not self._removed:
            if not self._pending:
                self._wake.clear()
                await self._wake.wait()
                continue
            notification = self._pending.popleft()
            waiting = self._call(notification)
            if waiting is not None:
                await waiting
            if isinstance(notification, Added) and notification.is_in_initial_list:
                self._initial_left -= 1
                self._check_synced()
            calls += 1
            if calls % _YIELD_EVERY == 0:
                await asyncio.sleep(0)

    def _call(self, notification: Notification) -> Awaitable[None] | None:
        match notification:
            case Added(obj, is_in_initial_list):
                return self._handler.on_add(obj, is_in_initial_list=is_in_initial_list)
            case Updated(old, new):
                return self._handler.on_update(old, new)
            case Removed(obj):
                return self._handler.on_delete(obj)

    def _check_synced(self) -> None:
        if self._informer_synced and not self._initial_left:
            self._synced.set()
