"""Copies of JSON values share nothing, and are what they were made of."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.patch.values import copied

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def as_told(value: Any) -> str:
    return repr(value)


@given(JSON)
def test_a_copy_is_told_as_the_original_is(value: Any) -> None:
    assert as_told(copied(value)) == as_told(value)


@pytest.mark.parametrize("value", [2**63, -(2**63), 2**64, 10**40, -0.0, 1e300, math.inf, "\ud800", True, None])
def test_what_json_has_no_word_for_is_copied_too(value: Any) -> None:
    assert as_told(copied({"a": [value]})) == as_told({"a": [value]})


def test_a_copy_shares_nothing_that_can_be_changed() -> None:
    original = {"a": {"b": [1, {"c": None}]}}
    copy = copied(original)
    copy["a"]["b"][1]["c"] = 2
    copy["a"]["b"].append(3)
    assert original == {"a": {"b": [1, {"c": None}]}}


def test_nothing_is_nested_too_deeply() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    copy = copied(value)
    depth = 0
    while isinstance(copy, list):
        copy, depth = copy[0], depth + 1
    assert (copy, depth) == (1, 100_000)
