"""From tables of types (`localplane.apimachinery.api_types`) to nodes: the third form of a declaration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.api_types import APIField, TypeTable, openapi_name
from localplane.apimachinery.schema.nodes import NO_LIMITS, NOTHING, Limits, Node, Property
from localplane.apimachinery.schema.structs.codecs import DURATION, INT_OR_STRING, MICRO_TIME, QUANTITY, RAW_JSON, TIME

_SCALARS: Final[dict[str, dict[str, Any]]] = {
    "string": {"type": "string"},
    "bytes": {"type": "string", "format": "byte"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "bool": {"type": "boolean"},
    "double": {"type": "number", "format": "double"},
    "any": {},
}
_WIRE_TYPES: Final = {"int32": 0, "int64": 0, "bool": 0, "double": 1}
_ZEROS: Final[dict[str, Any]] = {"string": "", "int32": 0, "int64": 0, "bool": False, "double": 0}
_RAW: Final[dict[str, Any]] = {"codec": RAW_JSON, "type": "object", "preserve_unknown_fields": True}

LEAVES: Final[dict[str, dict[str, Any]]] = {
    "meta/v1.Time": {"codec": TIME, "type": "string", "format": "date-time"},
    "meta/v1.MicroTime": {"codec": MICRO_TIME, "type": "string", "format": "date-time"},
    "meta/v1.Duration": {"codec": DURATION, "type": "string"},
    "resource.Quantity": {"codec": QUANTITY, "one_of": (Node(type="string"), Node(type="number"))},
    "intstr.IntOrString": {"codec": INT_OR_STRING, "format": "int-or-string", "int_or_string": True},
    "runtime.RawExtension": {**_RAW, "go_type": "runtime.RawExtension"},
    "meta/v1.FieldsV1": {**_RAW, "go_type": "v1.FieldsV1"},
    "meta/v1.Patch": {"type": "object", "preserve_unknown_fields": True},
    "meta/v1.Verbs": {"type": "array", "items": Node(type="string")},
}
"""Types that stand in JSON in a form of their own, and have no fields there."""

_NAMELESS: Final = frozenset({"meta/v1.Duration", "meta/v1.Verbs"})
"""Those that OpenAPI documents write out where they stand."""


class TableNodes:
    """One node for each type of a table, made when it is first asked for and filled when it is first used. `leaves` are
    more types without fields; types that `below` has are its own."""

    def __init__(
        self, table: TypeTable, leaves: Mapping[str, Mapping[str, Any]] = LEAVES, below: TableNodes | None = None
    ) -> None:
        self.packages = table.packages
        self._table = table
        self._leaves = leaves
        self._below = below
        self._nodes: dict[str, Node] = {}
        self._scalars: dict[str, Node] = {}

    def node(self, definition: str) -> Node:
        """Of a type, named by its Go package and its name: `core/v1.Pod`."""
        known = self._nodes.get(definition)
        if known is None:
            known = self._nodes[definition] = self._made(definition)
        return known

    def _made(self, definition: str) -> Node:
        package, _, name = definition.rpartition(".")
        leaf = self._leaves.get(definition)
        if leaf is not None:
            return Node(name=openapi_name(definition) if definition not in _NAMELESS else "", **leaf)
        if self._below is not None and package in self._below.packages:
            return self._below.node(definition)
        return Node(
            name=openapi_name(definition),
            go_type=f"{package.rpartition('/')[2]}.{name}",
            loader=lambda node: self._load(node, definition),
        )

    def _load(self, node: Node, definition: str) -> None:
        declared = self._table.type(definition)
        node.type = "object"
        node.required = tuple(sorted(field.name for field in declared.fields if field.required))
        node.map_type = declared.map_type
        node.properties = type_fields() if declared.is_kind else {}
        for field in declared.fields:
            node.properties[field.name] = self._property(field)

    def _property(self, field: APIField) -> Property:
        words = field.words
        emit = field.emit
        notes: dict[str, Any] = {}
        if "zero" in words or (emit == "always" and field.type not in self._leaves):
            notes["default"] = _ZEROS.get(field.type, {})
        if "deprecated" in words:
            notes["deprecated"] = True
        return Property(
            node=self._of_field(field.type, words),
            pointer=field.pointer,
            emit=emit,
            inline=field.inline,
            patch_strategy=words.get("patch", ""),
            patch_merge_key=field.merge_key if "patch" in words else "",
            protobuf=_message_field(field) if field.number else None,
            notes=notes,
        )

    def _of_field(self, kind: str, words: Mapping[str, str]) -> Node:
        """The node of a field's type, with what is said of the field alone."""
        if kind in _SCALARS:
            return self._scalar(kind, words)
        if kind.startswith("[]"):
            keys = words.get("keys")
            return Node(
                type="array",
                items=self._of_items(kind[2:], words),
                list_type=words.get("list", ""),
                list_map_keys=tuple(keys.split(",")) if keys else (),
                go_type=words.get("type", ""),
            )
        if kind.startswith("{}"):
            values = self._of_items(kind[2:], words)
            return Node(type="object", values=values, map_type=words.get("map", ""), go_type=words.get("type", ""))
        node = self.node(kind)
        return node.changed(map_type=words["map"]) if "map" in words else node

    def _scalar(self, kind: str, words: Mapping[str, str]) -> Node:
        """Most are like others of their type, and the same node then."""
        facts = _SCALARS[kind]
        if "type" in words or "enum" in words or "default" in words:
            return Node(**facts, limits=_limits(words), default=_default(words), go_type=words.get("type", ""))
        node = self._scalars.get(kind)
        if node is None:
            node = self._scalars[kind] = Node(**facts)
        return node

    def _of_items(self, kind: str, words: Mapping[str, str]) -> Node:
        """The node of a list's items or a map's values."""
        inner = {key: words[f"item-{key}"] for key in ("enum", "type") if f"item-{key}" in words} if words else words
        return self._of_field(kind, inner)


def type_fields() -> dict[str, Property]:
    """What every top-level object says of itself."""
    text = Node(type="string")
    return {"apiVersion": Property(node=text, inline="TypeMeta"), "kind": Property(node=text, inline="TypeMeta")}


def _limits(words: Mapping[str, str]) -> Limits:
    if "enum" not in words:
        return NO_LIMITS
    return Limits(enum=tuple(value.replace("\\s", " ") for value in words["enum"].split(",")))


def _default(words: Mapping[str, str]) -> Any:
    return json.loads(words["default"]) if "default" in words else NOTHING


def _message_field(field: APIField) -> dict[str, Any]:
    """n number, t type, w wire type, rep repeated, k and v key and value of a map, via the inline messages above."""
    kind = field.type
    facts: dict[str, Any] = {"n": field.number}
    message = field.words.get("message")
    if kind.startswith("{}"):
        facts |= {"t": "map", "w": 2, "k": "string", "v": message or kind[2:]}
    elif message:
        facts |= {"t": message, "w": 2}
    else:
        if kind.startswith("[]"):
            kind = kind[2:]
            facts["rep"] = True
        facts["t"] = kind
        facts["w"] = _WIRE_TYPES.get(kind, 2)
    if field.path:
        facts["via"] = list(field.path)
    return facts
