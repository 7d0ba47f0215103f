"""What a definition's schema may say at all, whether it is structural or not.

Kubernetes: pkg/apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema, specStandardValidatorV3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required

from .demands import TYPES, SchemaDemands
from .field_paths import InvalidFieldPath, field_at
from .list_types import KEYS as LIST_KEYS
from .list_types import list_type_errors

Schema = Mapping[str, Any]

_META: Final = frozenset({"metadata", "kind", "apiVersion"})
_FORBIDDEN: Final = {
    "id": "id is not supported",
    "additionalItems": "additionalItems is not supported",
    "patternProperties": "patternProperties is not supported",
    "definitions": "definitions is not supported",
    "dependencies": "dependencies is not supported",
    "$ref": "$ref is not supported",
}
_PLAIN: Final = frozenset(
    {"type", "description", "format", "title", "enum", "required", "nullable", "example", "externalDocs", "pattern"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"}
    | {"minProperties", "maxProperties", "multipleOf", "properties", "$schema"}
    | {"x-kubernetes-int-or-string"}
)
"""What needs no second look, and is most of what there is."""


@dataclass(frozen=True, slots=True)
class SchemaLocation:
    """`no_defaults` says why there may be none; None where they may be."""

    is_root: bool = False
    no_defaults: str | None = None
    inside_meta: bool = False

    def below(self) -> SchemaLocation:
        return replace(self, is_root=False) if self.is_root else self


def openapi_errors(schema: Schema, path: Path, demands: SchemaDemands) -> list[FieldError]:
    found: list[FieldError] = []
    _check(schema, path, SchemaLocation(is_root=True), demands, found)
    return found


def _check(schema: Schema, path: Path, place: SchemaLocation, demands: SchemaDemands, found: list[FieldError]) -> None:
    type_ = schema.get("type")
    if type_ and type_ not in TYPES:
        if demands.valid_types:
            found.append(not_supported(path / "type", type_, TYPES))
        if type_ == "null":
            why = "type cannot be set to null, use nullable as an alternative"
            found.append(forbidden(path / "type", why))
    properties = schema.get("properties")
    if properties:
        below, inner = path / "properties", place.below()
        is_resource = place.is_root or bool(schema.get("x-kubernetes-embedded-resource"))
        for name, each in properties.items():
            at = _in_meta(place, name) if is_resource and name in _META else inner
            _check(each, below[name], at, demands, found)
    if not schema.keys() <= _PLAIN:
        _check_unusual(schema, path, place, demands, found)


def _in_meta(place: SchemaLocation, name: str) -> SchemaLocation:
    reason = f"in top-level {name}" if place.is_root else place.no_defaults
    return SchemaLocation(no_defaults=reason, inside_meta=True)


def _check_unusual(
    schema: Schema, path: Path, place: SchemaLocation, demands: SchemaDemands, found: list[FieldError]
) -> None:
    found += (forbidden(path / key, _FORBIDDEN[key]) for key in schema.keys() & _FORBIDDEN)
    if "default" in schema and place.no_defaults is not None:
        found.append(forbidden(path / "default", f"must not be set {place.no_defaults}".rstrip()))
    if schema.get("uniqueItems"):
        why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        found.append(forbidden(path / "uniqueItems", why))
    if place.inside_meta and schema.get("x-kubernetes-embedded-resource"):
        found.append(forbidden(path / "x-kubernetes-embedded-resource", "must not be used inside of resource meta"))
    preserves = schema.get("x-kubernetes-preserve-unknown-fields")
    if preserves is False:
        found.append(invalid(path / "x-kubernetes-preserve-unknown-fields", preserves, "must be true or undefined"))
    if schema.keys() & LIST_KEYS:
        found += list_type_errors(schema, path, atomic_sets=demands.atomic_sets, list_map_keys=demands.list_map_keys)
    if "x-kubernetes-validations" in schema:
        found += rule_shape_errors(schema, path / "x-kubernetes-validations")
    if "additionalProperties" in schema:
        _check_values(schema, path, place, demands, found)
    _check_items(schema, path, place.below(), demands, found)
    _check_nested(schema, path, place.below(), demands, found)


def _check_values(
    schema: Schema, path: Path, place: SchemaLocation, demands: SchemaDemands, found: list[FieldError]
) -> None:
    values = schema["additionalProperties"]
    if schema.get("properties") and values is not True:
        why = "additionalProperties and properties are mutual exclusive"
        found.append(forbidden(path / "additionalProperties", why))
    if isinstance(values, dict):
        inner = place.below()
        if place.inside_meta:
            inner = replace(inner, no_defaults="inside additionalProperties applying to object metadata")
        _check(values, path / "additionalProperties", inner, demands, found)


def _check_items(
    schema: Schema, path: Path, place: SchemaLocation, demands: SchemaDemands, found: list[FieldError]
) -> None:
    items = schema.get("items")
    if isinstance(items, dict):
        _check(items, path / "items", place, demands, found)
    elif items:
        found.append(forbidden(path / "items", "items must be a schema object and not an array"))
        for number, each in enumerate(items):
            _check(each, (path / "items")[number], place, demands, found)


def _check_nested(
    schema: Schema, path: Path, place: SchemaLocation, demands: SchemaDemands, found: list[FieldError]
) -> None:
    if "not" in schema:
        _check(schema["not"], path / "not", place, demands, found)
    for key in ("allOf", "oneOf", "anyOf"):
        for number, each in enumerate(schema.get(key) or ()):
            _check(each, (path / key)[number], place, demands, found)
    for key in ("definitions", "dependencies"):
        for name, each in (schema.get(key) or {}).items():
            if isinstance(each, dict):
                _check(each, (path / key)[name], place, demands, found)


_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")


def rule_shape_errors(schema: Schema, path: Path) -> Iterator[FieldError]:
    for number, rule in enumerate(schema["x-kubernetes-validations"]):
        yield from _text_errors(rule, path[number])
        yield from _field_path_errors(schema, rule.get("fieldPath", ""), path[number] / "fieldPath")


def _text_errors(rule: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    expression, message = rule.get("rule", "").strip(), rule.get("message", "")
    if not expression:
        yield required(path / "rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid(path / "message", message, "must be non-empty if specified")
    elif _has_newlines(message.strip()):
        yield invalid(path / "message", message, "must not contain line breaks")
    elif _has_newlines(expression) and not message.strip():
        yield required(path / "message", "message must be specified if rule contains line breaks")
    if rule.get("messageExpression") and not rule["messageExpression"].strip():
        yield required(path / "messageExpression", "messageExpression must be non-empty if specified")
    reason = rule.get("reason")
    if reason is not None and reason not in _REASONS:
        yield not_supported(path / "reason", reason, _REASONS)


def _field_path_errors(schema: Schema, field_path: str, path: Path) -> Iterator[FieldError]:
    if not field_path:
        return
    if not field_path.strip():
        yield invalid(path, field_path, "must be non-empty if specified")
    if _has_newlines(field_path):
        yield invalid(path, field_path, "must not contain line breaks")
    try:
        field_at(field_path, schema)
    except InvalidFieldPath:
        yield invalid(path, field_path, "must be a valid path")


def _has_newlines(text: str) -> bool:
    return "\n" in text or "\r" in text
