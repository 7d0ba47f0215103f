"""A pod whose resources are changed while it runs.

A resize is granted (allocatedResources), then done (resources), and a container is restarted for it if it asks to be.
What the node can't hold is deferred until there is room. Kubernetes: pkg/kubelet/allocation and
pkg/kubelet/events/resize.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import ZERO, Quantity
from localplane.apis import pod_resources
from localplane.apis.amounts import read, written
from localplane.catalog.core.pods.qos import qos_class

from . import containers as status_of
from .behaviour import ContainerKind, containers
from .conditions import PodJudgement
from .memory import NORMAL, WARNING, Saying

_RESIZABLE: Final = ("cpu", "memory")
_PENDING: Final = "PodResizePending"
_IN_PROGRESS: Final = "PodResizeInProgress"


@dataclass(frozen=True, slots=True)
class Room:
    """What a node has, and what its other pods have of it."""

    allocatable: Callable[[], Mapping[str, Quantity]]
    used: Callable[[], Mapping[str, Quantity]]


@dataclass(frozen=True, slots=True)
class Resize:
    conditions: dict[str, PodJudgement] = field(default_factory=dict)
    sayings: tuple[Saying, ...] = ()
    restarts: frozenset[str] = frozenset()
    is_under_way: bool = False


def is_asked(pod: Mapping[str, Any]) -> bool:
    """Whether a running container asks for other requests than it was granted."""
    statuses = {each["name"]: each for each in (pod.get("status") or {}).get("containerStatuses") or ()}
    for container in pod["spec"]["containers"]:
        status = statuses.get(container["name"], {})
        if "running" in (status.get("state") or {}) and _requests(container) != _granted(status):
            return True
    return False


def urgency(pod: Mapping[str, Any]) -> tuple[int, int, str]:
    """The order in which deferred resizes are tried again: the most important pods first, then those that are
    guaranteed what they ask for, then those that have waited longest."""
    since = next(
        (
            str(each.get("lastTransitionTime"))
            for each in (pod.get("status") or {}).get("conditions") or ()
            if each["type"] == _PENDING
        ),
        "",
    )
    rank = ("Guaranteed", "Burstable", "BestEffort").index(qos_class(pod))
    return -int(pod["spec"].get("priority") or 0), rank, since


def pod_requests(pod: Mapping[str, Any], statuses: Mapping[str, JSONObject]) -> dict[str, str]:
    """What the pod was granted in all."""
    spec = dict(pod["spec"])
    for name in ("initContainers", "containers"):
        spec[name] = [_as_granted(container, statuses) for container in spec.get(name) or ()]
    return written(pod_resources.requests({"spec": spec}))


def granted(pod: Mapping[str, Any]) -> dict[str, Quantity]:
    """What a pod holds of its node, whatever else it asks for."""
    said = pod.get("status") or {}
    both = [*(said.get("initContainerStatuses") or ()), *(said.get("containerStatuses") or ())]
    return read(pod_requests(pod, {status["name"]: status for status in both}))


def _as_granted(container: Mapping[str, Any], statuses: Mapping[str, JSONObject]) -> Mapping[str, Any]:
    status = statuses.get(container["name"], {})
    if "resources" not in status:
        return container
    return {**container, "resources": {"requests": status.get("allocatedResources") or {}}}


def resized(pod: Mapping[str, Any], statuses: Mapping[str, JSONObject], room: Room | None) -> Resize:
    """The statuses of running containers follow what the pod asks for, one step at a time."""
    running = {
        container["name"]: container
        for kind, container in containers(pod)
        if kind in (ContainerKind.REGULAR, ContainerKind.SIDECAR) and "running" in statuses[container["name"]]["state"]
    }
    before = {each["type"]: each for each in (pod.get("status") or {}).get("conditions") or ()}
    asked = [name for name, each in running.items() if _requests(each) != _granted(statuses[name])]
    if asked:
        return _granted_or_not(pod, statuses, {name: running[name] for name in asked}, room, before)
    to_do = [name for name, each in running.items() if _resources(each) != (statuses[name].get("resources") or {})]
    if to_do:
        if _IN_PROGRESS not in before:  # limits alone have changed
            return _under_way(pod)
        return _done(pod, statuses, {name: running[name] for name in to_do})
    if _IN_PROGRESS in before:
        return Resize(sayings=(_saying(pod, NORMAL, "ResizeCompleted", "Pod resize completed"),))
    return Resize()


def _requests(container: Mapping[str, Any]) -> JSONObject:
    return dict((container.get("resources") or {}).get("requests") or {})


def _granted(status: Mapping[str, Any]) -> JSONObject:
    return dict(status.get("allocatedResources") or {})


def _resources(container: Mapping[str, Any]) -> JSONObject:
    resources = container.get("resources") or {}
    return {key: resources[key] for key in ("limits", "requests") if resources.get(key)}


def _granted_or_not(
    pod: Mapping[str, Any],
    statuses: Mapping[str, JSONObject],
    changed: Mapping[str, Mapping[str, Any]],
    room: Room | None,
    before: Mapping[str, JSONObject],
) -> Resize:
    refusal = _refusal(pod, room)
    if refusal is None:
        for name, container in changed.items():
            status_of.allocate(statuses[name], container)
        return _under_way(pod)
    old = before.get(_PENDING, {})
    if old.get("reason") == refusal.reason and old.get("observedGeneration") == pod["metadata"].get("generation"):
        return Resize({_PENDING: refusal})
    saying = _saying(pod, WARNING, f"Resize{refusal.reason}", f"Pod resize {refusal.reason}", refusal.message)
    return Resize({_PENDING: refusal}, (saying,))


def _refusal(pod: Mapping[str, Any], room: Room | None) -> PodJudgement | None:
    if room is None:
        return None
    asked = pod_resources.requests({"spec": pod["spec"]})
    used, allocatable = room.used(), room.allocatable()
    for name in _RESIZABLE:
        capacity, amount, taken = allocatable.get(name), asked.get(name, ZERO), used.get(name, ZERO)
        if capacity is not None and amount + taken > capacity:
            numbers = ", ".join(
                f"{word}: {_number(name, value)}"
                for word, value in (("requested", amount), ("used", taken), ("capacity", capacity))
            )
            return PodJudgement("True", "Deferred", f"Node didn't have enough resource: {name}, {numbers}")
    return None


def _number(name: str, amount: Quantity) -> int:
    return amount.milli_value() if name == "cpu" else amount.value()


def _under_way(pod: Mapping[str, Any]) -> Resize:
    saying = _saying(pod, NORMAL, "ResizeStarted", "Pod resize started")
    return Resize({_IN_PROGRESS: PodJudgement("True")}, (saying,), is_under_way=True)


def _done(
    pod: Mapping[str, Any], statuses: Mapping[str, JSONObject], changed: Mapping[str, Mapping[str, Any]]
) -> Resize:
    restarts = frozenset(name for name, container in changed.items() if _asks_for_a_restart(container, statuses[name]))
    for name, container in changed.items():
        status_of.actuate(statuses[name], container)
    return Resize({}, (_saying(pod, NORMAL, "ResizeCompleted", "Pod resize completed"),), restarts)


def _asks_for_a_restart(container: Mapping[str, Any], status: Mapping[str, Any]) -> bool:
    policies = {each["resourceName"]: each.get("restartPolicy") for each in container.get("resizePolicy") or ()}
    wanted, had = _resources(container), status.get("resources") or {}
    for name in _RESIZABLE:
        old = [read(had.get(key)).get(name) for key in ("requests", "limits")]
        new = [read(wanted.get(key)).get(name) for key in ("requests", "limits")]
        if old != new and policies.get(name) == "RestartContainer":
            return True
    return False


def _saying(pod: Mapping[str, Any], kind: str, reason: str, prefix: str, error: str = "") -> Saying:
    summary: JSONObject = {}
    for field_name in ("initContainers", "containers"):
        listed = [
            {"name": each["name"], "resources": each.get("resources") or {}}
            for each in pod["spec"].get(field_name) or ()
        ]
        if listed:
            summary[field_name] = listed
    summary["generation"] = pod["metadata"].get("generation", 0)
    if error:
        summary["error"] = error
    return Saying(kind, reason, f"{prefix}: {go_json(summary)}")
