"""An object, as Go writes a struct that it has read it into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kctl.structs.table import Field, fields, struct_name
from localplane.apimachinery.objects import JSONObject

_ZEROS: Mapping[str, Any] = {"s": "", "b": False, "i": 0, "d": 0, "p": 0, "q": "0"}


def encoded(obj: JSONObject) -> JSONObject:
    """Fields that the struct does not have are gone. Of a list, each of its items."""
    if isinstance(obj.get("items"), list):
        return {**obj, "items": [encoded(item) for item in obj["items"]]}
    struct = struct_name(obj)
    if struct is None:
        return obj
    return {"kind": obj["kind"], "apiVersion": obj["apiVersion"], **encoded_struct(struct, obj)}


def encoded_struct(struct: str, obj: Mapping[str, Any]) -> JSONObject:
    """`struct` is its name in the table: `core/v1.Container`."""
    found = {}
    for field in fields(struct):
        value = obj.get(field.name)
        if value is not None:
            value = _value(field.type, value)
            if field.pointer or field.empty or value or _is_struct(field.type):
                found[field.name] = value
        elif field.empty:
            found[field.name] = None if field.empty == "?" else _zero(field)
    return found


def _is_struct(kind: str) -> bool:
    return "/" in kind and kind[:2] not in ("[]", "{}")


def _value(kind: str, value: Any) -> Any:
    if kind.startswith("[]") and isinstance(value, list):
        return [_value(kind[2:], item) for item in value]
    if not isinstance(value, dict):
        return _quantity(value) if kind == "q" else value
    if kind.startswith("{}"):
        return {key: _value(kind[2:], value[key]) for key in sorted(value)}
    return encoded_struct(kind, value) if "/" in kind else value


def _zero(field: Field) -> Any:
    return encoded_struct(field.type, {}) if _is_struct(field.type) else _ZEROS.get(field.type)


def _quantity(value: Any) -> Any:
    from localplane.apimachinery.quantity import InvalidQuantity, canonical

    try:
        return canonical(str(value))
    except InvalidQuantity:
        return value
