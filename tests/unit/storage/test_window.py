"""The window of recent events: how much it keeps, and that it never shows half of anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.storage.cacher.window import KEEP_SECONDS, LARGEST, SMALLEST, EventWindow, LoggedEvent
from localplane.apiserver.storage.errors import CorruptObject
from localplane.apiserver.storage.interface import EventType
from localplane.apiserver.storage.objects import StoredObject
from tests.unit.storage.samples import brief, has_app, stored


def event(revision: int, time: float) -> LoggedEvent:
    return LoggedEvent(f"/registry/configmaps/default/{revision}", revision, None, stored("a", revision), time)


def filled(window: EventWindow, count: int, *, every: float, first: int = 1, start: float = 0.0) -> float:
    """Append `count` events, one revision and `every` seconds apart; returns the time of the last."""
    time = start
    for number in range(count):
        time = start + number * every
        window.append(event(first + number, time))
    return time


def test_the_bounds_are_kubernetes_own() -> None:
    assert (KEEP_SECONDS, SMALLEST, LARGEST) == (75.0, 100, 102_400)


def test_a_window_full_of_young_events_grows_until_it_may_not() -> None:
    window = EventWindow(smallest=4, largest=16)
    filled(window, 4, every=0.1)
    assert (window.capacity, len(window), window.base) == (4, 4, 0)
    window.append(event(5, 0.5))
    assert (window.capacity, len(window), window.base) == (8, 5, 0)
    filled(window, 40, every=0.1, first=6, start=0.6)
    assert (window.capacity, len(window)) == (16, 16)
    assert window.base == 45 - 16


def test_a_window_of_old_events_slides() -> None:
    window = EventWindow(smallest=4, largest=16)
    filled(window, 10, every=30.0)
    assert (window.capacity, len(window), window.base) == (4, 4, 6)


def test_a_window_whose_older_half_is_not_needed_shrinks_to_no_less_than_the_smallest() -> None:
    window = EventWindow(smallest=4, largest=16)
    last = filled(window, 16, every=0.1)
    assert window.capacity == 16
    window.append(event(17, last + 100))
    assert (window.capacity, len(window), window.base) == (8, 8, 9)
    filled(window, 5, every=100.0, first=18, start=last + 200)
    assert (window.capacity, len(window)) == (4, 4)


def test_nothing_younger_than_75_seconds_leaves_while_there_is_room_to_grow() -> None:
    window = EventWindow()
    last = filled(window, 5000, every=0.05)
    kept = [logged.time for logged in window.after(window.base)]
    assert last - kept[0] >= KEEP_SECONDS
    assert SMALLEST <= window.capacity <= LARGEST


def test_events_of_one_revision_leave_together() -> None:
    window = EventWindow(smallest=4, largest=4)
    for revision in (1, 2, 2, 2, 3):
        window.append(event(revision, 0.0))
    assert window.base == 1
    window.append(event(4, 0.0))
    assert window.base == 2
    assert [logged.revision for logged in window.after(2)] == [3, 4]


def test_a_transaction_larger_than_the_window_is_forgotten_as_a_whole() -> None:
    window = EventWindow(smallest=3, largest=3)
    for _ in range(5):
        window.append(event(7, 0.0))
    assert window.base == 7
    assert window.after(7) == []
    window.append(event(8, 0.0))
    assert [logged.revision for logged in window.after(7)] == [8]


def test_a_restart_forgets_everything_and_begins_at_its_revision() -> None:
    window = EventWindow(smallest=4, largest=16)
    filled(window, 20, every=0.1)
    window.restart(99)
    assert (len(window), window.base, window.capacity, window.after(99)) == (0, 99, 4, [])


steps = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4), st.sampled_from([0.0, 1.0, 20.0, 80.0])), max_size=60)


@given(steps)
def test_everything_after_the_base_is_there_and_nothing_leaves_without_need(
    steps: list[tuple[int, int, float]],
) -> None:
    """Each step: how many revisions go by, how many events the new one has, and how much time has passed."""
    window = EventWindow(smallest=4, largest=32)
    log: list[LoggedEvent] = []
    revision, time = 1, 0.0
    for gap, count, passed in steps:
        revision, time = revision + gap, time + passed
        for _ in range(count):
            log.append(event(revision, time))
            window.append(log[-1])
        assert 4 <= window.capacity <= 32
        assert len(window) <= window.capacity
        for asked in range(window.base, revision + 2):
            expected = [logged for logged in log if logged.revision > asked]
            assert window.after(asked) == expected
            assert window.count_after(asked) == len(expected)
        gone = [logged for logged in log if logged.revision <= window.base]
        assert len(gone) + len(window) == len(log)
        if window.capacity < 32:
            assert all(time - logged.time >= 75.0 for logged in gone)


def test_events_that_have_left_are_not_held_much_longer() -> None:
    window = EventWindow()
    filled(window, 4000, every=10.0)
    assert len(window) == SMALLEST
    assert len(window._events) <= 4 * SMALLEST


def test_cutting_off_what_has_left_changes_nothing_that_can_be_seen() -> None:
    window = EventWindow(smallest=4, largest=8)
    filled(window, 10_000, every=0.0)
    assert (len(window), window.base) == (8, 9_992)
    assert [logged.revision for logged in window.after(9_995)] == [9_996, 9_997, 9_998, 9_999, 10_000]


def test_what_an_event_says_to_those_who_select_nothing_is_made_once() -> None:
    logged = event(5, 0.0)
    assert logged.seen_by(None) is logged.seen_by(None)


def test_entering_and_leaving_a_selection_look_like_creation_and_deletion() -> None:
    plain, selected = stored("a", 4), stored("a", 5, app="x")
    key = plain.key
    entered = LoggedEvent(key, 5, plain, selected, 0.0).seen_by(has_app)
    left = LoggedEvent(key, 6, selected, stored("a", 6), 0.0).seen_by(has_app)
    assert entered is not None
    assert left is not None
    assert brief(entered) == (EventType.ADDED, key, 5)
    assert brief(left) == (EventType.DELETED, key, 6)
    assert left.object is not None
    assert left.object.revision == 6
    assert left.object.labels == {"app": "x"}
    assert LoggedEvent(key, 6, plain, stored("a", 6), 0.0).seen_by(has_app) is None


@pytest.mark.parametrize("old_is_corrupt", [False, True])
def test_an_event_with_a_side_that_cannot_be_read_is_an_error_to_everybody(*, old_is_corrupt: bool) -> None:
    corrupt, good = CorruptObject("k", "no JSON"), stored("a", 5)
    logged = LoggedEvent("k", 6, corrupt if old_is_corrupt else good, good if old_is_corrupt else corrupt, 0.0)
    for predicate in (None, has_app):
        seen = logged.seen_by(predicate)
        assert seen is not None
        assert (seen.type, seen.error, seen.object) == (EventType.ERROR, corrupt, None)


def large(revision: int, size: int, time: float = 0.0) -> LoggedEvent:
    obj = StoredObject.from_object("/k", {"metadata": {"name": "a"}, "data": {"x": "y" * size}}, revision)
    return LoggedEvent("/k", revision, None, obj, time)


def test_its_bytes_stay_within_the_budget_however_young_its_events_are() -> None:
    window = EventWindow(most_bytes=100_000)
    for revision in range(1, 201):
        window.append(large(revision, 10_000))
        assert window.bytes <= 100_000
    assert 5 <= len(window) <= 10
    assert [event.revision for event in window.after(window.base)] == list(range(window.base + 1, 201))


def test_an_event_larger_than_the_budget_is_not_kept() -> None:
    window = EventWindow(most_bytes=10_000)
    window.append(large(1, 100))
    window.append(large(2, 50_000))
    assert (len(window), window.base, window.bytes) == (0, 2, 0)
    window.append(large(3, 100))
    assert [event.revision for event in window.after(2)] == [3]


def test_what_has_left_holds_no_object() -> None:
    window = EventWindow(most_bytes=100_000)
    for revision in range(1, 101):
        window.append(large(revision, 10_000))
        assert sum(event.new is not None for event in window._events) == len(window)


def test_what_is_old_goes_without_being_pushed_out_if_it_is_much() -> None:
    window = EventWindow(most_bytes=1_000_000)
    for revision in range(1, 61):
        window.append(large(revision, 10_000, time=float(revision)))
    assert window.bytes > 600_000
    window.expire(70.0)
    assert len(window) == 60, "none of them has outlived its time"
    window.expire(1000.0)
    assert 200_000 < window.bytes <= 250_000
    few = window.bytes
    window.expire(5000.0)
    assert window.bytes == few, "what is little may stay: who resumes late is glad of it"


def test_what_was_derived_from_an_object_goes_when_another_takes_its_place() -> None:
    window = EventWindow()
    old, new = stored("a", 1), stored("a", 2)
    old.memo, new.memo = {"row": 1}, {"row": 2}
    window.append(LoggedEvent("/k", 2, old, new, 0.0))
    assert [stored.memo for stored in (old, new)] == [None, {"row": 2}]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30_000)), max_size=60), st.integers(0, 60_000))
def test_the_count_of_its_bytes_is_that_of_its_events(steps: list[tuple[int, int]], budget: int) -> None:
    window, revision = EventWindow(smallest=4, largest=16, most_bytes=budget), 1
    for number, (ahead, size) in enumerate(steps):
        revision += ahead  # none ahead: another event of the same transaction
        window.append(large(revision, size, time=float(number * 10)))
        window.expire(number * 10.0)
        assert window.bytes == sum(event.size for event in window.after(0))
