"""EndpointSlices: some of the addresses behind a Service.

Kubernetes: pkg/registry/discovery/endpointslice, pkg/apis/discovery/validation and the tags on its v1 types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, too_many
from localplane.apimachinery.names import dns1123_subdomain, label_value
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.metadata import metadata_of
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import ROOT, Asked, BuiltinStrategy
from localplane.catalog.validation.addresses import (
    IPV4,
    IPV6,
    endpoint_ip_errors,
    family_of,
    ip_errors,
    ip_warnings,
    legacy_ip_errors,
)
from localplane.catalog.validation.domains import fully_qualified_errors
from localplane.catalog.validation.metadata import IMMUTABLE
from localplane.catalog.validation.ports import PROTOCOLS
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    QUALIFIED_NAME,
    AtMost,
    Each,
    Fields,
    Named,
    OneOf,
    Optional,
    Required,
    Unique,
)
from localplane.catalog.validation.values import repeated

_HOSTNAME = "kubernetes.io/hostname"
_MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
_CONTROLLERS = ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")
_SHOWN = 3
_MOST_ENDPOINTS, _MOST_PORTS, _MOST_HINTS = 1000, 20000, 8


def default_endpoint_slice(obj: JSONObject) -> None:
    for port in obj.get("ports") or ():
        port.setdefault("name", "")
        port.setdefault("protocol", "TCP")


_EACH_PORT = Each(
    Fields(name=Optional(DNS_LABEL)),
    Unique("name"),
    Fields(protocol=Required(OneOf(*PROTOCOLS)), appProtocol=QUALIFIED_NAME),
)


def _port_errors(ports: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    """Of too many, nothing else is told; the same holds for endpoints and hints."""
    if len(ports) > _MOST_PORTS:
        yield too_many(path, len(ports), _MOST_PORTS)
    else:
        yield from _EACH_PORT(ports, path)


_HINTS = {"forZones": Named(label_value), "forNodes": DNS_SUBDOMAIN}
"""The fields of hints, and what their names are."""


def _hint_errors(hints: JSONObject, path: Path) -> Iterator[FieldError]:
    for field, form in _HINTS.items():
        names = [hint.get("name") or "" for hint in hints.get(field) or ()]
        if len(names) > _MOST_HINTS:
            yield too_many(path / field, len(names), _MOST_HINTS)
            return
        for index, (name, is_repeated) in enumerate(zip(names, repeated(names), strict=True)):
            if is_repeated:
                yield duplicate((path / field)[index] / "name", name)
            if not form.holds(name):
                yield from form(name, (path / field)[index] / "name")


_ENDPOINT = Fields(nodeName=DNS_SUBDOMAIN, hostname=DNS_LABEL, hints=_hint_errors)


def _endpoint_errors(endpoints: Sequence[JSONObject], address_type: str) -> Iterator[FieldError]:
    if len(endpoints) > _MOST_ENDPOINTS:
        yield too_many("endpoints", len(endpoints), _MOST_ENDPOINTS)
        return
    for index, endpoint in enumerate(endpoints):
        path = Path("endpoints")[index]
        for number, address in enumerate(endpoint.get("addresses") or ()):
            yield from _address_errors(address, address_type, path / "addresses", number)
        yield from _ENDPOINT(endpoint, path)


def _address_errors(address: str, address_type: str, path: Path, index: int) -> Iterator[FieldError]:
    if address_type == "FQDN":
        yield from fully_qualified_errors(address, path[index])
        return
    if address_type not in (IPV4, IPV6):
        return
    check = legacy_ip_errors if address_type == IPV4 else ip_errors
    errors = check(address, path[index])
    yield from errors
    if errors:
        return
    if family_of(address) != address_type:
        yield invalid(path, address, f"must be an {address_type} address")
    yield from endpoint_ip_errors(address, path[index])


_PORTS = Fields(ports=_port_errors)
_ADDRESS_TYPE = Fields(addressType=Required(OneOf("FQDN", IPV4, IPV6)))
_ADDRESS_COUNTS = Fields(endpoints=Each(Fields(addresses=Required(AtMost(100)))))


class EndpointSliceStrategy(BuiltinStrategy):
    """A change of labels counts as a generation too."""

    allow_unconditional_update = True
    on_update = (Asked.OBJECT,)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        _drop_topology(obj, {})

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        """Endpoints that were accepted once are accepted as long as they do not change."""
        endpoints = obj.get("endpoints") or []
        is_changed = old is None or (old.get("endpoints") or []) != endpoints
        yield from _PORTS(obj, ROOT)
        if is_changed:
            yield from _endpoint_errors(endpoints, obj.get("addressType") or "")
        yield from _ADDRESS_TYPE(obj, ROOT)
        if is_changed:
            yield from _ADDRESS_COUNTS(obj, ROOT)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        fqdn = ["spec.addressType: FQDN endpoints are deprecated"] if obj.get("addressType") == "FQDN" else []
        return [*fqdn, *_address_warnings(obj)]

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        metadata, before = metadata_of(obj), metadata_of(old)
        if (metadata.get("labels") or {}) != (before.get("labels") or {}):
            metadata["generation"] = (before.get("generation") or 0) + 1
        _drop_topology(obj, old)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        """A change of addressType is told alone: whether the new type exists no longer matters."""
        errors, address_type = super().validate_update(request, obj, old), obj.get("addressType") or ""
        if address_type == (old.get("addressType") or ""):
            return errors
        others = [error for error in errors if error.field != "addressType" or not address_type]
        return [*others, invalid("addressType", None, IMMUTABLE)]

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_address_warnings(obj))


def _drop_topology(obj: JSONObject, old: JSONObject) -> None:
    """Nobody writes `deprecatedTopology` through v1. The node that it named before becomes `nodeName`."""
    endpoints, before = obj.get("endpoints") or [], old.get("endpoints") or []
    if old and endpoints == before:
        return
    known = {(endpoint.get("deprecatedTopology") or {}).get(_HOSTNAME) for endpoint in before}
    for endpoint in endpoints:
        node = (endpoint.pop("deprecatedTopology", None) or {}).get(_HOSTNAME)
        if node and node in known and endpoint.get("nodeName") is None and not dns1123_subdomain(node):
            endpoint["nodeName"] = node


def _address_warnings(obj: JSONObject) -> Iterator[str]:
    """The controllers' addresses are in order."""
    if ((obj.get("metadata") or {}).get("labels") or {}).get(_MANAGED_BY) in _CONTROLLERS:
        return
    for index, endpoint in enumerate(obj.get("endpoints") or ()):
        path = Path("endpoints")[index] / "addresses"
        for number, address in enumerate(endpoint.get("addresses") or ()):
            yield from ip_warnings(address, path[number])


def endpoint_slice_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    addresses = [address for endpoint in obj.get("endpoints") or () for address in endpoint.get("addresses") or ()]
    return [
        metadata.get("name", ""),
        obj.get("addressType", ""),
        _shown([_port(port) for port in obj.get("ports") or ()]),
        _shown(addresses),
        age(metadata.get("creationTimestamp")),
    ]


def _port(port: Mapping[str, Any]) -> str:
    number = port.get("port")
    return str(port.get("name", "*")) if number is None else str(number)


def _shown(values: list[str]) -> str:
    shown = ",".join(values[:_SHOWN])
    return f"{shown} + {len(values) - _SHOWN} more..." if len(values) > _SHOWN else shown or "<unset>"


ENDPOINT_SLICES = builtin(
    "discovery.k8s.io/endpointslices",
    strategy=EndpointSliceStrategy(),
    default=default_endpoint_slice,
    cells=endpoint_slice_cells,
)
