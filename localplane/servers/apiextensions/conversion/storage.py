"""A storage in one version: what is stored in another is converted on its way, in both directions.

A stored object is converted once for each version, and kept with it. Selectors are asked about converted objects where
a list is read, and about stored ones where a watch decides which events it sees: what a webhook moves about can be
listed by, but a watch may miss that it changed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import StorageError
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

from .webhook import WebhookConverter

Objects = list[JSONObject]
StoredObjects = list[StoredObject]
Settle = Callable[[JSONObject], object]
"""Makes an object, in place, what its version's schema says now."""


@dataclass(frozen=True, slots=True)
class Form:
    """A version as the storage needs it: `read` prunes and fills what was stored in it, `prune` what comes to it."""

    api_version: str
    read: Settle
    prune: Settle


class CannotConvert(StorageError):
    """In a watch, where nobody can be answered any more."""


class ConvertingStorage:
    """`forms` are all versions by apiVersion; `shown` is the one that is given and taken, `stored` the one below."""

    def __init__(
        self, inner: Storage, converter: WebhookConverter, forms: dict[str, Form], *, shown: str, stored: str
    ) -> None:
        self._inner = inner
        self._converter = converter
        self._forms = forms
        self._shown = shown
        self._stored = stored

    async def create(self, key: str, obj: JSONObject, *, ttl: timedelta | None = None) -> StoredObject:
        return await self._one(await self._inner.create(key, await self._below(obj), ttl=ttl))

    async def get(self, key: str, *, resource_version: str = "") -> StoredObject:
        return await self._one(await self._inner.get(key, resource_version=resource_version))

    def peek(self, key: str) -> StoredObject | None:
        """In whatever version it is stored."""
        return self._inner.peek(key)

    async def list(self, key: str, options: ListOptions) -> ObjectList:
        found = await self._inner.list(key, replace(options, predicate=None))
        items = await self._all(found.items)
        if options.predicate is None:
            return ObjectList(items, found.revision, found.continue_token, found.remaining)
        wanted = [each for each in items if options.predicate(each)]
        return ObjectList(wanted, found.revision, found.continue_token)

    async def delete(
        self,
        key: str,
        *,
        preconditions: Preconditions | None = None,
        validate: Validation | None = None,
        suggestion: StoredObject | None = None,  # it is of our version, and useless below
        even_if_corrupt: bool = False,
    ) -> StoredObject:
        async def check(stored: StoredObject) -> None:
            assert validate is not None
            await validate(await self._one(stored))

        gone = await self._inner.delete(
            key, preconditions=preconditions, validate=check if validate else None, even_if_corrupt=even_if_corrupt
        )
        return await self._one(gone)

    async def guaranteed_update(
        self,
        key: str,
        update: UpdateFunc,
        options: UpdateOptions = UNCONDITIONAL,
        *,
        suggestion: StoredObject | None = None,  # it is of our version, and useless below
    ) -> StoredObject:
        async def step(current: JSONObject) -> JSONObject:
            if current:
                (current,) = await self._above([current])
            return await self._below(await update(current))

        written = await self._inner.guaranteed_update(key, step, options)
        return await self._one(written)

    async def watch(self, key: str, options: WatchOptions) -> Watch:
        return _ConvertingWatch(await self._inner.watch(key, options), self._all)

    async def stats(self) -> Stats:
        return await self._inner.stats()

    async def current_revision(self) -> int:
        return await self._inner.current_revision()

    def compacted_revision(self) -> int:
        return self._inner.compacted_revision()

    def ready(self) -> bool:
        return self._inner.ready()

    async def _one(self, stored: StoredObject) -> StoredObject:
        (found,) = await self._all([stored])
        return found

    async def _all(self, stored: Sequence[StoredObject]) -> StoredObjects:
        """Each in our version; those that nobody has asked for yet are converted together."""
        missing = [each for each in stored if self._kept(each) is None]
        if missing:
            converted = await self._above([each.decode() for each in missing])
            for each, obj in zip(missing, converted, strict=True):
                made = StoredObject.from_object(each.key, obj, each.revision)
                memo = each.memo = {} if each.memo is None else each.memo
                memo["converted", self._shown] = (self, made)
        return [self._kept(each) or each for each in stored]

    def _kept(self, stored: StoredObject) -> StoredObject | None:
        made_by, found = (stored.memo or {}).get(("converted", self._shown), (None, None))
        return found if made_by is self else None

    async def _above(self, objects: Objects) -> Objects:
        """From storage: by the rules of the version that they are stored in, then converted, then by ours."""
        for obj in objects:
            form = self._forms.get(obj.get("apiVersion", ""))
            if form is None:
                version = obj.get("apiVersion", "")
                raise APIError(f"request to convert CR from an invalid group/version: {version}")
            form.read(obj)
        return await self._converted(objects, self._shown)

    async def _below(self, obj: JSONObject) -> JSONObject:
        (found,) = await self._converted([obj], self._stored)
        return found

    async def _converted(self, objects: Objects, api_version: str) -> Objects:
        converted = await self._converter.convert(objects, api_version)
        for before, after in zip(objects, converted, strict=True):
            if after is not before:
                self._forms[api_version].prune(after)
        return converted


class _ConvertingWatch:
    def __init__(self, inner: Watch, convert: Callable[[StoredObjects], Awaitable[StoredObjects]]) -> None:
        self._inner = inner
        self._convert = convert
        self._waiting: list[WatchEvent] = []

    def __aiter__(self) -> AsyncIterator[WatchEvent]:
        return self

    async def __anext__(self) -> WatchEvent:
        if not self._waiting:
            self._waiting = await self.take()
        if not self._waiting:
            raise StopAsyncIteration
        return self._waiting.pop(0)

    async def take(self) -> list[WatchEvent]:
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            return waiting
        events = await self._inner.take()
        try:
            converted = iter(await self._convert([each.object for each in events if each.object is not None]))
        except APIError as error:
            await self._inner.stop()
            return [WatchEvent(EventType.ERROR, events[-1].revision, error=CannotConvert(str(error)))]
        return [replace(each, object=next(converted)) if each.object is not None else each for each in events]

    async def stop(self) -> None:
        await self._inner.stop()
