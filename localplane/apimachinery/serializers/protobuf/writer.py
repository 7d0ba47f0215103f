"""From JSON dictionaries to messages.

Each node is compiled once, when it is first met, into a function from a value to its message. A field is a name, the
bytes for a value that is not there, and a function for one that is: zero values of plain fields are written too, so
most of a message is constants. Fields stand in ascending order, maps in the order of their keys.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.schema.nodes import Node, Property

from .alternatives import WRITERS, alternative
from .layout import Layout, is_string_list, layout
from .special import INT_OR_STRING, RAW_JSON, SPECIAL, TEXTS, Special
from .wire import DELIMITED, FIXED64, VARINT, delimited, key, varint

Write = Callable[[Any], bytes]
Field = tuple[str, bytes, Write]

_COMPILED = "protobuf writer"
_ITSELF = ""  # no field is called so: it stands for the object, whose fields an inline message shares


def message_writer(node: Node) -> Write:
    """The function from an object to its message. What has no number is left out, and so is what nobody knows."""
    found = node.compiled.get(_COMPILED)
    if found is None:
        found = node.compiled[_COMPILED] = _message(node, layout(node))
    result: Write = found
    return result


def _message(node: Node, place: Layout) -> Write:
    fields = tuple(_field(node, place, number) for number in place.numbers())
    if place.inline:
        return lambda obj: _written(fields, {**obj, _ITSELF: obj})
    return lambda obj: _written(fields, obj)


def _written(fields: tuple[Field, ...], obj: dict[str, Any]) -> bytes:
    get = obj.get
    return b"".join([zero if (value := get(name)) is None else write(value) for name, zero, write in fields])


def _field(owner: Node, place: Layout, number: int) -> Field:
    if number in place.inline:
        head, write = key(number, DELIMITED), _message(owner, place.inline[number])
        return _ITSELF, b"", lambda obj: delimited(head, write(obj))
    name, each = place.fields[number]
    writer = _of_property(each, number, owner)
    return name, b"" if each.pointer else writer.zero(), writer.write


@dataclass(frozen=True, slots=True)
class _Writer:
    """`write` makes a whole field, key and all. `zero` is called for a value that is not set and no pointer, and not
    before: a type may contain itself."""

    write: Write
    zero: Callable[[], bytes] = bytes


def _of_property(each: Property, number: int, owner: Node) -> _Writer:
    if is_string_list(each):
        return _Writer(_special(TEXTS, number).write)
    return _writer(each.node, number, owner)


def _writer(node: Node, number: int, owner: Node) -> _Writer:
    if alternative(node):
        return _alternative(alternative(node), owner, key(number, DELIMITED))
    match node.shape:
        case "list":
            return _repeated(node, number, owner)
        case "map":
            return _map(node, number, owner)
        case "struct" if node.properties or not node.preserve_unknown_fields:
            return _struct(node, key(number, DELIMITED))
        case "codec" if node.codec is not None:
            return _special(SPECIAL[node.codec.name], number)
        case "int-or-string":
            return _special(INT_OR_STRING, number)
        case "any" | "struct":
            return _special(RAW_JSON, number)
        case shape:
            return _SCALARS[shape](number)


def _text(number: int) -> _Writer:
    head = key(number, DELIMITED)
    return _Writer(lambda value: delimited(head, value.encode()), lambda: head + b"\x00")


def _bytes(number: int) -> _Writer:
    """Nothing and no bytes are not the same on the wire."""
    head = key(number, DELIMITED)
    return _Writer(lambda value: delimited(head, binascii.a2b_base64(value)))


def _integer(number: int) -> _Writer:
    head = key(number, VARINT)
    return _Writer(lambda value: head + varint(value), lambda: head + b"\x00")


def _double(number: int) -> _Writer:
    head = key(number, FIXED64)
    return _Writer(lambda value: head + struct.pack("<d", value), lambda: head + bytes(8))


_SCALARS = {"string": _text, "bytes": _bytes, "integer": _integer, "boolean": _integer, "number": _double}


def _special(special: Special, number: int) -> _Writer:
    head, write = key(number, DELIMITED), special.write
    return _Writer(lambda value: delimited(head, write(value)), lambda: delimited(head, special.zero))


def _alternative(name: str, owner: Node, head: bytes) -> _Writer:
    def write_schema(value: Any) -> bytes:
        return message_writer(owner)(value)  # looked up late: the owner is being compiled

    write = WRITERS[name](write_schema)
    return _Writer(lambda value: delimited(head, write(value)), lambda: head + b"\x00")


def _struct(node: Node, head: bytes) -> _Writer:
    def write(value: Any) -> bytes:
        return delimited(head, message_writer(node)(value))

    return _Writer(write, lambda: write({}))


def _repeated(node: Node, number: int, owner: Node) -> _Writer:
    assert node.items is not None
    item = _writer(node.items, number, owner)
    write, zero = item.write, item.zero
    return _Writer(lambda value: b"".join([zero() if each is None else write(each) for each in value]))


def _map(node: Node, number: int, owner: Node) -> _Writer:
    """A repeated message {1 key, 2 value}. A list can't be a value there, so one is a message of its own."""
    assert node.values is not None
    values = _special(TEXTS, 2) if node.values.shape == "list" else _writer(node.values, 2, owner)
    head, write, zero = key(number, DELIMITED), values.write, values.zero

    def entry(name: str, value: Any) -> bytes:
        return delimited(b"\x0a", name.encode()) + (zero() if value is None else write(value))

    return _Writer(lambda value: b"".join([delimited(head, entry(name, value[name])) for name in sorted(value)]))
