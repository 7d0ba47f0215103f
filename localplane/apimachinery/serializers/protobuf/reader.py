"""From messages to JSON dictionaries, the same as are read from JSON.

Each node is compiled once, when it is first met, into a table from a field's key on the wire to a function that stores
what the field holds. Fields that nobody knows are stepped over. What JSON leaves out when it is empty is left out here.
Kubernetes: what gogo/protobuf generates, Unmarshal.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Callable
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema.nodes import Node, Property
from localplane.apimachinery.serializers.errors import ProtobufError
from localplane.apimachinery.serializers.utf8 import decode as text_of

from .alternatives import READERS, alternative
from .layout import Layout, is_string_list, layout
from .special import INT_OR_STRING, RAW_JSON, SPECIAL, TEXTS
from .wire import (
    DELIMITED,
    END_GROUP,
    FIXED64,
    VARINT,
    Payload,
    fields,
    read_payload,
    read_varint,
    signed32,
    signed64,
    unexpected_end,
)

Store = Callable[[JSONObject, Any], None]
"""Puts what a field holds into an object."""
Read = Callable[[Any], Any]
"""From what a field holds to a JSON value; None if that means that it is not set."""

_COMPILED = "protobuf reader"
_GREATEST_WHOLE = 1e21  # from here on Go writes an exponent


def read_message(node: Node, data: bytes) -> JSONObject:
    """The object of a message. Raises ProtobufError."""
    try:
        return _table(node).read(data, {})
    except RecursionError:
        raise ProtobufError("proto: nested too deeply") from None


def _table(node: Node) -> _Table:
    found = node.compiled.get(_COMPILED)
    if found is None:
        found = node.compiled[_COMPILED] = _Table(node, layout(node))
    result: _Table = found
    return result


class _Table:
    """The fields of one message, by key."""

    def __init__(self, node: Node, place: Layout) -> None:
        self._name = (node.go_type or node.name).rpartition(".")[2]
        self._stores: dict[int, Store] = {}
        self._known: dict[int, str] = {}
        for number, inline in place.inline.items():
            self._add(number, "", DELIMITED, _into_itself(_Table(node, inline)))
        for number, (name, each) in place.fields.items():
            wire_type, store = _stored(name, each, node)
            self._add(number, name, wire_type, store)
            if wire_type != DELIMITED and each.node.shape == "list" and each.node.items is not None:
                self._add(number, name, DELIMITED, _packed(wire_type, store))

    def _add(self, number: int, name: str, wire_type: int, store: Store) -> None:
        self._stores[number << 3 | wire_type] = store
        self._known[number] = name[:1].upper() + name[1:]

    def read(self, data: bytes, obj: JSONObject) -> JSONObject:
        """A field that comes again replaces what was there, or is merged with it if it is a message."""
        position, end, stores = 0, len(data), self._stores
        while position < end:
            found = data[position]
            position += 1
            if found > 0x7F:
                found, position = read_varint(data, position - 1)
            store = stores.get(found)
            if store is None:
                self._refuse_misplaced(found)
            payload, position = read_payload(data, position, found & 7)
            if store is not None:
                store(obj, payload)
        return obj

    def _refuse_misplaced(self, found: int) -> None:
        number, wire_type = found >> 3, found & 7
        if wire_type == END_GROUP:
            raise ProtobufError(f"proto: {self._name}: wiretype end group for non-group")
        if number <= 0:
            raise ProtobufError(f"proto: {self._name}: illegal tag {number} (wire type {found})")
        if number in self._known:
            raise ProtobufError(f"proto: wrong wireType = {wire_type} for field {self._known[number]}")


def _into_itself(table: _Table) -> Store:
    def store(obj: JSONObject, payload: Any) -> None:
        table.read(payload, obj)

    return store


def _packed(wire_type: int, store: Store) -> Store:
    """Many numbers in one field: nobody writes them so, but everybody reads them."""

    def each(obj: JSONObject, payload: bytes) -> None:
        position = 0
        while position < len(payload):
            item, position = read_payload(payload, position, wire_type)
            store(obj, item)

    return each


def _stored(name: str, each: Property, owner: Node) -> tuple[int, Store]:
    """The wire type of a field, and what puts it into the object."""
    node = each.node
    if is_string_list(each):
        return DELIMITED, _replaced(name, TEXTS.read, keep=each.keeps_zero)
    match node.shape:
        case "struct" if _is_message(node):
            return DELIMITED, _merged(name, node)
        case "map":
            return DELIMITED, _entry(name, node, owner)
        case "list":
            assert node.items is not None
            return _WIRE_TYPES.get(node.items.shape, DELIMITED), _appended(name, _reader(node.items, owner))
        case shape:
            return _WIRE_TYPES.get(shape, DELIMITED), _replaced(name, _reader(node, owner), keep=each.keeps_zero)


_WIRE_TYPES = {"integer": VARINT, "boolean": VARINT, "number": FIXED64}


def _is_message(node: Node) -> bool:
    return bool(node.properties) or not node.preserve_unknown_fields


def _replaced(name: str, read: Read, *, keep: bool) -> Store:
    def store(obj: JSONObject, payload: Any) -> None:
        value = read(payload)
        if value is not None and (value or keep):
            obj[name] = value
        else:
            obj.pop(name, None)

    return store


def _merged(name: str, node: Node) -> Store:
    def store(obj: JSONObject, payload: bytes) -> None:
        obj[name] = _table(node).read(payload, obj.get(name) or {})

    return store


def _appended(name: str, read: Read) -> Store:
    def store(obj: JSONObject, payload: Any) -> None:
        obj.setdefault(name, []).append(read(payload))

    return store


def _entry(name: str, node: Node, owner: Node) -> Store:
    assert node.values is not None
    read: Read = TEXTS.read if node.values.shape == "list" else _reader(node.values, owner)
    zero = _ZEROS.get(node.values.shape, b"")

    def store(obj: JSONObject, payload: bytes) -> None:
        found: dict[int, Payload] = {1: b"", 2: zero}
        found.update(fields(payload))
        name_there = found[1]
        if not isinstance(name_there, bytes) or type(found[2]) is not type(zero):
            raise unexpected_end()
        obj.setdefault(name, {})[text_of(name_there)] = read(found[2])

    return store


_ZEROS: dict[str, int | bytes] = {"integer": 0, "boolean": 0, "number": bytes(8)}


def _reader(node: Node, owner: Node) -> Read:
    if alternative(node):
        return READERS[alternative(node)](lambda payload: _table(owner).read(payload, {}))
    match node.shape:
        case "struct" if _is_message(node):
            return lambda payload: _table(node).read(payload, {})
        case "codec" if node.codec is not None:
            return SPECIAL[node.codec.name].read
        case "int-or-string":
            return INT_OR_STRING.read
        case "any" | "struct":
            return RAW_JSON.read
        case "integer":
            return signed32 if node.format == "int32" else signed64
        case shape:
            return _SCALARS[shape]


def _double(payload: bytes) -> int | float:
    """A whole number has no point in JSON."""
    (value,) = struct.unpack("<d", payload)
    return int(value) if value.is_integer() and abs(value) < _GREATEST_WHOLE else float(value)


def _base64(payload: bytes) -> str:
    return binascii.b2a_base64(payload, newline=False).decode("ascii")


_SCALARS: dict[str, Read] = {
    "string": text_of,
    "bytes": _base64,
    "boolean": bool,
    "number": _double,
}
