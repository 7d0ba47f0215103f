"""Pods, nodes and clusters for tests of the scheduler's rules, with nothing that runs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from random import Random
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource, Lister, object_key
from localplane.client.informers.indexer import Indexer
from localplane.scheduler.attempt import Placement, Search
from localplane.scheduler.plugins.devices import Devices
from localplane.scheduler.plugins.volumes import VolumeViews
from localplane.scheduler.sources import Sources
from localplane.scheduler.state.cluster import ClusterState
from localplane.scheduler.state.pod_info import PodInfo

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
_numbers = count(1)


class StillSources(Sources):
    """Objects that were put there."""

    def __init__(self) -> None:
        self._indexers: dict[GroupVersionResource, Indexer] = {}

    def put(self, resource: GroupVersionResource, obj: JSONObject) -> None:
        self._indexers.setdefault(resource, Indexer()).put(object_key(obj), obj)

    def lister(self, resource: GroupVersionResource) -> Lister:
        return Lister(self._indexers.setdefault(resource, Indexer()))

    async def ready(self, resources: Iterable[GroupVersionResource]) -> None:
        """They always are."""


def node(
    name: str, *, labels: dict[str, str] | None = None, images: list[JSONObject] | None = None, **spec: Any
) -> JSONObject:
    """With 4 CPUs, 8 GiB and room for 10 pods, if `allocatable` does not say otherwise."""
    allocatable = {"cpu": "4", "memory": "8Gi", "pods": "10"} | spec.pop("allocatable", {})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOSTNAME: name} | (labels or {})},
        "spec": spec,
        "status": {"allocatable": allocatable, "images": images or []},
    }


def pod_object(
    name: str = "",
    *,
    labels: dict[str, str] | None = None,
    namespace: str = "default",
    requests: dict[str, str] | None = None,
    status: JSONObject | None = None,
    **spec: Any,
) -> JSONObject:
    number = next(_numbers)
    container = {"name": "main", "image": "app:1", "resources": {"requests": requests or {}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name or f"pod-{number}",
            "namespace": namespace,
            "uid": f"uid-{number}",
            "labels": labels or {},
        },
        "spec": {"containers": [container], "schedulerName": "default-scheduler"} | spec,
        "status": status or {},
    }


def pod(name: str = "", **options: Any) -> PodInfo:
    return PodInfo(pod_object(name, **options))


class Setting:
    """A cluster of these nodes, and a search in it."""

    def __init__(self, *nodes: JSONObject, seed: int = 1) -> None:
        self.cluster = ClusterState()
        self.sources = StillSources()
        self.views = VolumeViews(self.sources)
        self.devices = Devices(self.sources)
        for each in nodes:
            self.cluster.set_node(each)
        self.random = Random(seed)
        self.search = self.new_search()

    def new_search(self) -> Search:
        return Search(self.cluster, self.sources, self.views, self.devices, self.random)

    def put(self, node_name: str, **options: Any) -> PodInfo:
        """A pod that runs there."""
        info = pod(nodeName=node_name, **options)
        self.cluster.set_pod(info)
        return info

    async def place(self, info: PodInfo) -> Placement:
        return await self.search.place(info)

    async def where(self, info: PodInfo) -> str:
        return (await self.place(info)).node_name
