"""How long, as a test says it."""

from __future__ import annotations

from datetime import timedelta
from typing import TypeAlias

from localplane.apimachinery.times import parse_duration

Duration: TypeAlias = timedelta | str
"""A text is Go's: `1h30m`."""


def duration_of(
    duration: Duration | None, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0
) -> timedelta:
    """All of it together. Raises TypeError for what is no duration, and ValueError for one that can't be."""
    if isinstance(duration, str):
        duration = parse_duration(duration)
    if not isinstance(duration, timedelta | None):
        raise TypeError(f"a duration is a timedelta, a text such as '1h30m', or minutes=5: not {duration!r}")
    try:
        return (duration or timedelta(0)) + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError as error:
        raise ValueError(f"no duration is that long: {error}") from None
