"""From an OpenAPI v3 schema, as CustomResourceDefinitions hold it, to nodes.

Whether such a schema is allowed (is it structural, do its patterns compile) is decided where definitions are validated.
Here it is taken as it is; what is unknown is kept for the documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.schema.nodes import NO_LIMITS, NOTHING, Limits, Node, Property

from .annotations import DeclarationError

LIMITS: Final = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "pattern": "pattern",
    "minItems": "min_items",
    "maxItems": "max_items",
    "uniqueItems": "unique_items",
    "minProperties": "min_properties",
    "maxProperties": "max_properties",
}
EXTENSIONS: Final = {
    "x-kubernetes-int-or-string": "int_or_string",
    "x-kubernetes-preserve-unknown-fields": "preserve_unknown_fields",
    "x-kubernetes-embedded-resource": "embedded_resource",
    "x-kubernetes-list-type": "list_type",
    "x-kubernetes-list-map-keys": "list_map_keys",
    "x-kubernetes-map-type": "map_type",
}
UNDERSTOOD: Final = frozenset(
    {"type", "format", "properties", "additionalProperties", "items", "required", "nullable", "default", "enum"}
    | {"allOf", "anyOf", "oneOf", "not"}
    | LIMITS.keys()
    | EXTENSIONS.keys()
)


def node_of_openapi(schema: Mapping[str, Any]) -> Node:
    if not isinstance(schema, Mapping):
        raise DeclarationError(f"a schema is an object, not {schema!r}")
    values = schema.get("additionalProperties")
    not_, items = schema.get("not"), schema.get("items")
    node = Node(
        type=schema.get("type") or "",
        format=schema.get("format") or "",
        properties={
            name: Property(node=node_of_openapi(each), pointer=True)
            for name, each in (schema.get("properties") or {}).items()
        },
        values=node_of_openapi(values) if isinstance(values, Mapping) else None,
        values_allowed=values if isinstance(values, bool) else None,
        items=node_of_openapi(items) if items is not None else None,
        required=_names(schema, "required"),
        nullable=schema.get("nullable") is True,
        default=NOTHING if schema.get("default") is None else schema["default"],
        limits=_limits(schema),
        all_of=tuple(node_of_openapi(each) for each in schema.get("allOf") or ()),
        any_of=tuple(node_of_openapi(each) for each in schema.get("anyOf") or ()),
        one_of=tuple(node_of_openapi(each) for each in schema.get("oneOf") or ()),
        not_=node_of_openapi(not_) if not_ is not None else None,
        notes={key: value for key, value in schema.items() if key not in UNDERSTOOD},
    )
    for key, attribute in EXTENSIONS.items():
        if schema.get(key):
            setattr(node, attribute, tuple(schema[key]) if attribute == "list_map_keys" else schema[key])
    return node


def _names(schema: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(schema.get(key) or ())


def _limits(schema: Mapping[str, Any]) -> Limits:
    said = {attribute: schema[key] for key, attribute in LIMITS.items() if schema.get(key) is not None}
    enum = tuple(schema.get("enum") or ())
    return Limits(**said, enum=enum) if said or enum else NO_LIMITS
