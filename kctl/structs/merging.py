"""How a struct's fields merge, in the form in which `localplane.apimachinery.patch` asks for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from kctl.structs.table import Field, fields, struct_name
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from localplane.apimachinery.schema import Node


def patch_node(obj: JSONObject) -> Node | None:
    """None for a kind that is not in the table."""
    struct = struct_name(obj)
    return None if struct is None else struct_node(struct)


@cache
def struct_node(struct: str) -> Node:
    from localplane.apimachinery.patch.strategic.openapi import node_of

    schemas: dict[str, JSONObject] = {}
    waiting = [struct]
    while waiting:
        name = waiting.pop()
        if name in schemas:
            continue
        own = fields(name)
        schemas[name] = {"properties": {field.name: _schema(field) for field in own}}
        waiting += (kind for field in own if "/" in (kind := _innermost(field.type)))
    # An object's kind and version are fields as well; a struct inside of one is not asked for them.
    schemas[struct]["properties"] |= {"apiVersion": {}, "kind": {}}
    node = node_of({"kinds": {"": struct}, "schemas": schemas}, "")
    assert node is not None
    return node


def _innermost(kind: str) -> str:
    while kind[:2] in ("[]", "{}"):
        kind = kind[2:]
    return kind


def _schema(field: Field) -> JSONObject:
    found = _type(field.type)
    if field.merges is not None or field.retains_keys:
        words = (["merge"] if field.merges is not None else []) + (["retainKeys"] if field.retains_keys else [])
        found = {**found, "strategy": ",".join(words)}
        if field.merges:
            found["key"] = field.merges
    return found


def _type(kind: str) -> JSONObject:
    if kind.startswith("[]"):
        return {"items": _type(kind[2:])}
    if kind.startswith("{}") or kind == "x":
        return {"map": True}
    return {"ref": kind} if "/" in kind else {}
