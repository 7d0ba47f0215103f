"""A server in this process with some built-in kinds and some custom ones, and the controllers that a test asks for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.dialects import CUSTOM_KINDS
from localplane.catalog.core.namespaces import NAMESPACES as NAMESPACES_RESOURCE
from localplane.catalog.declarations import builtin, group
from localplane.client import Client, GroupVersionResource, ListOptions, PatchType, ResourceClient
from localplane.client.transport.interface import BufferedResponse, Pairs, Response
from localplane.client.workqueue.supervision import Background
from localplane.controllers import ControllerContext, run, select
from localplane.library import (
    APIGroup,
    Plane,
    PlaneOptions,
    Resource,
    ServerOptions,
    StorageKind,
    StorageOptions,
    Version,
    open_plane,
)
from tests.integration.api.toys import CRON_TAB, PodStrategy

NAMESPACES = GroupVersionResource("", "v1", "namespaces")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
SECRETS = GroupVersionResource("", "v1", "secrets")
PODS = GroupVersionResource("", "v1", "pods")
EVENTS = GroupVersionResource("", "v1", "events")
QUOTAS = GroupVersionResource("", "v1", "resourcequotas")
SERVICE_ACCOUNTS = GroupVersionResource("", "v1", "serviceaccounts")
CLUSTER_ROLES = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterroles")
JOBS = GroupVersionResource("batch", "v1", "jobs")
CRON_TABS = GroupVersionResource("stable.example.com", "v1", "crontabs")
LATECOMERS = GroupVersionResource("late.example.com", "v1", "latecomers")
REALMS = GroupVersionResource("stable.example.com", "v1", "realms")
DEFINITIONS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
KINDS = {
    DEFINITIONS: "CustomResourceDefinition",
    NAMESPACES: "Namespace",
    CONFIG_MAPS: "ConfigMap",
    SECRETS: "Secret",
    PODS: "Pod",
    QUOTAS: "ResourceQuota",
    SERVICE_ACCOUNTS: "ServiceAccount",
    CLUSTER_ROLES: "ClusterRole",
    JOBS: "Job",
    CRON_TABS: "CronTab",
    LATECOMERS: "Latecomer",
    REALMS: "Realm",
}

CUSTOM = APIGroup(
    "stable.example.com",
    [
        Resource("crontabs", "CronTab", [Version("v1", CRON_TAB)], dialect=CUSTOM_KINDS),
        Resource("realms", "Realm", [Version("v1", CRON_TAB)], dialect=CUSTOM_KINDS, namespaced=False),
    ],
)
LATE = APIGroup(
    "late.example.com", [Resource("latecomers", "Latecomer", [Version("v1", CRON_TAB)], dialect=CUSTOM_KINDS)]
)
GROUPS = (
    group(
        "",
        NAMESPACES_RESOURCE,
        builtin("configmaps"),
        builtin("secrets"),
        builtin("serviceaccounts"),
        builtin("events"),
        builtin("resourcequotas"),
        builtin("pods", strategy=PodStrategy()),
    ),
    group("rbac.authorization.k8s.io", builtin("rbac.authorization.k8s.io/clusterroles")),
    group("batch", builtin("batch/jobs")),
    group("apiextensions.k8s.io", builtin("apiextensions.k8s.io/customresourcedefinitions")),
    CUSTOM,
    LATE,
)
ROOT_CA = "-----BEGIN CERTIFICATE-----\n"


def sign(claims: Mapping[str, Any]) -> str:
    return f"signed for {claims['sub']}"


@dataclass(frozen=True, slots=True)
class World:
    plane: Plane

    @property
    def client(self) -> Client:
        return self.plane.client

    def of(self, resource: GroupVersionResource, namespace: str = "") -> ResourceClient:
        return self.client.resource(resource, namespace)

    async def create(
        self,
        resource: GroupVersionResource,
        name: str,
        namespace: str = "",
        *,
        owners: Sequence[JSONObject] = (),
        **more: Any,
    ) -> JSONObject:
        metadata = {"name": name, "ownerReferences": list(owners)} | more.pop("metadata", {})
        obj = {"apiVersion": str(resource.group_version), "kind": KINDS[resource], "metadata": metadata} | more
        return await self.of(resource, namespace).create(obj)

    async def release(self, resource: GroupVersionResource, name: str, namespace: str = "") -> None:
        """Take all finalizers away."""
        await self.of(resource, namespace).patch(name, {"metadata": {"finalizers": None}}, PatchType.MERGE)

    async def becomes(
        self,
        resource: GroupVersionResource,
        name: str,
        namespace: str = "",
        *,
        so: Callable[[JSONObject | None], bool],
        within: float = 30.0,
    ) -> JSONObject | None:
        """Wait until the object, or its absence, is so."""
        objects = self.of(resource, namespace)
        async with asyncio.timeout(within):
            version = (await objects.list(ListOptions(limit=1)))["metadata"]["resourceVersion"]
            async with objects.watch(ListOptions(resource_version=version)) as stream:
                found = await self.get(resource, name, namespace)
                while not so(found):
                    event = await anext(stream)
                    if event.object["metadata"].get("name") == name:
                        found = None if event.type == "DELETED" else event.object
                return found

    async def gone(self, resource: GroupVersionResource, name: str, namespace: str = "") -> None:
        await self.becomes(resource, name, namespace, so=lambda obj: obj is None)

    async def get(self, resource: GroupVersionResource, name: str, namespace: str = "") -> JSONObject | None:
        try:
            return await self.of(resource, namespace).get(name)
        except NotFound:
            return None


class Hiding:
    """A way to the server on which one group is unheard of until it is revealed."""

    def __init__(self, client: Client, group: str) -> None:
        self._client = client
        self._group = group
        self.revealed = False

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> Response:
        if ("watch", "true") in query:
            return await self._client.stream(method, path, query=query, headers=headers)
        try:
            answer = await self._client.request(method, path, query=query, headers=headers, body=body)
        except APIError as error:
            return BufferedResponse(error.code, [("Content-Type", "application/json")], orjson.dumps(error.status()))
        if path == "/apis" and not self.revealed:
            document = answer.json()
            document["items"] = [item for item in document["items"] if item["metadata"]["name"] != self._group]
            return BufferedResponse(answer.status, answer.headers, orjson.dumps(document))
        return BufferedResponse(answer.status, answer.headers, answer.body)

    async def close(self) -> None:
        """The server stays open."""


def owner(obj: JSONObject, *, blocks: bool = False) -> JSONObject:
    """A reference to it."""
    reference = {"apiVersion": obj["apiVersion"], "kind": obj["kind"]}
    reference |= {key: obj["metadata"][key] for key in ("name", "uid")}
    return reference | ({"blockOwnerDeletion": True} if blocks else {})


@contextlib.asynccontextmanager
async def opened(*controllers: str, storage: StorageOptions | None = None) -> AsyncIterator[World]:
    """With these controllers, and with a namespace called `default`."""

    options = PlaneOptions(storage=storage or StorageOptions(kind=StorageKind.MEMORY), server=ServerOptions(port=0))
    async with open_plane(GROUPS, options) as plane:
        world = World(plane)
        if await world.get(NAMESPACES, "default") is None:
            await world.create(NAMESPACES, "default")
        async with running(world, *controllers):
            yield world


@contextlib.asynccontextmanager
async def running(world: World, *controllers: str, client: Client | None = None) -> AsyncIterator[None]:
    """These controllers, for as long as the block lasts."""
    context = ControllerContext(client or world.client, world.plane.informers, root_ca=ROOT_CA, sign_token=sign)
    async with Background(partial(run, select(controllers), context)):
        yield
