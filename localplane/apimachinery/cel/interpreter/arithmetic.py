"""Operators on values, with cel-go's limits and messages. Upstream: common/types, overflow.go."""

from __future__ import annotations

import math
from typing import Any

from localplane.apimachinery.cel.errors import EvaluationError, no_such_overload
from localplane.apimachinery.cel.interpreter import equality
from localplane.apimachinery.cel.values import MISSING, Duration, Mapper, Timestamp, Unsigned

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
UINT_MAX = 2**64 - 1
SECOND = 1_000_000_000
_EARLIEST, _LATEST = -62135596800 * SECOND, 253402300799 * SECOND + SECOND - 1


def integer(value: int) -> int:
    if INT_MIN <= value <= INT_MAX:
        return value
    raise EvaluationError("integer overflow")


def unsigned(value: int) -> Unsigned:
    if 0 <= value <= UINT_MAX:
        return Unsigned(value)
    raise EvaluationError("unsigned integer overflow")


def duration(nanoseconds: int) -> Duration:
    if INT_MIN <= nanoseconds <= INT_MAX:
        return Duration(nanoseconds)
    raise EvaluationError("duration overflow")


def timestamp(nanoseconds: int, offset: int = 0) -> Timestamp:
    if _EARLIEST <= nanoseconds <= _LATEST:
        return Timestamp(nanoseconds, offset)
    raise EvaluationError("timestamp overflow")


def add(one: Any, other: Any) -> Any:
    kind = type(one)
    if kind is type(other):
        if kind is int:
            return integer(one + other)
        if kind in (str, float, bytes):
            return one + other
        if kind is Unsigned:
            return unsigned(int(one) + int(other))
        if kind is Duration:
            return duration(one.nanoseconds + other.nanoseconds)
    if isinstance(one, list):
        return _concatenated(one, other)
    if kind is Duration and type(other) is Timestamp:
        one, other, kind = other, one, Timestamp
    if kind is Timestamp and type(other) is Duration:
        return timestamp(one.nanoseconds + other.nanoseconds, one.offset)
    raise no_such_overload("" if kind in (int, str, float, bytes, Unsigned, Duration, Timestamp) else "_+_")


def _concatenated(one: list[Any], other: Any) -> list[Any]:
    if not isinstance(other, list):
        raise no_such_overload()
    merge = getattr(one, "merged", None)
    return merge(other) if merge is not None else [*one, *other]


def subtract(one: Any, other: Any) -> Any:
    kind = type(one)
    if kind is type(other):
        if kind is int:
            return integer(one - other)
        if kind is float:
            return one - other
        if kind is Unsigned:
            return unsigned(int(one) - int(other))
        if kind in (Duration, Timestamp):
            return duration(one.nanoseconds - other.nanoseconds)
    if kind is Timestamp and type(other) is Duration:
        return timestamp(one.nanoseconds - other.nanoseconds, one.offset)
    raise no_such_overload("" if kind in (int, float, Unsigned, Duration, Timestamp) else "_-_")


def multiply(one: Any, other: Any) -> Any:
    kind = type(one)
    if kind is type(other):
        if kind is int:
            return integer(one * other)
        if kind is float:
            return one * other
        if kind is Unsigned:
            return unsigned(int(one) * int(other))
    raise no_such_overload("" if kind in (int, float, Unsigned) else "_*_")


def divide(one: Any, other: Any) -> Any:
    kind = type(one)
    if kind is type(other):
        if kind is float:
            return _float_quotient(one, other)
        if kind in (int, Unsigned):
            if other == 0:
                raise EvaluationError("division by zero")
            quotient = abs(int(one)) // abs(int(other))
            if kind is Unsigned:
                return Unsigned(quotient)
            return integer(quotient if (one < 0) == (other < 0) else -quotient)
    raise no_such_overload("" if kind in (int, float, Unsigned) else "_/_")


def _float_quotient(one: float, other: float) -> float:
    if other:
        return one / other
    if one == 0 or math.isnan(one) or math.isnan(other):
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1, other)


def modulo(one: Any, other: Any) -> Any:
    """Truncated, as Go's %: the sign is that of the dividend."""
    kind = type(one)
    if kind is type(other) and kind in (int, Unsigned):
        if other == 0:
            raise EvaluationError("modulus by zero")
        if kind is int and one == INT_MIN and other == -1:
            raise EvaluationError("integer overflow")
        rest = abs(int(one)) % abs(int(other))
        return Unsigned(rest) if kind is Unsigned else (-rest if one < 0 else rest)
    raise no_such_overload("" if kind in (int, Unsigned) else "_%_")


def negate(value: Any) -> Any:
    kind = type(value)
    if kind is int:
        return integer(-value)
    if kind is float:
        return -value
    if kind is Duration:
        return duration(-value.nanoseconds)
    raise no_such_overload("" if kind in (str, bool) else "-_")


def contains(container: Any, value: Any) -> bool:
    """`value in container`."""
    if isinstance(container, list):
        return any(equality.equal(value, each) for each in container)
    if isinstance(container, Mapper):
        return container.find(value) is not MISSING
    raise no_such_overload()
