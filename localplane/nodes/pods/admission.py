"""Whether a node takes a pod that was bound to it, by the scheduler or past it: there must be room and free ports, and
the node must be one that the pod wants. What is rejected has failed, and is never tried again.

Critical pods don't push others out here. What nobody has said of a node, such as how many pods it holds, is no limit.
Kubernetes: pkg/kubelet/lifecycle/predicate.go and pkg/scheduler, AdmissionCheck.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.quantity import ZERO, Quantity
from localplane.apis import pod_resources
from localplane.apis.amounts import read
from localplane.controllers.host_ports import TakenPorts, host_ports
from localplane.controllers.node_selection import (
    NO_EXECUTE,
    RequiredNodeAffinity,
    labels_of,
    taints_of,
    untolerated_taint,
)

_OS: Final = "kubernetes.io/os"
_FIRST: Final = ("cpu", "memory", "ephemeral-storage")
_AFFINITY: Final = "node(s) didn't match Pod's node affinity/selector"
_PORTS: Final = "node(s) didn't have free ports for the requested pod ports"
_TAINTS: Final = "node(s) had taints that the pod didn't tolerate"


@dataclass(frozen=True, slots=True)
class Others:
    """What the other pods of a node hold of it."""

    count: int
    amounts: Mapping[str, Quantity]
    ports: TakenPorts


@dataclass(frozen=True, slots=True)
class PodRejection:
    reason: str
    message: str


def rejection(pod: Mapping[str, Any], node: Mapping[str, Any], others: Others) -> PodRejection | None:
    """The first reason why the node does not take the pod."""
    return next(_rejections(pod, node, others), None)


def matches(pod: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    """Whether the node is one that the pod wants."""
    return RequiredNodeAffinity(pod["spec"]).matches(node)


def _rejections(pod: Mapping[str, Any], node: Mapping[str, Any], others: Others) -> Iterator[PodRejection]:
    spec = pod["spec"]
    system = (spec.get("os") or {}).get("name")
    if system and system != labels_of(node).get(_OS, "linux"):
        yield PodRejection("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS")
    yield from _shortages(pod, node, others)
    if not matches(pod, node):
        yield _failed("NodeAffinity", _AFFINITY)
    if others.ports.conflict(host_ports(spec)):
        yield _failed("NodePorts", _PORTS)
    if untolerated_taint(taints_of(node), spec.get("tolerations") or (), effects=(NO_EXECUTE,)) is not None:
        yield _failed("TaintToleration", _TAINTS)


def _failed(predicate: str, description: str) -> PodRejection:
    return PodRejection(predicate, f"Predicate {predicate} failed: {description}")


def _shortages(pod: Mapping[str, Any], node: Mapping[str, Any], others: Others) -> Iterator[PodRejection]:
    allocatable = read((node.get("status") or {}).get("allocatable"))
    if "pods" in allocatable and others.count + 1 > allocatable["pods"].value():
        yield _shortage("pods", 1, others.count, allocatable["pods"].value())
    requests = pod_resources.requests({"spec": pod["spec"]})
    for name in sorted(requests, key=lambda each: (_FIRST.index(each) if each in _FIRST else len(_FIRST), each)):
        if name not in allocatable or requests[name] <= ZERO:
            continue
        requested, used, capacity = (
            _number(name, amount) for amount in (requests[name], others.amounts.get(name, ZERO), allocatable[name])
        )
        if requested > capacity - used:
            yield _shortage(name, requested, used, capacity)


def _shortage(name: str, requested: int, used: int, capacity: int) -> PodRejection:
    numbers = f"requested: {requested}, used: {used}, capacity: {capacity}"
    return PodRejection(f"OutOf{name}", f"Node didn't have enough resource: {name}, {numbers}")


def _number(name: str, amount: Quantity) -> int:
    return amount.milli_value() if name == "cpu" else amount.value()
