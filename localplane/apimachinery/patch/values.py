"""JSON values at any depth: comparing, copying and measuring them, however deeply they are nested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from localplane.apimachinery.golang.text import json_float, json_string, json_type
from localplane.apimachinery.names import size


def same(one: Any, other: Any, *, exact_numbers: bool = True) -> bool:
    """Whether two values are equal. True is no number; 1 and 1.0 differ, as their texts do, unless told otherwise."""
    pairs = [(one, other)]
    while pairs:
        left, right = pairs.pop()
        if left is right:
            continue
        if json_type(left) != json_type(right) or (exact_numbers and type(left) is not type(right)):
            return False
        if isinstance(left, dict):
            if left.keys() != right.keys():
                return False
            pairs += [(value, right[key]) for key, value in left.items()]
        elif isinstance(left, list):
            if len(left) != len(right):
                return False
            pairs += zip(left, right, strict=True)
        elif left != right:
            return False
    return True


def copied(value: Any) -> Any:
    """A deep copy. Every write makes a few, and to write JSON and to read it again takes a third of the time.

    What could come back as something else is copied piece by piece: a number that JSON has no word for would be null,
    and one beyond 64 bits can't be written.
    """
    try:
        data = orjson.dumps(value)
        if b"null" not in data:
            return orjson.loads(data)
    except orjson.JSONEncodeError:
        pass
    try:
        return _copied_piece_by_piece(value)
    except RecursionError:
        return _copied_at_any_depth(value)


def _copied_piece_by_piece(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {
            name: _copied_piece_by_piece(item) if type(item) is dict or type(item) is list else item
            for name, item in value.items()
        }
    if kind is list:
        return [_copied_piece_by_piece(item) if type(item) is dict or type(item) is list else item for item in value]
    return value


def _copied_at_any_depth(value: Any) -> Any:
    root: list[Any] = [value]
    pending: list[Any] = [root]
    while pending:
        container = pending.pop()
        for key, child in _entries(container):
            if isinstance(child, (dict, list)):
                container[key] = child.copy()
                pending.append(container[key])
    return root[0]


def _entries(container: Any) -> Iterator[tuple[Any, Any]]:
    return iter(list(container.items())) if isinstance(container, dict) else enumerate(container)


def encoded_size(value: Any) -> int:
    """How many bytes a value takes in Go's compact JSON."""
    total, pending = 0, [value]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            total += 2 + max(len(current) - 1, 0) + sum(1 + size(json_string(key)) for key in current)
            pending += current.values()
        elif isinstance(current, list):
            total += 2 + max(len(current) - 1, 0)
            pending += current
        else:
            total += _scalar_size(current)
    return total


def _scalar_size(value: Any) -> int:
    if isinstance(value, str):
        return size(json_string(value))
    if value is None or value is True:
        return 4
    if value is False:
        return 5
    return len(json_float(value) if isinstance(value, float) else str(value))
