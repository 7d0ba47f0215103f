"""Containers of all three sorts: probes, handlers, ports, environment."""

from __future__ import annotations

from typing import Any

from .images import pull_policy
from .resources import default_resources

_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


def default_container(container: dict[str, Any]) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = pull_policy(container.get("image") or "")
    if not container.get("terminationMessagePath"):
        container["terminationMessagePath"] = "/dev/termination-log"
    if not container.get("terminationMessagePolicy"):
        container["terminationMessagePolicy"] = "File"
    for port in container.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    for variable in container.get("env") or ():
        _default_source(variable.get("valueFrom") or {})
    default_resources(container.get("resources"))
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if (probe := container.get(name)) is not None:
            _default_probe(probe)
    lifecycle = container.get("lifecycle") or {}
    for name in ("postStart", "preStop"):
        default_http_get((lifecycle.get(name) or {}).get("httpGet"))


def _default_source(source: dict[str, Any]) -> None:
    default_field_ref(source.get("fieldRef"))
    if (file := source.get("fileKeyRef")) is not None:
        file.setdefault("optional", False)


def default_field_ref(reference: dict[str, Any] | None) -> None:
    if reference is not None and not reference.get("apiVersion"):
        reference["apiVersion"] = "v1"


def _default_probe(probe: dict[str, Any]) -> None:
    for field, value in _PROBE.items():
        if not probe.get(field):
            probe[field] = value
    default_http_get(probe.get("httpGet"))
    if (grpc := probe.get("grpc")) is not None:
        grpc.setdefault("service", "")


def default_http_get(action: dict[str, Any] | None) -> None:
    if action is None:
        return
    if not action.get("path"):
        action["path"] = "/"
    if not action.get("scheme"):
        action["scheme"] = "HTTP"
