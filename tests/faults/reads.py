"""What a get or a list shows must have been there, whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tests.faults.history import Kind, Operation, Outcome, Rule, Version, Violation
from tests.faults.truth import CommittedLog, below


def check_gets(operations: Iterable[Operation], log: CommittedLog) -> Iterator[Violation]:
    """A get shows a version that was committed."""
    for operation in operations:
        if operation.kind is Kind.GET and operation.outcome is Outcome.OK:
            commit = log.at(operation.revision)
            if commit is None or commit.key != operation.key or commit.value != operation.found:
                detail = f"{operation} read {operation.found!r}; the log has {commit} there"
                yield Violation(Rule.READ, detail, operation.moment)


def check_lists(operations: Iterable[Operation], log: CommittedLog) -> Iterator[Violation]:
    """A list is the state at its revision: one snapshot, nothing torn."""
    by_revision: dict[int, list[Operation]] = {}
    for operation in operations:
        if operation.kind is Kind.LIST and operation.outcome is Outcome.OK:
            by_revision.setdefault(operation.revision, []).append(operation)
    for revision, state in log.states(by_revision):
        for operation in by_revision[revision]:
            expected = below(state, operation.key)
            if operation.items != expected:
                detail = f"{operation}: {difference(operation.items, expected)}"
                yield Violation(Rule.LIST_SNAPSHOT, detail, operation.moment)


def check_monotonic_lists(operations: Iterable[Operation]) -> Iterator[Violation]:
    """A client's next list is never older than its last."""
    newest: dict[int, int] = {}
    for operation in sorted(operations, key=lambda operation: operation.called):
        ordered = operation.kind is Kind.LIST and operation.outcome is Outcome.OK and operation.not_older_than is None
        if ordered:
            before = newest.get(operation.client, 0)
            if operation.revision < before:
                detail = f"{operation} came after a list at {before}"
                yield Violation(Rule.MONOTONIC_LISTS, detail, operation.moment)
            newest[operation.client] = max(before, operation.revision)


def difference(shown: Mapping[str, Version], expected: Mapping[str, Version]) -> str:
    """A few of the keys that differ, for people."""
    keys = sorted(key for key in shown.keys() | expected.keys() if shown.get(key) != expected.get(key))
    return "; ".join(f"{key} is {shown.get(key)}, not {expected.get(key)}" for key in keys[:3])
