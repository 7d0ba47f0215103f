"""Texts of a schema that are something else in expressions: durations, moments and bytes.

Upstream: kube-openapi pkg/validation/strfmt, whose durations may also be written in words (`3 days`).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date
from typing import Any, Final

from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.interpreter.arithmetic import SECOND
from localplane.apimachinery.cel.interpreter.times import read_duration, read_timestamp
from localplane.apimachinery.cel.values import Duration, Timestamp

_TERM: Final = re.compile(r"(?<![0-9])([0-9]++)\s*+([A-Za-zµ]++)", re.ASCII)
_UNITS: Final = (
    (("ns",), "nano", 1),
    (("us", "µs"), "micro", 1_000),
    (("ms",), "milli", 1_000_000),
    (("s",), "sec", SECOND),
    (("m",), "min", 60 * SECOND),
    (("h", "hr"), "hour", 3_600 * SECOND),
    (("d",), "day", 86_400 * SECOND),
    (("w", "wk"), "week", 604_800 * SECOND),
)


def _duration(text: str) -> Duration:
    found = read_duration(text)
    if found is not None:
        return found
    terms = [
        int(number) * size
        for number, unit in _TERM.findall(text[:1024])
        for short, long, size in _UNITS
        if unit.lower() in short or unit.lower().startswith(long)
    ]
    if not terms:
        raise EvaluationError(f"Invalid duration {text}: unable to parse {text} as duration")
    return Duration((sum(terms) + 2**63) % 2**64 - 2**63)


def _date(text: str) -> Timestamp:
    try:
        return Timestamp((date.fromisoformat(text) - date(1970, 1, 1)).days * 86_400 * SECOND)
    except ValueError:
        raise EvaluationError(f"Invalid date formatted string {text}") from None


def _moment(text: str) -> Timestamp:
    found = read_timestamp(text)
    if found is None:
        raise EvaluationError(f"Invalid date-time formatted string {text}")
    return found


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise EvaluationError(f"Invalid byte formatted string {text}") from None


TEXT_FORMATS: Final[dict[str, Callable[[str], Any]]] = {
    "duration": _duration,
    "date": _date,
    "date-time": _moment,
    "byte": _bytes,
}
