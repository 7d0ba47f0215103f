"""int(), string() and their like. Upstream: the ConvertToType methods of common/types."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from localplane.apimachinery.cel.declarations import Function, overload
from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.interpreter.arithmetic import INT_MAX, INT_MIN, SECOND, integer, timestamp, unsigned
from localplane.apimachinery.cel.interpreter.times import read_duration, read_timestamp, show_duration, show_timestamp
from localplane.apimachinery.cel.types import (
    BOOL,
    BYTES,
    CIDR,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    IP,
    STRING,
    TIMESTAMP,
    UINT,
    parameter,
    type_of,
)
from localplane.apimachinery.cel.values import Duration, Timestamp, Unsigned, type_of_value
from localplane.apimachinery.golang.text import go_float


def _same(value: Any) -> Any:
    return value


def _failed(source: str, target: str) -> EvaluationError:
    return EvaluationError(f"type conversion error from '{source}' to '{target}'")


_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_DIGITS: Final = "[0-9](?:_?[0-9])*+"
_FLOAT: Final = re.compile(
    rf"[+-]?(?:(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?[0-9]++)?|inf|infinity)|nan", re.IGNORECASE
)
_HEX_FLOAT: Final = re.compile(r"[+-]?0x[0-9a-f]*+(?:\.[0-9a-f]*+)?p[+-]?[0-9]++", re.IGNORECASE)
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_DIGITS_MAX: Final = 400


def _double_to_int(value: float) -> int:
    if math.isnan(value) or not INT_MIN < value < INT_MAX:
        raise EvaluationError("integer overflow")
    return int(value)


def _double_to_uint(value: float) -> Unsigned:
    if math.isnan(value) or not 0 <= value < 2**64:
        raise EvaluationError("unsigned integer overflow")
    return Unsigned(int(value))


def _read_int(text: str) -> int:
    if _INTEGER.fullmatch(text) and len(text.lstrip("+-0")) <= _DIGITS_MAX and INT_MIN <= int(text) <= INT_MAX:
        return int(text)
    raise _failed("string", "int")


def _read_uint(text: str) -> Unsigned:
    if text.isascii() and text.isdigit() and len(text.lstrip("0")) <= _DIGITS_MAX and int(text) < 2**64:
        return Unsigned(int(text))
    raise _failed("string", "uint")


def _read_double(text: str) -> float:
    try:
        value = float(text) if _FLOAT.fullmatch(text) else float.fromhex(text) if _HEX_FLOAT.fullmatch(text) else None
    except (ValueError, OverflowError):
        value = None
    if value is None or (math.isinf(value) and "inf" not in text.lower()):
        raise _failed("string", "double")
    return value


def _read_bool(text: str) -> bool:
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise _failed("string", "bool")


def _read_duration(text: str) -> Duration:
    found = read_duration(text)
    if found is None:
        raise _failed("string", "google.protobuf.Duration")
    return found


def _read_timestamp(text: str) -> Timestamp:
    found = read_timestamp(text)
    if found is None:
        raise _failed("string", "google.protobuf.Timestamp")
    return found


def _text_of_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from None


def show_double(value: float) -> str:
    """Go's %g: as %v, but an exponent only from 1e+21 on."""
    return go_float(value)


def text_of(value: Any) -> str:
    """`string(x)` of anything that has a text."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int():
            return str(int(value))
        case float():
            return show_double(value)
        case bytes():
            return _text_of_bytes(value)
        case Duration():
            return show_duration(value)
        case Timestamp():
            return show_timestamp(value)
    return str(value)


_A = parameter("A")

CONVERSIONS: tuple[Function, ...] = (
    Function("type", (overload("type", (_A,), type_of(_A), type_of_value),)),
    Function("dyn", (overload("to_dyn", (_A,), DYN, _same),)),
    Function(
        "bool",
        (overload("bool_to_bool", (BOOL,), BOOL, _same), overload("string_to_bool", (STRING,), BOOL, _read_bool)),
    ),
    Function(
        "bytes",
        (
            overload("bytes_to_bytes", (BYTES,), BYTES, _same),
            overload("string_to_bytes", (STRING,), BYTES, lambda text: text.encode("utf-8", "surrogatepass")),
        ),
    ),
    Function(
        "double",
        (
            overload("double_to_double", (DOUBLE,), DOUBLE, _same),
            overload("int64_to_double", (INT,), DOUBLE, float),
            overload("string_to_double", (STRING,), DOUBLE, _read_double),
            overload("uint64_to_double", (UINT,), DOUBLE, float),
        ),
    ),
    Function(
        "duration",
        (
            overload("duration_to_duration", (DURATION,), DURATION, _same),
            overload("string_to_duration", (STRING,), DURATION, _read_duration),
        ),
    ),
    Function(
        "int",
        (
            overload("int64_to_int64", (INT,), INT, _same),
            overload("double_to_int64", (DOUBLE,), INT, _double_to_int),
            overload("duration_to_int64", (DURATION,), INT, lambda value: value.nanoseconds),
            overload("string_to_int64", (STRING,), INT, _read_int),
            overload("timestamp_to_int64", (TIMESTAMP,), INT, lambda value: value.nanoseconds // SECOND),
            overload("uint64_to_int64", (UINT,), INT, lambda value: integer(int(value))),
        ),
    ),
    Function(
        "string",
        (
            overload("string_to_string", (STRING,), STRING, _same),
            overload("bool_to_string", (BOOL,), STRING, text_of),
            overload("bytes_to_string", (BYTES,), STRING, text_of),
            overload("double_to_string", (DOUBLE,), STRING, text_of),
            overload("duration_to_string", (DURATION,), STRING, text_of),
            overload("int64_to_string", (INT,), STRING, text_of),
            overload("timestamp_to_string", (TIMESTAMP,), STRING, text_of),
            overload("uint64_to_string", (UINT,), STRING, text_of),
            overload("ip_to_string", (IP,), STRING, str),
            overload("cidr_to_string", (CIDR,), STRING, str),
        ),
    ),
    Function(
        "timestamp",
        (
            overload("timestamp_to_timestamp", (TIMESTAMP,), TIMESTAMP, _same),
            overload("int64_to_timestamp", (INT,), TIMESTAMP, lambda value: timestamp(value * SECOND)),
            overload("string_to_timestamp", (STRING,), TIMESTAMP, _read_timestamp),
        ),
    ),
    Function(
        "uint",
        (
            overload("uint64_to_uint64", (UINT,), UINT, _same),
            overload("double_to_uint64", (DOUBLE,), UINT, _double_to_uint),
            overload("int64_to_uint64", (INT,), UINT, unsigned),
            overload("string_to_uint64", (STRING,), UINT, _read_uint),
        ),
    ),
)
CONVERSION_NAMES: Final = frozenset(function.name for function in CONVERSIONS)
