"""When two JSON values are the same."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.managedfields.values import differing, same, surely_same

_BEYOND_ALL_MEASURE = 2**80


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, 1, True),
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (None, None, True),
        ({"a": [1, {"b": 2}]}, {"a": [1.0, {"b": 2}]}, True),
        ({"a": [1, {"b": 1}]}, {"a": [1, {"b": True}]}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": _BEYOND_ALL_MEASURE}, {"a": _BEYOND_ALL_MEASURE}, True),
        ([1, 2], [2, 1], False),
        ({}, [], False),
    ],
)
def test_numbers_are_the_same_by_their_value_and_are_never_truths(left: Any, right: Any, *, expected: bool) -> None:
    assert same(left, right) is expected
    assert not surely_same(left, right) or expected


def test_only_what_differs_is_left_of_two_objects() -> None:
    old = {"same": {"a": [1]}, "inner": {"kept": 1, "changed": 1}, "list": [1, 2], "gone": 1, "truth": 1}
    new = {"same": {"a": [1]}, "inner": {"kept": 1, "changed": 2}, "list": [1, 3], "come": 1, "truth": True}
    assert differing(old, new) == (
        {"inner": {"changed": 1}, "list": [1, 2], "gone": 1, "truth": 1},
        {"inner": {"changed": 2}, "list": [1, 3], "come": 1, "truth": True},
    )
