"""The object before it was created.

Kubernetes compares a new object with an empty Go struct, which has some fields already: those that are written even
when they hold nothing, and structs in structs. Nobody set them, so whoever creates the object does not own them.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.schema import Node, Property, Schema
from localplane.apimachinery.schema.meta import type_meta

_ZEROS: dict[str, Any] = {"string": "", "integer": 0, "number": 0, "boolean": False}


def empty_object(schema: Schema | Node) -> dict[str, Any]:
    """What an empty object of this kind holds. Custom resources hold nothing but metadata."""
    node = schema.node if isinstance(schema, Schema) else schema
    return _empty(type_meta() | node.load().properties)


def _empty(properties: dict[str, Property]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, each in properties.items():
        shape = each.node.shape
        if shape == "struct" and not each.pointer and each.node.properties:
            found[name] = _empty(each.node.properties)
        elif each.emit:
            found[name] = None if each.pointer or each.emit == "null" else _ZEROS.get(shape)
    return found
