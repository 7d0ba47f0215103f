"""Where an Ingress leads: rules, paths and backends.

Kubernetes: pkg/apis/networking/validation, validateIngressRules.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.addresses import parse_ip
from localplane.catalog.validation.domains import subdomain_or_wildcard
from localplane.catalog.validation.ports import port_name
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    PORT_NUMBER,
    Each,
    Fields,
    Named,
    Optional,
    Required,
)

_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_ABSOLUTE = "must be an absolute path"
_OBJECT_NAME = Named(path_segment_name)
_PORT_NAME = Named(port_name)


def _path_errors(route: JSONObject, path: Path) -> Iterator[FieldError]:
    kind, text = route.get("pathType"), route.get("path") or ""
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
    yield from backend_errors(route.get("backend") or {}, path / "backend")


def _path_problems(text: str) -> Iterator[str]:
    for sequence in ("//", "/./", "/../", "%2f", "%2F"):
        if sequence in text:
            yield f"must not contain '{sequence}'"
    for suffix in ("/..", "/."):
        if text.endswith(suffix):
            yield f"cannot end with '{suffix}'"


_SERVICE = Fields(name=Required(DNS_LABEL))
_REFERENCE = Fields(apiGroup=DNS_SUBDOMAIN, kind=Required(_OBJECT_NAME), name=Required(_OBJECT_NAME))
"""To an object by group, kind and name. Kubernetes: validateIngressTypedLocalObjectReference."""


def backend_errors(backend: JSONObject, path: Path) -> Iterator[FieldError]:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        yield invalid(path, "", "cannot set both resource and service backends")
    elif resource is not None:
        yield from _REFERENCE(resource, path / "resource")
    elif service is not None:
        yield from _service_errors(service, path)
    else:
        yield invalid(path, "", "resource or service backend is required")


def _service_errors(service: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _SERVICE(service, path / "service")
    port, place = service.get("port") or {}, path / "service" / "port"
    name, number = port.get("name"), port.get("number")
    if name and number:
        yield invalid(path, "", "cannot set both port name & port number")
    elif name:
        yield from _PORT_NAME(name, place / "name")
    elif number:
        yield from PORT_NUMBER(number, place / "number")
    else:
        yield required(path, "port name or number is required")


def _not_an_address(host: str, path: Path) -> Iterator[FieldError]:
    if parse_ip(host) is not None:
        yield invalid(path, host, "must be a DNS name, not an IP address")


HOST = Fields(host=Optional(_not_an_address, Named(subdomain_or_wildcard)))
HTTP = Fields(http=Fields(paths=Required(Each(_path_errors))))
"""The two parts of a rule."""
