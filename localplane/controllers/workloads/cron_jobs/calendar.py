"""When a schedule is due next, in its time zone, clocks that are changed twice a year included.

In the words of github.com/robfig/cron/v3: spec.go, SpecSchedule.Next, and constantdelay.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from localplane.catalog.batch.schedules import Moments, Schedule, parse_schedule
from localplane.catalog.batch.time_zones import UnknownTimeZone, load_location

_SECOND: Final = timedelta(seconds=1)
_MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_YEARS: Final = 5
"""What does not come within so many years never comes."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """Moments are given and told in UTC."""

    schedule: Schedule
    zone: tzinfo

    @classmethod
    def of(cls, text: str, zone: str | None) -> Calendar:
        """A zone in the schedule itself counts first, and without any it is UTC. Raises InvalidSchedule."""
        schedule = parse_schedule(text)
        name = schedule.zone
        if name is None and "TZ" not in text:
            name = zone
        try:
            return cls(schedule, load_location(name or ""))
        except UnknownTimeZone:
            return cls(schedule, UTC)

    def next(self, moment: datetime) -> datetime | None:
        """The first that is later; None if there is none."""
        if self.schedule.every is not None:
            return moment.replace(microsecond=0) + self.schedule.every
        moments = self.schedule.moments
        assert moments is not None, "a schedule is one of both"
        if not all((moments.minutes, moments.hours, moments.months, moments.days or moments.weekdays)):
            return None
        try:
            return _Search(moments, self.zone, moment).result()
        except (OverflowError, ValueError):  # somebody wrote a time at the end of time
            return None


class _Search:
    """Goes from month to month, day to day, hour to hour and minute to minute until all fit. `_at` is an instant, in
    UTC; what it is called in the zone decides."""

    def __init__(self, moments: Moments, zone: tzinfo, after: datetime) -> None:
        self._moments = moments
        self._zone = zone
        self._at = after.astimezone(UTC).replace(microsecond=0) + _SECOND
        self._last_year = self._local.year + _YEARS
        self._has_moved = False

    def result(self) -> datetime | None:
        while self._local.year <= self._last_year:
            if self._month() and self._day() and self._hour() and self._minute():
                return self._at
        return None

    @property
    def _local(self) -> datetime:
        return self._at.astimezone(self._zone)

    def _begin(self, **fields: int) -> None:
        """At the first move, what is smaller than the step begins anew."""
        if not self._has_moved:
            self._has_moved = True
            self._at = self._instant(self._local.replace(tzinfo=None, fold=0, second=0, **fields))

    def _month(self) -> bool:
        """Whether one fits before the year ends; then the search begins again."""
        while self._local.month not in self._moments.months:
            self._begin(day=1, hour=0, minute=0)
            local = self._local
            year, month = local.year + local.month // 12, local.month % 12 + 1
            self._at = self._instant(local.replace(tzinfo=None, fold=0, year=year, month=month, day=1))
            if month == 1:
                return False
        return True

    def _day(self) -> bool:
        while not self._fits_day(self._local):
            self._begin(hour=0, minute=0)
            self._at = self._instant(self._local.replace(tzinfo=None, fold=0) + _DAY)
            hour = self._local.hour
            if hour:  # there was no midnight, or two
                self._at += _HOUR * (24 - hour if hour > 12 else -hour)
            if self._local.day == 1:
                return False
        return True

    def _hour(self) -> bool:
        while self._local.hour not in self._moments.hours:
            self._begin(minute=0)
            self._at += _HOUR
            if self._local.hour == 0:
                return False
        return True

    def _minute(self) -> bool:
        while self._local.minute not in self._moments.minutes or self._local.second:
            self._has_moved = True
            self._at += _MINUTE - timedelta(seconds=self._local.second)
            if self._local.minute == 0:
                return False
        return True

    def _fits_day(self, local: datetime) -> bool:
        of_month = local.day in self._moments.days
        of_week = local.isoweekday() % 7 in self._moments.weekdays
        return (of_month and of_week) if self._moments.every_day else (of_month or of_week)

    def _instant(self, wall: datetime) -> datetime:
        """What the clocks of the zone call so; of two, or if there is none, the one that Go's time.Date chooses."""
        as_utc = wall.replace(tzinfo=UTC)
        offset = self._offset(as_utc)
        if offset:
            offset = self._offset(as_utc - offset)
        return as_utc - offset

    def _offset(self, instant: datetime) -> timedelta:
        return instant.astimezone(self._zone).utcoffset() or timedelta(0)
