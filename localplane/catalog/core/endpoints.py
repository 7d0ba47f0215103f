"""Endpoints: the addresses behind a Service, as they were told before EndpointSlices.

Subsets are kept as they come. Kubernetes: pkg/registry/core/endpoint and pkg/apis/core/validation, ValidateEndpoints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.addresses import endpoint_ip_errors, ip_warnings, legacy_ip_errors
from localplane.catalog.validation.ports import PROTOCOLS
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    PORT_NUMBER,
    QUALIFIED_NAME,
    All,
    Always,
    Each,
    Fields,
    OneOf,
    Optional,
    Required,
)

_SUBSETS = Path("subsets")
_MANAGED_BY = "endpoints.kubernetes.io/managed-by"
_CONTROLLER = "endpoint-controller"
_SHOWN = 3


def default_endpoints(endpoints: JSONObject) -> None:
    for subset in endpoints.get("subsets") or ():
        for port in subset.get("ports") or ():
            port["protocol"] = port.get("protocol") or "TCP"


def _subset_errors(subset: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield required(path, "must specify `addresses` or `notReadyAddresses`")
    yield from _ADDRESSES(subset, path)
    ports = subset.get("ports") or []
    for index, port in enumerate(ports):
        place = (path / "ports")[index]
        if not port.get("name") and len(ports) > 1:
            yield required(place / "name")
        yield from _PORT(port, place)


_ADDRESS = All(
    Fields(ip=Always(legacy_ip_errors), hostname=Optional(DNS_LABEL), nodeName=DNS_SUBDOMAIN),
    Fields(ip=Always(endpoint_ip_errors)),
)
_ADDRESSES = Fields(addresses=Each(_ADDRESS), notReadyAddresses=Each(_ADDRESS))
_PORT = Fields(
    name=Optional(DNS_LABEL),
    port=Always(PORT_NUMBER, absent=0),
    protocol=Required(OneOf(*PROTOCOLS)),
    appProtocol=QUALIFIED_NAME,
)


class EndpointsStrategy(BuiltinStrategy):
    """Subsets that were accepted once are accepted as long as they do not change."""

    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False
    rules = Fields(subsets=Each(_subset_errors))
    on_update = (Asked.METADATA, Asked.OBJECT)

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterable[FieldError]:
        is_known = old is not None and (old.get("subsets") or []) == (obj.get("subsets") or [])
        return () if is_known else super().errors(obj, old)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))


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
