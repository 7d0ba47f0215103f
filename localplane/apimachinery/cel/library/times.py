"""Parts of timestamps and durations. Upstream: common/stdlib/standard.go."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from localplane.apimachinery.cel.declarations import Function, member
from localplane.apimachinery.cel.interpreter.times import part_of_duration, part_of_timestamp
from localplane.apimachinery.cel.types import DURATION, INT, STRING, TIMESTAMP

_PARTS: Final[tuple[tuple[str, str, Callable[[datetime], int]], ...]] = (
    ("getFullYear", "year", lambda moment: moment.year),
    ("getMonth", "month", lambda moment: moment.month - 1),
    ("getDayOfYear", "day_of_year", lambda moment: moment.timetuple().tm_yday - 1),
    ("getDayOfMonth", "day_of_month", lambda moment: moment.day - 1),
    ("getDate", "day_of_month_1_based", lambda moment: moment.day),
    ("getDayOfWeek", "day_of_week", lambda moment: moment.isoweekday() % 7),
    ("getHours", "hours", lambda moment: moment.hour),
    ("getMinutes", "minutes", lambda moment: moment.minute),
    ("getSeconds", "seconds", lambda moment: moment.second),
    ("getMilliseconds", "milliseconds", lambda moment: moment.microsecond // 1000),
)
_UNITS: Final = {
    "hours": 3_600_000_000_000,
    "minutes": 60_000_000_000,
    "seconds": 1_000_000_000,
    "milliseconds": 1_000_000,
}


def _part(name: str, key: str, part: Callable[[datetime], int]) -> Function:
    compute = part_of_timestamp(part)
    overloads = [
        member(f"timestamp_to_{key}", (TIMESTAMP,), INT, compute),
        member(f"timestamp_to_{key}_with_tz", (TIMESTAMP, STRING), INT, compute),
    ]
    if key in _UNITS:
        overloads.append(member(f"duration_to_{key}", (DURATION,), INT, part_of_duration(_UNITS[key])))
    return Function(name, tuple(overloads))


TIMES: tuple[Function, ...] = tuple(_part(*each) for each in _PARTS)
