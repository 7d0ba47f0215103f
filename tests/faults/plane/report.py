"""What a run against a plane proves: the figures of every run, and a table with a line for each kind of fault."""

from __future__ import annotations

import statistics
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.faults.history import Operation, Outcome, Rule, Violation
from tests.faults.nemesis import Kill
from tests.faults.report import Report

_HEADINGS = ("fault", "times", "ops", "acked", "unknown", "retried", "lost", "twice", "violations", "back after")
_BEFORE, _ALL = "before the first", "all"


@dataclass(slots=True)
class Row:
    """Everything that ended after a fault of one kind had begun and before the next fault did."""

    name: str
    kills: list[Kill] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)

    def cells(self) -> tuple[str, ...]:
        outcomes = [operation.outcome for operation in self.operations]
        figures = (
            len(self.kills),
            len(self.operations),
            sum(operation.acknowledged_write for operation in self.operations),
            outcomes.count(Outcome.UNKNOWN),
            sum(operation.tries > 1 for operation in self.operations),
            sum(violation.rule is Rule.DURABLE for violation in self.violations),
            sum(violation.rule is Rule.TWICE for violation in self.violations),
            len(self.violations),
        )
        return self.name, *map(str, figures), _back_after([kill.back_after for kill in self.kills])


class PlaneReport(Report):
    def _lines(self) -> Iterator[str]:
        yield from super()._lines()
        yield ""
        yield from _aligned([_HEADINGS, *(row.cells() for row in self.rows())])

    @property
    def twice(self) -> int:
        return sum(violation.rule is Rule.TWICE for violation in self.evidence.violations)

    def rows(self) -> list[Row]:
        """By the name of the fault; what nobody can date is in the last one alone, which has everything."""
        evidence = self.evidence
        kills = sorted(evidence.kills, key=lambda kill: kill.began)
        begins = [kill.began for kill in kills]
        rows = {name: Row(name) for name in sorted({kill.target for kill in kills})}

        def row(moment: float) -> Row:
            number = bisect_right(begins, moment)
            name = kills[number - 1].target if number else _BEFORE
            return rows.setdefault(name, Row(name))

        for kill in kills:
            rows[kill.target].kills.append(kill)
        for operation in evidence.history.operations:
            row(operation.moment).operations.append(operation)
        for violation in evidence.violations:
            if violation.moment is not None:
                row(violation.moment).violations.append(violation)
        everything = Row(_ALL, list(kills), list(evidence.history.operations), list(evidence.violations))
        return [*rows.values(), everything]


def _back_after(seconds: Sequence[float]) -> str:
    """Median and 95th percentile."""
    if not seconds:
        return ""
    p95 = statistics.quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else seconds[0]
    return f"{statistics.median(seconds):.2f} / {p95:.2f} s"


def _aligned(lines: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        yield "  " + "  ".join(cells).rstrip()
