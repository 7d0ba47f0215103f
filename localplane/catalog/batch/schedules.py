"""Schedules of cron jobs: `*/5 9-17 * * MON-FRI`, `@daily`, `@every 90m`. Read here to say what is wrong, and what the
moments are like; when the next one comes is the controller's matter.

In the words of github.com/robfig/cron/v3, which Kubernetes asks (pkg/util/parsers, ParseCronScheduleWithPanicRecovery).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from localplane.apimachinery.times import InvalidDuration, parse_duration
from localplane.catalog.apps.go_integers import NotAnInteger, parse_int64

from .time_zones import UnknownTimeZone, load_location

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY = "@every "


class InvalidSchedule(ValueError):
    """What is wrong with a schedule, in the parser's words."""


@dataclass(frozen=True, slots=True)
class _Field:
    """The values that one of the five fields may have, and their names."""

    low: int
    high: int
    names: Mapping[str, int] = field(default_factory=dict)


_FIELDS = (
    _Field(0, 59),
    _Field(0, 23),
    _Field(1, 31),
    _Field(1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    _Field(0, 6, {name: number for number, name in enumerate(_DAYS)}),
)


@dataclass(frozen=True, slots=True)
class Moments:
    """The minutes at which something is to happen. `every_day` says that one of the two kinds of days was left open:
    then a day must be of both, otherwise of one of them. Sundays are 0."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    every_day: bool


@dataclass(frozen=True, slots=True)
class Schedule:
    """`zone` is the time zone in the schedule itself, if there is one. A schedule is the moments of a calendar, or
    something that happens again and again after the same time."""

    zone: str | None
    moments: Moments | None = None
    every: timedelta | None = None


def check_schedule(text: str) -> None:
    """Raises InvalidSchedule with the first fault."""
    parse_schedule(text)


def parse_schedule(text: str) -> Schedule:
    """Raises InvalidSchedule with the first fault."""
    zone, rest = _location_and_rest(text)
    if rest.startswith(_EVERY):
        return Schedule(zone, every=_every(rest))
    if rest.startswith("@"):
        if rest not in _DESCRIPTORS:
            raise InvalidSchedule(f"unrecognized descriptor: {rest}")
        rest = _DESCRIPTORS[rest]
    parts = rest.split()
    if len(parts) != len(_FIELDS):
        raise InvalidSchedule(f"expected exactly {len(_FIELDS)} fields, found {len(parts)}: [{' '.join(parts)}]")
    minutes, hours, days, months, weekdays = map(_values, parts, _FIELDS)
    every_day = days.are_all or weekdays.are_all
    moments = Moments(minutes.values, hours.values, days.values, months.values, weekdays.values, every_day)
    return Schedule(zone, moments)


@dataclass(frozen=True, slots=True)
class _Values:
    """`are_all` says that a star stands among them, which means more than all values one by one."""

    values: frozenset[int]
    are_all: bool


def _values(part: str, bounds: _Field) -> _Values:
    ranges = [_range(expression, bounds) for expression in filter(None, part.split(","))]
    return _Values(frozenset().union(*(each.values for each in ranges)), any(each.are_all for each in ranges))


def _location_and_rest(text: str) -> tuple[str | None, str]:
    """What stands in `TZ=…` and what comes behind. Without a space there the parser falls over its own feet, and
    Kubernetes says so."""
    if not text.startswith(("TZ=", "CRON_TZ=")):
        return None, text
    start, end = text.index("=") + 1, text.find(" ")
    if end < 0:
        raise InvalidSchedule("invalid schedule format: runtime error: slice bounds out of range [:-1]")
    name = text[start:end]
    try:
        load_location(name)
    except UnknownTimeZone as error:
        raise InvalidSchedule(f"provided bad location {name}: {error}") from error
    return name, text[end:].strip()


def _every(text: str) -> timedelta:
    """In whole seconds, and one at least."""
    try:
        duration = parse_duration(text.removeprefix(_EVERY))
    except InvalidDuration as error:
        raise InvalidSchedule(f"failed to parse duration {text}: {error}") from error
    return max(timedelta(seconds=1), duration - timedelta(microseconds=duration.microseconds))


def _range(expression: str, bounds: _Field) -> _Values:
    """`*`, `5`, `1-5`, each perhaps with `/2`."""
    limits, *steps = expression.split("/")
    low, *more = limits.split("-")
    is_open = low in ("*", "?")
    if is_open:
        start, end = bounds.low, bounds.high
    else:
        start = _number(low, bounds.names)
        if len(more) > 1:
            raise InvalidSchedule(f"too many hyphens: {expression}")
        end = _number(more[0], bounds.names) if more else start
    step = 1
    if len(steps) > 1:
        raise InvalidSchedule(f"too many slashes: {expression}")
    if steps:
        step = _number(steps[0], {})
        end = end if more else bounds.high
    _check_bounds(expression, start, end, bounds)
    if step == 0:
        raise InvalidSchedule(f"step of range should be a positive number: {expression}")
    return _Values(frozenset(range(start, end + 1, step)), is_open and step == 1)


def _check_bounds(expression: str, start: int, end: int, bounds: _Field) -> None:
    if start < bounds.low:
        raise InvalidSchedule(f"beginning of range ({start}) below minimum ({bounds.low}): {expression}")
    if end > bounds.high:
        raise InvalidSchedule(f"end of range ({end}) above maximum ({bounds.high}): {expression}")
    if start > end:
        raise InvalidSchedule(f"beginning of range ({start}) beyond end of range ({end}): {expression}")


def _number(text: str, names: Mapping[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    try:
        number = parse_int64(text, function="Atoi")
    except NotAnInteger as error:
        raise InvalidSchedule(f"failed to parse int from {text}: {error}") from error
    if number < 0:
        raise InvalidSchedule(f"negative number ({number}) not allowed: {text}")
    return number
