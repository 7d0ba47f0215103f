"""EndpointSlices: some of the addresses behind a Service.

Kubernetes: pkg/registry/discovery/endpointslice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.metadata import metadata_of
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.addresses import ip_warnings

from .validation import slice_errors, slice_update_errors

_HOSTNAME = "kubernetes.io/hostname"
_MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
_CONTROLLERS = ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")
_SHOWN = 3


class EndpointSliceStrategy(Strategy):
    """A change of labels counts as a generation too."""

    allow_unconditional_update = True
    validates_schema = False

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        _drop_topology(obj, {})

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return slice_errors(obj, None)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        fqdn = ["spec.addressType: FQDN endpoints are deprecated"] if obj.get("addressType") == "FQDN" else []
        return [*fqdn, *_address_warnings(obj)]

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        metadata, before = metadata_of(obj), metadata_of(old)
        if (metadata.get("labels") or {}) != (before.get("labels") or {}):
            metadata["generation"] = (before.get("generation") or 0) + 1
        _drop_topology(obj, old)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return slice_update_errors(obj, old)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_address_warnings(obj))


def _drop_topology(obj: JSONObject, old: JSONObject) -> None:
    """Nobody writes `deprecatedTopology` through v1. The node that it named before becomes `nodeName`."""
    endpoints, before = obj.get("endpoints") or [], old.get("endpoints") or []
    if old and endpoints == before:
        return
    known = {(each.get("deprecatedTopology") or {}).get(_HOSTNAME) for each in before}
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


def default_endpoint_slice(obj: JSONObject) -> None:
    for port in obj.get("ports") or ():
        port.setdefault("name", "")
        port.setdefault("protocol", "TCP")


def endpoint_slice_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    addresses = [address for each in obj.get("endpoints") or () for address in each.get("addresses") or ()]
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
