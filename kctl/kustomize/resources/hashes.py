"""The hash behind the name of a config map or secret, which changes with its content.

kustomize puts it there, and --append-hash of `kctl create`. Kubernetes: kustomize's api/hasher, kubectl/pkg/util/hash.
"""

from __future__ import annotations

import hashlib
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.nodes.conversion import json_value
from kctl.kustomize.nodes.node import Map, Scalar
from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import sorted_keys

from .resource import Resource

_LENGTH = 10
_READABLE = str.maketrans("013ae", "ghkmt")
"""No vowels, and nothing that looks like a vowel: no hash is a word."""


def content_hash(content: dict[str, Any]) -> str:
    digest = hashlib.sha256(go_json(sorted_keys(content)).encode()).hexdigest()
    return digest[:_LENGTH].translate(_READABLE)


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
