"""Why a merged document does not fit its kind, in the words of Kubernetes' converter from maps to structs.

It walks a struct in the order of its fields and stops at the first fault. Unlike a decoder it does not say where.
Kubernetes: apimachinery/pkg/runtime/converter.go, fromUnstructured.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.golang.text import go_type_name, json_type
from localplane.apimachinery.schema import Node, go_type
from localplane.apimachinery.schema.structs.codecs import INT_OR_STRING, Codec, Unreadable, WrongType
from localplane.apimachinery.schema.structs.decoder import corrupt_base64

from .lookup import kind


def misfit(node: Node, document: Any) -> str:
    """The first fault; empty if there is none."""
    return next(_faults(node, document), "")


def _faults(node: Node, value: Any) -> Iterator[str]:
    if value is None:
        return
    match node.shape:
        case "codec" if node.codec is not None:
            yield from _unread(node.codec, value)
        case "int-or-string":
            yield from _unread(INT_OR_STRING, value)
        case "struct":
            yield from _struct_faults(node, value)
        case "map":
            yield from _map_faults(node, value)
        case "list":
            yield from _list_faults(node, value)
        case "bytes":
            yield from _bytes_faults(value)
        case "string" | "integer" | "number" | "boolean":
            yield from _scalar_faults(node, value)


def _struct_faults(node: Node, value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"cannot restore struct from: {_kind(value)}"
        return
    for name, each in node.properties.items():
        if name in value:
            yield from _faults(each.node.load(), value[name])


def _map_faults(node: Node, value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"cannot restore map from {_kind(value)}"
    elif node.values is not None:
        for item in value.values():
            yield from _faults(node.values.load(), item)


def _list_faults(node: Node, value: Any) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"cannot restore slice from {_kind(value)}"
    elif node.items is not None:
        for item in value:
            yield from _faults(node.items.load(), item)


def _bytes_faults(value: Any) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"cannot restore slice from {_kind(value)}"
    elif (position := corrupt_base64(value)) is not None:
        yield f"error decoding from json: illegal base64 data at input byte {position}"


def _scalar_faults(node: Node, value: Any) -> Iterator[str]:
    """Go converts between numbers; an integer could become text, so that is refused, all else is not thought of."""
    shape, given = node.shape, go_type_name(value)
    fits = {"string": ("string",), "boolean": ("bool",), "number": ("int64", "float64"), "integer": ("int64",)}[shape]
    if given in fits or (shape == "integer" and given == "float64" and float(value).is_integer()):
        return
    convertible = (shape, given) in (("string", "int64"), ("integer", "float64"))
    yield f"cannot convert {given} to {go_type(node)}" if convertible else f"unrecognized type: {kind(node)}"


def _unread(codec: Codec, value: Any) -> Iterator[str]:
    try:
        codec.read(value)
    except Unreadable as error:
        yield str(error)
    except WrongType as error:
        what = f"number {json.dumps(error.value)}" if error.exact else json_type(error.value)
        yield f"json: cannot unmarshal {what} into Go value of type {error.go_type}"


def _kind(value: Any) -> str:
    """Go's kind of what JSON decodes to."""
    return {"[]interface {}": "slice", "map[string]interface {}": "map"}.get(go_type_name(value), go_type_name(value))
