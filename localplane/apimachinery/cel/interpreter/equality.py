"""When two values are equal, and in which order they come. Upstream: common/types."""

from __future__ import annotations

import math
from typing import Any, Final

from localplane.apimachinery.cel.errors import EvaluationError, no_such_overload
from localplane.apimachinery.cel.types import Type
from localplane.apimachinery.cel.values import (
    MISSING,
    Duration,
    Extension,
    Mapper,
    Optional,
    Timestamp,
    Unsigned,
    map_key,
)

_PLAIN: Final = frozenset({str, int, bool, float, bytes})
NUMBERS: Final = frozenset({int, Unsigned, float})


def equal(one: Any, other: Any) -> bool:
    kind = type(one)
    if kind is type(other) and kind in _PLAIN:
        return bool(one == other)
    if one is None or other is None:
        return one is None and other is None
    return _unlike_equal(one, other)


def _unlike_equal(one: Any, other: Any) -> bool:
    kind = type(one)
    if kind in NUMBERS:
        return type(other) in NUMBERS and _numbers_equal(one, other)
    if isinstance(one, list):
        return _lists_equal(one, other)
    if kind is Optional:
        return isinstance(other, Optional) and _optionals_equal(one, other)
    if kind is Type:
        return isinstance(other, Type) and one.name == other.name
    if isinstance(one, Extension):
        if type(other) is not kind:
            raise no_such_overload()
        return bool(one == other)
    if isinstance(one, Mapper):
        return _maps_equal(one, other)
    return kind is type(other) and bool(one == other)


def _numbers_equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return float(one) == float(other)
    return int(one) == int(other)


def _lists_equal(one: list[Any], other: Any) -> bool:
    own = getattr(one, "equals", None)
    if own is not None:
        return bool(own(other))
    if not isinstance(other, list) or len(one) != len(other):
        return False
    return all(equal(a, b) for a, b in zip(one, other, strict=True))


def _maps_equal(one: Mapper, other: Any) -> bool:
    own = getattr(one, "equals", None)
    if own is not None:
        return bool(own(other))
    if not isinstance(other, Mapper) or len(one) != len(other):
        return False
    for key in one.each_key():
        found = other.find(key)
        if found is MISSING or not equal(one.find(key), found):
            return False
    return True


def _optionals_equal(one: Optional, other: Optional) -> bool:
    if one.value is MISSING or other.value is MISSING:
        return one.value is other.value
    return equal(one.value, other.value)


def hashable(value: Any) -> Any:
    """What two values have in common if and only if they are equal. MISSING where there is no such thing."""
    kind = type(value)
    if kind in _PLAIN or kind is Unsigned:
        return (kind, value) if kind in (str, bytes) else map_key(value)
    if value is None:
        return (kind, None)
    if isinstance(value, list):
        parts = [hashable(each) for each in value] if getattr(value, "equals", None) is None else [MISSING]
        return MISSING if MISSING in parts else (list, *parts)
    return MISSING


_ORDERED: Final = frozenset({str, bytes, bool, Duration, Timestamp})


def compare(one: Any, other: Any, function: str = "") -> int:
    """-1, 0 or 1. `function` is what an error names, when `one` has no order at all."""
    kind, other_kind = type(one), type(other)
    if kind is other_kind and (kind is int or kind in _ORDERED):
        return int(one > other) - int(one < other)
    if kind in NUMBERS:
        if other_kind not in NUMBERS:
            raise no_such_overload()
        return _compare_numbers(one, other)
    raise no_such_overload() if kind in _ORDERED else no_such_overload(function)


def _compare_numbers(one: Any, other: Any) -> int:
    if isinstance(one, float) or isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            raise EvaluationError("NaN values cannot be ordered")
        one, other = float(one), float(other)
    return int(one > other) - int(one < other)
