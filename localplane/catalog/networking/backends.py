"""Where an Ingress leads: rules, paths and backends.

Kubernetes: pkg/apis/networking/validation, validateIngressRules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain, path_segment_name
from localplane.catalog.validation.addresses import parse_ip
from localplane.catalog.validation.domains import subdomain_or_wildcard
from localplane.catalog.validation.ports import port_name
from localplane.catalog.validation.values import port_number

JSONObject = Mapping[str, Any]

_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_ABSOLUTE = "must be an absolute path"


def rule_errors(rule: JSONObject, path: Path, *, forgive_wildcards: bool) -> Iterator[FieldError]:
    host = rule.get("host") or ""
    if host:
        if parse_ip(host) is not None:
            yield invalid(path / "host", host, "must be a DNS name, not an IP address")
        for problem in subdomain_or_wildcard(host):
            yield invalid(path / "host", host, problem)
    if not (forgive_wildcards and "*" in host):
        yield from http_errors(rule.get("http"), path / "http")


def http_errors(http: JSONObject | None, path: Path) -> Iterator[FieldError]:
    if http is None:
        return
    if not http.get("paths"):
        yield required(path / "paths")
    for index, each in enumerate(http.get("paths") or ()):
        yield from _path_errors(each, (path / "paths")[index])


def _path_errors(given: JSONObject, path: Path) -> Iterator[FieldError]:
    kind, text = given.get("pathType"), given.get("path") or ""
    match kind:
        case None:
            yield required(path / "pathType", "pathType must be specified")
            return
        case "Exact" | "Prefix":
            if not text.startswith("/"):
                yield invalid(path / "path", text, _ABSOLUTE)
            yield from (invalid(path / "path", text, problem) for problem in _path_problems(text))
        case "ImplementationSpecific":
            if text and not text.startswith("/"):
                yield invalid(path / "path", text, _ABSOLUTE)
        case _:
            yield not_supported(path / "pathType", kind, _PATH_TYPES)
    yield from backend_errors(given.get("backend") or {}, path / "backend")


def _path_problems(text: str) -> Iterator[str]:
    for sequence in ("//", "/./", "/../", "%2f", "%2F"):
        if sequence in text:
            yield f"must not contain '{sequence}'"
    for suffix in ("/..", "/."):
        if text.endswith(suffix):
            yield f"cannot end with '{suffix}'"


def backend_errors(backend: JSONObject, path: Path) -> Iterator[FieldError]:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        yield invalid(path, "", "cannot set both resource and service backends")
    elif resource is not None:
        yield from reference_errors(resource, path / "resource")
    elif service is not None:
        yield from _service_errors(service, path)
    else:
        yield invalid(path, "", "resource or service backend is required")


def _service_errors(service: JSONObject, path: Path) -> Iterator[FieldError]:
    name, port = service.get("name") or "", service.get("port") or {}
    if not name:
        yield required(path / "service" / "name")
    for problem in dns1123_label(name) if name else ():
        yield invalid(path / "service" / "name", name, problem)
    called, number, place = port.get("name") or "", port.get("number") or 0, path / "service" / "port"
    if called and number:
        yield invalid(path, "", "cannot set both port name & port number")
    elif called:
        for problem in port_name(called):
            yield invalid(place / "name", called, problem)
    elif number:
        yield from port_number(number, place / "number")
    else:
        yield required(path, "port name or number is required")


def reference_errors(reference: JSONObject, path: Path) -> Iterator[FieldError]:
    """To an object by group, kind and name. Kubernetes: validateIngressTypedLocalObjectReference."""
    group = reference.get("apiGroup")
    if group is not None:
        for problem in dns1123_subdomain(group):
            yield invalid(path / "apiGroup", group, problem)
    for field in ("kind", "name"):
        value = reference.get(field) or ""
        if not value:
            yield required(path / field)
        for problem in path_segment_name(value) if value else ():
            yield invalid(path / field, value, problem)
