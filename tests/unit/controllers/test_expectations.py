"""What was asked for is waited for, and not for ever."""

from __future__ import annotations

from localplane.controllers.workloads.expectations import Expectations


def test_nothing_is_expected_of_what_nobody_asked_for() -> None:
    assert Expectations().satisfied("a/b")


def test_creations_are_waited_for_one_by_one() -> None:
    expectations = Expectations()
    expectations.expect("a/b", creations=2)
    expectations.created("a/b")
    assert not expectations.satisfied("a/b")
    expectations.created("a/b")
    assert expectations.satisfied("a/b")
    expectations.created("a/b")  # somebody else's
    assert expectations.satisfied("a/b")


def test_a_deletion_that_is_seen_twice_counts_once() -> None:
    expectations = Expectations()
    expectations.expect("a/b", deletions=["u1", "u2"])
    expectations.deleted("a/b", "u1")
    expectations.deleted("a/b", "u1")
    assert not expectations.satisfied("a/b")
    expectations.deleted("a/b", "u2")
    assert expectations.satisfied("a/b")


def test_after_five_minutes_counting_again_is_better_than_waiting() -> None:
    now = [0.0]
    expectations = Expectations(clock=lambda: now[0])
    expectations.expect("a/b", creations=1)
    now[0] = 299.0
    assert not expectations.satisfied("a/b")
    now[0] = 300.0
    assert expectations.satisfied("a/b")


def test_what_is_forgotten_is_no_longer_waited_for() -> None:
    expectations = Expectations()
    expectations.expect("a/b", creations=1)
    expectations.forget("a/b")
    assert expectations.satisfied("a/b")
