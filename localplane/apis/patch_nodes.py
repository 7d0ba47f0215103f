"""How a struct's fields merge, in the form in which `localplane.apimachinery.patch` asks for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from localplane.apimachinery.api_types import SCALARS, APIField, is_struct
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.strategic import openapi
from localplane.apis.table import TYPES, registered_type

if TYPE_CHECKING:
    from localplane.apimachinery.schema import Node

_PLAIN = ("intstr.IntOrString", "resource.Quantity")


def patch_node(obj: JSONObject) -> Node | None:
    """None for a kind that is not registered."""
    struct = registered_type(str(obj.get("apiVersion")), str(obj.get("kind")))
    return None if struct is None else struct_node(f"{struct.package}.{struct.name}")


@cache
def struct_node(definition: str) -> Node:
    schemas: dict[str, JSONObject] = {}
    waiting = [definition]
    while waiting:
        name = waiting.pop()
        if name in schemas:
            continue
        fields = TYPES.type(name).fields
        schemas[name] = {"properties": {field.name: _schema(field) for field in fields}}
        waiting += (kind for field in fields if is_struct(kind := _innermost(field.type)))
    # An object's kind and version are fields as well; a struct inside of one is not asked for them.
    schemas[definition]["properties"] |= {"apiVersion": {}, "kind": {}}
    node = openapi.node_of({"kinds": {"": definition}, "schemas": schemas}, "")
    assert node is not None
    return node


def _innermost(kind: str) -> str:
    while kind[:2] in ("[]", "{}"):
        kind = kind[2:]
    return kind


def _schema(field: APIField) -> JSONObject:
    schema = _type(field.type)
    if strategy := field.words.get("patch"):
        schema = {**schema, "strategy": strategy}
        if key := field.merge_key:
            schema["key"] = key
    return schema


def _type(kind: str) -> JSONObject:
    if kind.startswith("[]"):
        return {"items": _type(kind[2:])}
    if is_struct(kind):
        return {"ref": kind}
    return {} if kind in SCALARS or kind in _PLAIN else {"map": True}
