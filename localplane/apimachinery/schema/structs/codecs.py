"""Types that Go reads with a method of their own: times, durations, quantities and their like.

A codec says whether a value is already in the form in which Kubernetes writes it (the common case, and the fast one),
and turns any other value into that form, or raises what the method in Go returns.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from localplane.apimachinery.golang.text import json_float
from localplane.apimachinery.memoization import remembered
from localplane.apimachinery.quantity import FORMAT_WRONG, InvalidQuantity, canonical
from localplane.apimachinery.times import (
    InvalidDuration,
    InvalidTime,
    format_duration,
    format_micro_time,
    format_time,
    parse_duration,
    parse_micro_time,
    parse_time,
)

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


class Unreadable(ValueError):
    """What the method in Go returned, as it stands."""


class WrongType(ValueError):
    """A JSON type that the method did not expect: Go adds the place to the message."""

    def __init__(self, value: Any, go_type: str, *, exact: bool = False) -> None:
        super().__init__(go_type)
        self.value = value
        self.go_type = go_type
        self.exact = exact


class MisreadWithin(ValueError):
    """The method decoded a document of its own; this is what was wrong there. Go puts one place before the other."""

    def __init__(self, what: str, fields: str, into: str) -> None:
        super().__init__(what)
        self.what = what
        self.fields = fields
        self.into = into


@dataclass(frozen=True, slots=True)
class Codec:
    """`fits` is true of a value that `read` would return unchanged. `zero` is what null stands for in a list."""

    name: str
    go_type: str
    fits: Callable[[Any], bool]
    read: Callable[[Any], Any]
    zero: Any = None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise WrongType(value, "string")
    return value


_is_time_shaped = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z").fullmatch
_is_micro_time_shaped = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z").fullmatch


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


@remembered  # the same times come again and again
def _is_time_text(text: str) -> bool:
    return _is_time_shaped(text) is not None and _is_date(text)


def _is_time(value: Any) -> bool:
    return type(value) is str and _is_time_text(value)


def _is_micro_time(value: Any) -> bool:
    return type(value) is str and _is_micro_time_shaped(value) is not None and _is_date(value)


def _read_time(value: Any) -> str:
    try:
        return format_time(parse_time(_text(value)))
    except InvalidTime as error:
        raise Unreadable(str(error)) from None


def _read_micro_time(value: Any) -> str:
    try:
        return format_micro_time(parse_micro_time(_text(value)))
    except InvalidTime as error:
        raise Unreadable(str(error)) from None


_is_plain_duration = re.compile(r"(?:[1-9][0-9]{0,5}h[1-5]?[0-9]m|[1-5]?[0-9]m)?[1-5]?[0-9]s").fullmatch


def _is_duration(value: Any) -> bool:
    return type(value) is str and _is_plain_duration(value) is not None and not value.startswith("0m")


def _read_duration(value: Any) -> str:
    text = _text(value)
    try:
        return format_duration(parse_duration(text))
    except InvalidDuration as error:
        raise Unreadable(str(error)) from None


def _is_quantity(value: Any) -> bool:
    if type(value) is not str:
        return False
    try:
        return canonical(value) == value
    except InvalidQuantity:
        return False


def _read_quantity(value: Any) -> str:
    """In the canonical form, whatever was sent: Go parses it on the way in and prints it on the way out."""
    if isinstance(value, str):
        text = value.strip()
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unreadable(FORMAT_WRONG)
    else:
        text = json_float(value) if isinstance(value, float) else str(value)
    try:
        return canonical(text)
    except InvalidQuantity as error:
        raise Unreadable(str(error)) from None


def _is_int_or_string(value: Any) -> bool:
    return type(value) is str or (type(value) is int and INT32_MIN <= value <= INT32_MAX)


def _read_int_or_string(value: Any) -> Any:
    if not _is_int_or_string(value):
        exact = isinstance(value, (int, float)) and not isinstance(value, bool)
        raise WrongType(value, "int32", exact=exact)
    return value


def _is_anything(value: Any) -> bool:
    return value is not None


def _same(value: Any) -> Any:
    return value


TIME: Final = Codec("time", "v1.Time", _is_time, _read_time)
MICRO_TIME: Final = Codec("microTime", "v1.MicroTime", _is_micro_time, _read_micro_time)
DURATION: Final = Codec("duration", "v1.Duration", _is_duration, _read_duration, zero="0s")
QUANTITY: Final = Codec("quantity", "resource.Quantity", _is_quantity, _read_quantity, zero="0")
INT_OR_STRING: Final = Codec("intOrString", "intstr.IntOrString", _is_int_or_string, _read_int_or_string, zero=0)
RAW_JSON: Final = Codec("rawJSON", "runtime.RawExtension", _is_anything, _same)
