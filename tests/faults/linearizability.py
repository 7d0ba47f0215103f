"""Is there one order of all operations that respects both real time and the versions they saw?

In general that is an NP-hard search. Here it is a sweep, because the order of the writes is known: the log has it.
Every other answer was true during certain spans of revisions, and is placed at the lowest revision that lies in one
of them and is not below anything that had returned before the call. The lowest place is always the best one: real
time only ever forbids a successor to lie lower. So the union of real time and version order has no cycle if and
only if every operation finds a place before the first write that was called after it had returned.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from tests.faults.effects import Write
from tests.faults.history import REFUSED, WRITES, Kind, Operation, Outcome, Rule, Violation
from tests.faults.truth import CommittedLog, Span

_RULES = {
    Outcome.OK: Rule.LINEARIZABLE,
    Outcome.CONFLICT: Rule.SPURIOUS_CONFLICT,
    Outcome.NOT_FOUND: Rule.SPURIOUS_NOT_FOUND,
    Outcome.EXISTS: Rule.SPURIOUS_EXISTS,
}


class Ceiling:
    """How far the store can have come at a moment: writes that were not yet called were not yet made."""

    def __init__(self, writes: Iterable[Write]) -> None:
        ordered = sorted(writes, key=attrgetter("called"))
        self._calls = [write.called for write in ordered]
        self._limits = [math.inf] * (len(ordered) + 1)
        for index in range(len(ordered) - 1, -1, -1):
            self._limits[index] = min(self._limits[index + 1], ordered[index].commit.revision - 1)

    def at(self, moment: float) -> float:
        return self._limits[bisect_right(self._calls, moment)]


@dataclass(frozen=True, slots=True)
class _Moment:
    """Calls sort before returns of the same instant: only what ended strictly before comes first."""

    time: float
    is_return: bool
    subject: Write | Operation


def check_linearizable(
    writes: Sequence[Write], operations: Iterable[Operation], log: CommittedLog
) -> Iterator[Violation]:
    ceiling = Ceiling(writes)
    reads = [operation for operation in operations if _is_ordered_read(operation, log)]
    reached = 0
    places: dict[int, int] = {}
    for moment in _moments(writes, reads):
        subject = moment.subject
        if isinstance(subject, Write):
            if moment.is_return:
                reached = max(reached, subject.commit.revision)
            elif subject.commit.revision <= reached:
                yield Violation(
                    Rule.LINEARIZABLE,
                    f"{subject.operation} took effect at {subject.commit.revision}, "
                    f"but was called when the store had come to {reached}",
                    subject.operation.moment,
                )
        elif moment.is_return:
            reached = max(reached, places.get(subject.id, 0))
        else:
            upper = ceiling.at(subject.returned)
            place = first_true(subject, log, reached, upper)
            if place is None:
                detail = f"{subject} was not true at any revision from {reached} to {upper}"
                yield Violation(_RULES[subject.outcome], detail, subject.moment)
            else:
                places[subject.id] = place


def check_not_older_than(
    writes: Sequence[Write], operations: Iterable[Operation], log: CommittedLog
) -> Iterator[Violation]:
    """A read that may be stale is true at some revision between the one it asked for and the present."""
    ceiling = Ceiling(writes)
    for operation in operations:
        if operation.not_older_than is None or operation.outcome in (Outcome.FAILED, Outcome.UNKNOWN):
            continue
        upper = ceiling.at(operation.returned)
        if first_true(operation, log, operation.not_older_than, upper) is None:
            detail = f"{operation} was not true at any revision from {operation.not_older_than} to {upper}"
            yield Violation(Rule.NOT_OLDER_THAN, detail, operation.moment)


def first_true(operation: Operation, log: CommittedLog, lower: int, upper: float) -> int | None:
    """The lowest revision in [lower, upper] at which the answer was the truth."""
    if operation.kind is Kind.LIST:
        return operation.revision if lower <= operation.revision <= upper else None
    for span in log.spans(operation.key, lower, upper):
        if _is_true_in(operation, span):
            place = max(lower, span.first)
            return place if place <= upper else None
    return None


def _is_true_in(operation: Operation, span: Span) -> bool:
    match operation.outcome:
        case Outcome.NOT_FOUND:
            return not span.present
        case Outcome.EXISTS:
            return span.present
        case Outcome.CONFLICT:
            return span.present and span.revision != operation.expected
        case _:
            return span.present and span.revision == operation.revision


def _is_ordered_read(operation: Operation, log: CommittedLog) -> bool:
    """Refusals count as reads: they tell what was there. A version that never was is another rule's business."""
    if operation.not_older_than is not None:
        return False
    if operation.outcome in REFUSED or operation.kind is Kind.LIST:
        return operation.outcome in _RULES
    return operation.kind not in WRITES and operation.outcome is Outcome.OK and log.at(operation.revision) is not None


def _moments(writes: Iterable[Write], reads: Iterable[Operation]) -> list[_Moment]:
    moments = []
    subjects: list[Write | Operation] = [*writes, *reads]
    for subject in subjects:
        moments.append(_Moment(subject.called, is_return=False, subject=subject))
        if subject.returned < math.inf:
            moments.append(_Moment(subject.returned, is_return=True, subject=subject))
    moments.sort(key=attrgetter("time", "is_return"))
    return moments
