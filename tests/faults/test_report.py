"""A run that was not hard enough must not count as a proof."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.faults.harness import Evidence, Plan
from tests.faults.history import Kind, Operation, Outcome, Rule, Violation
from tests.faults.nemesis import Kill, Target
from tests.faults.report import Report
from tests.faults.simulation import correct_history


@pytest.fixture
def evidence() -> Evidence:
    """A run with nothing wrong: 500 operations in 2 seconds, and two kills."""
    last = Operation(1, 1, Kind.CREATE, "/configmaps/one/last", 1.0, 2.0, outcome=Outcome.OK)
    kills = [Kill(Target.STORE, 0.2), Kill(Target.HOST, 0.4)]
    return Evidence(Plan(kills=2, seed=1), correct_history(seed=1), [], kills, 2.0, [last], Counter(), Counter())


def test_a_hard_run_without_violations_passes(evidence: Evidence) -> None:
    report = Report("store", evidence)
    assert (report.verdict(), report.exit_code, report.void()) == ("PASSED", 0, [])


def test_a_violation_fails_the_run_even_if_it_is_void(evidence: Evidence) -> None:
    broken = replace(evidence, violations=[Violation(Rule.DURABLE, "gone")], seconds=1000.0)
    report = Report("store", broken)
    assert (report.verdict(), report.exit_code, report.lost) == ("FAILED", 1, 1)
    assert "[durable] gone" in str(report)


def test_a_slow_run_is_void(evidence: Evidence) -> None:
    report = Report("store", replace(evidence, seconds=5.5))
    assert (report.verdict(), report.exit_code) == ("VOID", 2)
    assert "answers a second" in str(report)


def test_a_slow_run_may_pass_where_the_machine_is_not_ours(evidence: Evidence) -> None:
    report = Report("store", replace(evidence, seconds=5.5))
    assert report.verdict(however_slow=True) == "PASSED"
    lazy = Report("store", replace(evidence, seconds=5.5, kills=evidence.kills[:1]))
    assert lazy.verdict(however_slow=True) == "VOID"


def test_a_run_with_too_many_unknown_outcomes_is_void(evidence: Evidence) -> None:
    operations = [
        replace(operation, outcome=Outcome.UNKNOWN) if number % 3 == 0 else operation
        for number, operation in enumerate(evidence.history.operations)
    ]
    report = Report("store", replace(evidence, history=replace(evidence.history, operations=operations)))
    assert report.verdict() == "VOID"
    assert "without an answer" in str(report)


def test_a_run_with_fewer_kills_than_asked_for_is_void(evidence: Evidence) -> None:
    report = Report("store", replace(evidence, kills=evidence.kills[:1]))
    assert report.verdict() == "VOID"
    assert "1 kills of 2" in str(report)


@pytest.mark.parametrize("outcome", [Outcome.UNKNOWN, Outcome.FAILED, None])
def test_a_run_whose_final_write_fails_is_void(evidence: Evidence, outcome: Outcome | None) -> None:
    last = evidence.final_writes[0]
    assert last is not None
    report = Report("store", replace(evidence, final_writes=[replace(last, outcome=outcome) if outcome else None]))
    assert report.verdict() == "VOID"
    assert "a final write failed" in str(report)
