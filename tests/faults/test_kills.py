"""Short runs of what `python -m tests.faults` does for longer: kill, restart, and look for anything lost."""

from __future__ import annotations

import pytest

from tests.faults.harness import Plan, run_on_one_host
from tests.faults.history import Rule
from tests.faults.lies import Lie
from tests.faults.report import Report


@pytest.mark.parametrize("store", ["etcd", "sqlite"])
async def test_nothing_acknowledged_is_lost_when_everything_is_killed_under_load(store: str) -> None:
    report = Report(store, await run_on_one_host(store, Plan(kills=7, seed=7)))
    print(f"\n{report}")
    assert report.verdict(however_slow=True) == "PASSED", str(report)
    assert report.lost == 0


# An order that does not exist is blamed on the operation at which the search for it ended, whatever that one was told.
NO_ORDER = frozenset(
    {Rule.LINEARIZABLE, Rule.SPURIOUS_CONFLICT, Rule.SPURIOUS_NOT_FOUND, Rule.SPURIOUS_EXISTS, Rule.READ}
)


@pytest.mark.parametrize(
    ("lie", "rules"),
    [
        (Lie.LOSE_UPDATES, {Rule.DURABLE}),
        (Lie.IGNORE_EXPECTATIONS, {Rule.COMPARE_AND_SWAP}),
        (Lie.READ_STALE, NO_ORDER),
        (Lie.DROP_EVENTS, {Rule.RELIABLE}),
    ],
)
async def test_a_store_that_lies_is_found_out(lie: Lie, rules: frozenset[Rule]) -> None:
    """On a busy machine little is done between two kills: then it takes more of them until a lie shows."""
    for kills in (2, 6, 12):
        evidence = await run_on_one_host("sqlite", Plan(kills=kills, seed=3), "--lie", lie)
        if rules & {violation.rule for violation in evidence.violations}:
            return
    pytest.fail(f"{lie} shows in none of {len(evidence.history.operations)} operations")
