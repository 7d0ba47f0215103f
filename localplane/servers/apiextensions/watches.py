"""Watches of custom resources end when their definition changes: they show objects as it was when they began.

Clients go on from where they were, with what is defined now. Kubernetes: customresource_handler.go, tearDown.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import ListOptions
from localplane.apiserver.registry.store import Store
from localplane.apiserver.request import Request
from localplane.apiserver.storage.interface import Watch, WatchEvent


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
