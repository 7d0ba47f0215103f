"""The rules for x-kubernetes-list-type and x-kubernetes-map-type.

Kubernetes: pkg/apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema and
validateMapListKeysMapSet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required

Schema = Mapping[str, Any]

_LIST_TYPE: Final = "x-kubernetes-list-type"
_MAP_TYPE: Final = "x-kubernetes-map-type"
_KEYS: Final = "x-kubernetes-list-map-keys"
KEYS: Final = frozenset({_LIST_TYPE, _MAP_TYPE, _KEYS})
_ATOMIC: Final = "must be atomic as item of a list with x-kubernetes-list-type=set"


def list_type_errors(schema: Schema, path: Path, *, atomic_sets: bool, list_map_keys: bool) -> Iterator[FieldError]:
    """Of a schema that has any of the three."""
    yield from _map_type_errors(schema, path)
    list_type = schema.get(_LIST_TYPE)
    if list_type is not None and schema.get("type") != "array":
        yield _wrong_type(schema, path, "must be array if x-kubernetes-list-type is specified")
    elif atomic_sets and non_atomic_set(schema):
        items = schema["items"]
        key = _LIST_TYPE if items.get("type") == "array" else _MAP_TYPE
        yield invalid(path / "items" / key, items.get(_LIST_TYPE), _ATOMIC)
    if list_type is not None and list_type not in ("atomic", "set", "map"):
        yield not_supported(path / _LIST_TYPE, list_type, ("atomic", "set", "map"))
    if schema.get(_KEYS) and list_type != "map":
        why = "must be map if x-kubernetes-list-map-keys is non-empty"
        yield required(path / _LIST_TYPE, why) if list_type is None else invalid(path / _LIST_TYPE, list_type, why)
    if list_type == "map":
        yield from _map_errors(schema, path)
    if list_map_keys:
        yield from key_errors(schema, path)


def _wrong_type(schema: Schema, path: Path, why: str) -> FieldError:
    type_ = schema.get("type", "")
    return invalid(path / "type", type_, why) if type_ else required(path / "type", why)


def _map_type_errors(schema: Schema, path: Path) -> Iterator[FieldError]:
    map_type = schema.get(_MAP_TYPE)
    if map_type is None:
        return
    if schema.get("type") != "object":
        yield _wrong_type(schema, path, "must be object if x-kubernetes-map-type is specified")
    if map_type not in ("atomic", "granular"):
        yield not_supported(path / _MAP_TYPE, map_type, ("atomic", "granular"))


def non_atomic_set(schema: Schema) -> bool:
    """Whether it is a set whose items could be changed in part."""
    items = schema.get("items")
    if schema.get(_LIST_TYPE) != "set" or not isinstance(items, dict):
        return False
    match items.get("type"):
        case "array":
            return bool(items.get(_LIST_TYPE, "atomic") != "atomic")
        case "object":
            return bool(items.get(_MAP_TYPE) != "atomic")
    return False


def _map_errors(schema: Schema, path: Path) -> Iterator[FieldError]:
    keys, items = schema.get(_KEYS) or [], schema.get("items")
    if not keys:
        yield required(path / _KEYS, "must not be empty if x-kubernetes-list-type is map")
    if items is None:
        yield required(path / "items", "must have a schema if x-kubernetes-list-type is map")
        return
    if not isinstance(items, dict):
        yield invalid(path / "items", items, "must only have a single schema if x-kubernetes-list-type is map")
        return
    type_ = items.get("type", "")
    if type_ != "object":
        why = "must be object if parent array's x-kubernetes-list-type is map"
        yield invalid(path / "items" / "type", type_, why)
        return
    known, seen = items.get("properties") or {}, set[str]()
    for key in keys:
        if key not in known:
            yield invalid(path / _KEYS, keys, "entries must all be names of item properties")
        elif known[key].get("type") in ("array", "object"):
            place = (path / "items" / "properties")[key] / "type"
            yield invalid(place, type_, "must be a scalar type if parent array's x-kubernetes-list-type is map")
        if key in seen:
            yield invalid(path / _KEYS, keys, "must not contain duplicate entries")
        seen.add(key)


def key_errors(schema: Schema, path: Path) -> list[FieldError]:
    """Items of sets and maps are something, and the keys of a map always have a value."""
    items, list_type = schema.get("items"), schema.get(_LIST_TYPE)
    if list_type not in ("set", "map") or not isinstance(items, dict):
        return []
    found = []
    if items.get("nullable"):
        found.append(forbidden(path / "items" / "nullable", f"cannot be nullable when {_LIST_TYPE} is {list_type}"))
    if list_type == "set":
        return found
    known, always = items.get("properties") or {}, items.get("required") or ()
    about = "this property is in x-kubernetes-list-map-keys, so it"
    for key in schema.get(_KEYS) or ():
        if key not in known:
            continue
        place = (path / "items" / "properties")[key]
        if key not in always and "default" not in known[key]:
            found.append(required(place / "default", f"{about} must have a default or be a required property"))
        if known[key].get("nullable"):
            found.append(forbidden(place / "nullable", f"{about} cannot be nullable"))
    return found
