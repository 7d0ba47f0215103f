"""Disks that only one pod of a node may write to, and claims that only one pod may use at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

from localplane.scheduler.diagnosis import Rejection, Unschedulable
from localplane.scheduler.plugins import names
from localplane.scheduler.state.cluster import ClusterState
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from .views import VolumeViews

_DISK_IN_USE: Final = Rejection(names.VOLUME_RESTRICTIONS, ("node(s) had no available disk",))
_IN_USE: Final = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
_CLAIM_IN_USE: Final = Rejection(
    names.VOLUME_RESTRICTIONS,
    (_IN_USE,),
)
_DISKS: Final = ("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd")


def prepare(pod: PodInfo, cluster: ClusterState, views: VolumeViews) -> RestrictionCheck | None:
    """Raises Unschedulable if a claim is missing."""
    exclusive = set()
    for name in pod.claims:
        claim = views.seen_claim(pod.namespace, name)
        if claim is None:
            missing = f'persistentvolumeclaim "{name}" not found'
            raise Unschedulable(Rejection(names.VOLUME_RESTRICTIONS, (missing,), final=True))
        if "ReadWriteOncePod" in (claim["spec"].get("accessModes") or ()):
            exclusive.add(name)
    in_use = sum(cluster.claims_in_use[f"{pod.namespace}/{name}"] > 0 for name in exclusive)
    disks = [volume for volume in pod.spec.get("volumes") or () if any(kind in volume for kind in _DISKS)]
    if not disks and not in_use:
        return None
    return RestrictionCheck(pod, disks, frozenset(exclusive), in_use)


class RestrictionCheck:
    def __init__(self, pod: PodInfo, disks: list[Mapping[str, Any]], exclusive: frozenset[str], in_use: int) -> None:
        self._pod = pod
        self._disks = disks
        self._exclusive = exclusive
        self._in_use = in_use

    def rejection(self, node: NodeInfo) -> Rejection | None:
        for disk in self._disks:
            if any(_conflict(disk, other) for pod in node.pods.values() for other in pod.spec.get("volumes") or ()):
                return _DISK_IN_USE
        return _CLAIM_IN_USE if self._in_use > 0 else None

    def add(self, pod: PodInfo, node: NodeInfo) -> None:  # noqa: ARG002 - it does not matter on which
        self._in_use += self._uses(pod)

    def remove(self, pod: PodInfo, node: NodeInfo) -> None:  # noqa: ARG002
        self._in_use -= self._uses(pod)

    def _uses(self, pod: PodInfo) -> int:
        if pod.namespace != self._pod.namespace:
            return 0
        return sum(claim in self._exclusive for claim in pod.claims)

    def copy(self) -> Self:
        return type(self)(self._pod, self._disks, self._exclusive, self._in_use)


def _conflict(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    for kind in _DISKS:
        disk, used = one.get(kind), other.get(kind)
        if disk is None or used is None:
            continue
        if kind == "awsElasticBlockStore":
            if disk.get("volumeID") == used.get("volumeID"):
                return True
        elif _is_same(kind, disk, used) and not (disk.get("readOnly") and used.get("readOnly")):
            return True
    return False


def _is_same(kind: str, disk: Mapping[str, Any], used: Mapping[str, Any]) -> bool:
    if kind == "gcePersistentDisk":
        return bool(disk.get("pdName") == used.get("pdName"))
    if kind == "iscsi":
        return bool(disk.get("iqn") == used.get("iqn"))
    shared = set(disk.get("monitors") or ()) & set(used.get("monitors") or ())
    return bool(shared) and disk.get("pool") == used.get("pool") and disk.get("image") == used.get("image")
