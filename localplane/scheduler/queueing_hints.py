"""What happens in the cluster, and which pods that were rejected it may help.

Each plugin knows what could make it change its mind; everything else lets a pod sleep. Where Kubernetes compares more
closely than here, a pod is tried once more than there and rejected again. Kubernetes: EventsToRegister of the plugins,
and pkg/scheduler/framework/events.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource
from localplane.controllers.host_ports import TakenPorts
from localplane.controllers.node_selection import taints_of, untolerated_taint

from .plugins import names, node_resources
from .plugins.node_checks import tolerates_cordon
from .sources import (
    CLAIMS,
    CSI_CAPACITIES,
    CSI_DRIVERS,
    CSI_NODES,
    DEVICE_CLASSES,
    NODES,
    PODS,
    RESOURCE_CLAIMS,
    RESOURCE_SLICES,
    STORAGE_CLASSES,
    VOLUMES,
)
from .state.node_info import NodeInfo
from .state.pod_info import PodInfo

if TYPE_CHECKING:
    from .queue import QueuedPod

GATED: Final = "gated"
"""Among the rejectors of a pod that may not even be tried."""

ADDED: Final = "added"
DELETED: Final = "deleted"
UPDATED: Final = "updated"
LABELS: Final = "labels"
TAINTS: Final = "taints"
ALLOCATABLE: Final = "allocatable"
FEATURES: Final = "features"
SMALLER: Final = "smaller"
TOLERATIONS: Final = "tolerations"
GATES: Final = "gates"
CLAIM_STATUSES: Final = "claim statuses"


@dataclass(frozen=True, slots=True)
class Happening:
    """`change` is what about an object of `resource` is new. Pods that are on a node, or were, come as `pod` and
    `old_pod`; `itself` is set if it happened to the very pod that is asked."""

    resource: GroupVersionResource
    change: str
    old: Mapping[str, Any] | None = None
    new: Mapping[str, Any] | None = None
    pod: PodInfo | None = None
    old_pod: PodInfo | None = None
    itself: bool = False


def node_changes(old: JSONObject, new: JSONObject) -> list[Happening]:
    """Those that matter to anybody."""
    before, after = old.get("spec") or {}, new.get("spec") or {}
    changes = []
    if (before.get("unschedulable") and not after.get("unschedulable")) or before.get("taints") != after.get("taints"):
        changes.append(TAINTS)
    if (old.get("status") or {}).get("allocatable") != (new.get("status") or {}).get("allocatable"):
        changes.append(ALLOCATABLE)
    if old["metadata"].get("labels") != new["metadata"].get("labels"):
        changes.append(LABELS)
    if (old.get("status") or {}).get("declaredFeatures") != (new.get("status") or {}).get("declaredFeatures"):
        changes.append(FEATURES)
    return [Happening(NODES, change, old=old, new=new) for change in changes]


def pod_changes(old: PodInfo, new: PodInfo) -> list[str]:
    changes = []
    if old.labels != new.labels:
        changes.append(LABELS)
    held = new.request.held
    if any(amount > held.get(name, 0) for name, amount in old.request.held.items()):
        changes.append(SMALLER)
    if old.spec.get("schedulingGates") and not new.spec.get("schedulingGates"):
        changes.append(GATES)
    if len(old.tolerations) != len(new.tolerations):
        changes.append(TOLERATIONS)
    before, after = old.pod.get("status") or {}, new.pod.get("status") or {}
    if before.get("resourceClaimStatuses") != after.get("resourceClaimStatuses"):
        changes.append(CLAIM_STATUSES)
    return changes


_Test = Callable[[PodInfo, Happening], bool]


@dataclass(frozen=True, slots=True)
class Hint:
    """Which changes may help a pod; `test` looks at them more closely."""

    changes: frozenset[str]
    test: _Test


class Wakes:
    """Asked about one pod and one happening at a time, or first whether it could help anybody who was rejected so."""

    def of_target(self, old: PodInfo, new: PodInfo) -> list[Happening]:
        """What a change of a waiting pod means to that pod."""
        return [Happening(PODS, change, old_pod=old, pod=new, itself=True) for change in pod_changes(old, new)]

    def hints(self, rejectors: Iterable[str], happening: Happening) -> list[Hint]:
        found = [_HINTS.get((plugin, happening.resource)) for plugin in rejectors]
        return [hint for hint in found if hint is not None and happening.change in hint.changes]

    def wake(self, queued: QueuedPod, happening: Happening) -> bool:
        return any(hint.test(queued.info, happening) for hint in self.hints(queued.rejectors, happening))


def _always(_pod: PodInfo, _happening: Happening) -> bool:
    return True


def _on(*changes: str, test: _Test = _always) -> Hint:
    return Hint(frozenset(changes), test)


def _node(happening: Happening) -> NodeInfo:
    node = NodeInfo("")
    if happening.new is not None:
        node.set_node(dict(happening.new))
    return node


def _after_taints(pod: PodInfo, happening: Happening) -> bool:
    if happening.new is None:
        return False
    was = happening.old is None or untolerated_taint(taints_of(happening.old), pod.tolerations) is not None
    return was and untolerated_taint(taints_of(happening.new), pod.tolerations) is None


def _after_cordon(pod: PodInfo, happening: Happening) -> bool:
    if happening.itself:
        return tolerates_cordon(pod)
    if happening.new is None:
        return False
    was = happening.old is None or bool((happening.old.get("spec") or {}).get("unschedulable"))
    return was and not (happening.new.get("spec") or {}).get("unschedulable")


def _after_affinity(pod: PodInfo, happening: Happening) -> bool:
    if happening.new is None:
        return False
    wanted = pod.node_affinity
    if wanted is None or not wanted.matches(happening.new):
        return wanted is None
    return happening.old is None or not wanted.matches(happening.old)


def _after_ports(pod: PodInfo, happening: Happening) -> bool:
    if happening.pod is None:
        return False
    taken = TakenPorts()
    taken.add(happening.pod.ports)
    return taken.conflict(pod.ports)


def _after_room(pod: PodInfo, happening: Happening) -> bool:
    if happening.change == DELETED:
        return True
    if happening.itself:
        return True
    if happening.pod is None or happening.old_pod is None:
        return False
    before, after = happening.old_pod.request.held, happening.pod.request.held
    return any(amount and before.get(name, 0) > after.get(name, 0) for name, amount in pod.request.asked.items())


def _after_capacity(pod: PodInfo, happening: Happening) -> bool:
    new = _node(happening)
    if not node_resources.fits(pod.request.asked, new):
        return False
    if happening.old is None:
        return True
    old = NodeInfo("")
    old.set_node(dict(happening.old))
    return new.allowed_pods > old.allowed_pods or any(
        amount and new.allocatable.get(name, 0) > old.allocatable.get(name, 0)
        for name, amount in pod.request.asked.items()
    )


def _after_neighbour(pod: PodInfo, happening: Happening) -> bool:
    """A pod came, went or changed its labels. Terms about namespaces by their labels are not looked up here."""
    if happening.itself:
        return happening.change == LABELS
    other = happening.pod
    if other is None:
        return False
    ours, theirs = pod.affinity, other.affinity
    if happening.change == DELETED:
        about_us = any(
            term.namespace_selector is not None or term.matches(pod.namespace, pod.labels, {})
            for term in theirs.required_anti
        )
        return about_us or any(
            term.namespace_selector is not None or term.matches(other.namespace, other.labels, {})
            for term in ours.required_anti
        )
    return bool(ours.required) or (happening.change == LABELS and bool(ours.required_anti))


def _after_spread(pod: PodInfo, happening: Happening) -> bool:
    if happening.itself:
        return happening.change == LABELS
    other = happening.pod
    return other is not None and other.namespace == pod.namespace


def _after_own_claim(pod: PodInfo, happening: Happening) -> bool:
    claim = happening.new
    if claim is None or claim["metadata"].get("namespace") != pod.namespace:
        return False
    name = claim["metadata"]["name"]
    return name in pod.claims or any(
        "ephemeral" in volume and f"{pod.name}-{volume['name']}" == name for volume in pod.spec.get("volumes") or ()
    )


def _after_resource_claim(pod: PodInfo, happening: Happening) -> bool:
    claim = happening.new or happening.old
    return claim is not None and claim["metadata"].get("namespace") == pod.namespace


def _after_shared_claim(pod: PodInfo, happening: Happening) -> bool:
    other = happening.pod
    return other is not None and other.namespace == pod.namespace


def _itself(_pod: PodInfo, happening: Happening) -> bool:
    return happening.itself


_NEWS: Final = _on(ADDED, UPDATED)
_OWN_CLAIM: Final = _on(ADDED, UPDATED, test=_after_own_claim)

_HINTS: Final[dict[tuple[str, GroupVersionResource], Hint]] = {
    (names.NO_NODES, NODES): _on(ADDED),
    (names.SCHEDULING_GATES, PODS): _on(GATES, test=_itself),
    (names.NODE_NAME, NODES): _on(ADDED),
    (names.NODE_UNSCHEDULABLE, NODES): _on(ADDED, TAINTS, test=_after_cordon),
    (names.NODE_UNSCHEDULABLE, PODS): _on(TOLERATIONS, test=_after_cordon),
    (names.TAINT_TOLERATION, NODES): _on(ADDED, TAINTS, test=_after_taints),
    (names.TAINT_TOLERATION, PODS): _on(TOLERATIONS, test=_itself),
    (names.NODE_AFFINITY, NODES): _on(ADDED, LABELS, test=_after_affinity),
    (names.NODE_PORTS, NODES): _on(ADDED),
    (names.NODE_PORTS, PODS): _on(DELETED, test=_after_ports),
    (names.NODE_RESOURCES_FIT, NODES): _on(ADDED, ALLOCATABLE, test=_after_capacity),
    (names.NODE_RESOURCES_FIT, PODS): _on(DELETED, SMALLER, test=_after_room),
    (names.VOLUME_RESTRICTIONS, NODES): _on(ADDED),
    (names.VOLUME_RESTRICTIONS, PODS): _on(DELETED, test=_after_shared_claim),
    (names.VOLUME_RESTRICTIONS, CLAIMS): _OWN_CLAIM,
    (names.NODE_VOLUME_LIMITS, NODES): _on(ADDED),
    (names.NODE_VOLUME_LIMITS, PODS): _on(DELETED),
    (names.NODE_VOLUME_LIMITS, CSI_NODES): _NEWS,
    (names.NODE_VOLUME_LIMITS, CSI_DRIVERS): _NEWS,
    (names.NODE_VOLUME_LIMITS, CLAIMS): _OWN_CLAIM,
    (names.VOLUME_BINDING, NODES): _on(ADDED, LABELS),
    (names.VOLUME_BINDING, CLAIMS): _OWN_CLAIM,
    (names.VOLUME_BINDING, VOLUMES): _NEWS,
    (names.VOLUME_BINDING, STORAGE_CLASSES): _NEWS,
    (names.VOLUME_BINDING, CSI_NODES): _NEWS,
    (names.VOLUME_BINDING, CSI_DRIVERS): _NEWS,
    (names.VOLUME_BINDING, CSI_CAPACITIES): _NEWS,
    (names.VOLUME_ZONE, NODES): _on(ADDED, LABELS),
    (names.VOLUME_ZONE, CLAIMS): _OWN_CLAIM,
    (names.VOLUME_ZONE, VOLUMES): _NEWS,
    (names.VOLUME_ZONE, STORAGE_CLASSES): _on(ADDED),
    (names.POD_TOPOLOGY_SPREAD, NODES): _on(ADDED, DELETED, LABELS, TAINTS),
    (names.POD_TOPOLOGY_SPREAD, PODS): _on(ADDED, DELETED, LABELS, test=_after_spread),
    (names.INTER_POD_AFFINITY, NODES): _on(ADDED, LABELS),
    (names.INTER_POD_AFFINITY, PODS): _on(ADDED, DELETED, LABELS, test=_after_neighbour),
    (names.NODE_DECLARED_FEATURES, NODES): _on(ADDED, FEATURES),
    (names.DYNAMIC_RESOURCES, NODES): _on(ADDED, LABELS, TAINTS),
    (names.DYNAMIC_RESOURCES, PODS): _on(CLAIM_STATUSES, test=_itself),
    (names.DYNAMIC_RESOURCES, RESOURCE_CLAIMS): _on(ADDED, UPDATED, DELETED, test=_after_resource_claim),
    (names.DYNAMIC_RESOURCES, DEVICE_CLASSES): _NEWS,
    (names.DYNAMIC_RESOURCES, RESOURCE_SLICES): _NEWS,
}
