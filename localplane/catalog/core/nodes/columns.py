"""The row of a node in a table. Kubernetes: pkg/printers/internalversion, printNode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age

_ROLE_PREFIX = "node-role.kubernetes.io/"
_ROLE = "kubernetes.io/role"


def node_cells(obj: dict[str, Any]) -> list[Any]:
    metadata, status = obj.get("metadata") or {}, obj.get("status") or {}
    info = status.get("nodeInfo") or {}
    kernel = info.get("kernelVersion") or "<unknown>"
    return [
        metadata.get("name", ""),
        _state(obj),
        ",".join(_roles(metadata.get("labels") or {})) or "<none>",
        age(metadata.get("creationTimestamp")),
        info.get("kubeletVersion", ""),
        _address(status, "InternalIP"),
        _address(status, "ExternalIP"),
        info.get("osImage") or "<unknown>",
        f"{kernel} ({info['architecture']})" if info.get("architecture") else kernel,
        info.get("containerRuntimeVersion") or "<unknown>",
    ]


def _state(obj: JSONObject) -> str:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    ready = {each.get("type"): each.get("status") for each in conditions}
    words = ["Unknown"]
    if "Ready" in ready:
        words = ["Ready" if ready["Ready"] == "True" else "NotReady"]
    if (obj.get("spec") or {}).get("unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


def _roles(labels: Mapping[str, str]) -> list[str]:
    roles = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    roles.add(labels.get(_ROLE, ""))
    return sorted(roles - {""})


def _address(status: JSONObject, kind: str) -> str:
    return next(
        (each.get("address", "") for each in status.get("addresses") or () if each.get("type") == kind), "<none>"
    )
