"""The table says which fault did what: an operation belongs to the fault that had begun when it ended."""

from __future__ import annotations

from collections import Counter
from random import Random

from tests.faults.harness import Evidence, Plan
from tests.faults.history import History, Kind, Operation, Outcome, Rule, Violation
from tests.faults.nemesis import Kill
from tests.faults.plane.nemesis import Fault, PlaneNemesis
from tests.faults.plane.report import PlaneReport


def _operation(number: int, called: float, returned: float, *, tries: int = 1) -> Operation:
    return Operation(number, 1, Kind.CREATE, "/configmaps/one/a", called, returned, outcome=Outcome.OK, tries=tries)


def _report() -> PlaneReport:
    """One operation before all faults, one that is in flight when the first begins, two after the second."""
    silent = Operation(3, 1, Kind.APPEND, "/serviceaccounts/one/a", 6.0, left=7.5)
    operations = [_operation(1, 1.0, 2.0), _operation(2, 2.5, 4.0, tries=2), silent, _operation(4, 8.0, 9.0)]
    kills = [Kill("kill etcd", 0.5, began=3.0), Kill("stop server", 0.25, began=7.0)]
    violations = [
        Violation(Rule.TWICE, "again", 4.0),
        Violation(Rule.DURABLE, "gone", 9.0),
        Violation(Rule.COUNTER, "nobody knows when"),
    ]
    plan = Plan(kills=2, seed=1)
    history = History(operations, [], [])
    return PlaneReport("a plane", Evidence(plan, history, violations, kills, 10.0, [], Counter(), Counter()))


def test_every_operation_and_violation_stands_at_its_fault() -> None:
    cells = {row.name: row.cells()[1:] for row in _report().rows()}
    assert cells == {
        #                    times ops  acked unknown retried lost twice violations
        "before the first": ("0", "1", "1", "0", "0", "0", "0", "0", ""),
        "kill etcd": ("1", "1", "1", "0", "1", "0", "1", "1", "0.50 / 0.50 s"),
        "stop server": ("1", "2", "1", "1", "0", "1", "0", "1", "0.25 / 0.25 s"),
        "all": ("2", "4", "3", "1", "1", "1", "1", "3", "0.38 / 0.49 s"),
    }


def test_the_table_is_below_the_figures_of_every_run() -> None:
    report = _report()
    *_, headings, _first, _second, _third, everything = str(report).splitlines()
    assert headings.split()[:4] == ["fault", "times", "ops", "acked"]
    assert everything.split()[:3] == ["all", "2", "4"]
    assert (report.verdict(), report.lost, report.twice) == ("FAILED", 1, 1)


async def test_every_kind_of_fault_has_its_turn_before_one_comes_again() -> None:
    struck: list[str] = []

    def fault(name: str) -> Fault:
        async def strike(_random: Random) -> None:
            struck.append(name)

        return Fault(name, strike)

    nemesis, random = PlaneNemesis([fault("a"), fault("b"), fault("c")]), Random(1)
    names = [(await nemesis.strike(random)).target for _ in range(6)]
    assert names == struck
    assert sorted(names[:3]) == sorted(names[3:]) == ["a", "b", "c"]
