"""Which operations took effect, and whether each was allowed to.

An acknowledged write is found in the log by its revision, an unknown one by its value. A delete that is unknown, or
was acknowledged without a revision, is known by the version it was told to expect. Whatever in the log belongs to
nobody is a ghost, unless its writer has another commit there: then it happened twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tests.faults.history import NEVER, WRITES, Commit, Kind, Operation, Outcome, Rule, Violation
from tests.faults.truth import CommittedLog


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
        commit = _acknowledged_commit(operation, log)
        return commit if commit is not None and _is_same(operation, commit) else None
    return log.with_marker(operation.value) if operation.outcome is Outcome.UNKNOWN else None


def _acknowledged_commit(operation: Operation, log: CommittedLog) -> Commit | None:
    if operation.kind is Kind.DELETE and not operation.revision:
        return _delete_of(operation, log)
    return log.at(operation.revision)


def _is_same(operation: Operation, commit: Commit) -> bool:
    return commit.key == operation.key and commit.marker == operation.value


def _delete_of(operation: Operation, log: CommittedLog) -> Commit | None:
    for commit in log.chain(operation.key):
        replaced = log.replaced(commit)
        if commit.value is None and replaced is not None and replaced.revision == operation.expected:
            return commit
    return None


def check_durable(operations: Iterable[Operation], log: CommittedLog) -> Iterator[Violation]:
    """Every acknowledged write is in the log, under its key, with its value, at its revision."""
    acknowledged: dict[int, Operation] = {}
    for operation in operations:
        if not operation.acknowledged_write:
            continue
        commit = _acknowledged_commit(operation, log)
        if commit is None:
            detail = f"{operation} was acknowledged and is not in the log"
            yield Violation(Rule.DURABLE, detail, operation.moment)
        elif not _is_same(operation, commit):
            detail = f"{operation} was acknowledged, but the log has {commit} there"
            yield Violation(Rule.DURABLE, detail, operation.moment)
        elif acknowledged.setdefault(commit.revision, operation) is not operation:
            detail = f"{operation} was acknowledged for what {acknowledged[commit.revision]} did"
            yield Violation(Rule.DURABLE, detail, operation.moment)


def check_ghosts(operations: Sequence[Operation], writes: Iterable[Write], log: CommittedLog) -> Iterator[Violation]:
    """Every commit was sent by a client that was not told that nothing happened, and is its only one."""
    claimed = {write.commit.revision: write.operation for write in writes}
    done = {operation.id for operation in claimed.values()}
    senders = {_sent(operation): operation for operation in operations if operation.kind in WRITES}
    for commit in log.commits:
        replaced = log.replaced(commit)
        if commit.revision in claimed or (commit if replaced is None else replaced).foreign:
            continue
        deleted = (commit.key, replaced.revision if replaced else None)
        sender = senders.get(deleted if commit.marker is None else commit.marker)
        if sender is not None and sender.id in done:
            yield Violation(Rule.TWICE, f"{commit} is what {sender} had done already", sender.moment)
        else:
            detail = f"{commit} belongs to {sender or 'nobody'}"
            yield Violation(Rule.GHOST, detail, sender.moment if sender else None)


def _sent(operation: Operation) -> object:
    """What a commit is known by: the value, and of a delete what it was told to remove."""
    return (operation.key, operation.expected) if operation.kind is Kind.DELETE else operation.value


def check_compare_and_swap(writes: Iterable[Write], log: CommittedLog) -> Iterator[Violation]:
    """A create follows absence; an update or delete replaces exactly the version it expected."""
    for write in writes:
        operation, replaced, moment = write.operation, log.replaced(write.commit), write.operation.moment
        before = replaced.revision if replaced else None
        if operation.kind is Kind.CREATE:
            if replaced is not None:
                yield Violation(Rule.COMPARE_AND_SWAP, f"{operation} overwrote version {before}", moment)
        elif replaced is None:
            yield Violation(Rule.COMPARE_AND_SWAP, f"{operation} succeeded on an absent object", moment)
        elif operation.expected is not None and operation.expected != before:
            yield Violation(Rule.COMPARE_AND_SWAP, f"{operation} replaced version {before}: a lost update", moment)
        elif operation.kind is Kind.APPEND and write.commit.value != f"{replaced.value},{operation.value}":
            detail = f"{operation} made {write.commit.value!r} of {replaced.value!r}"
            yield Violation(Rule.APPEND, detail, moment)


def check_counters(log: CommittedLog) -> Iterator[Violation]:
    """A counter goes up by one with every commit, so in the end it has counted them."""
    for commit in log.commits:
        replaced = log.replaced(commit)
        if replaced is None or replaced.count is None or commit.value is None:
            continue
        if commit.count != replaced.count + 1:
            yield Violation(Rule.COUNTER, f"{commit} came after a count of {replaced.count}")


def check_answers(writes: Iterable[Write], log: CommittedLog) -> Iterator[Violation]:
    """A write is answered with what it stored, a delete with the state it removed."""
    for write in writes:
        operation, replaced = write.operation, log.replaced(write.commit)
        if operation.outcome is not Outcome.OK or not operation.revision:
            continue
        expected = write.commit.value
        if operation.kind is Kind.DELETE:
            expected = replaced.value if replaced else None
        if operation.found != expected:
            detail = f"{operation} was answered with {operation.found!r}, not {expected!r}"
            yield Violation(Rule.ANSWER, detail, operation.moment)
