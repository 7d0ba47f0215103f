"""Times and durations as Go reads and writes them."""

from __future__ import annotations

import math
import re
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery import times
from localplane.apimachinery.times import InvalidDuration, InvalidTime

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_now_is_in_utc_with_seconds() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", times.now())
    assert abs(times.parse_time(times.now()) - datetime.now(UTC)) < timedelta(minutes=1)


def test_now_never_lags_behind_the_clock_it_is_compared_with() -> None:
    second = math.ceil(time.time())
    while time.time() < second:
        pass  # busy, because it is the first milliseconds of a second that count
    assert times.parse_time(times.now()).timestamp() >= second


def test_a_micro_time_has_six_more_digits() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", times.micro_now())
    assert times.format_micro_time(MOMENT) == "2026-01-02T03:04:05.000000Z"


def test_a_time_is_written_in_utc() -> None:
    assert times.format_time(MOMENT.astimezone(timezone(timedelta(hours=5, minutes=30)))) == "2026-01-02T03:04:05Z"


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-02T03:04:05Z",
        "2026-01-02T3:04:05Z",
        "2026-01-02T04:04:05+01:00",
        "2026-01-01T22:34:05-04:30",
        "2026-01-03T03:04:05+24:00",
        "2026-01-02T03:04:05,000000000Z",
        "2026-01-02T03:04:05.0000000009Z",
    ],
)
def test_one_moment_can_be_written_in_many_ways(text: str) -> None:
    assert times.parse_time(text) == MOMENT


def as_layout(text: str, rest: str, element: str) -> str:
    return f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{rest}" as "{element}"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abc", as_layout("abc", "abc", "2006")),
        ("", as_layout("", "", "2006")),
        ("2026", as_layout("2026", "", "-")),
        ("2026-1-02T03:04:05Z", as_layout("2026-1-02T03:04:05Z", "1-02T03:04:05Z", "01")),
        ("2026-01-02 03:04:05Z", as_layout("2026-01-02 03:04:05Z", " 03:04:05Z", "T")),
        ("2026-01-02T03:04:05", as_layout("2026-01-02T03:04:05", "", "Z07:00")),
        ("2026-01-02T03:04:05z", as_layout("2026-01-02T03:04:05z", "z", "Z07:00")),
        ("2026-01-02T03:04:05.Z", as_layout("2026-01-02T03:04:05.Z", ".Z", "Z07:00")),
        ('é"', as_layout('\\xc3\\xa9\\"', '\\xc3\\xa9\\"', "2006")),
        ("2026-13-02T03:04:05Z", 'parsing time "2026-13-02T03:04:05Z": month out of range'),
        ("2026-02-29T03:04:05Z", 'parsing time "2026-02-29T03:04:05Z": day out of range'),
        ("2026-01-00T03:04:05Z", 'parsing time "2026-01-00T03:04:05Z": day out of range'),
        ("2026-01-02T24:04:05Z", 'parsing time "2026-01-02T24:04:05Z": hour out of range'),
        ("2026-01-02T03:60:05Z", 'parsing time "2026-01-02T03:60:05Z": minute out of range'),
        ("2026-01-02T03:04:60Z", 'parsing time "2026-01-02T03:04:60Z": second out of range'),
        ("2026-01-02T03:04:05+25:00", 'parsing time "2026-01-02T03:04:05+25:00": time zone offset hour out of range'),
        ("2026-01-02T03:04:05Zzz", 'parsing time "2026-01-02T03:04:05Zzz": extra text: "zz"'),
        ("0000-01-02T03:04:05Z", 'parsing time "0000-01-02T03:04:05Z": year out of range'),
    ],
)
def test_a_bad_time_is_refused_in_the_words_of_go(text: str, message: str) -> None:
    with pytest.raises(InvalidTime) as caught:
        times.parse_time(text)
    assert str(caught.value) == message


def test_a_micro_time_needs_its_six_digits() -> None:
    assert times.parse_micro_time("2026-01-02T03:04:05.000001Z") == MOMENT + timedelta(microseconds=1)
    with pytest.raises(InvalidTime) as caught:
        times.parse_micro_time("2026-01-02T03:04:05Z")
    assert str(caught.value) == (
        'parsing time "2026-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"'
    )


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(seconds=-2), "<invalid>"),
        (timedelta(seconds=-1.9), "0s"),
        (timedelta(seconds=1.9), "1s"),
        (timedelta(seconds=119), "119s"),
        (timedelta(minutes=2), "2m"),
        (timedelta(minutes=9, seconds=59), "9m59s"),
        (timedelta(minutes=10, seconds=5), "10m"),
        (timedelta(minutes=179), "179m"),
        (timedelta(hours=3), "3h"),
        (timedelta(hours=7, minutes=59), "7h59m"),
        (timedelta(hours=8, minutes=30), "8h"),
        (timedelta(hours=47), "47h"),
        (timedelta(days=2), "2d"),
        (timedelta(days=7, hours=23), "7d23h"),
        (timedelta(days=8, hours=1), "8d"),
        (timedelta(days=729), "729d"),
        (timedelta(days=730), "2y"),
        (timedelta(days=900), "2y170d"),
        (timedelta(days=365 * 8 + 5), "8y"),
    ],
)
def test_an_age_has_two_or_three_figures(duration: timedelta, text: str) -> None:
    assert times.human_duration(duration) == text


def test_the_age_of_what_has_no_time_is_unknown() -> None:
    assert times.age("2026-01-02T03:04:05Z", at=MOMENT + timedelta(minutes=3)) == "3m"
    assert [times.age(text) for text in (None, "", "soon")] == ["<unknown>"] * 3


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("0", timedelta()),
        ("-0", timedelta()),
        ("1h2m3.5s", timedelta(hours=1, minutes=2, seconds=3.5)),
        ("+5s", timedelta(seconds=5)),
        ("-1.5h", timedelta(hours=-1.5)),
        (".5m", timedelta(seconds=30)),
        ("5.s", timedelta(seconds=5)),
        ("1500us", timedelta(microseconds=1500)),
        ("2µs3μs", timedelta(microseconds=5)),
        ("1999ns", timedelta(microseconds=1)),
        ("0000000000000000000000001s", timedelta(seconds=1)),
        ("0.1000000000000000000000000000001s", timedelta(milliseconds=100)),
        ("2562047h", timedelta(hours=2562047)),
    ],
)
def test_a_duration_of_go_is_understood(text: str, duration: timedelta) -> None:
    assert times.parse_duration(text) == duration


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'time: invalid duration ""'),
        ("abc", 'time: invalid duration "abc"'),
        ("-", 'time: invalid duration "-"'),
        (".s", 'time: invalid duration ".s"'),
        ("1h-2m", 'time: unknown unit "h-" in duration "1h-2m"'),
        ("5", 'time: missing unit in duration "5"'),
        ("1s5", 'time: missing unit in duration "1s5"'),
        ("5x", 'time: unknown unit "x" in duration "5x"'),
        ("5é", 'time: unknown unit "\\xc3\\xa9" in duration "5\\xc3\\xa9"'),
        ("2562048h", 'time: invalid duration "2562048h"'),
        ("9223372036854775809", 'time: invalid duration "9223372036854775809"'),
        ("9" * 5000, f'time: invalid duration "{"9" * 5000}"'),
    ],
)
def test_a_bad_duration_is_refused_in_the_words_of_go(text: str, message: str) -> None:
    with pytest.raises(InvalidDuration) as caught:
        times.parse_duration(text)
    assert str(caught.value) == message


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_reads_back_from_its_own_text(moment: datetime) -> None:
    assert times.parse_time(times.format_time(moment)) == moment.replace(microsecond=0)
    assert times.parse_micro_time(times.format_micro_time(moment)) == moment


@given(st.text("0123456789-:TZ.+,", max_size=30) | st.text())
def test_garbage_is_refused_by_no_other_error(text: str) -> None:
    for parse in (times.parse_time, times.parse_micro_time):
        with suppress(InvalidTime):
            assert parse(text).tzinfo is UTC
    assert times.age(text)


@given(st.text("0123456789.-+hmsuµn", max_size=30) | st.text())
def test_garbage_is_no_duration_and_a_sign_only_turns_it_round(text: str) -> None:
    with suppress(InvalidDuration):
        opposite = text[1:] if text.startswith("-") else f"-{text.removeprefix('+')}"
        assert times.parse_duration(text) == -times.parse_duration(opposite)
