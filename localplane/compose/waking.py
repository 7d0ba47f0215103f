"""Waiting for the first object of a kind, which is when its controller is needed. It costs one watch in the cache that
stays silent: nothing is listed or copied."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import WatchOptions

if TYPE_CHECKING:
    from localplane.controllers.context import Wake

    from .server import Plane

_PAUSE_SECONDS: Final = 0.5


async def awakened(plane: Plane, wake: Wake) -> None:
    """Until there is an object that wakes somebody."""
    resource = wake.resource
    served = plane.installer.served(resource.group, (resource.version, resource.resource, ""))
    assert served is not None, f"{resource} is one of ours"
    prefix = served.definition.prefix
    seen = False
    while not seen:
        seen = await _seen(plane, prefix, wake.ignoring)
        if not seen:  # nothing tells when the store is back
            await asyncio.sleep(_PAUSE_SECONDS)


async def _seen(plane: Plane, prefix: str, ignoring: frozenset[str]) -> bool:
    """False if the watch ended before: the store was away, or the cache is filled anew."""
    storage = plane.storage.cacher.resource(prefix)
    with suppress(StorageError):
        watch = await storage.watch(prefix, WatchOptions(only_readable=True))
        try:
            async for event in watch:
                if event.object is not None and event.object.key.rpartition(prefix)[2] not in ignoring:
                    return True
        finally:
            await watch.stop()
    return False
