"""A Service's row in a table. Kubernetes: pkg/printers/internalversion, printService."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.catalog.validation.balancers import entry_points

from .shape import ports_of

_NONE = "<none>"


def service_cells(service: JSONObject) -> list[Any]:
    metadata, spec = service.get("metadata") or {}, service.get("spec") or {}
    return [
        metadata.get("name", ""),
        spec.get("type", ""),
        (spec.get("clusterIPs") or [_NONE])[0],
        _external_ip(service, spec),
        ",".join(_port(port) for port in ports_of(spec)) or _NONE,
        age(metadata.get("creationTimestamp")),
        ",".join(f"{key}={value}" for key, value in sorted((spec.get("selector") or {}).items())) or _NONE,
    ]


def _external_ip(service: JSONObject, spec: Mapping[str, Any]) -> str:
    given = spec.get("externalIPs") or []
    match spec.get("type"):
        case "ClusterIP" | "NodePort":
            return ",".join(given) or _NONE
        case "LoadBalancer":
            return ",".join([*entry_points(service), *given]) or "<pending>"
        case "ExternalName":
            return str(spec.get("externalName") or "")
        case _:
            return "<unknown>"


def _port(port: Mapping[str, Any]) -> str:
    node_port = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port', 0)}{node_port}/{port.get('protocol', '')}"
