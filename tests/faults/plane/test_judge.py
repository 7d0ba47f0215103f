"""The judge on trial once more, with what only a plane can do: it accuses no plane that is right, and misses no bug."""

from __future__ import annotations

import pytest

from tests.faults.checker import check
from tests.faults.history import Kind, Outcome
from tests.faults.mutants import Mutant
from tests.faults.plane.mutants import PLANE_MUTANTS
from tests.faults.plane.simulation import correct_plane_history


@pytest.mark.parametrize("seed", range(25))
def test_a_correct_history_of_a_plane_raises_no_alarm(seed: int) -> None:
    history = correct_plane_history(seed=seed)
    done = {operation.kind for operation in history.operations if operation.acknowledged_write}
    assert done == {Kind.CREATE, Kind.UPDATE, Kind.APPEND, Kind.DELETE}
    assert any(operation.outcome is Outcome.UNKNOWN for operation in history.operations)
    assert check(history) == []


@pytest.mark.parametrize("mutant", PLANE_MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
@pytest.mark.parametrize("seed", range(3))
def test_every_bug_of_a_plane_is_caught_by_the_rule_meant_for_it(mutant: Mutant, seed: int) -> None:
    history = correct_plane_history(seed=seed)
    assert mutant.rule in {violation.rule for violation in check(mutant.sow(history))}
