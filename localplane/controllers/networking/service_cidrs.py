"""Ranges for the addresses of services are ready when they are there, and go when no address is left without one.

Kubernetes: pkg/controller/servicecidrs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apimachinery.times import now, parse_time
from localplane.client import Client, GroupVersionResource, Lister, PatchType, WorkQueue
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.pods import condition
from localplane.controllers.worker import TryAfter, hearing, work

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

_RANGES: Final = GroupVersionResource("networking.k8s.io", "v1", "servicecidrs")
_ADDRESSES: Final = GroupVersionResource("networking.k8s.io", "v1", "ipaddresses")
_ACCOUNT: Final = "service-cidrs-controller"
_NAME: Final = "service-cidr-controller"
_FINALIZER: Final = "networking.k8s.io/service-cidr-finalizer"
_MANAGED_BY: Final = "ipaddress.kubernetes.io/managed-by"
_ALLOCATOR: Final = "ipallocator.k8s.io"
_STILL_USED: Final = (
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR"
)
_WORKERS: Final = 5
# Whoever gives out addresses may not have heard yet that the range is going.
_GRACE: Final = timedelta(seconds=10)


async def start(context: ControllerContext) -> None:
    ranges, addresses = context.informers.informer(_RANGES), context.informers.informer(_ADDRESSES)
    queue = WorkQueue[str]()
    controller = ServiceRanges(
        context.client_of(_ACCOUNT), context.recorder(_ACCOUNT, _NAME), ranges.lister, addresses.lister
    )
    for informer in (ranges, addresses):
        await informer.wait_for_sync()

    def hear_range(service_range: JSONObject) -> None:
        """One that comes or goes may let another one go."""
        queue.add(service_range["metadata"]["name"])
        for network in _networks(service_range):
            for other in ranges.lister.list():
                if any(_overlap(each, network) for each in _networks(other)):
                    queue.add(other["metadata"]["name"])

    def hear_address(address: JSONObject) -> None:
        if (address["metadata"].get("labels") or {}).get(_MANAGED_BY) == _ALLOCATOR:
            for service_range in controller.ranges_with(ip_address(address["metadata"]["name"])):
                if "deletionTimestamp" in service_range["metadata"]:
                    queue.add(service_range["metadata"]["name"])

    with hearing(ranges, hear_range), hearing(addresses, hear_address):
        await work(queue, controller.sync, workers=_WORKERS)


class ServiceRanges:
    def __init__(self, client: Client, events: EventRecorder, ranges: Lister, addresses: Lister) -> None:
        self._client = client
        self._events = events
        self._ranges = ranges
        self._addresses = addresses

    async def sync(self, name: str) -> None:
        service_range = self._ranges.get(name)
        if service_range is None:
            return
        if "deletionTimestamp" in service_range["metadata"]:
            await self._let_go(service_range)
            return
        if _FINALIZER not in (service_range["metadata"].get("finalizers") or ()):
            await self._patch(name, {"finalizers": [_FINALIZER]})
        try:
            await self._say(service_range, status="True", reason="", message="Kubernetes Service CIDR is ready")
        except NotFound:
            return
        except APIError:
            why = "The ServiceCIDR Status can not be set to Ready=True"
            self._events.warn(service_range, "KubernetesServiceCIDRError", why)
            raise

    async def _let_go(self, service_range: JSONObject) -> None:
        name = service_range["metadata"]["name"]
        if not await self._is_free(service_range):
            await self._say(service_range, status="False", reason="Terminating", message=_STILL_USED)
            return
        left = _GRACE - (present() - parse_time(service_range["metadata"]["deletionTimestamp"]))
        if left > timedelta(0):
            raise TryAfter(left)
        if _FINALIZER in (service_range["metadata"].get("finalizers") or ()):
            await self._patch(name, {"$deleteFromPrimitiveList/finalizers": [_FINALIZER]})

    async def _is_free(self, service_range: JSONObject) -> bool:
        """Whether no address would be in no range without it."""
        if all(self._is_within_another(network, service_range) for network in _networks(service_range)):
            return True
        versions = {network.version for network in _networks(service_range)}
        slices = TimeSlices()
        for obj in self._addresses.list():
            address = ip_address(obj["metadata"]["name"])
            is_ours = (obj["metadata"].get("labels") or {}).get(_MANAGED_BY) == _ALLOCATOR
            if is_ours and address.version in versions and self.ranges_with(address) == [service_range]:
                return False
            if slices.is_over:
                await slices.next()
        return True

    def _is_within_another(self, network: Network, service_range: JSONObject) -> bool:
        return any(
            _overlap(other, network) and other.prefixlen <= network.prefixlen
            for each in self._ranges.list()
            if each["metadata"]["name"] != service_range["metadata"]["name"]
            for other in _networks(each)
        )

    def ranges_with(self, address: Address) -> list[JSONObject]:
        return [each for each in self._ranges.list() if any(_has(network, address) for network in _networks(each))]

    async def _patch(self, name: str, metadata: JSONObject) -> None:
        try:
            await self._client.resource(_RANGES).patch(name, {"metadata": metadata}, PatchType.STRATEGIC)
        except NotFound:
            return

    async def _say(self, service_range: JSONObject, **wanted: str) -> None:
        current = condition(service_range, "Ready") or {}
        if all(current.get(field, "") == value for field, value in wanted.items()):
            return
        name = service_range["metadata"]["name"]
        ready = {"type": "Ready", **wanted, "lastTransitionTime": now()}
        if not ready["reason"]:
            del ready["reason"]
        status = {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "ServiceCIDR",
            "metadata": {"name": name},
            "status": {"conditions": [ready]},
        }
        await self._client.resource(_RANGES).patch(
            name, status, PatchType.APPLY, subresource="status", field_manager=_NAME, force=True
        )


def _networks(service_range: Mapping[str, Any]) -> Iterator[Network]:
    for cidr in service_range["spec"].get("cidrs") or ():
        yield ip_network(cidr, strict=False)


def _overlap(one: Network, other: Network) -> bool:
    return one.version == other.version and one.overlaps(other)


def _has(network: Network, address: Address) -> bool:
    """Whether it may be given out: not the first, nor the last of the older family."""
    if address.version != network.version or address not in network or address == network.network_address:
        return False
    return address.version == 6 or address != network.broadcast_address
