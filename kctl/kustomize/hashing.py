"""The hash behind the name of what was generated. Kubernetes: api/hasher."""

from __future__ import annotations

from typing import Any

from kctl.kustomize.content_hash import content_hash
from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.nodes import Map, Scalar
from kctl.kustomize.resource import Resource
from kctl.kustomize.writing import json_value


def resource_hash(resource: Resource) -> str:
    """Raises KustomizeError for a kind that has no data."""
    content: dict[str, Any] = {"kind": resource.kind, "name": "", "data": _value(resource, "data")}
    if resource.kind == "ConfigMap":
        optional = "binaryData"
    elif resource.kind == "Secret":
        content["type"] = _value(resource, "type")
        optional = "stringData"
    else:
        raise KustomizeError(f"no hash can be computed for {resource.current_id}: it is neither ConfigMap nor Secret")
    value = _value(resource, optional)
    if isinstance(value, dict):
        content[optional] = value
    return content_hash(content)


def _value(resource: Resource, name: str) -> Any:
    node = resource.node.get(name)
    if node is None:
        return ""
    return node.text if isinstance(node, Scalar) else json_value(node) if isinstance(node, Map) else None
