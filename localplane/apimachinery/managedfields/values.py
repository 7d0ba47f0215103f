"""When two JSON values are the same."""

from __future__ import annotations

from typing import Any, Final

import orjson

_NUMBERS: Final = (int, float)
_SORTED: Final = orjson.OPT_SORT_KEYS


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

    Python's == takes 1 for true; as JSON they are told apart.
    """
    if left is right:
        return True
    try:
        return bool(left == right) and orjson.dumps(left, option=_SORTED) == orjson.dumps(right, option=_SORTED)
    except (orjson.JSONEncodeError, RecursionError):  # a number beyond all measure, or nested too deeply
        return False
