"""Which operations took effect, and whether each was allowed to.

An acknowledged write is found in the log by its revision, an unknown one by its value. An unknown delete has no
value: it is known by the version it was told to expect. Whatever in the log belongs to nobody is a ghost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .history import NEVER, WRITES, Commit, Kind, Operation, Outcome, Rule, Violation
from .truth import CommittedLog


@dataclass(frozen=True, slots=True)
class Write:
    """An operation together with what the log says it did."""

    operation: Operation
    commit: Commit

    @property
    def called(self) -> float:
        return self.operation.called

    @property
    def returned(self) -> float:
        """Unknown writes may have taken effect at any time after their call."""
        return self.operation.returned if self.operation.outcome is Outcome.OK else NEVER


def effective_writes(operations: Iterable[Operation], log: CommittedLog) -> list[Write]:
    """The writes that are in the log as they were sent, in the order of their revisions."""
    sent = [operation for operation in operations if operation.kind in WRITES]
    writes: dict[int, Write] = {}
    for operation in sent:
        commit = _commit_of(operation, log)
        if commit is not None:
            writes.setdefault(commit.revision, Write(operation, commit))
    # The earliest call among equals: it leaves the most time in which the delete may have happened.
    for operation in sorted(sent, key=lambda operation: operation.called):
        if operation.kind is Kind.DELETE and operation.outcome is Outcome.UNKNOWN:
            commit = _delete_of(operation, log)
            if commit is not None:
                writes.setdefault(commit.revision, Write(operation, commit))
    return [writes[revision] for revision in sorted(writes)]


def _commit_of(operation: Operation, log: CommittedLog) -> Commit | None:
    if operation.outcome is Outcome.OK:
        commit = log.at(operation.revision)
        return commit if commit is not None and _is_same(operation, commit) else None
    return log.with_value(operation.value) if operation.outcome is Outcome.UNKNOWN else None


def _is_same(operation: Operation, commit: Commit) -> bool:
    return commit.key == operation.key and commit.value == operation.value


def _delete_of(operation: Operation, log: CommittedLog) -> Commit | None:
    for commit in log.chain(operation.key):
        replaced = log.replaced(commit)
        if commit.value is None and replaced is not None and replaced.revision == operation.expected:
            return commit
    return None


def check_durable(operations: Iterable[Operation], log: CommittedLog) -> Iterator[Violation]:
    """Every acknowledged write is in the log, under its key, with its value, at its revision."""
    for operation in operations:
        if not operation.acknowledged_write:
            continue
        commit = log.at(operation.revision)
        if commit is None:
            yield Violation(Rule.DURABLE, f"{operation} was acknowledged and is not in the log")
        elif not _is_same(operation, commit):
            yield Violation(Rule.DURABLE, f"{operation} was acknowledged, but the log has {commit} there")


def check_ghosts(operations: Sequence[Operation], writes: Iterable[Write], log: CommittedLog) -> Iterator[Violation]:
    """Every commit was sent by a client that was not told that nothing happened."""
    claimed = {write.commit.revision for write in writes}
    senders = {operation.value: operation for operation in operations if operation.value is not None}
    for commit in log.commits:
        if commit.revision not in claimed:
            sender = senders.get(commit.value) if commit.value is not None else None
            yield Violation(Rule.GHOST, f"{commit} belongs to {sender or 'nobody'}")


def check_compare_and_swap(writes: Iterable[Write], log: CommittedLog) -> Iterator[Violation]:
    """A create follows absence; an update or delete replaces exactly the version it expected."""
    for write in writes:
        operation, replaced = write.operation, log.replaced(write.commit)
        before = replaced.revision if replaced else None
        if operation.kind is Kind.CREATE:
            if replaced is not None:
                yield Violation(Rule.COMPARE_AND_SWAP, f"{operation} overwrote version {before}")
        elif replaced is None:
            yield Violation(Rule.COMPARE_AND_SWAP, f"{operation} succeeded on an absent object")
        elif operation.expected is not None and operation.expected != before:
            yield Violation(Rule.COMPARE_AND_SWAP, f"{operation} replaced version {before}: a lost update")


def check_answers(writes: Iterable[Write], log: CommittedLog) -> Iterator[Violation]:
    """A write is answered with what it stored, a delete with the state it removed."""
    for write in writes:
        operation, replaced = write.operation, log.replaced(write.commit)
        if operation.outcome is not Outcome.OK:
            continue
        expected = operation.value
        if operation.kind is Kind.DELETE:
            expected = replaced.value if replaced else None
        if operation.found != expected:
            yield Violation(Rule.ANSWER, f"{operation} was answered with {operation.found!r}, not {expected!r}")
