"""How many objects there are of each kind, as it changes; and the metadata of all of them, so that nobody has to list
them for a search or a family.

One watch for each kind, of metadata alone, shared by all pages: what a change costs is one small line, where asking for
the numbers again and again costs a request for each kind each time. They run while a page is open and a little longer.
Kinds that have very many objects, can't be watched or may not be listed are counted by asking now and then instead.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import suppress
from typing import Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ClientError
from localplane.client.informers.delta_fifo import DeletedFinalStateUnknown
from localplane.client.informers.handlers import HandlerFunctions, deleted_object
from localplane.client.informers.informer import SharedInformer
from localplane.client.informers.list_watch import METADATA_LIST, MetadataListWatch
from localplane.client.rest.client import Client
from localplane.client.rest.discovery import APIResource
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.options import ListOptions

ACCEPT: Final = f"{METADATA_LIST},application/json"
MOST: Final = 20_000
"""Of a kind with more objects nothing is kept."""
_FRAME: Final = 0.2  # seconds between two tellings
_LOOK: Final = 4.0  # seconds until somebody looks whether the server is there
_IDLE: Final = 30.0  # seconds without a page
_AGAIN: Final = 15.0  # seconds until what can't be watched is counted again
_AT_ONCE: Final = 8


class Roll:
    """The objects of one kind."""

    def __init__(self, client: Client, type_: APIResource, changed: asyncio.Event) -> None:
        self.type = type_
        self.counts: Counter[str] = Counter()
        self._changed = changed
        self._is_whole = False
        self._informer = SharedInformer(MetadataListWatch(client.resource(type_.resource)))
        self._informer.add_handler(HandlerFunctions(add=self._came, delete=self._went))

    @property
    def is_whole(self) -> bool:
        """Once it was, what comes is added."""
        if not self._is_whole:
            self._is_whole = self._informer.has_synced and self.counts.total() == len(self.objects)
        return self._is_whole

    @property
    def objects(self) -> list[JSONObject]:
        return self._informer.indexer.list()

    async def keep(self) -> None:
        """Until it is cancelled."""
        await self._informer.run()

    def count(self, namespace: str) -> int:
        return self.counts[namespace] if namespace and self.type.namespaced else self.counts.total()

    def _came(self, obj: JSONObject) -> None:
        self.counts[obj["metadata"].get("namespace", "")] += 1
        self._changed.set()

    def _went(self, gone: JSONObject | DeletedFinalStateUnknown) -> None:
        self.counts[deleted_object(gone)["metadata"].get("namespace", "")] -= 1
        self._changed.set()


class Census:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._kinds: dict[GroupVersionResource, APIResource] = {}
        self._rolls: dict[GroupVersionResource, Roll] = {}
        self._pages = 0
        self._changed = asyncio.Event()
        self._woken = asyncio.Event()
        self._left = asyncio.Event()

    async def run(self) -> None:
        """As long as the console."""
        while True:
            await self._woken.wait()
            async with asyncio.TaskGroup() as tasks:
                keeping = tasks.create_task(self._keep_all())
                await self._nobody_looks()
                keeping.cancel()
            self._rolls.clear()

    async def _nobody_looks(self) -> None:
        """Until it is so, and has been for a while."""
        while self._woken.is_set():
            await self._left.wait()
            await asyncio.sleep(_IDLE)
            self._left.clear()
            if not self._pages:
                self._woken.clear()

    def learn(self, kinds: Iterable[APIResource]) -> None:
        """Which kinds there are now."""
        self._kinds = {one.resource: one for one in kinds}

    def known(self, type_: APIResource) -> Roll | None:
        """The roll of a kind, if it is whole."""
        roll = self._rolls.get(type_.resource)
        return roll if roll is not None and roll.is_whole else None

    async def follow(self, namespace: str) -> AsyncGenerator[JSONObject, None]:
        """The counts by `resource.group`, each time some have changed; what is wrong if the server does not answer."""
        self._pages += 1
        self._woken.set()
        asked: dict[GroupVersionResource, int] = {}
        asked_at, told = float("-inf"), JSONObject()
        clock = asyncio.get_running_loop().time
        try:
            while True:
                self._changed.clear()
                try:
                    await self._client.request("GET", "/version")
                    if clock() - asked_at > _AGAIN:
                        asked, asked_at = await self.asked(self._unknown(), namespace), clock()
                    said: JSONObject = {"counts": self._counts(namespace, asked)}
                except (APIError, ClientError) as error:
                    said = {"problem": str(error)}
                if said != told:
                    told = said
                    yield said
                await asyncio.sleep(_FRAME)
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK):
                        await self._changed.wait()
        finally:
            self._pages -= 1
            self._left.set()

    async def asked(self, kinds: Sequence[APIResource], namespace: str) -> dict[GroupVersionResource, int]:
        """How many there are, from the server: a list of one tells how many more there would be. What may not be listed
        is left out."""
        some = asyncio.Semaphore(_AT_ONCE)

        async def count(one: APIResource) -> tuple[GroupVersionResource, int] | None:
            resource = self._client.resource(one.resource, namespace if one.namespaced else "")
            async with some:
                try:
                    answer = await resource.list(ListOptions(limit=1), accept=ACCEPT)
                except APIError:
                    return None
            left = (answer.get("metadata") or {}).get("remainingItemCount") or 0
            return one.resource, len(answer.get("items") or ()) + int(left)

        return dict(filter(None, await asyncio.gather(*map(count, kinds))))

    def _unknown(self) -> list[APIResource]:
        return [one for one in self._kinds.values() if self.known(one) is None]

    def _counts(self, namespace: str, asked: dict[GroupVersionResource, int]) -> JSONObject:
        counts: JSONObject = {}
        for resource, one in self._kinds.items():
            roll = self.known(one)
            if roll is not None:
                counts[str(resource.group_resource)] = roll.count(namespace)
            elif resource in asked:
                counts[str(resource.group_resource)] = asked[resource]
        return counts

    async def _keep_all(self) -> None:
        """A roll for each kind that is not too large, also for those that come later; without those that go."""
        async with asyncio.TaskGroup() as tasks:
            running: dict[GroupVersionResource, asyncio.Task[None]] = {}
            while True:
                for gone in [resource for resource in running if resource not in self._kinds]:
                    running.pop(gone).cancel()
                    self._rolls.pop(gone, None)
                new = [one for one in self._kinds.values() if one.resource not in running and "watch" in one.verbs]
                with suppress(ClientError):
                    for resource, number in (await self.asked(new, "")).items():
                        if number <= MOST:
                            roll = self._rolls[resource] = Roll(self._client, self._kinds[resource], self._changed)
                            running[resource] = tasks.create_task(roll.keep())
                await asyncio.sleep(_LOOK)
