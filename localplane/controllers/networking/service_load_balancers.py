"""Addresses for services of the type LoadBalancer, as a cloud would give them: nothing listens there.

They are of the ranges that are reserved for documents, and the same service gets the same one whenever it is free.
Kubernetes: cloud-provider/controllers/service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any, Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.addresses import family_of
from localplane.client import (
    Client,
    GroupVersionResource,
    HandlerFunctions,
    Lister,
    PatchType,
    WorkQueue,
    object_key,
    split_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.pods import is_terminating
from localplane.controllers.worker import NotYet, work

from .endpoint_slices.membership import families, labels_of

_SERVICES: Final = GroupVersionResource("", "v1", "services")
_NODES: Final = GroupVersionResource("", "v1", "nodes")
_ACCOUNT: Final = "service-controller"
_FINALIZER: Final = "service.kubernetes.io/load-balancer-cleanup"
_EXCLUDED: Final = "node.kubernetes.io/exclude-from-external-load-balancers"
_RANGES: Final[Mapping[str, tuple[IPv4Network | IPv6Network, ...]]] = {
    "IPv4": (ip_network("203.0.113.0/24"), ip_network("198.51.100.0/24")),
    "IPv6": (ip_network("2001:db8::/112"),),
}
_TRIED: Final = 1024
"""So many addresses are looked at before a service goes without."""

_CONCERNING: Final = (
    "type",
    "loadBalancerClass",
    "loadBalancerSourceRanges",
    "loadBalancerIP",
    "ports",
    "sessionAffinity",
    "sessionAffinityConfig",
    "externalIPs",
    "externalTrafficPolicy",
    "healthCheckNodePort",
    "ipFamilies",
)


async def start(context: ControllerContext) -> None:
    services, nodes = context.informers.informer(_SERVICES), context.informers.informer(_NODES)
    for informer in (services, nodes):
        await informer.wait_for_sync()
    queue = WorkQueue[str]()
    client = context.client_of(_ACCOUNT)
    controller = _Controller(client, context.recorder(_ACCOUNT), services=services.lister, nodes=nodes.lister)

    def added(service: JSONObject) -> None:
        if _wants_balancer(service) or _needs_cleanup(service):
            queue.add(object_key(service))

    def updated(old: JSONObject, new: JSONObject) -> None:
        if _needs_update(old, new) or _needs_cleanup(new):
            queue.add(object_key(new))

    with ExitStack() as listening:
        listening.callback(services.add_handler(HandlerFunctions(add=added, update=updated)).remove)
        await work(queue, controller.sync)


class _Controller:
    def __init__(self, client: Client, events: EventRecorder, *, services: Lister, nodes: Lister) -> None:
        self._client = client
        self._events = events
        self._services = services
        self._nodes = nodes
        self._given: dict[str, tuple[str, ...]] = {}
        """Addresses by service, those included that no informer shows yet."""

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        service = self._services.namespaced(namespace).get(name)
        if service is None:
            self._given.pop(key, None)
            return
        try:
            if _needs_cleanup(service) or not _wants_balancer(service):
                await self._delete(key, service)
            else:
                await self._ensure(key, service)
        except (APIError, NotYet) as error:
            self._events.warn(service, "SyncLoadBalancerFailed", f"Error syncing load balancer: {error}")
            raise

    async def _ensure(self, key: str, service: JSONObject) -> None:
        self._events.normal(service, "EnsuringLoadBalancer", "Ensuring load balancer")
        if _FINALIZER not in _finalizers(service):
            await self._patch(service, {"metadata": {"finalizers": [*_finalizers(service), _FINALIZER]}})
        if not any(_is_included(node) for node in self._nodes.list()):
            message = "There are no available nodes for LoadBalancer"
            self._events.warn(service, "UnAvailableLoadBalancer", message)
        addresses = tuple(self._address(key, service, family) for family in families(service))
        self._given[key] = addresses
        self._events.normal(service, "EnsuredLoadBalancer", "Ensured load balancer")
        await self._write_status(service, [{"ip": address, "ipMode": "VIP"} for address in addresses])

    async def _delete(self, key: str, service: JSONObject) -> None:
        if _ingress(service) or key in self._given:
            self._events.normal(service, "DeletingLoadBalancer", "Deleting load balancer")
        self._given.pop(key, None)
        await self._write_status(service, [])
        if _FINALIZER in _finalizers(service):
            left = [each for each in _finalizers(service) if each != _FINALIZER]
            await self._patch(service, {"metadata": {"finalizers": left}})
        self._events.normal(service, "DeletedLoadBalancer", "Deleted load balancer")

    def _address(self, key: str, service: JSONObject, family: str) -> str:
        """The one it has, the one it asks for, or the first free one from where its name points to."""
        wanted = service["spec"].get("loadBalancerIP") or ""
        if wanted and family_of(wanted) == family:
            return str(wanted)
        taken = self._taken(key)
        for address in (*self._given.get(key, ()), *_ingress(service), *_candidates(key, family)):
            if family_of(address) == family and address not in taken and _is_ours(address, family):
                return address
        raise NotYet(f"failed to ensure load balancer: no {family} address is free")

    def _taken(self, key: str) -> set[str]:
        taken = {address for other, given in self._given.items() if other != key for address in given}
        for service in self._services.list():
            if object_key(service) != key:
                taken.update(_ingress(service))
        return taken

    async def _write_status(self, service: JSONObject, ingress: list[JSONObject]) -> None:
        if _ingress(service) != tuple(each["ip"] for each in ingress):
            await self._patch(service, {"status": {"loadBalancer": {"ingress": ingress or None}}})

    async def _patch(self, service: JSONObject, patch: JSONObject) -> None:
        """Finalizers too go through the status, which is all that this controller may write."""
        services = self._client.resource(_SERVICES, service["metadata"]["namespace"])
        try:
            await services.patch(service["metadata"]["name"], patch, PatchType.MERGE, subresource="status")
        except NotFound:
            return


def _wants_balancer(service: Mapping[str, Any]) -> bool:
    """Those of a class are somebody else's."""
    spec = service.get("spec") or {}
    return spec.get("type") == "LoadBalancer" and spec.get("loadBalancerClass") is None


def _needs_cleanup(service: Mapping[str, Any]) -> bool:
    if _FINALIZER not in _finalizers(service):
        return False
    return is_terminating(service) or service["spec"].get("type") != "LoadBalancer"


def _needs_update(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    if not _wants_balancer(old) and not _wants_balancer(new):
        return False
    return (
        any(old["spec"].get(name) != new["spec"].get(name) for name in _CONCERNING)
        or (old["metadata"].get("annotations") or {}) != (new["metadata"].get("annotations") or {})
        or old["metadata"]["uid"] != new["metadata"]["uid"]
    )


def _finalizers(service: Mapping[str, Any]) -> list[str]:
    return list(service["metadata"].get("finalizers") or ())


def _ingress(service: Mapping[str, Any]) -> tuple[str, ...]:
    balancer = (service.get("status") or {}).get("loadBalancer") or {}
    return tuple(each["ip"] for each in balancer.get("ingress") or () if each.get("ip"))


def _is_included(node: Mapping[str, Any]) -> bool:
    return _EXCLUDED not in labels_of(node) and not is_terminating(node)


def _candidates(key: str, family: str) -> Iterator[str]:
    """Addresses of the ranges, each once, from the one that the name points to; no network's first or last."""
    networks = _RANGES[family]
    sizes = [network.num_addresses - 2 for network in networks]
    total, first = sum(sizes), int.from_bytes(sha256(key.encode()).digest()[:8])
    for step in range(min(total, _TRIED)):
        place = (first + step) % total
        for network, size in zip(networks, sizes, strict=True):
            if place < size:
                yield str(network[place + 1])
                break
            place -= size


def _is_ours(address: str, family: str) -> bool:
    return any(ip_network(address).subnet_of(network) for network in _RANGES[family])  # type: ignore[arg-type]
