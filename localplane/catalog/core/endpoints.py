"""Endpoints: the addresses behind a Service, as they were told before EndpointSlices.

Subsets are kept as they come. Kubernetes: pkg/registry/core/endpoint and pkg/apis/core/validation, ValidateEndpoints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, required
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain, qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.addresses import endpoint_ip_errors, ip_warnings, legacy_ip_errors
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors
from localplane.catalog.validation.ports import protocol_errors
from localplane.catalog.validation.values import port_number

_SUBSETS = Path("subsets")
_MANAGED_BY = "endpoints.kubernetes.io/managed-by"
_CONTROLLER = "endpoint-controller"
_SHOWN = 3


class EndpointsStrategy(Strategy):
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return _errors(obj, None)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), _errors(obj, old))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))


def default_endpoints(endpoints: JSONObject) -> None:
    for subset in endpoints.get("subsets") or ():
        for port in subset.get("ports") or ():
            port["protocol"] = port.get("protocol") or "TCP"


def _errors(endpoints: JSONObject, old: JSONObject | None) -> list[FieldError]:
    """Subsets that were accepted once are accepted as long as they do not change."""
    subsets = endpoints.get("subsets") or []
    errors = [error for index, subset in enumerate(subsets) for error in _subset_errors(subset, _SUBSETS[index])]
    if errors and old is not None and (old.get("subsets") or []) == subsets:
        errors = []
    return collected(metadata_errors(endpoints, namespaced=True, name=dns1123_subdomain), errors)


def _subset_errors(subset: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield required(path, "must specify `addresses` or `notReadyAddresses`")
    for field in ("addresses", "notReadyAddresses"):
        for index, address in enumerate(subset.get(field) or ()):
            yield from _address_errors(address, (path / field)[index])
    ports = subset.get("ports") or []
    for index, port in enumerate(ports):
        yield from _port_errors(port, (path / "ports")[index], needs_name=len(ports) > 1)


def _address_errors(address: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    ip, hostname, node = address.get("ip") or "", address.get("hostname") or "", address.get("nodeName")
    yield from legacy_ip_errors(ip, path / "ip")
    if hostname:
        for problem in dns1123_label(hostname):
            yield invalid(path / "hostname", hostname, problem)
    if node is not None:
        for problem in dns1123_subdomain(node):
            yield invalid(path / "nodeName", node, problem)
    yield from endpoint_ip_errors(ip, path / "ip")


def _port_errors(port: Mapping[str, Any], path: Path, *, needs_name: bool) -> Iterator[FieldError]:
    name = port.get("name") or ""
    if name:
        for problem in dns1123_label(name):
            yield invalid(path / "name", name, problem)
    elif needs_name:
        yield required(path / "name")
    yield from port_number(port.get("port", 0), path / "port")
    yield from protocol_errors(port.get("protocol"), path / "protocol")
    if (application := port.get("appProtocol")) is not None:
        for problem in qualified_name(application):
            yield invalid(path / "appProtocol", application, problem)


def _warnings(endpoints: JSONObject) -> Iterator[str]:
    """The controller's addresses are in order."""
    labels = (endpoints.get("metadata") or {}).get("labels") or {}
    if labels.get(_MANAGED_BY) == _CONTROLLER:
        return
    for index, subset in enumerate(endpoints.get("subsets") or ()):
        for field in ("addresses", "notReadyAddresses"):
            for number, address in enumerate(subset.get(field) or ()):
                yield from ip_warnings(address.get("ip") or "", (_SUBSETS[index] / field)[number] / "ip")


def endpoints_cells(endpoints: JSONObject) -> list[Any]:
    metadata = endpoints.get("metadata") or {}
    return [metadata.get("name", ""), _shown(endpoints), age(metadata.get("creationTimestamp"))]


def _shown(endpoints: JSONObject) -> str:
    """A few of the ready addresses, with each of their ports."""
    subsets = endpoints.get("subsets") or []
    if not subsets:
        return "<none>"
    found = [
        _host_port(address.get("ip") or "", port)
        for subset in subsets
        for port in subset.get("ports") or [None]
        for address in subset.get("addresses") or ()
    ]
    shown = ",".join(found[:_SHOWN])
    return f"{shown} + {len(found) - _SHOWN} more..." if len(found) > _SHOWN else shown


def _host_port(ip: str, port: Mapping[str, Any] | None) -> str:
    if port is None:
        return ip
    return f"[{ip}]:{port.get('port', 0)}" if ":" in ip else f"{ip}:{port.get('port', 0)}"


ENDPOINTS = builtin("endpoints", strategy=EndpointsStrategy(), default=default_endpoints, cells=endpoints_cells)
