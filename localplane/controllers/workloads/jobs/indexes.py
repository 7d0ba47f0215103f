"""Sets of completion indexes, as short as a job's status writes them: `0-2,5,7`.

Kubernetes: pkg/controller/job/indexed_job_utils.go, orderedIntervals.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from localplane.catalog.batch.indexes import Interval

_is_number = re.compile(r"\+?[0-9]{1,18}").fullmatch


@dataclass(frozen=True, slots=True)
class Indexes:
    """Intervals that grow, do not touch and do not overlap."""

    intervals: tuple[Interval, ...] = ()

    @classmethod
    def of(cls, indexes: Iterable[int]) -> Indexes:
        return cls(_joined(Interval(index, index) for index in sorted(indexes)))

    @classmethod
    def parse(cls, text: str | None, completions: int) -> Indexes:
        """Those below `completions`; what can't be read is passed over."""
        return cls(_joined(_intervals(text or "", completions)))

    def __len__(self) -> int:
        return sum(interval.last - interval.first + 1 for interval in self.intervals)

    def __bool__(self) -> bool:
        return bool(self.intervals)

    def __contains__(self, index: int) -> bool:
        place = bisect_left(self.intervals, index, key=lambda interval: interval.last)
        return place < len(self.intervals) and self.intervals[place].first <= index

    def __or__(self, other: Indexes) -> Indexes:
        if not other.intervals:
            return self
        return Indexes(_joined(sorted((*self.intervals, *other.intervals))))

    def __str__(self) -> str:
        return ",".join(_text(interval) for interval in self.intervals)

    def common(self, other: Indexes) -> int:
        """How many are in both."""
        ours, theirs = list(reversed(self.intervals)), list(reversed(other.intervals))
        count = 0
        while ours and theirs:
            one, two = ours[-1], theirs[-1]
            count += max(0, min(one.last, two.last) - max(one.first, two.first) + 1)
            (ours if one.last <= two.last else theirs).pop()
        return count

    def missing(self, count: int, completions: int) -> list[int]:
        """The first `count` indexes below `completions` that are not here."""
        absent: list[int] = []
        candidate = 0
        for interval in (*self.intervals, Interval(completions, completions)):
            end = min(interval.first, completions, candidate + count - len(absent))
            absent.extend(range(candidate, end))
            candidate = max(candidate, interval.last + 1)
        return absent


NO_INDEXES: Final = Indexes()


def _intervals(text: str, completions: int) -> Iterator[Interval]:
    for part in text.split(",") if text else ():
        limits = part.split("-")[:2]
        if not all(map(_is_number, limits)):
            continue
        first, last = int(limits[0]), int(limits[-1])
        if first >= completions:
            return
        if first <= last:
            yield Interval(first, min(last, completions - 1))


def _joined(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    joined: list[Interval] = []
    for interval in intervals:
        if joined and interval.first <= joined[-1].last + 1:
            joined[-1] = Interval(joined[-1].first, max(joined[-1].last, interval.last))
        else:
            joined.append(interval)
    return tuple(joined)


def _text(interval: Interval) -> str:
    """Two neighbours are told one by one."""
    if interval.first == interval.last:
        return str(interval.first)
    return f"{interval.first}{',' if interval.last == interval.first + 1 else '-'}{interval.last}"


def pending_indexes(taken: Sequence[Indexes], count: int, completions: int) -> list[int]:
    """The first that nobody works on and that are not over."""
    together = NO_INDEXES
    for indexes in taken:
        together |= indexes
    return together.missing(count, completions)
