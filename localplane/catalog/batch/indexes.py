"""The indexes of an indexed job's pods, in short: `1,3-5,7`.

Kubernetes: pkg/apis/batch/validation, validateIndexesFormat and validateFailedIndexesNotOverlapCompleted.
"""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

from localplane.apimachinery.golang.text import go_quote

_is_number = re.compile("[+-]?[0-9]+").fullmatch


class InvalidIndexes(ValueError):
    """What is wrong with them, in Kubernetes' words."""


class Interval(NamedTuple):
    """Both ends count."""

    first: int
    last: int


def count_indexes(text: str, completions: int) -> int:
    """How many there are; all are below `completions` and grow. Raises InvalidIndexes."""
    if not text:
        return 0
    total, last = 0, None
    for part in text.split(","):
        interval = _interval(part, completions)
        if last is not None and last >= interval.first:
            raise InvalidIndexes(f"non-increasing order, previous: {last}, current: {interval.first}")
        total, last = total + interval.last - interval.first + 1, interval.last
    return total


def overlap(one: str, other: str, completions: int) -> int | None:
    """The first index that is in both, of what can be read of them; others tell what can't."""
    left, right = _readable(one, completions), _readable(other, completions)
    while left and right:
        if left[0].first <= right[0].last and right[0].first <= left[0].last:
            return max(left[0].first, right[0].first)
        (left if left[0].first <= right[0].first else right).popleft()
    return None


def _readable(text: str, completions: int) -> deque[Interval]:
    found: deque[Interval] = deque()
    for part in text.split(",") if text else ():
        try:
            found.append(_interval(part, completions))
        except InvalidIndexes:
            continue
    return found


def _interval(text: str, completions: int) -> Interval:
    limits = text.split("-")
    if len(limits) > 2:
        raise InvalidIndexes(
            f"the fragment {go_quote(text)} violates the requirement that an index interval can have at most two parts "
            "separated by '-'"
        )
    numbers = [_index(limit, completions) for limit in limits]
    if len(numbers) == 2 and numbers[0] >= numbers[1]:
        raise InvalidIndexes(f"non-increasing order, previous: {numbers[0]}, current: {numbers[1]}")
    return Interval(numbers[0], numbers[-1])


def _index(text: str, completions: int) -> int:
    if not _is_number(text) or len(text) > 19:
        raise InvalidIndexes(f"cannot convert string to integer for index: {go_quote(text)}")
    if int(text) >= completions:
        raise InvalidIndexes(f"too large index: {go_quote(text)}")
    return int(text)
