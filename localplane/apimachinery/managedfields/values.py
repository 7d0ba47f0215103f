"""When two JSON values are the same."""

from __future__ import annotations

from typing import Any, Final

import orjson

_NUMBERS: Final = (int, float)
_SORTED: Final = orjson.OPT_SORT_KEYS


def same(left: Any, right: Any) -> bool:
    """1 and 1.0 are the same, 1 and true are not: Python's == alone would say that they are."""
    return bool(left == right) and (surely_same(left, right) or _same_in_all_parts(left, right))


def _same_in_all_parts(left: Any, right: Any) -> bool:
    kind = type(left)
    if kind is not type(right):
        return kind in _NUMBERS and type(right) in _NUMBERS and bool(left == right)
    if kind is dict:
        return len(left) == len(right) and all(
            name in right and _same_in_all_parts(value, right[name]) for name, value in left.items()
        )
    if kind is list:
        return len(left) == len(right) and all(map(_same_in_all_parts, left, right))
    return bool(left == right)


def differing(left: dict[str, Any], right: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two without what surely is the same in both. Lists are kept whole: their items have no names to go by."""
    ours, theirs = {}, {name: value for name, value in right.items() if name not in left}
    for name, value in left.items():
        if name not in right:
            ours[name] = value
            continue
        other = right[name]
        if surely_same(value, other):
            continue
        if type(value) is dict and type(other) is dict:
            ours[name], theirs[name] = differing(value, other)
        else:
            ours[name], theirs[name] = value, other
    return ours, theirs


def surely_same(left: Any, right: Any) -> bool:
    """A quick look, at C's speed: True is certain, False is not.

    Python's == takes 1 for true; as JSON they are told apart.
    """
    if left is right or (type(left) is str and type(right) is str and left == right):
        return True
    try:
        return bool(left == right) and orjson.dumps(left, option=_SORTED) == orjson.dumps(right, option=_SORTED)
    except (orjson.JSONEncodeError, RecursionError):  # a number beyond all measure, or nested too deeply
        return False
