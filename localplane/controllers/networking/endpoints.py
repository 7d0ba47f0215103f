"""Endpoints of the services that select pods: what there was before EndpointSlices, and is still kept beside them.

Kubernetes: pkg/controller/endpoint and pkg/api/v1/endpoints (RepackSubsets).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from localplane.apimachinery.errors import APIError, Forbidden, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.catalog.validation.addresses import family_of
from localplane.client import Client, GroupVersionResource, HandlerFunctions, Lister, WorkQueue, object_key, split_key
from localplane.client.informers.handlers import deleted_object
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.pods import PODS, is_ready
from localplane.controllers.worker import NotYet, hearing, work

from .endpoint_slices.membership import (
    HEADLESS,
    TRIGGER_TIME,
    TriggerTimes,
    has_cluster_ip,
    is_listed,
    labels_of,
    pod_addresses,
    pod_handler,
    publishes_unready,
    selected_pods,
    selects_pods,
    sets_hostname,
    target_port,
)
from .endpoint_slices.port_order import ordered_ports

SERVICES: Final = GroupVersionResource("", "v1", "services")
ENDPOINTS: Final = GroupVersionResource("", "v1", "endpoints")
LEADER: Final = "control-plane.alpha.kubernetes.io/leader"
_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_MANAGER: Final = "endpoint-controller"
_OVER_CAPACITY: Final = "endpoints.kubernetes.io/over-capacity"
_CAPACITY: Final = 1000
_WORKERS: Final = 5


async def start(context: ControllerContext) -> None:
    informers = [context.informers.informer(each) for each in (SERVICES, PODS, ENDPOINTS)]
    services, pods, endpoints = informers
    for informer in informers:
        await informer.wait_for_sync()
    queue = WorkQueue[str]()
    controller = _Controller(
        context.client_of(_MANAGER),
        context.recorder(_MANAGER),
        services=services.lister,
        pods=pods.lister,
        endpoints=endpoints.lister,
    )
    with ExitStack() as listening:
        listening.enter_context(hearing(services, lambda service: queue.add(object_key(service))))
        gone = HandlerFunctions(delete=lambda obj: queue.add(object_key(deleted_object(obj))))
        for informer, handler in (
            (pods, pod_handler(services.lister, queue, controller.triggers.pause)),
            (endpoints, gone),
        ):
            listening.callback(informer.add_handler(handler).remove)
        for each in endpoints.lister.list():
            # Somebody's own endpoints may be older than us, since we sleep until there is a service.
            if labels_of(each).get(_MANAGED_BY) == _MANAGER and LEADER not in _annotations(each):
                queue.add(object_key(each))
        await work(queue, controller.sync, workers=_WORKERS)


class _Controller:
    def __init__(
        self, client: Client, events: EventRecorder, *, services: Lister, pods: Lister, endpoints: Lister
    ) -> None:
        self._client = client
        self._events = events
        self._services = services
        self._pods = pods
        self._endpoints = endpoints
        self.triggers = TriggerTimes()
        self._replaced: dict[str, str] = {}
        """The version that our last write has replaced: who still sees that one is late."""

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        service = self._services.namespaced(namespace).get(name)
        if service is None:
            await self._delete(key)
            return
        if not selects_pods(service):
            return
        pods = selected_pods(self._pods, service)
        trigger = self.triggers.changed(service, pods)
        subsets = await _subsets(service, pods)
        current = self._endpoints.namespaced(namespace).get(name)
        if current is not None and self._replaced.get(key) == current["metadata"]["resourceVersion"]:
            raise NotYet(f"endpoints informer cache is out of date for endpoints {key}")
        if current is None or not await _is_right(current, service, subsets):
            await self._write(service, current, _written(service, current, subsets, trigger))

    async def _delete(self, key: str) -> None:
        namespace, name = split_key(key)
        with suppress(NotFound):
            await self._client.resource(ENDPOINTS, namespace).delete(name)
        self.triggers.forget(key)
        self._replaced.pop(key, None)

    async def _write(self, service: JSONObject, current: JSONObject | None, endpoints: JSONObject) -> None:
        key = object_key(service)
        namespaced = self._client.resource(ENDPOINTS, service["metadata"]["namespace"])
        try:
            if current is None:
                await namespaced.create(endpoints)
                return
            updated = await namespaced.update(endpoints)
        except Forbidden as error:
            if any(cause.reason == "NamespaceTerminating" for cause in error.causes) and current is None:
                return
            self._complain(service, current, endpoints, error)
            raise
        except APIError as error:
            self._complain(service, current, endpoints, error)
            raise
        if updated["metadata"]["resourceVersion"] != current["metadata"]["resourceVersion"]:
            self._replaced[key] = current["metadata"]["resourceVersion"]

    def _complain(
        self, service: JSONObject, current: JSONObject | None, endpoints: JSONObject, error: APIError
    ) -> None:
        key = object_key(service)
        if current is None:
            message = f"Failed to create endpoint for service {key}: {error}"
            self._events.warn(endpoints, "FailedToCreateEndpoint", message)
        else:
            self._events.warn(endpoints, "FailedToUpdateEndpoint", f"Failed to update endpoint {key}: {error}")


async def _subsets(service: JSONObject, pods: Sequence[JSONObject]) -> list[JSONObject]:
    """One for each pod and port, packed."""
    subsets, turns = [], TimeSlices()
    for pod in pods:
        if turns.is_over:
            await turns.next()
        address = _address(service, pod)
        if address is None:
            continue
        field_name = "addresses" if publishes_unready(service) or is_ready(pod) else "notReadyAddresses"
        ports = service["spec"].get("ports") or []
        if not ports and not has_cluster_ip(service):
            subsets.append({field_name: [address]})
        for service_port in ports:
            number = target_port(pod, service_port)
            if number is not None:
                subsets.append({field_name: [address], "ports": [_port(service_port, number)]})
    return await repacked(subsets)


def _address(service: JSONObject, pod: JSONObject) -> JSONObject | None:
    if not is_listed(pod, with_terminating=publishes_unready(service)):
        return None
    addresses = pod_addresses(pod, _family(service, pod))
    if not addresses:
        return None
    metadata = pod["metadata"]
    address: JSONObject = {"ip": addresses[0]}
    if sets_hostname(pod, service):
        address["hostname"] = pod["spec"]["hostname"]
    if pod["spec"].get("nodeName"):
        address["nodeName"] = pod["spec"]["nodeName"]
    address["targetRef"] = {
        "kind": "Pod",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }
    return address


def _family(service: JSONObject, pod: JSONObject) -> str:
    """Endpoints have one family: the service's first."""
    if known := service["spec"].get("ipFamilies"):
        return str(known[0])
    known_by = service["spec"]["clusterIP"] if has_cluster_ip(service) else (pod.get("status") or {}).get("podIP", "")
    return family_of(known_by) or "IPv4"


def _port(service_port: Mapping[str, Any], number: int) -> JSONObject:
    port: JSONObject = {"name": service_port["name"]} if service_port.get("name") else {}
    port |= {"port": number, "protocol": service_port.get("protocol") or "TCP"}
    if "appProtocol" in service_port:
        port["appProtocol"] = service_port["appProtocol"]
    return port


@dataclass(slots=True)
class _Listed:
    """The addresses of one port, by what makes them the same, and whether they are ready."""

    port: JSONObject | None
    ready: dict[tuple[str, str], bool] = field(default_factory=dict)


async def repacked(subsets: Iterable[Mapping[str, Any]]) -> list[JSONObject]:
    """The same in the one form that can be compared: ports that the same addresses have stand together. Of an address
    that is listed twice for a port, not ready counts."""
    addresses: dict[tuple[str, str], JSONObject] = {}
    by_port: dict[bytes, _Listed] = {}
    turns = TimeSlices()
    for subset in subsets:
        for port in subset.get("ports") or (None,):
            listed = by_port.setdefault(_text(port), _Listed(port))
            for name, is_ready_here in (("addresses", True), ("notReadyAddresses", False)):
                for address in subset.get(name) or ():
                    if turns.is_over:
                        await turns.next()
                    key = (address["ip"], (address.get("targetRef") or {}).get("uid", ""))
                    addresses.setdefault(key, address)
                    listed.ready[key] = listed.ready.get(key, True) and is_ready_here
    by_addresses: dict[frozenset[tuple[tuple[str, str], bool]], list[JSONObject]] = {}
    for listed in by_port.values():
        ports = by_addresses.setdefault(frozenset(listed.ready.items()), [])
        if listed.port is not None:
            ports.append(listed.port)
    packed = [_subset(members, ports, addresses) for members, ports in by_addresses.items() if members]
    return sorted(packed, key=_text)


def _subset(
    members: Iterable[tuple[tuple[str, str], bool]],
    ports: list[JSONObject],
    addresses: Mapping[tuple[str, str], JSONObject],
) -> JSONObject:
    ready = sorted(key for key, is_ready_here in members if is_ready_here)
    others = sorted(key for key, is_ready_here in members if not is_ready_here)
    subset: JSONObject = {}
    if ready:
        subset["addresses"] = [addresses[key] for key in ready]
    if others:
        subset["notReadyAddresses"] = [addresses[key] for key in others]
    if ports:
        subset["ports"] = ordered_ports(ports)
    return subset


def _text(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


async def _is_right(current: JSONObject, service: JSONObject, subsets: list[JSONObject]) -> bool:
    is_within = sum(map(_count, current.get("subsets") or ())) <= _CAPACITY
    is_marked = _OVER_CAPACITY in _annotations(current)
    return (
        is_within
        and not is_marked
        and _labels_are_right(current, service)
        and await repacked(_without_versions(current.get("subsets") or ())) == subsets
    )


def _count(subset: Mapping[str, Any]) -> int:
    return len(subset.get("addresses") or ()) + len(subset.get("notReadyAddresses") or ())


def _without_versions(subsets: Iterable[Mapping[str, Any]]) -> list[JSONObject]:
    """A pod's version is of no interest."""

    def plain(address: Mapping[str, Any]) -> JSONObject:
        target = {key: value for key, value in (address.get("targetRef") or {}).items() if key != "resourceVersion"}
        return {**address, "targetRef": target} if target else dict(address)

    return [
        {
            **subset,
            **{
                name: [plain(each) for each in subset[name]]
                for name in ("addresses", "notReadyAddresses")
                if subset.get(name)
            },
        }
        for subset in subsets
    ]


def _labels_are_right(endpoints: JSONObject, service: JSONObject) -> bool:
    labels = dict(labels_of(endpoints))
    labels.pop(HEADLESS, None)
    return labels.pop(_MANAGED_BY, "") == _MANAGER and labels == labels_of(service)


def _written(
    service: JSONObject, current: JSONObject | None, subsets: list[JSONObject], trigger: str | None
) -> JSONObject:
    labels = {key: value for key, value in labels_of(service).items() if key != HEADLESS}
    if not has_cluster_ip(service):
        labels[HEADLESS] = ""
    labels[_MANAGED_BY] = _MANAGER
    annotations = dict(_annotations(current)) if current is not None else {}
    annotations.pop(TRIGGER_TIME, None)
    annotations.pop(_OVER_CAPACITY, None)
    if trigger:
        annotations[TRIGGER_TIME] = trigger
    kept = _truncated(subsets)
    if kept is not None:
        annotations[_OVER_CAPACITY] = "truncated"
    name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
    metadata = current["metadata"] if current is not None else {"name": name, "namespace": namespace}
    return {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {**metadata, "labels": labels, "annotations": annotations},
        "subsets": subsets if kept is None else kept,
    }


def _truncated(subsets: Sequence[JSONObject]) -> list[JSONObject] | None:
    """As many addresses as Endpoints may have, spread over the subsets, ready ones first; None if all have room."""
    ready = sum(len(each.get("addresses") or ()) for each in subsets)
    others = sum(len(each.get("notReadyAddresses") or ()) for each in subsets)
    if ready + others <= _CAPACITY:
        return None
    name, total, room = ("addresses", ready, _CAPACITY)
    if ready <= _CAPACITY:
        name, total, room = ("notReadyAddresses", others, _CAPACITY - ready)
    kept, left = [], room
    for subset in subsets:
        addresses = subset.get(name) or []
        count = min(left, math.ceil(len(addresses) / total * room))
        left -= min(count, len(addresses))
        shortened = {**subset, name: addresses[:count]}
        if name == "addresses":
            shortened.pop("notReadyAddresses", None)
        kept.append({key: value for key, value in shortened.items() if value})
    return [each for each in kept if _count(each)]


def _annotations(obj: Mapping[str, Any]) -> Mapping[str, str]:
    annotations: Mapping[str, str] = obj["metadata"].get("annotations") or {}
    return annotations
