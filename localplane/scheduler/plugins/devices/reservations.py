"""Devices that we have promised to claims, and telling the server whose they are.

Kubernetes: dynamicresources.go, Reserve and bindClaim.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from localplane.apimachinery.errors import APIError, Conflict
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.client import Client, ClientError
from localplane.scheduler.diagnosis import SchedulerError
from localplane.scheduler.sources import DEVICE_CLASSES, RESOURCE_CLAIMS, RESOURCE_SLICES, Sources
from localplane.scheduler.state.pod_info import PodInfo

from .claims import ClaimProblem, DeviceCheck, allocation_of, claims_of
from .inventory import DeviceName, devices_of

_FINALIZER: Final = "resource.kubernetes.io/delete-protection"
_TRIES: Final = 5


class Devices:
    """What is promised counts until the informer shows that the claim has its devices, or is gone."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._promised: dict[str, JSONObject] = {}

    def claim(self, namespace: str, name: str) -> JSONObject | None:
        return self._sources.lister(RESOURCE_CLAIMS).namespaced(namespace).get(name)

    def device_class(self, name: str) -> JSONObject | None:
        return self._sources.lister(DEVICE_CLASSES).get(name)

    def slices(self) -> list[JSONObject]:
        return self._sources.lister(RESOURCE_SLICES).list()

    def taken(self) -> set[DeviceName]:
        """By claims that have them, and by those that will."""
        taken: set[DeviceName] = set()
        seen = set()
        for claim in self._sources.lister(RESOURCE_CLAIMS).list():
            seen.add(claim["metadata"]["uid"])
            if (allocation := allocation_of(claim)) is not None:
                self._promised.pop(claim["metadata"]["uid"], None)
                taken |= devices_of(allocation)
        for uid in [uid for uid in self._promised if uid not in seen]:
            del self._promised[uid]
        for allocation in self._promised.values():
            taken |= devices_of(allocation)
        return taken

    def is_promised(self, uid: str) -> bool:
        return uid in self._promised

    def promise(self, uid: str, allocation: JSONObject) -> None:
        self._promised[uid] = allocation

    def withdraw(self, uid: str) -> None:
        self._promised.pop(uid, None)

    def gate(self, pod: PodInfo) -> bool:
        """Whether a pod may be tried: all of its claims are there."""
        try:
            claims_of(pod, self)
        except ClaimProblem:
            return False
        return True


class DeviceReservation:
    """Of one pod on one node."""

    def __init__(self, devices: Devices, node_name: str, check: DeviceCheck) -> None:
        self._devices = devices
        self._claims = list(check.claims)
        allocations = check.found.get(node_name, [])
        self._allocations = {
            wishes.claim["metadata"]["uid"]: allocation
            for wishes, allocation in zip(check.wishes, allocations, strict=True)
        }
        for uid, allocation in self._allocations.items():
            devices.promise(uid, allocation)

    def revert(self) -> None:
        for uid in self._allocations:
            self._devices.withdraw(uid)

    async def carry_out(self, client: Client, pod: PodInfo) -> None:
        """Raises SchedulerError."""
        try:
            for claim in self._claims:
                await self._reserve(client, pod, claim)
        except (APIError, ClientError) as error:
            raise SchedulerError(f'running PreBind plugin "DynamicResources": {error}') from error

    async def _reserve(self, client: Client, pod: PodInfo, claim: JSONObject) -> None:
        metadata = claim["metadata"]
        claims = client.resource(RESOURCE_CLAIMS, metadata["namespace"])
        current, allocation = deepcopy(claim), self._allocations.get(metadata["uid"])
        for number in range(_TRIES):
            if _is_reserved(current, pod) and allocation is None:
                return
            try:
                if allocation is not None and _FINALIZER not in (current["metadata"].get("finalizers") or ()):
                    current["metadata"].setdefault("finalizers", []).append(_FINALIZER)
                    current = await claims.update(current)
                await claims.update(_reserved(current, pod, allocation), subresource="status")
            except Conflict:
                if number == _TRIES - 1:
                    raise
                current = await claims.get(metadata["name"])
                self._require_unchanged(claim, current)
            else:
                return

    def _require_unchanged(self, claim: JSONObject, current: JSONObject) -> None:
        metadata = claim["metadata"]
        place = f"{metadata['namespace']}/{metadata['name']}"
        if "deletionTimestamp" in current["metadata"] or current["metadata"]["uid"] != metadata["uid"]:
            raise SchedulerError(f"claim {place} got deleted in the meantime")
        if metadata["uid"] in self._allocations and allocation_of(current) is not None:
            raise SchedulerError(f"claim {place} got allocated elsewhere in the meantime")


def _is_reserved(claim: JSONObject, pod: PodInfo) -> bool:
    users = (claim.get("status") or {}).get("reservedFor") or ()
    return any(each.get("uid") == pod.uid for each in users)


def _reserved(claim: JSONObject, pod: PodInfo, allocation: JSONObject | None) -> JSONObject:
    changed = deepcopy(claim)
    status = changed.setdefault("status", {})
    if allocation is not None:
        status["allocation"] = deepcopy(allocation)
    status["allocation"].setdefault("allocationTimestamp", now())
    if not _is_reserved(changed, pod):
        status.setdefault("reservedFor", []).append({"resource": "pods", "name": pod.name, "uid": pod.uid})
    return changed
