"""Storage that lies now and then, to see whether the harness would notice.

The mutants try the checker alone; these try everything from the host to the verdict.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from itertools import count

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.interface import (
    UNCONDITIONAL,
    EventType,
    ListOptions,
    ObjectList,
    Preconditions,
    Stats,
    Storage,
    UpdateFunc,
    UpdateOptions,
    Validation,
    Watch,
    WatchEvent,
    WatchOptions,
)
from localplane.apiserver.storage.objects import StoredObject


class Lie(StrEnum):
    LOSE_UPDATES = "lose-updates"
    IGNORE_EXPECTATIONS = "ignore-expectations"
    READ_STALE = "read-stale"
    DROP_EVENTS = "drop-events"


# Most updates expect the right version, so ignoring what they expect seldom does harm: it is done always.
# The others are told often enough that a short run on a slow machine is full of them.
_EVERY = {Lie.LOSE_UPDATES: 7, Lie.IGNORE_EXPECTATIONS: 1, Lie.READ_STALE: 7, Lie.DROP_EVENTS: 7}


class LyingStorage:
    """Passes everything on, except for some calls of the kind that its lie is about."""

    def __init__(self, honest: Storage, lie: Lie) -> None:
        self._honest = honest
        self._lie = lie
        self._turns = count(1)
        self._first_seen: dict[str, StoredObject] = {}

    def _lies_now(self, lie: Lie) -> bool:
        return lie is self._lie and next(self._turns) % _EVERY[lie] == 0

    async def create(self, key: str, obj: JSONObject, *, ttl: timedelta | None = None) -> StoredObject:
        return await self._honest.create(key, obj, ttl=ttl)

    async def get(self, key: str, *, resource_version: str = "") -> StoredObject:
        found = await self._honest.get(key, resource_version=resource_version)
        first = self._first_seen.setdefault(key, found)
        return first if self._lies_now(Lie.READ_STALE) else found

    def peek(self, key: str) -> StoredObject | None:
        return self._honest.peek(key)

    async def list(self, key: str, options: ListOptions) -> ObjectList:
        return await self._honest.list(key, options)

    async def delete(
        self,
        key: str,
        *,
        preconditions: Preconditions | None = None,
        validate: Validation | None = None,
        suggestion: StoredObject | None = None,
        even_if_corrupt: bool = False,
    ) -> StoredObject:
        return await self._honest.delete(
            key,
            preconditions=preconditions,
            validate=validate,
            suggestion=suggestion,
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
        if self._lies_now(Lie.LOSE_UPDATES):
            current = await self._honest.get(key)
            return StoredObject.from_object(key, await update(current.decode()), current.revision + 1)
        if self._lies_now(Lie.IGNORE_EXPECTATIONS):
            options = replace(options, preconditions=None)
        return await self._honest.guaranteed_update(key, update, options, suggestion=suggestion)

    async def watch(self, key: str, options: WatchOptions) -> Watch:
        honest = await self._honest.watch(key, options)
        return _LyingWatch(honest, self) if self._lie is Lie.DROP_EVENTS else honest

    async def stats(self) -> Stats:
        return await self._honest.stats()

    async def current_revision(self) -> int:
        return await self._honest.current_revision()

    def compacted_revision(self) -> int:
        return self._honest.compacted_revision()

    def ready(self) -> bool:
        return self._honest.ready()

    def drops(self, event: WatchEvent) -> bool:
        return event.type is EventType.MODIFIED and self._lies_now(Lie.DROP_EVENTS)


class _LyingWatch:
    def __init__(self, honest: Watch, liar: LyingStorage) -> None:
        self._honest = honest
        self._liar = liar

    def __aiter__(self) -> AsyncIterator[WatchEvent]:
        return self

    async def __anext__(self) -> WatchEvent:
        while self._liar.drops(event := await self._honest.__anext__()):
            pass
        return event

    async def take(self) -> list[WatchEvent]:
        while events := await self._honest.take():
            kept = [event for event in events if not self._liar.drops(event)]
            if kept:
                return kept
        return []

    async def stop(self) -> None:
        await self._honest.stop()
