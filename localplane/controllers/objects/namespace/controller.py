"""Which namespace is looked at, and when. Kubernetes: pkg/controller/namespace/namespace_controller.go.

Unlike there, nobody waits five seconds before the first attempt: that is for servers that don't see one another's
writes at once, and for requests that were let in before. Here those are known, and waited for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable, Sequence
from datetime import timedelta
from typing import Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client import METADATA, Client, ClientError, ListOptions, RateLimiter, WorkQueue
from localplane.client.workqueue.rate_limiters import (
    BucketRateLimiter,
    ItemExponentialFailureRateLimiter,
    MaxOfRateLimiter,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import TryAfter, hearing, work

from .content import Left
from .deletion import NAMESPACES, ContentRemains, NamespaceDeleter

_WORKERS: Final = 10


async def start(context: ControllerContext) -> None:
    client = context.strict_client_of("namespace-controller")
    queue = WorkQueue[str](rate_limiter=_rate_limiter())
    async with asyncio.TaskGroup() as tasks:
        deleter = NamespaceDeleter(client, context.creates_are_over)
        controller = _Controller(deleter, queue, Waits(tasks, client, queue.add))
        with hearing(context.informers.informer(NAMESPACES), controller.hear):
            await work(queue, controller.sync, workers=_WORKERS)


class _Controller:
    def __init__(self, deleter: NamespaceDeleter, queue: WorkQueue[str], waits: Waits) -> None:
        self._deleter = deleter
        self._queue = queue
        self._waits = waits

    def hear(self, namespace: JSONObject) -> None:
        if "deletionTimestamp" in namespace["metadata"]:
            self._queue.add(namespace["metadata"]["name"])

    async def sync(self, name: str) -> None:
        self._waits.end(name)
        try:
            await self._deleter.delete(name)
        except ContentRemains as remains:
            self._waits.begin(name, remains.left)
            if not remains.seconds:
                raise
            raise TryAfter(timedelta(seconds=remains.seconds // 2 + 1)) from remains


def _rate_limiter() -> RateLimiter[Hashable]:
    """A namespace that can't be emptied is tried again every minute at least."""
    return MaxOfRateLimiter(ItemExponentialFailureRateLimiter(maximum=timedelta(minutes=1)), BucketRateLimiter())


# Knowing at once when what was left in a namespace is gone.

_log = logging.getLogger(__name__)


class Waits:
    """At most one for each namespace. A wait that fails is only a lost hint: the queue comes back to it anyway."""

    def __init__(self, tasks: asyncio.TaskGroup, client: Client, wake: Callable[[str], None]) -> None:
        self._tasks = tasks
        self._client = client
        self._wake = wake
        self._running: dict[str, asyncio.Task[None]] = {}

    def begin(self, namespace: str, left: Sequence[Left]) -> None:
        """Wake the namespace when the last of these is gone."""
        self.end(namespace)
        if any(each.names for each in left):
            task = self._tasks.create_task(self._wait(namespace, [each for each in left if each.names]))
            self._running[namespace] = task

    def end(self, namespace: str) -> None:
        if (task := self._running.pop(namespace, None)) is not None:
            task.cancel()

    async def _wait(self, namespace: str, left: Sequence[Left]) -> None:
        gone = await asyncio.gather(*(self._is_gone(namespace, each) for each in left))
        if all(gone):
            self._wake(namespace)

    async def _is_gone(self, namespace: str, left: Left) -> bool:
        """True when all of it is, False when that can't be found out."""
        names = set(left.names)
        stream = self._client.resource(left.resource, namespace).watch(
            ListOptions(resource_version=left.version), accept=METADATA
        )
        try:
            async with stream:
                async for event in stream:
                    if event.type == "DELETED":
                        names.discard(event.object["metadata"]["name"])
                    if not names:
                        return True
        except (APIError, ClientError) as error:
            _log.debug("nobody watches %s in %s any more: %s", left.resource, namespace, error)
        return False
