"""Which namespace is looked at, and when. Kubernetes: pkg/controller/namespace/namespace_controller.go.

Unlike there, nobody waits five seconds before the first attempt: that is for servers that don't see one another's
writes at once, and for requests that were let in before. Here those are known, and waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from datetime import timedelta
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import RateLimiter, WorkQueue
from localplane.client.workqueue.rate_limiters import (
    BucketRateLimiter,
    ItemExponentialFailureRateLimiter,
    MaxOfRateLimiter,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import TryAfter, hearing, work

from .deletion import NAMESPACES, ContentRemains, NamespaceDeleter
from .waiting import Waits

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
