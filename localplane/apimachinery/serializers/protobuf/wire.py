"""Protobuf's own alphabet: keys, varints and lengths.

What is wrong with bytes is told in the words of the code that Kubernetes generates for its messages
(gogo/protobuf, plugin/unmarshal).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from localplane.apimachinery.serializers.errors import ProtobufError

VARINT, FIXED64, DELIMITED, START_GROUP, END_GROUP, FIXED32 = range(6)

_WORD: Final = (1 << 64) - 1
_SINGLE: Final = tuple(bytes((number,)) for number in range(0x80))
_FIXED: Final = {FIXED64: 8, FIXED32: 4}


def unexpected_end() -> ProtobufError:
    return ProtobufError("unexpected EOF")


def key(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


def varint(number: int) -> bytes:
    """A negative number takes ten bytes, whatever its size: nothing in Kubernetes is zigzag."""
    if 0 <= number < 0x80:
        return _SINGLE[number]
    number &= _WORD
    pieces = bytearray()
    while number > 0x7F:
        pieces.append(number & 0x7F | 0x80)
        number >>= 7
    pieces.append(number)
    return bytes(pieces)


def delimited(head: bytes, data: bytes) -> bytes:
    """A field whose key is `head`: length and content."""
    size = len(data)
    return head + (_SINGLE[size] if size < 0x80 else varint(size)) + data


def read_varint(data: bytes, position: int) -> tuple[int, int]:
    """The number at a position, and where it ends."""
    number = shift = 0
    while True:
        if shift >= 64:
            raise ProtobufError("proto: integer overflow")
        if position >= len(data):
            raise unexpected_end()
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & _WORD, position
        shift += 7


def read_delimited(data: bytes, position: int) -> tuple[bytes, int]:
    size, position = read_varint(data, position)
    if size >> 63:
        raise ProtobufError("proto: negative length found during unmarshaling")
    end = position + size
    if end > len(data):
        raise unexpected_end()
    return data[position:end], end


def signed64(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def signed32(number: int) -> int:
    """The lower half, as Go cuts it off."""
    number &= 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number


Payload = int | bytes
"""What a field holds on the wire: a varint's number, or bytes."""


def read_payload(data: bytes, position: int, wire_type: int) -> tuple[Payload, int]:
    """What stands behind a key, and where it ends."""
    if wire_type == DELIMITED:
        return read_delimited(data, position)
    if wire_type == VARINT:
        return read_varint(data, position)
    if wire_type in _FIXED:
        end = position + _FIXED[wire_type]
        if end > len(data):
            raise unexpected_end()
        return data[position:end], end
    if wire_type == START_GROUP:
        return b"", _end_of_group(data, position)
    raise ProtobufError(f"proto: illegal wireType {wire_type}")


def _end_of_group(data: bytes, position: int) -> int:
    """Groups are of the past: they are stepped over, with whatever is in them."""
    depth = 1
    while depth:
        found, position = read_varint(data, position)
        wire_type = found & 7
        if wire_type == START_GROUP:
            depth += 1
        elif wire_type == END_GROUP:
            depth -= 1
        else:
            _, position = read_payload(data, position, wire_type)
    return position


def fields(data: bytes) -> Iterator[tuple[int, Payload]]:
    """The numbers and contents of a small message, whose wire types nobody looks at."""
    position = 0
    while position < len(data):
        found, position = read_varint(data, position)
        payload, position = read_payload(data, position, found & 7)
        yield found >> 3, payload
