"""Watches without a cacher: what the tests of `watchers` share."""

from __future__ import annotations

import asyncio

from localplane.apiserver.storage.cacher.watchers import CacheWatcher, Watchers
from localplane.apiserver.storage.cacher.window import LoggedEvent
from localplane.apiserver.storage.interface import Predicate
from tests.unit.storage.samples import stored
from tests.unit.storage.virtual_time import settle

ALL = "/registry/configmaps/"


def added(revision: int, *, name: str = "a", namespace: str = "default", data: str = "") -> LoggedEvent:
    new = stored(name, revision, namespace=namespace, data=data)
    return LoggedEvent(new.key, revision, None, new, 0.0)


def opened(watchers: Watchers, place: str = ALL, *, after: int = 0, predicate: Predicate | None = None) -> CacheWatcher:
    watcher = CacheWatcher(after, predicate)
    watchers.add(place, watcher)
    return watcher


async def gathered(watcher: CacheWatcher) -> list[int]:
    """The revisions of what waits to be read, in however many portions; nothing if there is nothing."""
    revisions: list[int] = []
    await settle()
    while True:
        taking = asyncio.ensure_future(watcher.take())
        await settle()
        if not taking.done():
            taking.cancel()
            await asyncio.wait((taking,))
            return revisions
        if not taking.result():
            return revisions
        revisions += [event.revision for event in taking.result()]
