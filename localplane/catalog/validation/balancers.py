"""What a load balancer reports in the status of a Service or of an Ingress."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject

from .addresses import parse_ip

INGRESS = Path("status") / "loadBalancer" / "ingress"


def ingress_of(obj: JSONObject) -> list[dict[str, Any]]:
    """The points of entry."""
    return ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []


def entry_points(obj: JSONObject) -> list[str]:
    """For a table, each once: addresses or, where there is none, names."""
    found = {entry.get("ip") or entry.get("hostname") or "" for entry in ingress_of(obj)}
    return sorted(found - {""})


def hostname_errors(name: str, path: Path) -> Iterator[FieldError]:
    """Of a point of entry, which may have none."""
    if not name:
        return
    for problem in dns1123_subdomain(name):
        yield invalid(path, name, problem)
    if parse_ip(name) is not None:
        yield invalid(path, name, "must be a DNS name, not an IP address")
