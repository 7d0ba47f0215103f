"""Knowing at once when what was left in a namespace is gone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from localplane.apimachinery.errors import APIError
from localplane.client import METADATA, Client, ClientError, ListOptions

from .content import Left

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
