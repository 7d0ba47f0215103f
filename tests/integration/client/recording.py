"""A handler that writes down what it hears, and can be waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.client.informers.delta_fifo import DeletedFinalStateUnknown
from localplane.client.informers.handlers import deleted_object
from localplane.client.informers.indexer import object_key
from localplane.client.informers.informer import SharedInformer
from localplane.client.informers.reflector import ReflectorOptions
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from localplane.client.workqueue.rate_limiters import BackoffPolicy

CONFIGMAPS = GroupVersionResource("", "v1", "configmaps")
QUICKLY = BackoffPolicy(initial=timedelta(milliseconds=1), maximum=timedelta(milliseconds=4))


@dataclass(frozen=True)
class Heard:
    type: str
    key: str
    version: int
    initial: bool = False
    tombstone: bool = False


class Recorder:
    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self._news = asyncio.Event()

    def on_add(self, obj: JSONObject, /, *, is_in_initial_list: bool) -> None:
        self._note("add", obj, initial=is_in_initial_list)

    def on_update(self, old: JSONObject, new: JSONObject, /) -> None:
        self._note("update", new)

    def on_delete(self, obj: JSONObject | DeletedFinalStateUnknown, /) -> None:
        self._note("delete", deleted_object(obj), tombstone=isinstance(obj, DeletedFinalStateUnknown))

    def _note(self, kind: str, obj: JSONObject, *, initial: bool = False, tombstone: bool = False) -> None:
        version = int(obj["metadata"]["resourceVersion"])
        self.heard.append(Heard(kind, object_key(obj), version, initial, tombstone))
        self._news.set()

    def of(self, key: str) -> list[tuple[str, int]]:
        return [(heard.type, heard.version) for heard in self.heard if heard.key == key]

    async def until(self, satisfied: Callable[[], bool], *, seconds: float = 10) -> None:
        async with asyncio.timeout(seconds):
            while not satisfied():
                self._news.clear()
                await self._news.wait()

    async def until_heard(self, count: int) -> list[Heard]:
        await self.until(lambda: len(self.heard) >= count)
        return self.heard


def informer_of(client: Client, **options: Any) -> SharedInformer:
    reflector = ReflectorOptions(backoff=QUICKLY, on_error=lambda _: None, **options)
    return SharedInformer(client.resource(CONFIGMAPS), options=reflector)


def check_story(heard: list[Heard]) -> None:
    """For each object: an add, then updates, then a delete, and so on; versions only grow."""
    alive: dict[str, int] = {}
    last: dict[str, int] = {}
    for one in heard:
        if one.type == "add":
            assert one.key not in alive, f"{one} was already there"
        else:
            assert one.key in alive, f"{one} was not there"
        if not one.tombstone:
            assert one.version > last.get(one.key, 0), f"{one} goes back in time"
            last[one.key] = one.version
        if one.type == "delete":
            del alive[one.key]
        else:
            alive[one.key] = one.version


async def eventually(satisfied: Callable[[], bool]) -> None:
    """For what announces itself to nobody."""
    async with asyncio.timeout(30):
        while not satisfied():  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.002)
