"""The last time at which a cron job was due, and whether it missed others before.

Kubernetes: pkg/controller/cronjob/utils.go, mostRecentScheduleTime and nextScheduleTimeDuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.times import InvalidTime, parse_time

from .calendar import Calendar

_MANY: Final = 100
_MARGIN: Final = timedelta(milliseconds=100)
"""Clocks differ a little; nobody is to come too early."""


class NeverDue(ValueError):
    """A schedule such as the 31st of February. The text is that of Kubernetes' error."""

    def __init__(self) -> None:
        super().__init__("time difference between two schedules is less than 1 second")


@dataclass(frozen=True, slots=True)
class Due:
    """`since` is when the last job was due, or how long ago one may be begun at most. `last` is the last time since
    then, if there was one; `missed` how many there were by then, if there were several."""

    since: datetime
    last: datetime | None
    missed: int = 0

    @property
    def missed_many(self) -> bool:
        return self.missed > _MANY


def due(cron_job: Mapping[str, Any], calendar: Calendar, now: datetime, *, within_deadline: bool) -> Due:
    """Raises NeverDue."""
    since = _since(cron_job, now, within_deadline=within_deadline)
    first = calendar.next(since)
    if first is not None and now < first:
        return Due(since, None)
    second = calendar.next(first) if first is not None else None
    if first is None or second is None:
        raise NeverDue
    if now < second:
        return Due(since, first)
    # As many as would fit if all were as far apart as the first two; the search for the last begins a little before.
    interval = timedelta(seconds=round((second - first).total_seconds()))
    if interval < timedelta(seconds=1):
        raise NeverDue
    missed = (now - first) // interval + 1
    return Due(since, _last(calendar, first + (missed - 2) * interval, now), missed)


def _last(calendar: Calendar, after: datetime, now: datetime) -> datetime | None:
    """The last that is not later than now. There may be very many, of which most are jumped over."""
    last = calendar.next(after)
    if last is None or last > now:
        return None
    later = now
    while later - last > timedelta(seconds=1):
        middle = last if calendar.schedule.every is not None else last + (later - last) / 2
        following = calendar.next(middle)
        if following is not None and following <= now:
            last = following
        elif middle == last:
            break
        else:
            later = middle
    return last


def next_in(cron_job: Mapping[str, Any], calendar: Calendar, now: datetime) -> timedelta:
    """How long until it is due again."""
    try:
        known = due(cron_job, calendar, now, within_deadline=False)
        start = known.last or (now if known.missed else known.since)
    except NeverDue:
        start = now
    following = calendar.next(start)
    return following + _MARGIN - now if following is not None else timedelta(0)


def _since(cron_job: Mapping[str, Any], now: datetime, *, within_deadline: bool) -> datetime:
    status, spec = cron_job.get("status") or {}, cron_job["spec"]
    since = _time(status.get("lastScheduleTime")) or _time(cron_job["metadata"].get("creationTimestamp")) or now
    deadline = spec.get("startingDeadlineSeconds")
    if within_deadline and deadline is not None:
        since = max(since, _earlier(now, deadline))
    return since


def _earlier(now: datetime, seconds: int) -> datetime:
    """A deadline may be longer than time itself."""
    try:
        return now - timedelta(seconds=seconds)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _time(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except InvalidTime:
        return None
