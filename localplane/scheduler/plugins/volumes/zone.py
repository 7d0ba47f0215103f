"""Volumes that are in one zone or region, and nodes in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.controllers.node_selection import labels_of
from localplane.scheduler.diagnosis import Rejection, Unschedulable
from localplane.scheduler.plugins import names
from localplane.scheduler.plugins.check import UnmovedCheck
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from .views import VolumeViews, class_of

_ELSEWHERE: Final = Rejection(names.VOLUME_ZONE, ("node(s) had no available volume zone",), final=True)
_LABELS: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
}
"""With the name that each has today."""


@dataclass(frozen=True, slots=True)
class _Location:
    label: str
    values: frozenset[str]


def prepare(pod: PodInfo, views: VolumeViews) -> ZoneCheck | None:
    """Raises Unschedulable."""
    locations: list[_Location] = []
    for name in pod.claims:
        claim = views.seen_claim(pod.namespace, name)
        if claim is None:
            raise _refused(f'persistentvolumeclaim "{name}" not found')
        volume = _volume(claim, views)
        if volume is not None:
            locations += _locations(volume)
    return ZoneCheck(locations) if locations else None


def _volume(claim: Mapping[str, Any], views: VolumeViews) -> Mapping[str, Any] | None:
    """None for a claim whose volume will be wherever the pod is."""
    name = claim["spec"].get("volumeName")
    if name:
        volume = views.seen_volume(name)
        if volume is None:
            raise _refused(f'persistentvolume "{name}" not found')
        return volume
    wanted = class_of(claim)
    if not wanted:
        raise _refused("PersistentVolumeClaim had no pv name and storageClass name")
    found = views.storage_class(wanted)
    if found is None:
        raise _refused(f'storageclass.storage.k8s.io "{wanted}" not found')
    if found.get("volumeBindingMode") is None:
        raise _refused(f'VolumeBindingMode not set for StorageClass "{wanted}"')
    if found["volumeBindingMode"] == "WaitForFirstConsumer":
        return None
    raise _refused("PersistentVolume had no name")


def _refused(reason: str) -> Unschedulable:
    return Unschedulable(Rejection(names.VOLUME_ZONE, (reason,), final=True))


def _locations(volume: Mapping[str, Any]) -> list[_Location]:
    labels = labels_of(volume)
    return [_Location(label, frozenset(labels[label].split("__"))) for label in _LABELS if label in labels]


class ZoneCheck(UnmovedCheck):
    def __init__(self, locations: list[_Location]) -> None:
        self._locations = locations

    def rejection(self, node: NodeInfo) -> Rejection | None:
        """A node that does not say where it is is near to everything."""
        labels = node.labels
        if not any(label in labels for label in _LABELS):
            return None
        for location in self._locations:
            value = labels.get(location.label, labels.get(_LABELS[location.label]))
            if value is None or value not in location.values:
                return _ELSEWHERE
        return None
