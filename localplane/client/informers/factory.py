"""Informers that are shared by everybody who wants the same resource."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from types import TracebackType
from typing import Self

from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from localplane.client.workqueue.supervision import Background

from .delta_fifo import Transform
from .indexer import Lister
from .informer import SharedInformer
from .list_watch import ListWatch
from .reflector import ReflectorOptions


class SharedInformerFactory:
    """One informer for each resource, in one namespace or in all. An informer that is asked for while the factory
    runs starts at once. A handler that raises is logged and goes on; an informer that fails itself ends all."""

    def __init__(
        self,
        client: Client,
        *,
        namespace: str = "",
        resync: timedelta = timedelta(0),
        label_selector: str = "",
        field_selector: str = "",
        transform: Transform | None = None,
        options: ReflectorOptions | None = None,
    ) -> None:
        self._client = client
        self._namespace = namespace
        self._resync = resync
        self._label_selector = label_selector
        self._field_selector = field_selector
        self._transform = transform
        self._options = options
        self._informers: dict[GroupVersionResource, SharedInformer] = {}
        self._have_synced = False
        self._tasks: asyncio.TaskGroup | None = None
        self._background: Background | None = None

    def informer(self, resource: GroupVersionResource) -> SharedInformer:
        if (found := self._informers.get(resource)) is not None:
            return found
        source = ListWatch(
            self._client.resource(resource, self._namespace),
            label_selector=self._label_selector,
            field_selector=self._field_selector,
        )
        informer = SharedInformer(source, resync=self._resync, transform=self._transform, options=self._options)
        self._informers[resource] = informer
        if self._tasks is not None:
            self._tasks.create_task(informer.run())
        return informer

    def lister(self, resource: GroupVersionResource) -> Lister:
        return self.informer(resource).lister

    def unsynced(self) -> list[str]:
        """The resources whose first state is not there yet. Once all were there, whoever wants one more waits for it by
        themselves: nobody else is held up."""
        if self._have_synced:
            return []
        return [str(resource) for resource, informer in self._informers.items() if not informer.has_synced]

    async def wait_for_sync(self) -> None:
        """Until all informers that were asked for have their first state."""
        for informer in list(self._informers.values()):
            await informer.wait_for_sync()
        self._have_synced = True

    async def run(self) -> None:
        """Until it is cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                for informer in self._informers.values():
                    tasks.create_task(informer.run())
                await asyncio.Event().wait()
        finally:
            self._tasks = None

    async def __aenter__(self) -> Self:
        self._background = Background(self.run)
        await self._background.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._background is not None  # entered before
        await self._background.__aexit__(kind, error, trace)
