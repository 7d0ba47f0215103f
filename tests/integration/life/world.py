"""A whole cluster in this process with the controllers that a test asks for. Where no node is simulated, the test plays
scheduler and kubelet."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from localplane import testing
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.client import Client, GroupVersionResource, ListOptions, PatchType, ResourceClient
from localplane.compose.server import Plane


def resource(text: str) -> GroupVersionResource:
    """`apps/v1/deployments`, `v1/pods`."""
    group_version, _, plural = text.rpartition("/")
    group, _, version = group_version.rpartition("/")
    return GroupVersionResource(group, version, plural)


@dataclass(frozen=True, slots=True)
class World:
    """Resources are told as `apps/v1/deployments`; the namespace is `default` if nobody says otherwise, and empty for
    what has none."""

    plane: Plane

    @property
    def client(self) -> Client:
        return self.plane.client

    def of(self, plural: str, namespace: str = "default") -> ResourceClient:
        return self.client.resource(resource(plural), namespace)

    async def create(self, plural: str, obj: JSONObject, namespace: str = "default") -> JSONObject:
        return await self.of(plural, namespace).create(obj)

    async def get(self, plural: str, name: str, namespace: str = "default") -> JSONObject | None:
        try:
            return await self.of(plural, namespace).get(name)
        except NotFound:
            return None

    async def merge(
        self, plural: str, name: str, patch: JSONObject, namespace: str = "default", *, subresource: str = ""
    ) -> JSONObject:
        return await self.of(plural, namespace).patch(name, patch, PatchType.MERGE, subresource=subresource)

    async def items(self, plural: str, namespace: str = "default", *, labels: str = "") -> list[JSONObject]:
        items: list[JSONObject] = (await self.of(plural, namespace).list(ListOptions(label_selector=labels)))["items"]
        return items

    async def until(
        self,
        plural: str,
        so: Callable[[list[JSONObject]], bool],
        namespace: str = "default",
        *,
        within: float = 60.0,
    ) -> list[JSONObject]:
        """Wait until the objects of a kind are so, looking again at every change; what they are then."""
        objects = self.of(plural, namespace)
        async with asyncio.timeout(within):
            while True:
                listed = await objects.list()
                options = ListOptions(resource_version=listed["metadata"]["resourceVersion"])
                async with objects.watch(options) as stream:
                    if so(listed["items"]):
                        items: list[JSONObject] = listed["items"]
                        return items
                    await anext(stream)

    async def becomes(
        self,
        plural: str,
        name: str,
        so: Callable[[JSONObject], bool],
        namespace: str = "default",
        *,
        within: float = 60.0,
    ) -> JSONObject:
        """Wait until an object is there and so."""

        def it_is(items: list[JSONObject]) -> bool:
            return any(item["metadata"]["name"] == name and so(item) for item in items)

        items = await self.until(plural, it_is, namespace, within=within)
        return next(item for item in items if item["metadata"]["name"] == name)

    async def gone(self, plural: str, name: str, namespace: str = "default", *, within: float = 60.0) -> None:
        await self.until(
            plural, lambda items: all(item["metadata"]["name"] != name for item in items), namespace, within=within
        )

    async def event(self, name: str, reason: str, namespace: str = "default", *, within: float = 60.0) -> JSONObject:
        """The event about the object of this name with this reason, once it was written."""

        def is_it(event: JSONObject) -> bool:
            return bool(event["involvedObject"]["name"] == name and event["reason"] == reason)

        events = await self.until("v1/events", lambda items: any(map(is_it, items)), namespace, within=within)
        return next(filter(is_it, events))

    async def play(
        self, pod: JSONObject, *, phase: str = "Running", ready: bool = True, node: str = "node-1"
    ) -> JSONObject:
        """What scheduler and kubelet would do with a pod."""
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        if not pod["spec"].get("nodeName"):
            binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"name": node}}
            await self.of("v1/pods", namespace).create(binding, name=name, subresource="binding")
        conditions = [
            {"type": kind, "status": "True" if ready else "False", "lastTransitionTime": now()}
            for kind in ("Ready", "ContainersReady")
        ]
        status: JSONObject = {
            "phase": phase,
            "conditions": conditions,
            "podIPs": [{"ip": "10.1.2.3"}],
            "podIP": "10.1.2.3",
        }
        return await self.merge("v1/pods", name, {"status": status}, namespace, subresource="status")


@contextlib.asynccontextmanager
async def cluster(
    *controllers: str, nodes: int = 0, admission: Sequence[str] = (), without_admission: Sequence[str] = ()
) -> AsyncIterator[World]:
    """With these controllers, and no need of accounts for pods."""
    async with testing.cluster(
        controllers=controllers or ("none",),
        nodes=nodes,
        enabled_admission_plugins=admission,
        disabled_admission_plugins=("ServiceAccount", *without_admission),
    ) as opened:
        yield World(opened.plane)
