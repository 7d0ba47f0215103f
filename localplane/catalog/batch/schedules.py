"""Schedules of cron jobs: `*/5 9-17 * * MON-FRI`, `@daily`, `@every 90m`. Read here only to say what is wrong.

In the words of github.com/robfig/cron/v3, which Kubernetes asks (pkg/util/parsers, ParseCronScheduleWithPanicRecovery).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from localplane.apimachinery.times import InvalidDuration, parse_duration
from localplane.catalog.apps.go_integers import NotAnInteger, parse_int64

from .time_zones import UnknownTimeZone, load_location

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
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


def check_schedule(text: str) -> None:
    """Raises InvalidSchedule with the first fault."""
    rest = _without_location(text)
    if rest.startswith("@"):
        _check_descriptor(rest)
        return
    parts = rest.split()
    if len(parts) != len(_FIELDS):
        raise InvalidSchedule(f"expected exactly {len(_FIELDS)} fields, found {len(parts)}: [{' '.join(parts)}]")
    for part, bounds in zip(parts, _FIELDS, strict=True):
        for expression in filter(None, part.split(",")):
            _check_range(expression, bounds)


def _without_location(text: str) -> str:
    """What comes behind `TZ=…`. Without a space there the parser falls over its own feet, and Kubernetes says so."""
    if not text.startswith(("TZ=", "CRON_TZ=")):
        return text
    start, end = text.index("=") + 1, text.find(" ")
    if end < 0:
        raise InvalidSchedule("invalid schedule format: runtime error: slice bounds out of range [:-1]")
    name = text[start:end]
    try:
        load_location(name)
    except UnknownTimeZone as error:
        raise InvalidSchedule(f"provided bad location {name}: {error}") from error
    return text[end:].strip()


def _check_descriptor(text: str) -> None:
    if text in _DESCRIPTORS:
        return
    if not text.startswith(_EVERY):
        raise InvalidSchedule(f"unrecognized descriptor: {text}")
    try:
        parse_duration(text.removeprefix(_EVERY))
    except InvalidDuration as error:
        raise InvalidSchedule(f"failed to parse duration {text}: {error}") from error


def _check_range(expression: str, bounds: _Field) -> None:
    """`*`, `5`, `1-5`, each perhaps with `/2`."""
    limits, *steps = expression.split("/")
    low, *more = limits.split("-")
    if low in ("*", "?"):
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
