"""Nodes where every claim of a pod has its volume in reach, or can get one there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import ZERO, InvalidQuantity, Quantity, parse
from localplane.apimachinery.selectors.labels import InvalidSelector, selector_of
from localplane.controllers.node_selection import NodeSelector, labels_of
from localplane.controllers.ownership import is_controlled_by
from localplane.scheduler.diagnosis import Rejection, SchedulerError, Unschedulable
from localplane.scheduler.plugins import names
from localplane.scheduler.plugins.check import UnmovedCheck
from localplane.scheduler.plugins.topology_spread import round_half_up
from localplane.scheduler.sources import CSI_CAPACITIES, CSI_DRIVERS
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from .views import (
    SELECTED_NODE,
    VolumeViews,
    annotations_of,
    claim_name,
    class_of,
    is_bound,
    node_selector_of,
    reaches,
)

_NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
_UNREACHABLE: Final = "node(s) didn't match PersistentVolume's node affinity"
_NONE_FREE: Final = "node(s) didn't find available persistent volumes to bind"
_TOO_SMALL: Final = "node(s) did not have enough free storage"
_VOLUME_GONE: Final = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


@dataclass(frozen=True, slots=True)
class VolumeMatch:
    """A volume that is there and free, for a claim."""

    volume: JSONObject
    claim: JSONObject


@dataclass(frozen=True, slots=True)
class Provision:
    """A claim for which a volume has to be made. `capacity` is what the driver says to have near the node."""

    claim: JSONObject
    capacity: JSONObject | None = None


@dataclass(slots=True)
class PodVolumes:
    """What has to be done if the pod goes to a certain node."""

    matches: list[VolumeMatch] = field(default_factory=list)
    provisions: list[Provision] = field(default_factory=list)


def prepare(pod: PodInfo, views: VolumeViews) -> VolumeCheck:
    """For a pod with claims. Raises Unschedulable and SchedulerError."""
    bound, waiting, immediate = [], [], False
    for volume in pod.spec.get("volumes") or ():
        name = claim_name(pod, volume)
        if not name:
            continue
        _require(pod, name, views, ephemeral="ephemeral" in volume)
        claim = views.claim(pod.namespace, name)
        if claim is None:
            raise SchedulerError(f'error getting PVC "{pod.namespace}/{name}": not found')
        if is_bound(claim):
            bound.append(claim)
        elif not claim["spec"].get("volumeName") and views.waits_for_consumer(claim):
            waiting.append(claim)
        else:
            immediate = True
    if immediate:
        raise _refused("pod has unbound immediate PersistentVolumeClaims")
    return VolumeCheck(views, bound, waiting)


def _require(pod: PodInfo, name: str, views: VolumeViews, *, ephemeral: bool) -> None:
    claim = views.seen_claim(pod.namespace, name)
    if claim is None:
        if ephemeral:
            raise _refused(f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"')
        raise _refused(f'persistentvolumeclaim "{name}" not found')
    if (claim.get("status") or {}).get("phase") == "Lost":
        volume = claim["spec"].get("volumeName", "")
        raise _refused(f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume}"')
    if "deletionTimestamp" in claim["metadata"]:
        raise _refused(f'persistentvolumeclaim "{name}" is being deleted')
    if ephemeral and not is_controlled_by(claim, pod.pod):
        place = f"{pod.namespace}/{name}"
        raise _refused(f"PVC {place} was not created for pod {pod.key} (pod is not owner)")


def _refused(reason: str) -> Unschedulable:
    return Unschedulable(Rejection(names.VOLUME_BINDING, (reason,), final=True))


class VolumeCheck(UnmovedCheck):
    """`found` is what would have to be done on each node that will do. Selectors are parsed once for all nodes."""

    def __init__(self, views: VolumeViews, bound: Sequence[JSONObject], waiting: Sequence[JSONObject]) -> None:
        self._views = views
        self._bound = [(claim, views.volume(claim["spec"]["volumeName"])) for claim in bound]
        self._waiting = sorted(waiting, key=_requested)
        self._free = {name: views.volumes_of_class(name) for name in {class_of(claim) for claim in waiting}}
        self._selectors: dict[str, NodeSelector | None] = {}
        self.found: dict[str, PodVolumes] = {}

    def rejection(self, node: NodeInfo) -> Rejection | None:
        reasons = []
        for _, volume in self._bound:
            if volume is None or not self._reaches(volume, node):
                reasons.append(_VOLUME_GONE if volume is None else _UNREACHABLE)
                break
        volumes = PodVolumes()
        if reason := self._supply(node, volumes):
            reasons.insert(1 if reasons[:1] == [_UNREACHABLE] else 0, reason)
        if reasons:
            return Rejection(names.VOLUME_BINDING, tuple(reasons), final=True)
        self.found[node.name] = volumes
        return None

    def _reaches(self, volume: Mapping[str, Any], node: NodeInfo) -> bool:
        name = volume["metadata"]["name"]
        if name not in self._selectors:
            self._selectors[name] = node_selector_of(volume)
        return reaches(self._selectors[name], node.labels)

    def _supply(self, node: NodeInfo, volumes: PodVolumes) -> str:
        """A volume for every claim that has none; the reason if it can't be."""
        missing = []
        for claim in self._waiting:
            chosen = annotations_of(claim).get(SELECTED_NODE)
            if chosen is not None and chosen != node.name:
                return _NONE_FREE
            match = self._match(claim, node, volumes) if chosen is None else None
            if match is not None:
                volumes.matches.append(VolumeMatch(match, claim))
            else:
                missing.append(claim)
        for claim in missing:
            if reason := self._provide(claim, node, volumes):
                return reason
        return ""

    def _match(self, claim: JSONObject, node: NodeInfo, volumes: PodVolumes) -> JSONObject | None:
        """The smallest that is large enough. Kubernetes: FindMatchingVolume."""
        taken = {match.volume["metadata"]["name"] for match in volumes.matches}
        best: JSONObject | None = None
        for volume in self._free[class_of(claim)]:
            if volume["metadata"]["name"] in taken or not _may_hold(volume, claim):
                continue
            near = self._reaches(volume, node)
            if _is_reserved_for(volume, claim):
                return volume if near else None
            if near and _is_available(volume, claim) and (best is None or _capacity(best) > _capacity(volume)):
                best = volume
        return best

    def _provide(self, claim: JSONObject, node: NodeInfo, volumes: PodVolumes) -> str:
        """Kubernetes: checkVolumeProvisions and hasEnoughCapacity."""
        name = class_of(claim)
        found = self._views.storage_class(name)
        if found is None:
            raise SchedulerError(f'failed to find storage class "{name}"')
        provisioner = found.get("provisioner", "")
        if provisioner in ("", _NO_PROVISIONER) or not _is_allowed(found, node):
            return _NONE_FREE
        capacity = None
        driver = self._views.sources.lister(CSI_DRIVERS).get(provisioner)
        if driver is not None and driver["spec"].get("storageCapacity"):
            capacity = self._capacity_near(node, name, _requested(claim))
            if capacity is None:
                return _TOO_SMALL
        volumes.provisions.append(Provision(claim, capacity))
        return ""

    def _capacity_near(self, node: NodeInfo, name: str, size: Quantity) -> JSONObject | None:
        for capacity in self._views.sources.lister(CSI_CAPACITIES).list():
            limit = capacity.get("maximumVolumeSize") or capacity.get("capacity")
            if capacity.get("storageClassName") != name or limit is None or _quantity(limit) < size:
                continue
            selector = selector_of(capacity.get("nodeTopology"))
            if selector is not None and selector.matches(node.labels):
                return capacity
        return None

    def scores(self, nodes: Sequence[NodeInfo]) -> list[int]:
        """From 0 to 100: how little of what is there would be used. Kubernetes: volumebinding/scorer.go."""
        return [_score(self.found.get(node.name)) for node in nodes]


def _score(volumes: PodVolumes | None) -> int:
    if volumes is None:
        return 0
    used: dict[str, int] = {}
    size: dict[str, int] = {}
    for match in volumes.matches:
        name = class_of(match.volume)
        used[name] = used.get(name, 0) + _requested(match.claim).value()
        size[name] = size.get(name, 0) + _capacity(match.volume).value()
    if not volumes.matches:
        for provision in volumes.provisions:
            if provision.capacity is not None:
                name = class_of(provision.claim)
                used[name] = used.get(name, 0) + _requested(provision.claim).value()
                size[name] = _quantity(provision.capacity.get("capacity")).value()
    if not used:
        return 0
    free = [0 if not size[name] or used[name] > size[name] else 100 - used[name] * 100 // size[name] for name in used]
    return round_half_up(sum(free) / len(free))


def _quantity(text: Any) -> Quantity:
    try:
        return parse(str(text))
    except InvalidQuantity:
        return ZERO


def _requested(claim: Mapping[str, Any]) -> Quantity:
    return _quantity(((claim["spec"].get("resources") or {}).get("requests") or {}).get("storage", "0"))


def _capacity(volume: Mapping[str, Any]) -> Quantity:
    return _quantity((volume["spec"].get("capacity") or {}).get("storage", "0"))


def _is_reserved_for(volume: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    reference, metadata = volume["spec"].get("claimRef"), claim["metadata"]
    if reference is None:
        return False
    same = reference.get("name") == metadata["name"] and reference.get("namespace") == metadata["namespace"]
    return same and reference.get("uid") in (None, "", metadata["uid"])


def _may_hold(volume: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    """Whether it is nobody else's, large enough and of the right sort."""
    theirs, ours = volume["spec"], claim["spec"]
    return (
        ("claimRef" not in theirs or _is_reserved_for(volume, claim))
        and _capacity(volume) >= _requested(claim)
        and (theirs.get("volumeMode") or "Filesystem") == (ours.get("volumeMode") or "Filesystem")
        and (theirs.get("volumeAttributesClassName") or "") == (ours.get("volumeAttributesClassName") or "")
        and "deletionTimestamp" not in volume["metadata"]
    )


def _is_available(volume: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    if (volume.get("status") or {}).get("phase") != "Available":
        return False
    if wanted := claim["spec"].get("selector"):
        try:
            selector = selector_of(wanted)
        except InvalidSelector as error:
            raise SchedulerError(f"error creating internal label selector for claim: {error}") from error
        if selector is None or not selector.matches(labels_of(volume)):
            return False
    modes = volume["spec"].get("accessModes") or ()
    return all(mode in modes for mode in claim["spec"].get("accessModes") or ())


def _is_allowed(found: Mapping[str, Any], node: NodeInfo) -> bool:
    """Whether a class makes volumes near a node."""
    terms = found.get("allowedTopologies") or ()
    return not terms or any(
        expressions and all(node.labels.get(each["key"]) in (each.get("values") or ()) for each in expressions)
        for term in terms
        if (expressions := term.get("matchLabelExpressions") or ())
    )
