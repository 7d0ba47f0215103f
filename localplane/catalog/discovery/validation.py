"""Rules of an EndpointSlice. Kubernetes: pkg/apis/discovery/validation and the tags on its v1 types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, duplicate, invalid, required, too_many
from localplane.apimachinery.names import NameValidator, dns1123_label, dns1123_subdomain, label_value, qualified_name
from localplane.catalog.validation.addresses import (
    IPV4,
    IPV6,
    endpoint_ip_errors,
    family_of,
    ip_errors,
    legacy_ip_errors,
)
from localplane.catalog.validation.domains import fully_qualified_errors
from localplane.catalog.validation.metadata import IMMUTABLE, metadata_errors
from localplane.catalog.validation.ports import protocol_errors
from localplane.catalog.validation.values import one_of

JSONObject = Mapping[str, Any]

_TYPES = ("FQDN", IPV4, IPV6)
_MOST_ENDPOINTS, _MOST_ADDRESSES, _MOST_PORTS, _MOST_HINTS = 1000, 100, 20000, 8


def slice_errors(obj: JSONObject, old: JSONObject | None) -> list[FieldError]:
    """Endpoints that were accepted once are accepted as long as they do not change."""
    endpoints, kind = obj.get("endpoints") or [], obj.get("addressType") or ""
    unchanged = old is not None and (old.get("endpoints") or []) == endpoints
    return collected(
        metadata_errors(obj, namespaced=True, name=dns1123_subdomain),
        _port_errors(obj.get("ports") or [], Path("ports")),
        ([] if unchanged else _endpoint_errors(endpoints, kind)),
        one_of(kind, _TYPES, Path("addressType"), missing=""),
        ([] if unchanged else _count_errors(endpoints)),
    )


def slice_update_errors(obj: JSONObject, old: JSONObject) -> list[FieldError]:
    """A change of addressType is told alone: whether the new type exists no longer matters."""
    if (obj.get("addressType") or "") == (old.get("addressType") or ""):
        return slice_errors(obj, old)
    path = Path("addressType")
    others = [error for error in slice_errors(obj, old) if error.field != "addressType" or not obj.get("addressType")]
    return [*others, invalid(path, None, IMMUTABLE)]


def _count_errors(endpoints: list[JSONObject]) -> Iterator[FieldError]:
    for index, endpoint in enumerate(endpoints):
        path, count = Path("endpoints")[index] / "addresses", len(endpoint.get("addresses") or ())
        if not count:
            yield required(path)
        elif count > _MOST_ADDRESSES:
            yield too_many(path, count, _MOST_ADDRESSES)


def _endpoint_errors(endpoints: list[JSONObject], kind: str) -> Iterator[FieldError]:
    if len(endpoints) > _MOST_ENDPOINTS:
        yield too_many("endpoints", len(endpoints), _MOST_ENDPOINTS)
        return
    for index, endpoint in enumerate(endpoints):
        path = Path("endpoints")[index]
        for number, address in enumerate(endpoint.get("addresses") or ()):
            yield from _address_errors(address, kind, path / "addresses", number)
        yield from _named(endpoint.get("nodeName"), path / "nodeName", dns1123_subdomain)
        yield from _named(endpoint.get("hostname"), path / "hostname", dns1123_label)
        if (hints := endpoint.get("hints")) is not None:
            yield from _hint_errors(hints, path / "hints")


def _named(name: str | None, path: Path, validate: NameValidator) -> Iterator[FieldError]:
    if name is not None:
        for problem in validate(name):
            yield invalid(path, name, problem)


def _address_errors(address: str, kind: str, path: Path, index: int) -> Iterator[FieldError]:
    if kind == "FQDN":
        yield from fully_qualified_errors(address, path[index])
        return
    if kind not in (IPV4, IPV6):
        return
    check = legacy_ip_errors if kind == IPV4 else ip_errors
    errors = check(address, path[index])
    yield from errors
    if errors:
        return
    if family_of(address) != kind:
        yield invalid(path, address, f"must be an {kind} address")
    yield from endpoint_ip_errors(address, path[index])


def _port_errors(ports: list[JSONObject], path: Path) -> Iterator[FieldError]:
    if len(ports) > _MOST_PORTS:
        yield too_many(path, len(ports), _MOST_PORTS)
        return
    names: set[str] = set()
    for index, port in enumerate(ports):
        name = port.get("name") or ""
        yield from _named(name or None, path[index] / "name", dns1123_label)
        if name in names:
            yield duplicate(path[index] / "name", name)
        names.add(name)
        yield from protocol_errors(port.get("protocol"), path[index] / "protocol")
        if (application := port.get("appProtocol")) is not None:
            for problem in qualified_name(application):
                yield invalid(path[index] / "appProtocol", application, problem)


def _hint_errors(hints: JSONObject, path: Path) -> Iterator[FieldError]:
    for field in ("forZones", "forNodes"):
        given = hints.get(field) or []
        if len(given) > _MOST_HINTS:
            yield too_many(path / field, len(given), _MOST_HINTS)
            return
        names: set[str] = set()
        for index, hint in enumerate(given):
            name, place = hint.get("name") or "", (path / field)[index] / "name"
            if name in names:
                yield duplicate(place, name)
            names.add(name)
            for problem in label_value(name) if field == "forZones" else dns1123_subdomain(name):
                yield invalid(place, name, problem)
