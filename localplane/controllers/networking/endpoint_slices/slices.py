"""Endpoints, and how they are put into slices: as few of these as need be are written.

Objects that are given are never changed: a slice that is to be written is a new dictionary with its own list of
endpoints. Kubernetes: k8s.io/endpointslice (reconciler.go, reconcileByPortMapping; utils.go) and util/endpointset.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.controllers.ownership import controller_reference
from localplane.controllers.pods import is_ready, is_terminating

from .membership import (
    HEADLESS,
    has_cluster_ip,
    labels_of,
    pod_addresses,
    publishes_unready,
    sets_hostname,
    target_port,
)
from .tracker import MANAGED_BY, SERVICE_NAME

PortsKey = tuple[tuple[str, int, str, str], ...]
EndpointKey = tuple[tuple[str, ...], str, str, str]

ZONE: Final = "topology.kubernetes.io/zone"
_RESERVED: Final = (SERVICE_NAME, MANAGED_BY, HEADLESS)


@dataclass(slots=True)
class SliceChanges:
    """Slices of one service and one family. What is to be created has a `generateName` and no name."""

    create: list[JSONObject] = field(default_factory=list)
    update: list[JSONObject] = field(default_factory=list)
    delete: list[JSONObject] = field(default_factory=list)

    def add(self, more: SliceChanges) -> None:
        self.create += more.create
        self.update += more.update
        self.delete += more.delete


def ports_key(ports: Iterable[Mapping[str, Any]] | None) -> PortsKey:
    """Ports whatever their order is: one slice has the endpoints that have the same."""
    return tuple(
        sorted(
            (
                port.get("name") or "",
                port.get("port") or 0,
                port.get("protocol") or "TCP",
                port.get("appProtocol") or "",
            )
            for port in ports or ()
        )
    )


def endpoint_key(endpoint: Mapping[str, Any]) -> EndpointKey:
    """What makes it the same endpoint although its condition or its place changes."""
    target = endpoint.get("targetRef") or {}
    addresses = tuple(sorted(endpoint.get("addresses") or ()))
    return (addresses, endpoint.get("hostname") or "", target.get("namespace") or "", target.get("name") or "")


def is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two endpoints of the same key say the same."""
    conditions, others = one.get("conditions") or {}, other.get("conditions") or {}
    return (
        one.get("nodeName") == other.get("nodeName")
        and one.get("zone") == other.get("zone")
        and all(conditions.get(kind) == others.get(kind) for kind in ("ready", "serving", "terminating"))
        and _identity(one.get("targetRef")) == _identity(other.get("targetRef"))
    )


def _identity(reference: Mapping[str, Any] | None) -> JSONObject:
    return {key: value for key, value in (reference or {}).items() if key != "resourceVersion"}


def endpoint_ports(service: Mapping[str, Any], pod: Mapping[str, Any]) -> list[JSONObject]:
    ports = []
    for service_port in service["spec"].get("ports") or ():
        number = target_port(pod, service_port)
        if number is None:
            continue
        port: JSONObject = {
            "name": service_port.get("name") or "",
            "port": number,
            "protocol": service_port.get("protocol") or "TCP",
        }
        if "appProtocol" in service_port:
            port["appProtocol"] = service_port["appProtocol"]
        ports.append(port)
    return ports


def pod_endpoint(
    pod: Mapping[str, Any], node: Mapping[str, Any] | None, service: Mapping[str, Any], family: str
) -> JSONObject:
    serving, terminating = is_ready(pod), is_terminating(pod)
    metadata, node_name = pod["metadata"], pod["spec"].get("nodeName")
    endpoint: JSONObject = {
        "addresses": pod_addresses(pod, family),
        "conditions": {
            "ready": publishes_unready(service) or (serving and not terminating),
            "serving": serving,
            "terminating": terminating,
        },
    }
    if sets_hostname(pod, service):
        endpoint["hostname"] = pod["spec"]["hostname"]
    endpoint["targetRef"] = {
        "kind": "Pod",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }
    if node_name:
        endpoint["nodeName"] = node_name
    if node is not None and (zone := labels_of(node).get(ZONE)):
        endpoint["zone"] = zone
    return endpoint


def slice_labels(service: Mapping[str, Any], *, managed_by: str) -> dict[str, str]:
    """The service's own, and those that say whose the slice is."""
    labels = {key: value for key, value in labels_of(service).items() if key not in _RESERVED}
    if not has_cluster_ip(service):
        labels[HEADLESS] = ""
    return labels | {SERVICE_NAME: service["metadata"]["name"], MANAGED_BY: managed_by}


def _own_labels(labels: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in labels.items() if key not in _RESERVED}


def name_prefix(name: str) -> str:
    """What the server makes a slice's name of."""
    prefix = f"{name}-"
    return name if dns1123_subdomain(prefix, prefix=True) else prefix


def new_slice(
    service: Mapping[str, Any], ports: Sequence[JSONObject], family: str, labels: Mapping[str, str]
) -> JSONObject:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "generateName": name_prefix(service["metadata"]["name"]),
            "namespace": service["metadata"]["namespace"],
            "labels": dict(labels),
            "ownerReferences": [controller_reference(service)],
        },
        "addressType": family,
        "endpoints": [],
        "ports": list(ports),
    }


def copied(
    endpoint_slice: JSONObject, endpoints: list[JSONObject] | None = None, *, labels: dict[str, str]
) -> JSONObject:
    metadata = {**endpoint_slice["metadata"], "labels": labels}
    kept = list(endpoint_slice.get("endpoints") or ()) if endpoints is None else endpoints
    return {**endpoint_slice, "metadata": metadata, "endpoints": kept}


async def packed(
    existing: Sequence[JSONObject],
    desired: Mapping[EndpointKey, JSONObject],
    make: Callable[[], JSONObject],
    labels: dict[str, str],
    *,
    limit: int,
) -> SliceChanges:
    """The changes that bring the endpoints of one set of ports into slices. What is there stays where it is; what is
    new goes into slices that change anyway, the fullest first, then into the one unchanged slice that it fills best,
    and then into new ones."""
    changes, unchanged, left, turns = SliceChanges(), [], dict(desired), TimeSlices()
    for endpoint_slice in existing:
        if turns.is_over:
            await turns.next()
        kept = _kept(endpoint_slice, left)
        if kept is None:
            if _own_labels(labels_of(endpoint_slice)) == _own_labels(labels):
                unchanged.append(endpoint_slice)
            else:
                changes.update.append(copied(endpoint_slice, labels=labels))
        elif kept:
            changes.update.append(copied(endpoint_slice, kept, labels=labels))
        else:
            changes.delete.append(endpoint_slice)
    rest = list(left.values())
    for endpoint_slice in sorted(changes.update, key=lambda each: -len(each["endpoints"])):
        rest = _filled(endpoint_slice, rest, limit)
    while rest:
        fitting = _best_fitting(unchanged, len(rest), limit) if len(rest) < limit else None
        if fitting is None:
            filled = make()
            changes.create.append(filled)
        else:
            unchanged = [each for each in unchanged if each is not fitting]
            filled = copied(fitting, labels=labels)
            changes.update.append(filled)
        rest = _filled(filled, rest, limit)
    return changes


def _kept(endpoint_slice: Mapping[str, Any], left: dict[EndpointKey, JSONObject]) -> list[JSONObject] | None:
    """The slice's endpoints that are still wanted, as they are now; None if nothing about them is new. What is found is
    taken out of `left`."""
    kept, is_changed = [], False
    endpoints = endpoint_slice.get("endpoints") or ()
    for endpoint in endpoints:
        wanted = left.pop(endpoint_key(endpoint), None)
        if wanted is None:
            is_changed = True
            continue
        kept.append(wanted)
        is_changed = is_changed or not is_same(wanted, endpoint)
    return kept if is_changed else None


def _filled(endpoint_slice: JSONObject, endpoints: list[JSONObject], limit: int) -> list[JSONObject]:
    """Those that did not fit."""
    room = max(0, limit - len(endpoint_slice["endpoints"]))
    endpoint_slice["endpoints"] += endpoints[:room]
    return endpoints[room:]


def _best_fitting(slices: Iterable[JSONObject], count: int, limit: int) -> JSONObject | None:
    """The slice that has the least room left after taking so many."""
    rooms = [(limit - count - len(each.get("endpoints") or ()), each) for each in slices]
    fitting = [(room, each) for room, each in rooms if 0 <= room < limit]
    return min(fitting, key=lambda pair: pair[0])[1] if fitting else None
