"""Enough of protobuf's wire format to look into a message."""

from __future__ import annotations

from collections import defaultdict
from typing import Any


def fields(message: bytes) -> dict[int, list[Any]]:
    """The values of each field, by its number: bytes, or whole numbers."""
    found: dict[int, list[Any]] = defaultdict(list)
    position = 0
    while position < len(message):
        tag, position = _varint(message, position)
        match tag & 7:
            case 0:
                value, position = _varint(message, position)
                found[tag >> 3].append(value)
            case 1:
                found[tag >> 3].append(message[position : position + 8])
                position += 8
            case 2:
                length, position = _varint(message, position)
                assert position + length <= len(message)
                found[tag >> 3].append(message[position : position + length])
                position += length
            case other:
                raise AssertionError(f"wire type {other}")
    return dict(found)


def first(message: bytes, field: int) -> bytes:
    value = fields(message)[field][0]
    assert isinstance(value, bytes)
    return value


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
