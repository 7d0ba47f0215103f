"""The garbage collector put together, and kept up to date with the resources that there are."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote
from localplane.client import Client, ClientError, GroupVersionResource, WorkQueue
from localplane.client.workqueue.rate_limiters import Backoff, BackoffPolicy
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder, EventSubject
from localplane.controllers.worker import work

from .builder import GraphBuilder, Outlets
from .collector import Collector
from .graph import AbsentOwners, GraphNode
from .monitors import Monitors, collectable
from .objects import Objects
from .references import OwnerReference

_log = logging.getLogger(__name__)
NAME: Final = "garbage-collector-controller"
_WORKERS: Final = 20
_FIRST_SYNC_SECONDS: Final = 30.0
_PERIOD_SECONDS: Final = 30.0
_GATHERING_SECONDS: Final = 0.02
"""Declarations come in crowds."""
_SETTLING_SECONDS: Final = (0.2, 2.0)
"""Who serves a new resource learns of it from the same event as we: the last look comes when that is over."""


async def start(context: ControllerContext) -> None:
    async with asyncio.TaskGroup() as tasks:
        client = context.client_of("generic-garbage-collector")
        await GarbageCollector(client, context.events.recorder(client, NAME), tasks).run()


class GarbageCollector:
    def __init__(self, client: Client, events: EventRecorder, tasks: asyncio.TaskGroup) -> None:
        self._client = client
        self._tasks = tasks
        self._events = events
        self._to_delete, self._to_orphan = WorkQueue[GraphNode](), WorkQueue[GraphNode]()
        self._objects, absent = Objects(client), AbsentOwners()
        outlets = Outlets(
            try_delete=self._to_delete.add,
            try_delete_later=self._to_delete.add_rate_limited,
            try_orphan=self._to_orphan.add,
            report_foreign_owner=self._report_foreign_owner,
        )
        self.graph = GraphBuilder(outlets, absent)
        self._collector = Collector(self.graph, self._objects, absent, self._to_delete)
        self._known: frozenset[GroupVersionResource] = frozenset()
        self._declared = asyncio.Event()
        self._monitors = Monitors(tasks, client, self.graph, on_declaration=self._declared.set)

    async def run(self) -> None:
        """Nothing is collected before everything was seen, or some time has passed in which it was not."""
        backoff = Backoff(BackoffPolicy())
        while not await self._discover():
            pause = backoff.pause()
            await asyncio.sleep(pause.total_seconds())
        self._tasks.create_task(self._follow_declarations())
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_SYNC_SECONDS):
                await self._monitors.wait_for_sync()
        self._tasks.create_task(work(self._to_delete, self._collector.try_delete, workers=_WORKERS))
        self._tasks.create_task(work(self._to_orphan, self._collector.try_orphan, workers=_WORKERS))

    async def _follow_declarations(self) -> None:
        """Soon after a declaration changes, and from time to time, because others' servers declare nothing."""
        pauses: Iterator[float] = iter(())
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(next(pauses, _PERIOD_SECONDS)):
                    await self._declared.wait()
            if self._declared.is_set():
                await asyncio.sleep(_GATHERING_SECONDS)
                self._declared.clear()
                pauses = iter(_SETTLING_SECONDS)
            await self._discover()

    async def _discover(self) -> bool:
        try:
            found = await self._client.discovery().discover()
        except (APIError, ClientError) as error:
            _log.info("the resources can't be found out: %s", error)
            return False
        wanted = collectable(found)
        if not wanted:
            return False
        self._monitors.watch(wanted, found.failures)
        if (known := frozenset(one.resource for one in found.resources())) != self._known:
            self._known = known
            self._objects.use(found)
            self._collector.retry_unmapped()
        return True

    def _report_foreign_owner(self, node: GraphNode, owner: OwnerReference) -> None:
        identity = node.identity
        meant = owner.seen_from(identity.namespace)
        message = f"ownerRef {meant} does not exist in namespace {go_quote(identity.namespace)}"
        subject = EventSubject(identity.api_version, identity.kind, identity.namespace, identity.name, identity.uid)
        self._events.warn(subject, "OwnerRefInvalidNamespace", message)
