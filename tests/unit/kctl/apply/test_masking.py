"""Secrets in a diff."""

from __future__ import annotations

from kctl.changes.apply.diff import masked


def test_that_values_differ_is_seen_and_what_they_are_is_not() -> None:
    before, after = masked({"data": {"a": "1", "b": "1", "c": "1"}}, {"data": {"a": "1", "b": "2", "d": "1"}})
    assert before == {"data": {"a": "***", "b": "*** (before)", "c": "***"}}
    assert after == {"data": {"a": "***", "b": "*** (after)", "d": "***"}}


def test_a_new_secret_is_masked_too() -> None:
    assert masked(None, {"data": {"a": "1"}}) == (None, {"data": {"a": "***"}})
