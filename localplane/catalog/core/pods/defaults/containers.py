"""Containers of all three sorts: probes, handlers, ports, environment; and which images are pulled every time.

Those whose tag is `latest`, said or implied, are. Kubernetes: pkg/util/parsers, ParseImageName; distribution/reference,
ParseNormalizedNamed.
"""

from __future__ import annotations

import re
from typing import Any

from .resources import default_resources

_DOMAIN_PART = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"(?:{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_NAME = rf"(?:{_DOMAIN}/)?{_PATH_PART}(?:/{_PATH_PART})*"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_reference = re.compile(rf"({_NAME})(?::(\w[\w.-]{{0,127}}))?(@{_DIGEST})?", re.ASCII).fullmatch
_is_identifier = re.compile("[a-f0-9]{64}").fullmatch
_NAME_MAX = 255


def pull_policy(image: str) -> str:
    """An image that can't be read is left to whoever validates it."""
    match = _reference(image)
    if match is None or _is_identifier(image) or len(match[1]) > _NAME_MAX:
        return "IfNotPresent"
    _, tag, digest = match.groups()
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"


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
