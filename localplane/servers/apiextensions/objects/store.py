"""The storage of a custom resource.

Its watches end when the definition changes: they show objects as it was when they began, and clients go on from where
they were, with what is defined now. While the definition is being deleted, what is there can be seen, and nothing is
added. Kubernetes: customresource_handler.go, tearDown and terminating.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import (
    ListOptions,
    Result,
    Update,
    Updated,
    ValidateCreate,
    WriteOptions,
)
from localplane.apiserver.registry.store import Store
from localplane.apiserver.request import Request
from localplane.apiserver.storage.interface import Watch, WatchEvent

_WHY: Final = "create not allowed while custom resource definition is terminating"


class OpenWatches:
    """Those of one definition, in one of its states."""

    def __init__(self) -> None:
        self._open: set[_Tracked] = set()

    def tracked(self, watch: Watch) -> Watch:
        found = _Tracked(watch, self._open)
        self._open.add(found)
        return found

    async def stop(self) -> None:
        for watch in list(self._open):
            await watch.stop()


class _Tracked:
    def __init__(self, inner: Watch, others: set[_Tracked]) -> None:
        self._inner = inner
        self._others = others

    def __aiter__(self) -> AsyncIterator[WatchEvent]:
        return self

    async def __anext__(self) -> WatchEvent:
        return await self._inner.__anext__()

    async def take(self) -> list[WatchEvent]:
        return await self._inner.take()

    async def stop(self) -> None:
        self._others.discard(self)
        await self._inner.stop()


class CustomStore(Store):
    def __init__(self, definition: Definition, watches: OpenWatches) -> None:
        super().__init__(definition)
        self._watches = watches

    async def watch(self, request: Request, options: ListOptions) -> Watch:
        return self._watches.tracked(await super().watch(request, options))


class TerminatingStore(CustomStore):
    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        raise Forbidden.of(self.definition.resource, obj["metadata"].get("name", ""), _WHY)

    async def update(self, request: Request, update: Update) -> Updated:
        async def only_what_is_there(old: JSONObject) -> JSONObject:
            if not old:
                raise Forbidden.of(self.definition.resource, update.name, _WHY)
            return await update.changed(old)

        return await super().update(request, replace(update, changed=only_what_is_there))
