"""Bugs that a plane could have and a store alone could not, each sown into a correct history, with the rule that must
see it. Most of them are one and the same: an answer that sends a client off to do again what was done."""

from __future__ import annotations

from dataclasses import replace

from tests.faults.history import Commit, History, Kind, Operation, Outcome, Rule
from tests.faults.mutants import Mutant
from tests.faults.truth import CommittedLog


def _acknowledged(history: History, kind: Kind, part: str = "") -> Operation:
    chosen = [each for each in history.operations if each.acknowledged_write and each.kind is kind and part in each.key]
    return chosen[len(chosen) // 2]


def _instead(history: History, old: Operation, new: Operation) -> History:
    return replace(history, operations=[new if operation is old else operation for operation in history.operations])


def _committed(history: History, key: str, value: str | None) -> History:
    """One more commit, after all others."""
    end = max(commit.revision for commit in history.commits) + 1
    return replace(history, commits=[*history.commits, Commit(end, key, value)])


def _recommitted(history: History, old: Commit, value: str) -> History:
    new = replace(old, value=value)
    return replace(history, commits=[new if commit is old else commit for commit in history.commits])


def _commit_of(history: History, operation: Operation) -> Commit:
    commit = CommittedLog(history.commits).at(operation.revision)
    assert commit is not None
    return commit


def make_an_object_twice(history: History) -> History:
    create = _acknowledged(history, Kind.CREATE, "/made-")
    return _committed(history, f"{create.key}-again", create.value)


def make_an_object_twice_that_nobody_acknowledged(history: History) -> History:
    create = _acknowledged(history, Kind.CREATE, "/made-")
    silent = replace(create, outcome=Outcome.UNKNOWN, revision=0, found=None)
    return _committed(_instead(history, create, silent), f"{create.key}-again", create.value)


def append_an_entry_twice(history: History) -> History:
    append = _acknowledged(history, Kind.APPEND)
    last = CommittedLog(history.commits).chain(append.key)[-1]
    return _committed(history, append.key, f"{last.value},{append.value}")


def lose_an_entry_by_appending_another(history: History) -> History:
    commit = _commit_of(history, _acknowledged(history, Kind.APPEND))
    assert commit.value is not None
    return _recommitted(history, commit, commit.value.partition(",")[2] or "x")


def lose_an_entry_that_was_acknowledged(history: History) -> History:
    commit = _commit_of(history, _acknowledged(history, Kind.APPEND))
    assert commit.value is not None
    return _recommitted(history, commit, commit.value.rpartition(",")[0])


def count_one_version_twice(history: History) -> History:
    """A client that was shown a stale count writes one that was there before."""
    update = _acknowledged(history, Kind.UPDATE, "/counter-")
    commit = _commit_of(history, update)
    assert commit.count is not None
    assert update.value is not None
    value = f"{commit.count - 1}:{update.value.partition(':')[2]}"
    return _recommitted(_instead(history, update, replace(update, value=value, found=value)), commit, value)


def call_a_clients_own_object_somebody_elses(history: History) -> History:
    create = _acknowledged(history, Kind.CREATE, "/counter-")
    return _instead(history, create, replace(create, outcome=Outcome.EXISTS, revision=0, found=None))


def call_a_clients_own_update_a_conflict(history: History) -> History:
    update = _acknowledged(history, Kind.UPDATE)
    return _instead(history, update, replace(update, outcome=Outcome.CONFLICT, revision=0, found=None))


def not_find_what_the_client_deleted(history: History) -> History:
    delete = _acknowledged(history, Kind.DELETE)
    return _instead(history, delete, replace(delete, outcome=Outcome.NOT_FOUND))


def lose_a_delete(history: History) -> History:
    delete = _acknowledged(history, Kind.DELETE)
    gone = [commit for commit in CommittedLog(history.commits).chain(delete.key) if commit.value is None]
    return replace(history, commits=[commit for commit in history.commits if commit not in gone])


def acknowledge_a_delete_to_two(history: History) -> History:
    delete = _acknowledged(history, Kind.DELETE)
    return replace(history, operations=[*history.operations, replace(delete, id=1_000_000, client=1000)])


def promise_that_nothing_was_made(history: History) -> History:
    create = _acknowledged(history, Kind.CREATE, "/made-")
    return _instead(history, create, replace(create, outcome=Outcome.FAILED, revision=0, found=None))


PLANE_MUTANTS = (
    Mutant("make an object twice", Rule.TWICE, make_an_object_twice),
    Mutant("make an object twice that nobody acknowledged", Rule.TWICE, make_an_object_twice_that_nobody_acknowledged),
    Mutant("append an entry twice", Rule.TWICE, append_an_entry_twice),
    Mutant("lose an entry by appending another", Rule.APPEND, lose_an_entry_by_appending_another),
    Mutant("lose an entry that was acknowledged", Rule.DURABLE, lose_an_entry_that_was_acknowledged),
    Mutant("count one version twice", Rule.COUNTER, count_one_version_twice),
    Mutant("call a client's own object somebody else's", Rule.GHOST, call_a_clients_own_object_somebody_elses),
    Mutant("call a client's own update a conflict", Rule.GHOST, call_a_clients_own_update_a_conflict),
    Mutant("not find what the client deleted", Rule.GHOST, not_find_what_the_client_deleted),
    Mutant("lose a delete", Rule.DURABLE, lose_a_delete),
    Mutant("acknowledge a delete to two", Rule.DURABLE, acknowledge_a_delete_to_two),
    Mutant("promise that nothing was made", Rule.GHOST, promise_that_nothing_was_made),
)
