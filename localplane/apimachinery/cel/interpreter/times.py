"""Timestamps and durations: reading them as Go does, printing them, and taking them apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.values import Duration, Timestamp
from localplane.apimachinery.times import InvalidDuration, duration_nanoseconds

from .arithmetic import SECOND, timestamp

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)


def read_duration(text: str) -> Duration | None:
    """Go's time.ParseDuration; None if it is none."""
    try:
        return Duration(duration_nanoseconds(text))
    except InvalidDuration:
        return None


def read_timestamp(text: str) -> Timestamp | None:
    """RFC 3339; None if it is none, an error if it is out of range."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    offset = 0
    if match[8]:
        if int(match[9]) > 24 or int(match[10]) > 60:
            return None
        offset = (int(match[9]) * 60 + int(match[10])) * 60 * (-1 if match[8] == "-" else 1)
    try:
        moment = datetime(max(year, 1), month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    if year == 0:
        raise EvaluationError("timestamp overflow")
    seconds = (moment - _EPOCH) // timedelta(seconds=1) - offset
    fraction = int((match[7] or "0")[:9].ljust(9, "0"))
    return timestamp(seconds * SECOND + fraction, offset)


def plain_float(value: float) -> str:
    """Go's 'f' with as few digits as identify the value: never an exponent."""
    text = format(Decimal(repr(value)), "f")
    return text.removesuffix(".0")


def show_duration(value: Duration) -> str:
    return f"{plain_float(value.nanoseconds / SECOND)}s"


def show_timestamp(value: Timestamp) -> str:
    seconds, fraction = divmod(value.nanoseconds, SECOND)
    moment = _EPOCH + timedelta(seconds=seconds + value.offset)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    if fraction:
        text += f".{fraction:09d}".rstrip("0")
    if not value.offset:
        return f"{text}Z"
    hours, minutes = divmod(abs(value.offset) // 60, 60)
    return f"{text}{'-' if value.offset < 0 else '+'}{hours:02d}:{minutes:02d}"


def _zone(name: str) -> tzinfo:
    hour, colon, minute = name.partition(":")
    if not colon:
        return _named_zone(name)
    try:
        hours, minutes = int(hour), int(minute)
    except ValueError:
        wrong = hour if not re.fullmatch(r"[+-]?\d+", hour, re.ASCII) else minute
        raise EvaluationError(f'strconv.Atoi: parsing "{wrong}": invalid syntax') from None
    if not 0 <= minutes <= 59:
        raise EvaluationError(f"timezone offset minutes out of range [0, 59]: {name}")
    total = hours * 60 - minutes if name.startswith("-") else hours * 60 + minutes
    if abs(total) >= 24 * 60:
        raise EvaluationError(f"unknown time zone {name}")
    return timezone(timedelta(minutes=total))


def _named_zone(name: str) -> tzinfo:
    if name in ("", "UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise EvaluationError(f"unknown time zone {name}") from None


def local(value: Timestamp, zone: str) -> datetime:
    """In this zone, to the microsecond."""
    try:
        return (_EPOCH + timedelta(microseconds=value.nanoseconds // 1000)).astimezone(_zone(zone))
    except OverflowError:
        raise EvaluationError("timestamp overflow") from None


def part_of_timestamp(part: Callable[[datetime], int]) -> Callable[..., int]:
    def answer(value: Timestamp, zone: str = "UTC") -> int:
        return part(local(value, zone))

    return answer


def part_of_duration(unit: int) -> Callable[[Duration], int]:
    """How many whole units of so many nanoseconds, towards zero."""

    def answer(value: Duration) -> int:
        whole = abs(value.nanoseconds) // unit
        return -whole if value.nanoseconds < 0 else whole

    return answer
