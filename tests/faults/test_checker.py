"""The judge on trial: it must never accuse the innocent, and never let one of the mutants go."""

from __future__ import annotations

import importlib.util
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.faults.checker import check
from tests.faults.history import REFUSED, Event, History, Kind, Operation, Outcome, Rule, Stream
from tests.faults.mutants import MUTANTS, Mutant
from tests.faults.plane.mutants import PLANE_MUTANTS
from tests.faults.search import is_linearizable
from tests.faults.simulation import correct_history
from tests.faults.truth import CommittedLog


@pytest.mark.parametrize("seed", range(25))
def test_a_correct_history_raises_no_alarm(seed: int) -> None:
    history = correct_history(seed=seed)
    assert len(history.operations) >= 500
    assert any(operation.outcome is Outcome.UNKNOWN for operation in history.operations)
    assert any(operation.outcome in REFUSED for operation in history.operations)
    assert check(history) == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
@pytest.mark.parametrize("seed", range(3))
def test_every_mutant_is_caught_by_the_rule_meant_for_it(mutant: Mutant, seed: int) -> None:
    history = correct_history(seed=seed)
    assert check(history) == []
    assert mutant.rule in {violation.rule for violation in check(mutant.sow(history))}


def test_every_rule_has_a_mutant() -> None:
    assert {mutant.rule for mutant in (*MUTANTS, *PLANE_MUTANTS)} == set(Rule) - {Rule.HARNESS}


def test_a_history_with_overlapping_requests_of_one_client_proves_nothing() -> None:
    history = correct_history(seed=1, operations=60)
    first, *rest = history.operations
    spoilt = replace(history, operations=[replace(first, returned=first.called + 100), *rest])
    assert Rule.HARNESS in {violation.rule for violation in check(spoilt)}


def test_values_that_are_not_unique_prove_nothing() -> None:
    history = correct_history(seed=1, operations=60)
    doubled = replace(next(each for each in history.operations if each.value), id=10_000, client=99)
    spoilt = replace(history, operations=[*history.operations, doubled])
    assert Rule.HARNESS in {violation.rule for violation in check(spoilt)}


def test_an_unknown_write_that_took_effect_explains_what_others_read() -> None:
    """Dropping unknown outcomes would turn an honest read into a ghost; keeping them explains it."""
    history = correct_history(seed=4)
    committed = {commit.value for commit in history.commits}
    unknown = [each for each in history.operations if each.outcome is Outcome.UNKNOWN and each.value in committed]
    assert unknown
    without = [operation for operation in history.operations if operation is not unknown[0]]
    assert {violation.rule for violation in check(replace(history, operations=without))} == {Rule.GHOST}


def _small(seed: int) -> History:
    return correct_history(seed=seed, operations=18, clients=4, keys=2)


@pytest.mark.parametrize("seed", range(40))
def test_the_general_search_agrees_on_correct_histories(seed: int) -> None:
    assert is_linearizable(_small(seed))
    assert check(_small(seed)) == []


def _alterations(history: History) -> list[History]:
    """The history with one answer changed: a get to another version or to nothing, a refusal to another refusal,
    a list to the snapshot of another list."""
    log = CommittedLog(history.commits)
    altered: list[tuple[Operation, Operation]] = []
    lists = [each for each in history.operations if each.kind is Kind.LIST]
    for old in history.operations:
        if old.kind is Kind.GET:
            for commit in log.chain(old.key):
                if commit.value is not None and commit.revision != old.revision:
                    version = replace(old, outcome=Outcome.OK, revision=commit.revision, found=commit.value)
                    altered.append((old, version))
            if old.outcome is Outcome.OK:
                altered.append((old, replace(old, outcome=Outcome.NOT_FOUND, revision=0, found=None)))
        elif old.kind is Kind.LIST:
            altered += [(old, replace(old, revision=x.revision, items=x.items)) for x in lists if x.key == old.key]
        elif old.outcome in (Outcome.NOT_FOUND, Outcome.CONFLICT):
            other = Outcome.CONFLICT if old.outcome is Outcome.NOT_FOUND else Outcome.NOT_FOUND
            altered.append((old, replace(old, outcome=other)))
    return [
        replace(history, operations=[new if each is old else each for each in history.operations])
        for old, new in altered
    ]


def test_the_general_search_agrees_on_every_altered_answer() -> None:
    verdicts = [(is_linearizable(a), not check(a)) for seed in range(60) for a in _alterations(_small(seed))]
    assert [pair for pair in verdicts if pair[0] is not pair[1]] == []
    innocent = sum(verdict for verdict, _ in verdicts)
    assert len(verdicts) > 300
    assert 20 < innocent < len(verdicts) - 100  # both verdicts occur often enough to mean something


def test_a_long_history_is_judged_in_seconds() -> None:
    """The sweep is O(n log n): ten times the operations of a short run must not need a hundred times the steps."""
    assert check(correct_history(seed=3, operations=20_000, clients=16, keys=12)) == []


# A second checker may lie beside the checkout; the two must then agree. Nothing depends on it.

_OTHER = Path(__file__).parents[3] / "shared" / "tools" / "history_checker.py"


@pytest.fixture(scope="module")
def other() -> ModuleType:
    if not _OTHER.is_file():
        pytest.skip("no second history checker lies beside this checkout")
    spec = importlib.util.spec_from_file_location("second_history_checker", _OTHER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _verdict_of(other: Any, history: History) -> list[Any]:
    operations = [_as_other_operation(other, operation) for operation in history.operations]
    streams = [_as_other_stream(other, stream) for stream in history.streams]
    log = [other.W(commit.revision, commit.key, commit.value) for commit in history.commits]
    verdict: list[Any] = other.check_all(operations, streams, log)
    return verdict


def _as_other_operation(other: Any, operation: Operation) -> Any:
    out: object = operation.found
    if operation.kind is Kind.LIST:
        out = {key: (version.revision, version.value) for key, version in operation.items.items()}
    status = "unknown" if operation.outcome is Outcome.FAILED else operation.outcome.value
    return other.Op(
        operation.id,
        operation.client,
        operation.kind.value,
        operation.key,
        operation.called,
        operation.returned if operation.returned < math.inf else other.INF,
        operation.value,
        operation.expected,
        status,
        operation.revision,
        out,
        operation.not_older_than,
    )


def _as_other_stream(other: Any, stream: Stream) -> Any:
    events = [_as_other_event(other, event) for event in stream.events]
    return other.Watch(stream.id, stream.prefix, stream.start, events, stream.resumes, not stream.live)


def _as_other_event(other: Any, event: Event) -> Any:
    initial = event.initial, event.initial_end
    return other.Ev(event.type.value, event.key, event.revision, event.value, *initial)


ONLY_OURS = {
    "break the promise that nothing happened",
    "answer a delete with a stale state",
    "begin with a stale state",
    "expire without a reason",
    "expire what the server has seen",
}


@pytest.mark.parametrize("seed", range(5))
def test_a_second_checker_finds_the_same_histories_correct(other: ModuleType, seed: int) -> None:
    assert _verdict_of(other, correct_history(seed=seed)) == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_whatever_a_second_checker_catches_ours_catches_too(other: ModuleType, mutant: Mutant) -> None:
    spoilt = mutant.sow(correct_history(seed=2))
    assert check(spoilt) != []
    assert (_verdict_of(other, spoilt) == []) is (mutant.name in ONLY_OURS)
