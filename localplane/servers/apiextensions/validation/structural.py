"""Is a schema structural: does it say of every field what it is, apart from what its values may be?

Kubernetes: pkg/apiserver/schema, NewStructural, ValidateStructural.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.golang.regexps import InvalidRegexp, compiled
from localplane.servers.apiextensions.schemas import walk

Schema = Mapping[str, Any]

_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]
_UNSUPPORTED: Final = {
    "id": "id",
    "$schema": "schema",
    "$ref": "$ref",
    "patternProperties": "patternProperties",
    "dependencies": "dependencies",
    "additionalItems": "additionalItems",
    "definitions": "definitions",
}
_NESTED_FORBIDDEN: Final = {
    "type": "must be empty to be structural",
    "additionalProperties": "must be undefined to be structural",
    "default": "must be undefined to be structural",
    "title": "must be empty to be structural",
    "description": "must be empty to be structural",
    "nullable": "must be false to be structural",
    "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
    "x-kubernetes-embedded-resource": "must be false to be structural",
    "x-kubernetes-int-or-string": "must be false to be structural",
    "x-kubernetes-list-map-keys": "must be empty to be structural",
    "x-kubernetes-list-type": "must be undefined to be structural",
    "x-kubernetes-map-type": "must be undefined to be structural",
    "x-kubernetes-validations": "must be empty to be structural",
}
_VALUE_KEYS: Final = frozenset({"anyOf", "allOf", "oneOf", "not", "pattern"})
_META_KEYS: Final = frozenset({"kind", "apiVersion", "metadata"})
_METADATA_MAY_HAVE: Final = frozenset({"type", "properties", "default"})


class _Level(Enum):
    ROOT = "at the root"
    ITEM = "for specified array items"
    FIELD = "for specified object fields"


def unsupported(schema: Schema) -> str:
    """Why a schema can't even be looked at as a structural one; "" if it can."""
    for each in walk(schema):
        for key in each.keys() & _UNSUPPORTED:
            if each[key] or key == "additionalItems":
                return f"OpenAPIV3Schema '{_UNSUPPORTED[key]}' is not supported"
        if isinstance(each.get("items"), list):
            return "OpenAPIV3Schema 'items' must be a schema, but is an array"
        if each.get("x-kubernetes-preserve-unknown-fields") is False:
            return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    return ""


def structural_errors(schema: Schema, path: Path) -> list[FieldError]:
    """What keeps a schema from being structural, in order of the messages."""
    found: list[FieldError] = []
    _invariants(schema, _Level.ROOT, path, found)
    _completeness(schema, schema, path, path, found)
    return sorted(found, key=str)


def is_structural(schema: Schema) -> bool:
    return not unsupported(schema) and not structural_errors(schema, Path())


def _invariants(schema: Schema, level: _Level, path: Path, found: list[FieldError]) -> None:
    type_ = schema.get("type", "")
    items, properties = schema.get("items"), schema.get("properties")
    if items is not None:
        _invariants(items, _Level.ITEM, path / "items", found)
    elif type_ == "array":
        found.append(required(path / "items", "must be specified"))
    if properties:
        below = path / "properties"
        for name, each in properties.items():
            _invariants(each, _Level.FIELD, below[name], found)
    if "additionalProperties" in schema:
        _values_invariants(schema, level, path, found)
    if schema.keys() & _VALUE_KEYS:
        _value_errors(schema, path, found, **_exceptions(schema))
    if not type_ and not schema.get("x-kubernetes-embedded-resource"):
        _missing_type(schema, level, path, found)
    if level is _Level.ROOT and type_ and type_ != "object":
        found.append(invalid(path / "type", type_, "must be object at the root"))
    if schema.get("x-kubernetes-int-or-string"):
        _int_or_string_errors(schema, path, found)
    if schema.get("x-kubernetes-embedded-resource"):
        _embedded_errors(schema, path, found)
    if properties and properties.keys() & _META_KEYS:
        _meta_errors(schema, level, path / "properties", found)


def _values_invariants(schema: Schema, level: _Level, path: Path, found: list[FieldError]) -> None:
    values = schema["additionalProperties"]
    if level is _Level.ROOT:
        found.append(forbidden(path / "additionalProperties", "must not be used at the root"))
    if isinstance(values, dict):
        _invariants(values, _Level.FIELD, path / "additionalProperties", found)


def _missing_type(schema: Schema, level: _Level, path: Path, found: list[FieldError]) -> None:
    if not (schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")):
        found.append(required(path / "type", f"must not be empty {level.value}"))


def _int_or_string_errors(schema: Schema, path: Path, found: list[FieldError]) -> None:
    found += (
        invalid(path / key, schema[key], "must be false if x-kubernetes-int-or-string is true")
        for key in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")
        if schema.get(key)
    )


def _embedded_errors(schema: Schema, path: Path, found: list[FieldError]) -> None:
    type_, why = schema.get("type", ""), "must be object if x-kubernetes-embedded-resource is true"
    if type_ != "object":
        found.append(invalid(path / "type", type_, why) if type_ else required(path / "type", why))
    if "additionalProperties" in schema:
        found.append(
            forbidden(path / "additionalProperties", "must not be used if x-kubernetes-embedded-resource is set")
        )
    if not schema.get("x-kubernetes-preserve-unknown-fields") and not schema.get("properties"):
        why = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        found.append(required(path / "properties", why))


def _meta_errors(schema: Schema, level: _Level, path: Path, found: list[FieldError]) -> None:
    properties: Mapping[str, Schema] = schema["properties"]
    is_checked = level is _Level.ROOT or bool(schema.get("x-kubernetes-embedded-resource"))
    for name in ("kind", "apiVersion"):
        type_ = properties.get(name, {}).get("type", "")
        if is_checked and name in properties and type_ != "string":
            found.append(invalid(path[name] / "type", type_, "must be string"))
    metadata = properties.get("metadata")
    if metadata is None:
        return
    if is_checked and metadata.get("type") != "object":
        found.append(invalid(path["metadata"] / "type", metadata.get("type", ""), "must be object"))
    if level is _Level.ROOT and not _is_plain_metadata(metadata):
        why = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        found.append(forbidden(path["metadata"], why))


def _is_plain_metadata(metadata: Schema) -> bool:
    names = (metadata.get("properties") or {}).keys()
    return metadata.keys() <= _METADATA_MAY_HAVE and names <= {"name", "generateName"}


def _exceptions(schema: Schema) -> dict[str, bool]:
    """The two ways to write that a value is an integer or a string, in which types may stand in a nested schema."""
    first = (schema.get("allOf") or [{}])[0]
    return {
        "skip_any": schema.get("anyOf") == _INT_OR_STRING,
        "skip_any_of_first": first.get("anyOf") == _INT_OR_STRING,
    }


def _value_errors(
    schema: Schema, path: Path, found: list[FieldError], *, skip_any: bool = False, skip_any_of_first: bool = False
) -> None:
    if not skip_any:
        _each_nested(schema, "anyOf", path, found)
    for number, each in enumerate(schema.get("allOf") or ()):
        _nested_errors(each, (path / "allOf")[number], found, skip_any=skip_any_of_first and number == 0)
    _each_nested(schema, "oneOf", path, found)
    if "not" in schema:
        _nested_errors(schema["not"], path / "not", found)
    pattern = schema.get("pattern")
    if pattern:
        try:
            compiled(pattern)
        except InvalidRegexp as error:
            found.append(invalid(path / "pattern", pattern, f"must be a valid regular expression, but isn't: {error}"))


def _each_nested(schema: Schema, key: str, path: Path, found: list[FieldError]) -> None:
    for number, each in enumerate(schema.get(key) or ()):
        _nested_errors(each, (path / key)[number], found)


def _nested_errors(schema: Schema, path: Path, found: list[FieldError], *, skip_any: bool = False) -> None:
    """In a nested schema only values may be spoken of."""
    _value_errors(schema, path, found, skip_any=skip_any)
    if isinstance(schema.get("items"), dict):
        _nested_errors(schema["items"], path / "items", found)
    properties = schema.get("properties") or {}
    for name, each in properties.items():
        _nested_errors(each, (path / "properties")[name], found)
    found += (
        forbidden(path / key, _NESTED_FORBIDDEN[key])
        for key in schema.keys() & _NESTED_FORBIDDEN
        if schema[key] or (key == "additionalProperties" and schema[key] is not False) or key == "default"
    )
    if "metadata" in properties:
        found.append(forbidden((path / "properties")["metadata"], "must not be specified in a nested context"))


def _completeness(
    nested: Schema, schema: Schema | None, schema_path: Path, nested_path: Path, found: list[FieldError]
) -> None:
    """What a nested schema speaks of must stand outside of it too."""
    for key in ("not", "allOf", "anyOf", "oneOf"):
        value = nested.get(key)
        if value is None:
            continue
        listed: Sequence[Any] = value if isinstance(value, list) else (value,)
        for number, each in enumerate(listed):
            place = (nested_path / key)[number] if isinstance(value, list) else nested_path / key
            _nested_completeness(each, schema, schema_path, place, found)


def _nested_completeness(
    nested: Schema, schema: Schema | None, schema_path: Path, nested_path: Path, found: list[FieldError]
) -> None:
    if schema is None:
        found.append(required(schema_path, f"because it is defined in {nested_path}"))
        return
    _completeness(nested, schema, schema_path, nested_path, found)
    if isinstance(nested.get("items"), dict):
        _nested_completeness(nested["items"], schema.get("items"), schema_path / "items", nested_path / "items", found)
    known = schema.get("properties") or {}
    for name, each in (nested.get("properties") or {}).items():
        places = (schema_path / "properties")[name], (nested_path / "properties")[name]
        _nested_completeness(each, known.get(name), *places, found)
