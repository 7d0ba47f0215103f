"""What every resource has, whether its schema says so or not: its type, and the two names in its metadata.

Upstream: apiextensions-apiserver pkg/apiserver/schema/cel/model, WithTypeAndObjectMeta.
"""

from __future__ import annotations

from localplane.apimachinery.schema import Limits, Node, Property

_NAME_LENGTH = 253
_COMPILED = "cel.root"


def with_type_and_metadata(node: Node) -> Node:
    """The schema of a resource's root, as rules see it."""
    known = node.compiled.get(_COMPILED)
    if known is None:
        known = node.compiled[_COMPILED] = node if _is_complete(node) else _completed(node)
    return known


def _is_complete(node: Node) -> bool:
    metadata = _child(node, "metadata")
    return (
        _type(node, "kind") == _type(node, "apiVersion") == "string"
        and metadata is not None
        and metadata.type == "object"
        and _type(metadata, "name") == _type(metadata, "generateName") == "string"
    )


def _child(node: Node, name: str) -> Node | None:
    found = node.load().properties.get(name)
    return found.node.load() if found is not None else None


def _type(node: Node, name: str) -> str:
    child = _child(node, name)
    return child.type if child is not None else ""


def _completed(node: Node) -> Node:
    metadata = _child(node, "metadata")
    names = {
        # What is generated is at least one character.
        name: Property(node=_capped(_child(metadata, name) if metadata is not None else None, limit))
        for name, limit in (("name", _NAME_LENGTH), ("generateName", _NAME_LENGTH - 1))
    }
    added = {
        "kind": Property(node=Node(type="string")),
        "apiVersion": Property(node=Node(type="string")),
        "metadata": Property(node=Node(type="object", properties=names)),
    }
    return node.changed(properties={**node.properties, **added})


def _capped(existing: Node | None, limit: int) -> Node:
    declared = existing.limits.max_length if existing is not None else None
    return Node(type="string", limits=Limits(max_length=min(limit, declared) if declared is not None else limit))
