"""When a schedule is due next, and what was missed."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from localplane.controllers.workloads.cron_jobs.calendar import Calendar
from localplane.controllers.workloads.cron_jobs.due_times import NeverDue, due, next_in

Object = dict[str, object]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def cron_job(*, created: str, last: str = "", **spec: object) -> Object:
    status = {"lastScheduleTime": last} if last else {}
    return {"metadata": {"name": "c", "creationTimestamp": created}, "spec": spec, "status": status}


@pytest.mark.parametrize(
    ("schedule", "after", "expected"),
    [
        ("* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"),
        ("* * * * *", "2026-01-01T00:00:59.5Z", "2026-01-01T00:01:00Z"),
        ("*/15 * * * *", "2026-01-01T23:46:01Z", "2026-01-02T00:00:00Z"),
        ("20-35/15 * * * *", "2026-01-01T14:34:59Z", "2026-01-01T14:35:00Z"),
        ("0 0 * * *", "2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("0 0 * FEB MON", "2026-03-01T00:00:00Z", "2027-02-01T00:00:00Z"),
        ("0 0 1,15 * SUN", "2026-01-02T00:00:00Z", "2026-01-04T00:00:00Z"),  # either day
        ("0 0 1,15 * *", "2026-01-02T00:00:00Z", "2026-01-15T00:00:00Z"),
        ("0 0 */10 * SUN", "2026-01-12T00:00:00Z", "2026-01-18T00:00:00Z"),  # with a step it is no star
        ("@yearly", "2026-06-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("@monthly", "2026-06-02T00:00:00Z", "2026-07-01T00:00:00Z"),
        ("@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"),
        ("@daily", "2026-06-01T00:00:01Z", "2026-06-02T00:00:00Z"),
        ("@hourly", "2026-06-01T00:00:00Z", "2026-06-01T01:00:00Z"),
        ("@every 90m", "2026-06-01T00:00:00.7Z", "2026-06-01T01:30:00Z"),
        ("@every 10ms", "2026-06-01T00:00:00Z", "2026-06-01T00:00:01Z"),
        ("TZ=Asia/Kolkata 0 9 * * *", "2026-06-01T00:00:00Z", "2026-06-01T03:30:00Z"),
    ],
)
def test_the_next_moment_of_a_schedule(schedule: str, after: str, expected: str) -> None:
    assert Calendar.of(schedule, None).next(at(after)) == at(expected)


@pytest.mark.parametrize(
    ("schedule", "zone", "after", "expected"),
    [
        ("0 * * * *", "America/New_York", "2012-03-11T01:00:00-05:00", "2012-03-11T03:00:00-04:00"),
        ("0 1 * * *", "America/New_York", "2012-11-04T00:00:00-04:00", "2012-11-04T01:00:00-04:00"),
        ("0 1 * * *", "America/New_York", "2012-11-04T01:00:00-04:00", "2012-11-04T01:00:00-05:00"),
        ("0 1 * * *", "America/New_York", "2012-11-04T01:00:00-05:00", "2012-11-05T01:00:00-05:00"),
        ("0 2 * * *", "America/New_York", "2012-03-11T00:00:00-05:00", "2012-03-12T02:00:00-04:00"),
        ("30 2 11 3 *", "America/New_York", "2012-03-11T00:00:00-05:00", "2013-03-11T02:30:00-04:00"),
        ("0 0 * * *", "America/Sao_Paulo", "2018-11-03T05:00:00-03:00", "2018-11-05T00:00:00-02:00"),
        ("0 9 * * MON", "Europe/Berlin", "2026-03-28T00:00:00+01:00", "2026-03-30T09:00:00+02:00"),
    ],
)
def test_a_schedule_follows_the_clocks_of_its_zone(schedule: str, zone: str, after: str, expected: str) -> None:
    assert Calendar.of(schedule, zone).next(at(after)) == at(expected)


@pytest.mark.parametrize("schedule", ["0 0 31 2 *", "0 0 30 FEB *", ", * * * *", "0 0 , 1 ,"])
def test_what_never_comes_is_not_waited_for(schedule: str) -> None:
    assert Calendar.of(schedule, None).next(at("2026-01-01T00:00:00Z")) is None


def test_the_next_moment_is_the_first_that_fits_minute_by_minute() -> None:
    chance = random.Random(7)
    for _ in range(40):
        fields = [str(chance.choice(["*", "*/7", "3,9,40"])), str(chance.choice(["*", "5", "20-23"])), "*", "*"]
        weekday = str(chance.choice(["*", "1", "0,6"]))
        calendar = Calendar.of(" ".join([*fields, weekday]), None)
        moments = calendar.schedule.moments
        assert moments is not None
        moment = at("2026-02-25T00:00:00Z") + timedelta(seconds=chance.randrange(10 * 86400))
        expected = moment.replace(second=0) + timedelta(minutes=1)
        while not (
            expected.minute in moments.minutes
            and expected.hour in moments.hours
            and expected.isoweekday() % 7 in moments.weekdays
        ):
            expected += timedelta(minutes=1)
        assert calendar.next(moment) == expected


def test_nothing_is_due_before_the_first_time() -> None:
    job = cron_job(created="2026-01-01T10:00:30Z")
    calendar = Calendar.of("0 * * * *", None)
    assert due(job, calendar, at("2026-01-01T10:59:59Z"), within_deadline=True).last is None
    assert next_in(job, calendar, at("2026-01-01T10:59:59Z")) == timedelta(seconds=1, milliseconds=100)


def test_of_several_missed_times_the_last_is_due() -> None:
    job = cron_job(created="2026-01-01T00:00:00Z", last="2026-01-01T10:00:00Z")
    known = due(job, Calendar.of("0 * * * *", None), at("2026-01-01T15:30:00Z"), within_deadline=True)
    assert known.last == at("2026-01-01T15:00:00Z")
    assert known.missed
    assert not known.missed_many


def test_more_than_a_hundred_missed_times_are_too_many() -> None:
    job = cron_job(created="2026-01-01T00:00:00Z", last="2026-01-01T10:00:00Z")
    calendar = Calendar.of("* * * * *", None)
    assert due(job, calendar, at("2026-01-01T11:45:00Z"), within_deadline=True).missed_many
    job["spec"] = {"startingDeadlineSeconds": 200}
    known = due(job, calendar, at("2026-01-01T11:45:00Z"), within_deadline=True)
    assert not known.missed_many
    assert known.last == at("2026-01-01T11:45:00Z")


def test_the_last_of_very_many_times_is_found_without_going_through_all() -> None:
    job = cron_job(created="2025-01-31T23:58:30Z")
    calls = 0

    class Counting(Calendar):
        def next(self, moment: datetime) -> datetime | None:
            nonlocal calls
            calls += 1
            return super().next(moment)

    calendar = Calendar.of("* * * JAN *", None)
    known = due(job, Counting(calendar.schedule, UTC), at("2026-01-20T12:00:30Z"), within_deadline=True)
    assert known.last == at("2026-01-20T12:00:00Z")
    assert calls < 60


def test_a_schedule_that_repeats_counts_from_the_last_time() -> None:
    job = cron_job(created="2026-01-01T00:00:10Z", last="2026-01-01T10:00:10Z")
    calendar = Calendar.of("@every 1h", None)
    known = due(job, calendar, at("2026-01-01T13:30:00Z"), within_deadline=True)
    assert known.last == at("2026-01-01T13:00:10Z")


def test_a_schedule_that_never_comes_is_told() -> None:
    job = cron_job(created="2026-01-01T00:00:00Z")
    calendar = Calendar.of("59 23 31 2 *", None)
    with pytest.raises(NeverDue, match="time difference between two schedules is less than 1 second"):
        due(job, calendar, at("2026-05-01T00:00:00Z"), within_deadline=True)
    assert next_in(job, calendar, at("2026-05-01T00:00:00Z")) == timedelta(0)
