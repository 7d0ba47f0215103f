"""One watch, one copy of the objects, and any number of handlers that hear of every change.

    informer = SharedInformer(client.resource(PODS))
    informer.add_handler(HandlerFunctions(add=..., update=..., delete=...))
    async with informer:
        await informer.wait_for_sync()
        informer.lister.namespaced("default").get("web-0")

Kubernetes: client-go/tools/cache/shared_informer.go.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from types import TracebackType
from typing import Any, Final, Self

from localplane.apimachinery.clock.waiting import mind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.client.workqueue.supervision import Background

from .delta_fifo import DeletedFinalStateUnknown, Delta, DeltaFIFO, Deltas, DeltaType, Transform
from .handlers import Added, EventHandler, ProcessorListener, Removed, UpdateNotification
from .indexer import Indexer, IndexFunction, Lister
from .list_watch import ListerWatcher
from .reflector import Reflector, ReflectorOptions

_FIRST_LIST_SECONDS: Final = 10.0


class SharedInformer:
    """Runs once: as a context manager, or with `run` in a task of yours. A handler that raises is logged, and hears of
    the next change.

    `resync` is how often handlers see everything again if they don't say otherwise; 0 is never.
    """

    def __init__(
        self,
        source: ListerWatcher,
        *,
        indexers: Mapping[str, IndexFunction] | None = None,
        resync: timedelta = timedelta(0),
        transform: Transform | None = None,
        options: ReflectorOptions | None = None,
    ) -> None:
        self.indexer = Indexer(indexers)
        self.lister = Lister(self.indexer)
        self._resync = resync
        self._fifo = DeltaFIFO(self.indexer, transform=transform)
        self._reflector = Reflector(source, self._fifo, options)
        self._listeners: list[ProcessorListener] = []
        self._resync_changed = asyncio.Event()
        self._tasks: asyncio.TaskGroup | None = None
        self._background: Background | None = None
        self._started = False
        self._began = 0.0
        mind(self)

    @property
    def has_synced(self) -> bool:
        """The copy is complete. Handlers may still be hearing of it: ask their registration."""
        return self._fifo.synced.is_set()

    async def wait_for_sync(self) -> None:
        await self._fifo.synced.wait()

    def work_in_hand(self) -> str:
        """What it has not told yet. A first list that does not come is not waited for longer than it ever takes: it may
        be refused for as long as somebody likes."""
        if self._tasks is None:
            return ""
        if not self.has_synced and time.monotonic() - self._began < _FIRST_LIST_SECONDS:
            return "what informers list first"
        is_behind = self._fifo or any(listener.is_behind for listener in self._listeners)
        return "changes that somebody is to hear of" if is_behind else ""

    @property
    def last_sync_resource_version(self) -> str:
        return self._reflector.last_sync_resource_version

    def add_handler(self, handler: EventHandler, *, resync: timedelta | None = None) -> ProcessorListener:
        """At any time: whoever comes late gets an add for everything that is already there."""
        listener = ProcessorListener(
            handler, resync=self._resync if resync is None else resync, on_remove=self._listeners.remove
        )
        self._listeners.append(listener)
        for obj in self.indexer.list():
            listener.notify(Added(obj, is_in_initial_list=True))
        if self.has_synced:
            listener.informer_has_synced()
        if self._tasks is not None:
            self._start_listener(self._tasks, listener)
        return listener

    async def run(self) -> None:
        """Until it is cancelled."""
        if self._started:
            raise RuntimeError("an informer runs once")
        self._started, self._began = True, time.monotonic()
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                for listener in self._listeners:
                    self._start_listener(tasks, listener)
                tasks.create_task(self._reflector.run())
                tasks.create_task(self._consume())
                tasks.create_task(self._resync_when_due())
                tasks.create_task(self._tell_listeners_of_sync())
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

    def _start_listener(self, tasks: asyncio.TaskGroup, listener: ProcessorListener) -> None:
        listener.schedule_resync(asyncio.get_running_loop().time())
        self._resync_changed.set()
        tasks.create_task(listener.run())

    async def _tell_listeners_of_sync(self) -> None:
        await self._fifo.synced.wait()
        for listener in self._listeners:
            listener.informer_has_synced()

    async def _consume(self) -> None:
        slices = TimeSlices()
        while True:
            await self._fifo.pop(self._process)
            if not self._fifo:
                for listener in self._listeners:
                    listener.is_resyncing = False
            if slices.is_over:
                await slices.next()

    def _process(self, key: str, deltas: Deltas, *, is_in_initial_list: bool) -> None:
        for delta in deltas:
            if delta.type is DeltaType.DELETED:
                self.indexer.delete(key)
                self._distribute(Removed(delta.object))
            else:
                self._keep(key, delta, is_in_initial_list=is_in_initial_list)

    def _keep(self, key: str, delta: Delta, *, is_in_initial_list: bool) -> None:
        obj = delta.object
        assert not isinstance(obj, DeletedFinalStateUnknown)  # only deletions have these
        old = self.indexer.get(key)
        self.indexer.put(key, obj)
        if old is None:
            self._distribute(Added(obj, is_in_initial_list))
        elif delta.type is DeltaType.SYNC:
            for listener in self._listeners:
                if listener.is_resyncing:
                    listener.notify(UpdateNotification(old, obj))
        elif delta.type is not DeltaType.REPLACED or _version(old) != _version(obj):
            # What a new list shows unchanged is no news.
            self._distribute(UpdateNotification(old, obj))

    def _distribute(self, notification: Added | UpdateNotification | Removed) -> None:
        for listener in self._listeners:
            listener.notify(notification)

    async def _resync_when_due(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._resync_changed.clear()
            due = min((listener.next_resync for listener in self._listeners), default=float("inf"))
            wait = None if due == float("inf") else max(0.0, due - loop.time())
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._resync_changed.wait()
                    continue
            now = loop.time()
            for listener in self._listeners:
                if listener.next_resync <= now:
                    listener.is_resyncing = True
                    listener.schedule_resync(now)
            if any(listener.is_resyncing for listener in self._listeners):
                self._fifo.resync()


def _version(obj: JSONObject) -> Any:
    return obj["metadata"].get("resourceVersion")
