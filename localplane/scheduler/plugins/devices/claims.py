"""A pod's claims, and what they have against a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.node_selection import NodeSelector
from localplane.controllers.ownership import is_controlled_by
from localplane.scheduler.diagnosis import Rejection, SchedulerError, Unschedulable
from localplane.scheduler.plugins import names
from localplane.scheduler.plugins.check import UnmovedCheck
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from .allocation import Allocator, ClaimWishes, Wish
from .inventory import inventory

if TYPE_CHECKING:
    from .reservations import Devices

_ELSEWHERE: Final = Rejection(names.DYNAMIC_RESOURCES, ("resourceclaim not available on the node",), final=True)
_NO_DEVICES: Final = Rejection(names.DYNAMIC_RESOURCES, ("cannot allocate all claims",), final=True)
_NOT_CREATED: Final = "ResourceClaim not created yet"


class ClaimProblem(Exception):
    """A claim of a pod is not as it must be."""


def claims_of(pod: PodInfo, devices: Devices) -> list[JSONObject]:
    """Raises ClaimProblem."""
    claims = []
    for wanted in pod.spec.get("resourceClaims") or ():
        name = _claim_name(pod, wanted)
        if name is None:
            continue
        claim = devices.claim(pod.namespace, name)
        if claim is None:
            raise ClaimProblem(f'resourceclaim.resource.k8s.io "{name}" not found')
        if "deletionTimestamp" in claim["metadata"]:
            raise ClaimProblem(f'resourceclaim "{name}" is being deleted')
        if "resourceClaimTemplateName" in wanted and not is_controlled_by(claim, pod.pod):
            place = f"{pod.namespace}/{name}"
            raise ClaimProblem(f"ResourceClaim {place} was not created for Pod {pod.key} (Pod is not owner)")
        claims.append(claim)
    return claims


def _claim_name(pod: PodInfo, wanted: Mapping[str, Any]) -> str | None:
    """None if none is needed. Raises ClaimProblem if it was not made yet."""
    if name := wanted.get("resourceClaimName"):
        return str(name)
    for status in (pod.pod.get("status") or {}).get("resourceClaimStatuses") or ():
        if status.get("name") == wanted.get("name"):
            found: str | None = status.get("resourceClaimName")
            return found
    raise ClaimProblem(f'pod "{pod.key}": {_NOT_CREATED}')


def allocation_of(claim: Mapping[str, Any]) -> JSONObject | None:
    allocation: JSONObject | None = (claim.get("status") or {}).get("allocation")
    return allocation


def prepare(pod: PodInfo, devices: Devices) -> DeviceCheck | None:
    """Raises Unschedulable and SchedulerError."""
    try:
        claims = claims_of(pod, devices)
    except ClaimProblem as problem:
        raise _refused(str(problem)) from problem
    if not claims:
        return None
    wishes = []
    for claim in claims:
        if allocation_of(claim) is None:
            metadata = claim["metadata"]
            if devices.is_promised(metadata["uid"]):
                place = f"{metadata['namespace']}/{metadata['name']}"
                raise _refused(f"resource claim {place} is in the process of being allocated")
            wishes.append(_wishes(claim, devices))
    return DeviceCheck(claims, wishes, devices)


def _wishes(claim: JSONObject, devices: Devices) -> ClaimWishes:
    requests: list[list[Wish]] = []
    place = f"{claim['metadata']['namespace']}/{claim['metadata']['name']}"
    for request in (claim["spec"].get("devices") or {}).get("requests") or ():
        name = request["name"]
        if "exactly" in request:
            requests.append([_wish(name, place, request["exactly"], devices)])
        elif request.get("firstAvailable"):
            choices = request["firstAvailable"]
            requests.append([_wish(f"{name}/{choice['name']}", place, choice, devices) for choice in choices])
        else:
            raise _refused(f"resource claim {place}, request {name}: unknown request type")
    return ClaimWishes(claim, requests)


def _wish(name: str, claim: str, body: Mapping[str, Any], devices: Devices) -> Wish:
    class_name = body.get("deviceClassName", "")
    if not class_name:
        raise SchedulerError(f"request {name}: unsupported request type")
    found = devices.device_class(class_name)
    if found is None:
        raise _refused(f"request {name}: device class {class_name} does not exist")
    count = None if body.get("allocationMode") == "All" else int(body.get("count") or 1)
    return Wish(name, claim, body, found, count)


def _refused(reason: str) -> Unschedulable:
    return Unschedulable(Rejection(names.DYNAMIC_RESOURCES, (reason,), final=True))


class DeviceCheck(UnmovedCheck):
    """`found` are the allocations on each node that will do, one for each of the claims in `wishes`."""

    def __init__(self, claims: Sequence[JSONObject], wishes: Sequence[ClaimWishes], devices: Devices) -> None:
        self.claims = claims
        self.wishes = wishes
        self.found: dict[str, list[JSONObject]] = {}
        allocations = [allocation for claim in claims if (allocation := allocation_of(claim)) is not None]
        selectors = [allocation["nodeSelector"] for allocation in allocations if allocation.get("nodeSelector")]
        self._selectors = [NodeSelector(selector) for selector in selectors]
        self._slices = devices.slices() if wishes else []
        self._taken = devices.taken() if wishes else set()

    def rejection(self, node: NodeInfo) -> Rejection | None:
        """Raises SchedulerError for a selector that fails."""
        if node.node is None or any(not selector.matches(node.node) for selector in self._selectors):
            return _ELSEWHERE
        if self.wishes:
            allocations = Allocator(inventory(self._slices, node), self._taken, self.wishes).allocate()
            if allocations is None:
                return _NO_DEVICES
            self.found[node.name] = allocations
        return None
