"""How many volumes of a CSI driver a node takes, and whether it has the driver at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from localplane.scheduler.diagnosis import Rejection
from localplane.scheduler.plugins import names
from localplane.scheduler.plugins.check import UnmovedCheck
from localplane.scheduler.sources import ATTACHMENTS, CSI_DRIVERS, CSI_NODES
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from .views import VolumeViews, claim_name, class_of

_TOO_MANY: Final = Rejection(names.NODE_VOLUME_LIMITS, ("node(s) exceed max volume count",))
_UNNAMED: Final = "\N{NO-BREAK SPACE}"
"""Begins the handle of a volume that is not there yet, so that it is like no other."""


def prepare(pod: PodInfo, views: VolumeViews) -> LimitCheck | None:
    wanted = _volumes(pod, views)
    return LimitCheck(wanted, views) if wanted else None


def _volumes(pod: PodInfo, views: VolumeViews) -> dict[str, str]:
    """Drivers by the handles of a pod's volumes. Claims that are missing are somebody else's business."""
    found = {}
    for volume in pod.spec.get("volumes") or ():
        name = claim_name(pod, volume)
        claim = views.seen_claim(pod.namespace, name) if name else None
        if claim is not None and (driver := _driver(claim, views)) is not None:
            found[f"{driver[0]}/{driver[1]}"] = driver[0]
    return found


def _driver(claim: Mapping[str, Any], views: VolumeViews) -> tuple[str, str] | None:
    """Name of the driver and handle of the volume, if it is one of a CSI driver."""
    name = claim["spec"].get("volumeName")
    volume = views.seen_volume(name) if name else None
    if volume is not None:
        source = volume["spec"].get("csi")
        return (source["driver"], source["volumeHandle"]) if source else None
    found = views.storage_class(class_of(claim)) if class_of(claim) else None
    if found is None:
        return None
    metadata = claim["metadata"]
    return found["provisioner"], f"{_UNNAMED}{metadata['namespace']}/{metadata['name']}"


class LimitCheck(UnmovedCheck):
    """What is on the node is looked up when it is asked, so it needs no telling of pods that come and go."""

    def __init__(self, wanted: Mapping[str, str], views: VolumeViews) -> None:
        self._wanted = wanted
        self._views = views

    def rejection(self, node: NodeInfo) -> Rejection | None:
        csi_node = self._views.sources.lister(CSI_NODES).get(node.name)
        drivers = (csi_node or {}).get("spec", {}).get("drivers") or ()
        if missing := self._missing_driver({each["name"] for each in drivers}):
            return Rejection(names.NODE_VOLUME_LIMITS, (f"{missing} CSI driver is not installed on the node",))
        limits = {
            each["name"]: each["allocatable"]["count"]
            for each in drivers
            if (each.get("allocatable") or {}).get("count") is not None
        }
        return _TOO_MANY if limits and self._exceeds(limits, node) else None

    def _missing_driver(self, installed: set[str]) -> str:
        for name in sorted(set(self._wanted.values()) - installed):
            driver = self._views.sources.lister(CSI_DRIVERS).get(name)
            if driver is not None and driver["spec"].get("preventPodSchedulingIfMissing"):
                return name
        return ""

    def _exceeds(self, limits: Mapping[str, int], node: NodeInfo) -> bool:
        attached: dict[str, str] = {}
        for pod in node.pods.values():
            if pod.has_claims:
                attached |= _volumes(pod, self._views)
        counts = Counter(attached.values())
        counts.update(driver for handle, driver in self._attachments(node.name) if handle not in attached)
        new = Counter(driver for handle, driver in self._wanted.items() if handle not in attached)
        return any(driver in limits and counts[driver] + more > limits[driver] for driver, more in new.items())

    def _attachments(self, node_name: str) -> Iterable[tuple[str, str]]:
        for attachment in self._views.sources.lister(ATTACHMENTS).list():
            spec = attachment["spec"]
            name = (spec.get("source") or {}).get("persistentVolumeName")
            if spec.get("nodeName") != node_name or not spec.get("attacher") or not name:
                continue
            source = ((self._views.seen_volume(name) or {}).get("spec") or {}).get("csi")
            if source:
                yield f"{spec['attacher']}/{source['volumeHandle']}", spec["attacher"]
