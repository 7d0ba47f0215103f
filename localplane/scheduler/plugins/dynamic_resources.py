"""Devices that a pod claims: whether its claims are there, and on which nodes their devices can be used.

Kubernetes: pkg/scheduler/framework/plugins/dynamicresources.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.controllers.node_selection import NodeSelector
from localplane.controllers.ownership import is_controlled_by
from localplane.scheduler.diagnosis import Rejection, SchedulerError, Unschedulable
from localplane.scheduler.sources import DEVICE_CLASSES, RESOURCE_CLAIMS, Sources
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from . import names
from .check import UnmovedCheck

Object = dict[str, Any]
_ELSEWHERE: Final = Rejection(names.DYNAMIC_RESOURCES, ("resourceclaim not available on the node",), final=True)
_NO_DEVICES: Final = Rejection(names.DYNAMIC_RESOURCES, ("cannot allocate all claims",), final=True)
_NOT_CREATED: Final = "ResourceClaim not created yet"


class ClaimProblem(Exception):
    """A claim of a pod is not as it must be."""


class Devices:
    """Claims of pods, looked up."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def claims(self, pod: PodInfo) -> list[Object]:
        """Raises ClaimProblem."""
        lister = self._sources.lister(RESOURCE_CLAIMS).namespaced(pod.namespace)
        claims = []
        for wanted in pod.spec.get("resourceClaims") or ():
            name = _claim_name(pod, wanted)
            if name is None:
                continue
            claim = lister.get(name)
            if claim is None:
                raise ClaimProblem(f'resourceclaim.resource.k8s.io "{name}" not found')
            if "deletionTimestamp" in claim["metadata"]:
                raise ClaimProblem(f'resourceclaim "{name}" is being deleted')
            if "resourceClaimTemplateName" in wanted and not is_controlled_by(claim, pod.pod):
                place = f"{pod.namespace}/{name}"
                raise ClaimProblem(f"ResourceClaim {place} was not created for Pod {pod.key} (Pod is not owner)")
            claims.append(claim)
        return claims

    def gate(self, pod: PodInfo) -> bool:
        """Whether a pod may be tried: all of its claims are there. Before the first list is here nobody knows."""
        if not pod.spec.get("resourceClaims") or not self._sources.informer(RESOURCE_CLAIMS).has_synced:
            return True
        try:
            self.claims(pod)
        except ClaimProblem:
            return False
        return True

    def require_class(self, name: str, request: str) -> None:
        """Raises Unschedulable."""
        if not name:
            raise SchedulerError(f"request {request}: unsupported request type")
        if self._sources.lister(DEVICE_CLASSES).get(name) is None:
            raise _refused(f"request {request}: device class {name} does not exist")


def _claim_name(pod: PodInfo, wanted: Mapping[str, Any]) -> str | None:
    """None if none is needed. Raises ClaimProblem if it was not made yet."""
    if name := wanted.get("resourceClaimName"):
        return str(name)
    for status in (pod.pod.get("status") or {}).get("resourceClaimStatuses") or ():
        if status.get("name") == wanted.get("name"):
            found: str | None = status.get("resourceClaimName")
            return found
    raise ClaimProblem(f'pod "{pod.key}": {_NOT_CREATED}')


def prepare(pod: PodInfo, devices: Devices) -> DeviceCheck | None:
    """Raises Unschedulable."""
    try:
        claims = devices.claims(pod)
    except ClaimProblem as problem:
        raise _refused(str(problem)) from problem
    for claim in claims:
        if (claim.get("status") or {}).get("allocation") is None:
            _require_classes(claim, devices)
    return DeviceCheck(claims) if claims else None


def _require_classes(claim: Mapping[str, Any], devices: Devices) -> None:
    for request in (claim["spec"].get("devices") or {}).get("requests") or ():
        if "exactly" in request:
            devices.require_class(request["exactly"].get("deviceClassName", ""), request["name"])
        elif request.get("firstAvailable"):
            for choice in request["firstAvailable"]:
                devices.require_class(choice.get("deviceClassName", ""), f"{request['name']}/{choice['name']}")
        else:
            place = f"{claim['metadata']['namespace']}/{claim['metadata']['name']}"
            raise _refused(f"resource claim {place}, request {request['name']}: unknown request type")


def _refused(reason: str) -> Unschedulable:
    return Unschedulable(Rejection(names.DYNAMIC_RESOURCES, (reason,), final=True))


class DeviceCheck(UnmovedCheck):
    """Claims that have no devices yet get none from us: somebody else has to allocate them."""

    def __init__(self, claims: list[Object]) -> None:
        self.claims = claims
        allocations = [(claim.get("status") or {}).get("allocation") for claim in claims]
        self._selectors = [
            NodeSelector(allocation["nodeSelector"])
            for allocation in allocations
            if allocation is not None and allocation.get("nodeSelector")
        ]
        self._lacks_devices = any(allocation is None for allocation in allocations)

    def rejection(self, node: NodeInfo) -> Rejection | None:
        if node.node is None or any(not selector.matches(node.node) for selector in self._selectors):
            return _ELSEWHERE
        return _NO_DEVICES if self._lacks_devices else None
