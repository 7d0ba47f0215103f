"""Judges a history: every rule, one list of violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tests.faults.effects import (
    check_answers,
    check_compare_and_swap,
    check_counters,
    check_durable,
    check_ghosts,
    effective_writes,
)
from tests.faults.history import NEVER, Commit, History, Kind, Operation, Outcome, Rule, Violation
from tests.faults.linearizability import check_linearizable, check_not_older_than
from tests.faults.reads import check_gets, check_lists, check_monotonic_lists
from tests.faults.truth import CommittedLog
from tests.faults.watches import check_streams


def check(history: History) -> list[Violation]:
    """Everything that is wrong with a history; empty when nothing is."""
    operations = history.operations
    log = CommittedLog(history.commits)
    writes = effective_writes(operations, log)
    return [
        *check_assumptions(operations, log.commits),
        *check_durable(operations, log),
        *check_ghosts(operations, writes, log),
        *check_compare_and_swap(writes, log),
        *check_counters(log),
        *check_answers(writes, log),
        *check_gets(operations, log),
        *check_lists(operations, log),
        *check_monotonic_lists(operations),
        *check_linearizable(writes, operations, log),
        *check_not_older_than(writes, operations, log),
        *check_streams(history.streams, writes, log, history.rest),
    ]


def check_assumptions(operations: Sequence[Operation], commits: Sequence[Commit]) -> Iterator[Violation]:
    """What the other rules take for granted. A history that breaks this proves nothing."""
    busy_until: dict[int, float] = {}
    for operation in sorted(operations, key=lambda operation: operation.called):
        if operation.called < busy_until.get(operation.client, 0):
            yield Violation(Rule.HARNESS, f"{operation} began before the client's last one had ended")
        ended = operation.returned if operation.returned < NEVER else operation.called
        busy_until[operation.client] = ended
        if ended < operation.called:
            yield Violation(Rule.HARNESS, f"{operation} returned before it was called")
        if operation.kind is Kind.DELETE and operation.outcome is Outcome.UNKNOWN and operation.expected is None:
            yield Violation(Rule.HARNESS, f"{operation} expected no version, so nobody can tell what became of it")
    values = Counter(operation.value for operation in operations if operation.value is not None)
    for value, times in values.items():
        if times > 1:
            yield Violation(Rule.HARNESS, f"value {value!r} was sent {times} times")
    for before, after in pairwise(commits):
        if before.revision == after.revision:
            yield Violation(Rule.HARNESS, f"the log has revision {after.revision} twice")
