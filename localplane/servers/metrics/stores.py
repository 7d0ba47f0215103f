"""get and list of PodMetrics and NodeMetrics, made from pods and nodes when somebody asks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apimachinery.times import format_duration, format_time
from localplane.apiserver.registry.errors import interpret_list
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.registry.rest import Getter, Lister, ListOptions, ResultList
from localplane.apiserver.request import Request
from localplane.apiserver.resource import APIGroup, Column, Resource, Version
from localplane.apiserver.storage import interface as storage
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.objects import StoredObject

from .usage import container_usages, is_measured, is_running, node_usage, shown, total

GROUP: Final = "metrics.k8s.io"
_VERSION: Final = "v1beta1"
_WINDOW: Final = timedelta(seconds=15)
"""How long metrics-server waits between two looks, unless told otherwise."""

_TEXT: Final = {"type": "string"}
_USAGE: Final = {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": True}}
_INTERVAL: Final = {"timestamp": _TEXT | {"format": "date-time"}, "window": _TEXT}
_CONTAINER: Final = {"type": "object", "required": ["name", "usage"], "properties": {"name": _TEXT, "usage": _USAGE}}
_POD_SCHEMA: Final = {
    "type": "object",
    "description": "PodMetrics sets resource usage metrics of a pod.",
    "required": ["timestamp", "window", "containers"],
    "properties": _INTERVAL | {"containers": {"type": "array", "items": _CONTAINER}},
}
_NODE_SCHEMA: Final = {
    "type": "object",
    "description": "NodeMetrics sets resource usage metrics of a node.",
    "required": ["timestamp", "window", "usage"],
    "properties": _INTERVAL | {"usage": _USAGE},
}
_COLUMNS: Final = (
    Column("Name", format="name", description="Name of the resource"),
    Column("cpu", format="quantity"),
    Column("memory", format="quantity"),
    Column("Window", format="duration"),
)


def make_group(
    objects: Lookup,
    *,
    window: timedelta = _WINDOW,
    clock: Callable[[], datetime] = present,
) -> APIGroup:
    """`objects` are the pods and nodes; `window` is the time that every usage is said to be of."""
    cluster = _Cluster(objects, window, clock)
    pods = Resource(
        "pods",
        "PodMetrics",
        [Version(_VERSION, _POD_SCHEMA, columns=_COLUMNS, cells=_pod_cells)],
        storage=lambda _: PodMetricsStore(cluster),
    )
    nodes = Resource(
        "nodes",
        "NodeMetrics",
        [Version(_VERSION, _NODE_SCHEMA, columns=_COLUMNS, cells=_node_cells)],
        namespaced=False,
        storage=lambda _: NodeMetricsStore(cluster),
    )
    return APIGroup(GROUP, [nodes, pods], priority=100, version_priorities={_VERSION: 100})


class _Cluster:
    """Pods and nodes as they are now. Only what is selected is decoded, and never much at once."""

    def __init__(self, objects: Lookup, window: timedelta, clock: Callable[[], datetime]) -> None:
        self._objects = objects
        self._window = window
        self._clock = clock

    async def get(self, resource: str, namespace: str, name: str) -> JSONObject | None:
        return await self._objects.get(resource, namespace, name)

    async def selected(self, resource: str, namespace: str, options: ListOptions) -> AsyncIterator[JSONObject]:
        definition, turns = self._objects.definition(resource), TimeSlices()
        labels, fields = options.label_selector, options.field_selector
        by_fields = None if fields is None else fields.compiled(definition.field_lookups)

        def is_selected(obj: StoredObject) -> bool:
            return (labels is None or labels.matches(obj.labels)) and (by_fields is None or by_fields(obj))

        wanted = storage.ListOptions(predicate=is_selected, only_readable=True)
        try:
            found = await definition.storage.list(definition.place(namespace), wanted)
        except StorageError as error:
            raise interpret_list(error) from error
        for stored in found.items:
            if turns.is_over:
                await turns.next()
            yield definition.converter.hub_of(stored)

    async def measured_nodes(self) -> set[str]:
        nodes = self.selected("nodes", "", ListOptions())
        return {node["metadata"]["name"] async for node in nodes if is_measured(node)}

    async def pods_by_node(self) -> dict[str, list[JSONObject]]:
        by_node: dict[str, list[JSONObject]] = {}
        async for pod in self.selected("pods", "", ListOptions()):
            if is_running(pod) and pod["spec"].get("nodeName"):
                by_node.setdefault(pod["spec"]["nodeName"], []).append(pod)
        return by_node

    def measurement(self, kind: str, obj: JSONObject) -> JSONObject:
        """What pods and nodes have in common."""
        moment, metadata = format_time(self._clock()), obj["metadata"]
        told = {"name": metadata["name"]}
        if metadata.get("namespace"):
            told["namespace"] = metadata["namespace"]
        told["creationTimestamp"] = moment
        if metadata.get("labels"):
            told["labels"] = metadata["labels"]
        return {
            "apiVersion": f"{GROUP}/{_VERSION}",
            "kind": kind,
            "metadata": told,
            "timestamp": moment,
            "window": format_duration(self._window),
        }


class PodMetricsStore(Getter, Lister):
    """Pods that run on nodes which somebody simulates."""

    def __init__(self, cluster: _Cluster) -> None:
        self._cluster = cluster

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> JSONObject:
        pod = await self._cluster.get("pods", request.namespace, name)
        if pod is None:
            raise NotFound.of(GroupResource("", "pods"), name)
        node = await self._cluster.get("nodes", "", pod["spec"]["nodeName"]) if pod["spec"].get("nodeName") else None
        if node is None or not is_measured(node) or not is_running(pod):
            raise NotFound.of(GroupResource(GROUP, "pods"), f"{request.namespace}/{name}")
        return self._metrics(pod)

    async def list(self, request: Request, options: ListOptions) -> ResultList:
        nodes = await self._cluster.measured_nodes()
        pods = [
            self._metrics(pod)
            async for pod in self._cluster.selected("pods", request.namespace, options)
            if is_running(pod) and pod["spec"].get("nodeName") in nodes
        ]
        return ResultList(pods)

    def _metrics(self, pod: JSONObject) -> JSONObject:
        containers = [{"name": name, "usage": shown(usage)} for name, usage in container_usages(pod).items()]
        return self._cluster.measurement("PodMetrics", pod) | {"containers": containers}


class NodeMetricsStore(Getter, Lister):
    """Nodes that somebody simulates."""

    def __init__(self, cluster: _Cluster) -> None:
        self._cluster = cluster

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> JSONObject:
        node = await self._cluster.get("nodes", "", name)
        if node is None:
            raise NotFound.of(GroupResource("", "nodes"), name)
        if not is_measured(node):
            raise NotFound.of(GroupResource(GROUP, "nodes"), name)
        return self._metrics(node, (await self._cluster.pods_by_node()).get(name, []))

    async def list(self, request: Request, options: ListOptions) -> ResultList:
        pods = await self._cluster.pods_by_node()
        nodes = [node async for node in self._cluster.selected("nodes", "", options) if is_measured(node)]
        return ResultList([self._metrics(node, pods.get(node["metadata"]["name"], [])) for node in nodes])

    def _metrics(self, node: JSONObject, pods: Sequence[JSONObject]) -> JSONObject:
        return self._cluster.measurement("NodeMetrics", node) | {"usage": shown(node_usage(pods))}


def _pod_cells(metrics: JSONObject) -> list[Any]:
    usages = (each["usage"] for each in metrics["containers"])
    whole = shown(total({name: parse(text) for name, text in usage.items()} for usage in usages))
    return [metrics["metadata"]["name"], whole["cpu"], whole["memory"], metrics["window"]]


def _node_cells(metrics: JSONObject) -> list[Any]:
    usage = metrics["usage"]
    return [metrics["metadata"]["name"], usage["cpu"], usage["memory"], metrics["window"]]
