"""What OpenAPI lets be one thing or another: a schema or a boolean, a schema or a list of them.

Kubernetes: apiextensions/v1, JSONSchemaPropsOrBool, JSONSchemaPropsOrArray and JSONSchemaPropsOrStringArray.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from localplane.apimachinery.schema.nodes import Node
from localplane.apimachinery.serializers.utf8 import decode as text_of

from .wire import delimited, fields

Write = Callable[[Any], bytes]
Read = Callable[[bytes], Any]

_FIRST, _SECOND = b"\x0a", b"\x12"


def _write_or_bool(write: Write) -> Write:
    """{1 allows, 2 schema}: a schema is always allowed."""

    def written(value: Any) -> bytes:
        if isinstance(value, bool):
            return b"\x08\x01" if value else b"\x08\x00"
        return b"\x08\x01" + delimited(_SECOND, write(value))

    return written


def _read_or_bool(read: Read) -> Read:
    def value_of(data: bytes) -> Any:
        schema, allows = None, False
        for number, payload in fields(data):
            if number == 1:
                allows = bool(payload)
            elif number == 2 and isinstance(payload, bytes):
                schema = read(payload)
        return allows if schema is None else schema

    return value_of


def _write_or_list(write: Write, write_item: Write) -> Write:
    """{1 schema, 2 repeated item}."""

    def written(value: Any) -> bytes:
        if isinstance(value, list):
            return b"".join([delimited(_SECOND, write_item(item)) for item in value])
        return delimited(_FIRST, write(value))

    return written


def _read_or_list(read: Read, read_item: Read) -> Read:
    """A list counts more than a schema."""

    def value_of(data: bytes) -> Any:
        schema, items = None, []
        for number, payload in fields(data):
            if number == 1 and isinstance(payload, bytes):
                schema = read(payload)
            elif number == 2 and isinstance(payload, bytes):
                items.append(read_item(payload))
        return items or schema

    return value_of


WRITERS: Final[Mapping[str, Callable[[Write], Write]]] = {
    "JSONSchemaPropsOrBool": _write_or_bool,
    "JSONSchemaPropsOrArray": lambda write: _write_or_list(write, write),
    "JSONSchemaPropsOrStringArray": lambda write: _write_or_list(write, str.encode),
}
"""By the name of the type, from the function of the schema in which it stands to its own."""

READERS: Final[Mapping[str, Callable[[Read], Read]]] = {
    "JSONSchemaPropsOrBool": _read_or_bool,
    "JSONSchemaPropsOrArray": lambda read: _read_or_list(read, read),
    "JSONSchemaPropsOrStringArray": lambda read: _read_or_list(read, text_of),
}


def alternative(node: Node) -> str:
    """Which of them a node is; "" if none. Only its name tells: in JSON it may be anything."""
    name = node.name.rpartition(".")[2]
    return name if name in WRITERS else ""
