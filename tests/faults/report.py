"""What a run proves, in figures; and whether it proves anything at all.

A run is void, which is a failure and not a pass, when it was too slow to meet the faults under load, when too much
stayed without an answer, when not all kills happened, or when the store did not work in the end.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tests.faults.harness import Evidence
from tests.faults.history import Outcome, Rule

LEAST_OPERATIONS_PER_SECOND = 100
MOST_UNANSWERED = 0.30

_Name = TypeVar("_Name", bound=str)


@dataclass(frozen=True, slots=True)
class Report:
    title: str
    evidence: Evidence

    @property
    def outcomes(self) -> Counter[Outcome]:
        return Counter(operation.outcome for operation in self.evidence.history.operations)

    @property
    def unanswered(self) -> float:
        """Both kinds of error: those that leave the outcome open, and those that promise that nothing happened."""
        outcomes = self.outcomes
        return (outcomes[Outcome.UNKNOWN] + outcomes[Outcome.FAILED]) / max(1, outcomes.total())

    @property
    def answered_per_second(self) -> float:
        """Operations with an answer, over all the time under load, outages included."""
        return self.outcomes.total() * (1 - self.unanswered) / self.evidence.seconds

    @property
    def lost(self) -> int:
        return sum(violation.rule is Rule.DURABLE for violation in self.evidence.violations)

    def void(self, *, however_slow: bool = False) -> list[str]:
        """Why the run proves nothing; empty when it does. A short one in the tests may be slow: the machine is busy."""
        evidence, reasons = self.evidence, []
        if self.answered_per_second < LEAST_OPERATIONS_PER_SECOND and not however_slow:
            reasons.append(f"{self.answered_per_second:.0f} answers a second, {LEAST_OPERATIONS_PER_SECOND} are needed")
        if self.unanswered > MOST_UNANSWERED and not however_slow:
            reasons.append(f"{self.unanswered:.0%} without an answer, {MOST_UNANSWERED:.0%} are allowed")
        if len(evidence.kills) < evidence.plan.kills:
            reasons.append(f"{len(evidence.kills)} kills of {evidence.plan.kills}")
        if not all(last is not None and last.outcome is Outcome.OK for last in evidence.final_writes):
            reasons.append("a final write failed")
        return reasons

    def verdict(self, *, however_slow: bool = False) -> str:
        if self.evidence.violations:
            return "FAILED"
        return "VOID" if self.void(however_slow=however_slow) else "PASSED"

    @property
    def exit_code(self) -> int:
        return {"PASSED": 0, "FAILED": 1, "VOID": 2}[self.verdict()]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        evidence, outcomes, streams = self.evidence, self.outcomes, self.evidence.history.streams
        writes = sum(operation.acknowledged_write for operation in evidence.history.operations)
        yield f"{self.title}: {self.verdict()} in {evidence.seconds:.1f} s, seed {evidence.plan.seed}"
        yield f"  kills          {len(evidence.kills)} ({_counted(Counter(kill.target for kill in evidence.kills))})"
        yield f"  operations     {outcomes.total()} ({_counted(outcomes)})"
        yield f"  a second       {self.answered_per_second:.0f} answered, outages included"
        yield f"  without answer {self.unanswered:.1%} ({_counted(evidence.errors)})"
        yield f"  acknowledged   {writes} writes, lost {self.lost}"
        yield f"  back after     {_times([kill.back_after for kill in evidence.kills])}"
        yield (
            f"  watches        {len(streams)} streams, {sum(len(stream.events) for stream in streams)} events, "
            f"{sum(stream.resumes is not None and not stream.expired for stream in streams)} resumed, "
            f"{sum(stream.expired for stream in streams)} expired; ended by the server: {_counted(evidence.watch_ends)}"
        )
        yield f"  violations     {len(evidence.violations)} {_counted(Counter(v.rule for v in evidence.violations))}"
        for violation in evidence.violations[:20]:
            yield f"    {violation}"
        for reason in self.void():
            yield f"  void           {reason}"


def _counted(counter: Mapping[_Name, int]) -> str:
    return ", ".join(f"{name} {times}" for name, times in sorted(counter.items(), key=lambda item: -item[1])) or "none"


def _times(seconds: list[float]) -> str:
    if len(seconds) < 2:
        return ", ".join(f"{second:.2f} s" for second in seconds)
    p95 = statistics.quantiles(seconds, n=20, method="inclusive")[-1]
    return f"median {statistics.median(seconds):.2f} s, p95 {p95:.2f} s, longest {max(seconds):.2f} s"
