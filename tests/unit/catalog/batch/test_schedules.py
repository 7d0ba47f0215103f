"""Schedules are refused in the words of the parser that Kubernetes asks."""

from __future__ import annotations

import pytest

from localplane.catalog.batch.schedules import InvalidSchedule, check_schedule


@pytest.mark.parametrize(
    "schedule",
    [
        "* * * * *",
        "*/5 9-17 1,15 JAN-mar MON-FRI",
        "0 0 ? * 0",
        "5/10 0 1 1 *",
        ",0 0 1 1 0",
        "@daily",
        "@every 1h30m",
        "TZ=Europe/Berlin 0 0 * * *",
        "CRON_TZ=UTC @hourly",
    ],
)
def test_a_schedule_that_cron_understands_is_taken(schedule: str) -> None:
    check_schedule(schedule)


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("   ", "expected exactly 5 fields, found 0: []"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("*/2/3 * * * *", "too many slashes: */2/3"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("* * * * sunday", 'failed to parse int from sunday: strconv.Atoi: parsing "sunday": invalid syntax'),
        ("*/-1 * * * *", "negative number (-1) not allowed: -1"),
        ("@fortnightly", "unrecognized descriptor: @fortnightly"),
        ("@every 1x", 'failed to parse duration @every 1x: time: unknown unit "x" in duration "1x"'),
        ("TZ=Moon/Base 0 0 * * *", "provided bad location Moon/Base: unknown time zone Moon/Base"),
        ("TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
    ],
)
def test_what_is_wrong_with_a_schedule_is_told_as_cron_tells_it(schedule: str, told: str) -> None:
    with pytest.raises(InvalidSchedule) as refused:
        check_schedule(schedule)
    assert str(refused.value) == told
