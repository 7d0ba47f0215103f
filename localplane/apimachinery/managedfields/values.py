"""When two JSON values are the same, and how Go prints them in messages about wrong types."""

from __future__ import annotations

import marshal
from typing import Any

from localplane.apimachinery.gotext import go_float

_NUMBERS = (int, float)


def same(left: Any, right: Any) -> bool:
    """1 and 1.0 are the same, 1 and true are not: Python's == alone would say that they are."""
    kind = type(left)
    if kind is not type(right):
        return kind in _NUMBERS and type(right) in _NUMBERS and bool(left == right)
    if kind is dict:
        return len(left) == len(right) and all(
            name in right and same(value, right[name]) for name, value in left.items()
        )
    if kind is list:
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def surely_same(left: Any, right: Any) -> bool:
    """A quick look, at C's speed: True is certain, False is not.

    Python's == takes 1 for true; what they look like as bytes tells them apart.
    """
    try:
        return bool(left == right) and marshal.dumps(left, 2) == marshal.dumps(right, 2)
    except ValueError:  # nested too deeply for it
        return False


def go_plain(value: Any) -> str:
    """Go's %v."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{go_plain(value[name])}' for name in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_plain, value))}]"
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return go_float(value) if isinstance(value, float) else str(value)


def go_type_name(value: Any) -> str:
    """Go's %T of what JSON decodes to."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "bool"
        case int():
            return "int64"
        case float():
            return "float64"
        case str():
            return "string"
        case list():
            return "[]interface {}"
    return "map[string]interface {}"
