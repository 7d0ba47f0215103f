"""Indexes of an indexed job, in short form."""

from __future__ import annotations

import pytest

from localplane.catalog.batch.indexes import InvalidIndexes, count_indexes, overlap

THREE_PARTS = "violates the requirement that an index interval can have at most two parts separated by '-'"


@pytest.mark.parametrize(("text", "count"), [("", 0), ("0", 1), ("1,3-5,7", 5), ("0-9", 10)])
def test_indexes_are_counted_through_their_intervals(text: str, count: int) -> None:
    assert count_indexes(text, 10) == count


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("10", 'too large index: "10"'),
        ("1-10", 'too large index: "10"'),
        ("x", 'cannot convert string to integer for index: "x"'),
        ("-1", 'cannot convert string to integer for index: ""'),
        ("3,1", "non-increasing order, previous: 3, current: 1"),
        ("3-3", "non-increasing order, previous: 3, current: 3"),
        ("1-2-3", f'the fragment "1-2-3" {THREE_PARTS}'),
    ],
)
def test_indexes_that_make_no_sense_are_refused(text: str, told: str) -> None:
    with pytest.raises(InvalidIndexes) as refused:
        count_indexes(text, 10)
    assert str(refused.value) == told


@pytest.mark.parametrize(
    ("one", "other", "both"), [("0-3", "3,5", 3), ("0,2", "1,3", None), ("", "1", None), ("x,5-7", "1,6", 6)]
)
def test_the_first_index_in_both_lists_is_found_past_what_cannot_be_read(
    one: str, other: str, both: int | None
) -> None:
    assert overlap(one, other, 10) == both
