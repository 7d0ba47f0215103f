"""The past as people ask for it: by the clock on the wall."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.storage.cacher.chronicle import Chronicle
from localplane.apiserver.storage.cacher.window import LoggedEvent
from tests.unit.storage.samples import stored


def event(revision: int, moment: float) -> LoggedEvent:
    return LoggedEvent(f"/registry/configmaps/default/{revision}", revision, None, stored("a", revision), moment)


@given(st.lists(st.floats(min_value=0.001, max_value=1000), min_size=1, max_size=20, unique=True))
def test_an_event_has_the_same_time_each_time_and_the_time_leads_to_it(ages: list[float]) -> None:
    chronicle, now = Chronicle(), time.monotonic()
    chronicle.began = now - 2000
    moments = [now - age for age in sorted(ages, reverse=True)]
    for number, moment in enumerate(moments, 1):
        chronicle.append(event(number, moment))
    told = [chronicle.moment_of(moment) for moment in moments]
    assert [chronicle.moment_of(moment) for moment in moments] == told
    for number, when in enumerate(told, 1):
        last = max(other for other, same in enumerate(told, 1) if same == when)
        assert number <= chronicle.revision_then(when) <= last
        assert chronicle.revision_then(when - timedelta(microseconds=2)) < number


def test_a_clock_that_was_set_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    chronicle, now = Chronicle(), time.monotonic()
    before = chronicle.moment_of(now)
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 3600)
    assert timedelta(minutes=59) < chronicle.moment_of(now) - before < timedelta(minutes=61)
