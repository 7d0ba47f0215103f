"""The general search for a linearization, after Wing & Gong and Lowe: slow, simple, and no relative of the sweep.

It tries orders of the operations until one explains every answer, and remembers which combinations of "these are
done, and that is the state" it has already given up. It is the second opinion on small histories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.faults.effects import effective_writes
from tests.faults.history import WRITES, History, Kind, Operation, Outcome, Version
from tests.faults.truth import CommittedLog


class GaveUp(Exception):
    """The budget is spent; that is neither a yes nor a no."""


@dataclass(frozen=True, slots=True)
class _State:
    """`revision` is the lowest that the next write must exceed."""

    revision: int
    objects: frozenset[tuple[str, Version]]


def is_linearizable(history: History, *, budget: int = 200_000) -> bool:
    operations = sorted(_to_be_placed(history), key=lambda operation: operation.called)
    everything = (1 << len(operations)) - 1
    given_up: set[tuple[int, _State]] = set()
    stack = [(0, _State(0, frozenset()))]
    while stack:
        done, state = stack.pop()
        if done == everything:
            return True
        if (done, state) in given_up:
            continue
        given_up.add((done, state))
        if len(given_up) > budget:
            raise GaveUp
        for index in _candidates(operations, done):
            successor = _apply(state, operations[index])
            if successor is not None:
                stack.append((done | 1 << index, successor))
    return False


def _to_be_placed(history: History) -> list[Operation]:
    """Known outcomes, and those unknown ones that the log has; the rest had no effect that anyone could see."""
    resolved = {
        write.operation.id: replace(write.operation, outcome=Outcome.OK, revision=write.commit.revision)
        for write in effective_writes(history.operations, CommittedLog(history.commits))
    }
    placed = []
    for operation in history.operations:
        if operation.outcome is Outcome.UNKNOWN:
            if operation.id in resolved:
                placed.append(resolved[operation.id])
        elif operation.outcome is not Outcome.FAILED and operation.not_older_than is None:
            placed.append(operation)
    return placed


def _candidates(operations: Sequence[Operation], done: int) -> list[int]:
    """Whatever is not done and was called before anything else that is not done had returned."""
    waiting = [index for index in range(len(operations)) if not done >> index & 1]
    first_return = min(operations[index].returned for index in waiting)
    return [index for index in waiting if operations[index].called <= first_return]


def _apply(state: _State, operation: Operation) -> _State | None:
    """The state after the operation; None when its answer does not fit this state."""
    objects = dict(state.objects)
    current = objects.get(operation.key)
    if operation.kind is Kind.LIST:
        shown = {key: version for key, version in objects.items() if key.startswith(operation.key)}
        fits = shown == operation.items and operation.revision >= state.revision
        return replace(state, revision=operation.revision) if fits else None
    if operation.kind not in WRITES or operation.outcome is not Outcome.OK:
        return state if _fits(operation, current) else None
    if operation.revision <= state.revision or _refusal(operation, current) is not None:
        return None
    if operation.value is None:
        del objects[operation.key]
    else:
        objects[operation.key] = Version(operation.revision, operation.value)
    return _State(operation.revision, frozenset(objects.items()))


def _fits(operation: Operation, current: Version | None) -> bool:
    if operation.kind is not Kind.GET:
        return _refusal(operation, current) is operation.outcome
    if operation.outcome is Outcome.NOT_FOUND:
        return current is None
    return current == Version(operation.revision, operation.found or "")


def _refusal(operation: Operation, current: Version | None) -> Outcome | None:
    if operation.kind is Kind.CREATE:
        return Outcome.EXISTS if current is not None else None
    if current is None:
        return Outcome.NOT_FOUND
    return Outcome.CONFLICT if operation.expected not in (None, current.revision) else None
