"""Which lists merge by key, of those that these verbs change. kubectl knows it from its Go types."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from localplane.apimachinery.schema import Node

_MAP: Final = {"map": True}


def _merging(key: str, name: str) -> dict[str, Any]:
    return {"strategy": "merge", "key": key, "items": {"ref": name}}


_SCHEMAS: Final[dict[str, Any]] = {
    "object": {
        "properties": {
            "metadata": {"ref": "metadata"},
            "spec": {"ref": "spec"},
            "subjects": {"items": _MAP},
        }
    },
    "metadata": {"properties": {"annotations": _MAP, "labels": _MAP}},
    "spec": {
        "properties": {
            "template": {"ref": "template"},
            "jobTemplate": {"ref": "template"},
            "selector": _MAP,
            # Of a pod, and of a template's spec; a job template's spec has a template again.
            "containers": _merging("name", "container"),
            "initContainers": _merging("name", "container"),
        }
    },
    "template": {"properties": {"metadata": {"ref": "metadata"}, "spec": {"ref": "spec"}}},
    "container": {
        "properties": {
            "env": _merging("name", "variable"),
            "resources": {"ref": "resources"},
        }
    },
    "variable": {"properties": {"valueFrom": {"ref": "source"}}},
    "source": {
        "properties": {
            "configMapKeyRef": {"ref": "reference"},
            "secretKeyRef": {"ref": "reference"},
            "fieldRef": {"ref": "reference"},
            "resourceFieldRef": {"ref": "reference"},
        }
    },
    "reference": {"properties": {"name": {}, "key": {}}},
    "resources": {"properties": {"limits": _MAP, "requests": _MAP}},
}


@cache
def patch_schema() -> Node:
    from localplane.apimachinery.patch.strategic.openapi import node_of

    node = node_of({"kinds": {"object": "object"}, "schemas": _SCHEMAS}, "object")
    assert node is not None
    return node
