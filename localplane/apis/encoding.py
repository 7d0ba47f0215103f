"""An object, as Go writes a struct that it has read it into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery import quantity
from localplane.apimachinery.api_types import APIField, is_struct
from localplane.apimachinery.objects import JSONObject
from localplane.apis.table import TYPES, registered_type

_QUANTITY = "resource.Quantity"
_ZEROS: Mapping[str, Any] = {
    "string": "",
    "bool": False,
    **dict.fromkeys(("int32", "int64", "double", "intstr.IntOrString"), 0),
    _QUANTITY: "0",
}


def encoded(obj: JSONObject) -> JSONObject:
    """Fields that the struct does not have are gone. Of a list, each of its items. A kind that is not registered stays
    as it is."""
    if isinstance(obj.get("items"), list):
        return {**obj, "items": [encoded(item) for item in obj["items"]]}
    struct = registered_type(str(obj.get("apiVersion")), str(obj.get("kind")))
    if struct is None:
        return obj
    return {"kind": obj["kind"], "apiVersion": obj["apiVersion"], **_encoded(struct.fields, obj)}


def encoded_struct(definition: str, obj: Mapping[str, Any]) -> JSONObject:
    """`definition` is its name in the table: `core/v1.Container`."""
    return _encoded(TYPES.type(definition).fields, obj)


def _encoded(fields: tuple[APIField, ...], obj: Mapping[str, Any]) -> JSONObject:
    found = {}
    for field in fields:
        value = obj.get(field.name)
        if value is not None:
            value = _value(field.type, value)
            if field.pointer or field.always or value or is_struct(field.type):
                found[field.name] = value
        elif field.always:
            found[field.name] = None if field.emit == "null" else _zero(field)
    return found


def _value(kind: str, value: Any) -> Any:
    if kind.startswith("[]") and isinstance(value, list):
        return [_value(kind[2:], item) for item in value]
    if not isinstance(value, dict):
        return _quantity(value) if kind == _QUANTITY else value
    if kind.startswith("{}"):
        return {key: _value(kind[2:], value[key]) for key in sorted(value)}
    return encoded_struct(kind, value) if is_struct(kind) else value


def _zero(field: APIField) -> Any:
    return encoded_struct(field.type, {}) if is_struct(field.type) else _ZEROS.get(field.type)


def _quantity(value: Any) -> Any:
    try:
        return quantity.canonical(str(value))
    except quantity.InvalidQuantity:
        return value
