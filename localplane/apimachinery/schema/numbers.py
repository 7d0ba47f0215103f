"""Numbers and their limits. A limit is itself checked against the type, and compared in the number's own type.

Kubernetes: kube-openapi pkg/validation/validate (numberValidator, values.go). Its oddities are kept: an integer is
compared with the whole part of a limit, and a whole number has no fraction as its factor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, invalid
from localplane.apimachinery.gotext import go_value

from .codecs import INT32_MAX, INT32_MIN
from .formats import effective_format
from .nodes import Node
from .place import Place

_INT64 = (-(2**63), 2**63 - 1)
_LARGEST_FLOAT = 2.0**53 - 1
_FLOAT32_MAX = 3.4028235677973366e38  # from here on rounding gives infinity


def json_kind(value: Any) -> str:
    """OpenAPI's word for the type of a value. An integer that 64 bits can't hold is a float in Go."""
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer" if _INT64[0] <= value <= _INT64[1] else "number"
        case float():
            return "number"
        case list():
            return "array"
        case _:
            return "object"


def is_integral(number: float) -> bool:
    """Close enough to a whole number that JSON can say."""
    if not math.isfinite(number) or abs(number) > _LARGEST_FLOAT:
        return False
    rounded = float(math.floor(abs(number) + 0.5)) * (-1 if number < 0 else 1)
    return number == rounded or (rounded != 0 and abs(number - rounded) < 1e-9 * abs(rounded))


def number_findings(node: Node, value: float, place: Place) -> Iterator[FieldError]:
    number = value if json_kind(value) == "integer" else float(value)
    limits, kind = node.limits, node.type if node.type in ("integer", "number") else ""
    if node.int_or_string:
        kind = ""
    format_ = effective_format(kind, node.format) if kind else ""
    yield from _out_of_range(number, kind, format_, "Checked", place)
    if limits.multiple_of is not None:
        yield from _out_of_range(float(limits.multiple_of), kind, format_, "MultipleOf", place)
        yield from _not_multiple(_native(number, limits.multiple_of, kind, format_), float(limits.multiple_of), place)
    if limits.minimum is not None:
        yield from _out_of_range(float(limits.minimum), kind, format_, "Minimum boundary", place)
        subject = _native(number, limits.minimum, kind, format_)
        yield from _beyond(subject, limits.minimum, place, "greater", exclusive=limits.exclusive_minimum)
    if limits.maximum is not None:
        yield from _out_of_range(float(limits.maximum), kind, format_, "Maximum boundary", place)
        subject = _native(number, limits.maximum, kind, format_)
        yield from _beyond(subject, limits.maximum, place, "less", exclusive=limits.exclusive_maximum)


def _native(number: float, limit: float, kind: str, format_: str) -> int | float:
    """The number as it is compared: as a float, if the limit is none of the type's own values."""
    return float(number) if _problem(float(limit), kind, format_) else number


def _out_of_range(number: float, kind: str, format_: str, what: str, place: Place) -> Iterator[FieldError]:
    if _problem(number, kind, format_):
        shown = f"with format {format_}" if format_ else "(default format)"
        yield invalid("<nil>", "", f"{what} value must be of type {kind} {shown} in {place.text}")


def _problem(number: float, kind: str, format_: str) -> bool:
    if kind == "integer":
        low, high = (INT32_MIN, INT32_MAX) if format_ == "int32" else _INT64
        return not float(number).is_integer() or not low <= int(number) <= high
    return kind == "number" and format_ == "float" and abs(number) >= _FLOAT32_MAX


def _not_multiple(number: float, factor: float, place: Place) -> Iterator[FieldError]:
    divisor = int(factor) if isinstance(number, int) else factor
    if divisor <= 0:
        problem = f"factor MultipleOf declared for {place.text} must be positive: {go_value(divisor)}"
        yield invalid(place.field, divisor, problem)
        return
    if isinstance(number, int):
        is_multiple = number % divisor == 0
    else:
        is_multiple = is_integral(1 / divisor * number if divisor < 1 else number / divisor)
    if not is_multiple:
        yield invalid(place.field, number, f"{place.text} in body should be a multiple of {go_value(divisor)}")


def _beyond(number: float, limit: float, place: Place, side: str, *, exclusive: bool) -> Iterator[FieldError]:
    bound = int(limit) if isinstance(number, int) else float(limit)
    apart = number - bound if side == "greater" else bound - number
    if apart < 0 or (exclusive and apart == 0):
        equal = "" if exclusive else " or equal to"
        yield invalid(place.field, number, f"{place.text} in body should be {side} than{equal} {go_value(bound)}")
