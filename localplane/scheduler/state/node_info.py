"""A node and the sum of the pods that are on it or will be. Kubernetes: pkg/scheduler/framework/types.go, NodeInfo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.host_ports import TakenPorts
from localplane.controllers.node_selection import labels_of, taints_of

from .amounts import CPU, MEMORY, PODS, Amounts, amounts, whole
from .pod_info import PodInfo

_ZONE: Final = "topology.kubernetes.io/zone"
_REGION: Final = "topology.kubernetes.io/region"


class NodeInfo:
    """`generation` is another object after every change, so that what was worked out about a node is known to be old.
    Pods may be on a node that nobody has seen yet, or no more: then `node` is None."""

    __slots__ = (
        "allocatable",
        "allowed_pods",
        "generation",
        "guessed_cpu",
        "guessed_memory",
        "images",
        "is_unschedulable",
        "labels",
        "name",
        "node",
        "pods",
        "ports",
        "requested",
        "taints",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.node: JSONObject | None = None
        self.labels: Mapping[str, str] = {}
        self.taints: list[JSONObject] = []
        self.is_unschedulable = False
        self.allocatable: Amounts = {}
        self.allowed_pods = 0
        self.images: dict[str, int] = {}
        self.pods: dict[str, PodInfo] = {}
        self.requested: Amounts = {}
        self.guessed_cpu = 0
        self.guessed_memory = 0
        self.ports = TakenPorts()
        self.generation = object()

    def copy(self) -> NodeInfo:
        """One that can be changed without consequences."""
        other = NodeInfo(self.name)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        other.pods = dict(self.pods)
        other.requested = dict(self.requested)
        other.ports = self.ports.copy()
        other.generation = object()
        return other

    @property
    def zone(self) -> str:
        return f"{self.labels.get(_REGION, '')}:{self.labels.get(_ZONE, '')}"

    def set_node(self, node: JSONObject) -> None:
        self.node = node
        spec, status = node.get("spec") or {}, node.get("status") or {}
        self.labels = labels_of(node)
        self.taints = taints_of(node)
        self.is_unschedulable = bool(spec.get("unschedulable"))
        allocatable = status.get("allocatable") or {}
        self.allocatable = amounts(allocatable)
        self.allowed_pods = whole(str(allocatable.get(PODS, "0")))
        self.images = {
            name: int(image.get("sizeBytes") or 0)
            for image in status.get("images") or ()
            for name in image.get("names") or ()
        }
        self.generation = object()

    def add(self, pod: PodInfo) -> None:
        self.pods[pod.uid] = pod
        self._count(pod, 1)
        self.ports.add(pod.ports)

    def remove(self, pod: PodInfo) -> None:
        """`pod` as it was added."""
        if self.pods.pop(pod.uid, None) is not None:
            self._count(pod, -1)
            self.ports.remove(pod.ports)

    def _count(self, pod: PodInfo, sign: int) -> None:
        requested = self.requested
        for name, amount in pod.request.held.items():
            requested[name] = requested.get(name, 0) + sign * amount
        self.guessed_cpu += sign * pod.request.guessed[CPU]
        self.guessed_memory += sign * pod.request.guessed[MEMORY]
        self.generation = object()
