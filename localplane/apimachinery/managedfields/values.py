"""When two JSON values are the same."""

from __future__ import annotations

import marshal
from typing import Any

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
