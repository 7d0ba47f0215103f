"""Bugs that a store, a cache or a watch could have, each sown into a correct history, with the rule that must see it.

A checker that misses one of them would also miss it in the product: if a rule is ever rewritten, this list is what
it has to answer to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

from tests.faults.effects import Write, effective_writes
from tests.faults.history import Commit, Event, EventType, History, Kind, Operation, Outcome, Rule, Stream, Version
from tests.faults.truth import CommittedLog

Sow = Callable[[History], History]

_NEW_CLIENT = 1000
_NEW_ID = 1_000_000


@dataclass(frozen=True, slots=True)
class Mutant:
    name: str
    rule: Rule
    sow: Sow


def _acknowledged(history: History, kind: Kind = Kind.UPDATE) -> list[Operation]:
    chosen = [operation for operation in history.operations if operation.acknowledged_write and operation.kind is kind]
    return chosen[len(chosen) // 2 :]


def _answers(history: History, kind: Kind, outcome: Outcome = Outcome.OK) -> Iterator[Operation]:
    return (operation for operation in history.operations if operation.kind is kind and operation.outcome is outcome)


def _instead(history: History, old: Operation, new: Operation) -> History:
    return replace(history, operations=[new if operation is old else operation for operation in history.operations])


def _committed_instead(history: History, revision: int, *commits: Commit) -> History:
    kept = [commit for commit in history.commits if commit.revision != revision]
    return replace(history, commits=[*kept, *commits])


def _stream_instead(history: History, number: int, **changes: object) -> History:
    streams = [_changed(stream, changes) if stream.id == number else stream for stream in history.streams]
    return replace(history, streams=streams)


def _changed(stream: Stream, changes: dict[str, object]) -> Stream:
    copy = replace(stream)
    for name, value in changes.items():
        setattr(copy, name, value)
    return copy


def _events(history: History, number: int = 1) -> list[Event]:
    return list(next(stream for stream in history.streams if stream.id == number).events)


def _change_at(events: list[Event], start: int, *types: EventType) -> int:
    """The place of the first event of one of the types (any change, without types) that another change follows."""
    wanted = types or (EventType.ADDED, EventType.MODIFIED, EventType.DELETED)
    for place in range(start, len(events) - 1):
        if events[place].type in wanted and events[place + 1].type is not EventType.BOOKMARK:
            return place
    raise LookupError("the history has no such event")


# Writes.


def lose_an_acknowledged_write(history: History) -> History:
    return _committed_instead(history, _acknowledged(history)[0].revision)


def lose_an_acknowledged_delete(history: History) -> History:
    return _committed_instead(history, _acknowledged(history, Kind.DELETE)[0].revision)


def store_another_value(history: History) -> History:
    write = _acknowledged(history)[0]
    return _committed_instead(history, write.revision, Commit(write.revision, write.key, "torn"))


def acknowledge_a_wrong_revision(history: History) -> History:
    write = _acknowledged(history)[0]
    return _instead(history, write, replace(write, revision=write.revision - 1))


def invent_a_write(history: History) -> History:
    end = max(commit.revision for commit in history.commits) + 1
    return replace(history, commits=[*history.commits, Commit(end, "/configmaps/one/k0", "invented")])


def apply_a_refused_write(history: History) -> History:
    refused = next(_answers(history, Kind.UPDATE, Outcome.CONFLICT))
    end = max(commit.revision for commit in history.commits) + 1
    return replace(history, commits=[*history.commits, Commit(end, refused.key, refused.value)])


def break_the_promise_that_nothing_happened(history: History) -> History:
    write = _acknowledged(history)[0]
    return _instead(history, write, replace(write, outcome=Outcome.FAILED, revision=0, found=None))


def apply_a_write_twice(history: History) -> History:
    write = _acknowledged(history)[0]
    end = max(commit.revision for commit in history.commits) + 1
    return replace(history, commits=[*history.commits, Commit(end, write.key, write.value)])


def ignore_the_expected_version(history: History) -> History:
    write = _acknowledged(history)[0]
    assert write.expected is not None
    return _instead(history, write, replace(write, expected=write.expected - 1))


def create_over_an_object(history: History) -> History:
    write = _acknowledged(history)[0]
    return _instead(history, write, replace(write, kind=Kind.CREATE, expected=None))


def answer_a_delete_with_a_stale_state(history: History) -> History:
    write = _acknowledged(history, Kind.DELETE)[0]
    return _instead(history, write, replace(write, found="stale"))


def order_writes_against_real_time(history: History) -> History:
    """Two writes in a row to different keys change places in the log, though one had returned before."""
    writes = effective_writes(history.operations, CommittedLog(history.commits))
    for first, second in pairwise(writes):
        both_known = first.operation.acknowledged_write and second.operation.acknowledged_write
        if both_known and first.returned < second.called and first.commit.key != second.commit.key:
            return _swapped(history, first, second)
    raise LookupError("no two such writes")


def _swapped(history: History, first: Write, second: Write) -> History:
    early, late = first.commit.revision, second.commit.revision
    history = _instead(history, first.operation, replace(first.operation, revision=late))
    history = _instead(history, second.operation, replace(second.operation, revision=early))
    history = _committed_instead(history, early, replace(second.commit, revision=early))
    kept = [commit for commit in history.commits if commit.revision != late or commit.value == second.commit.value]
    return replace(history, commits=[*kept, replace(first.commit, revision=late)])


# Reads.


def read_a_stale_version(history: History) -> History:
    log = CommittedLog(history.commits)
    for get in _answers(history, Kind.GET):
        older = [commit for commit in log.chain(get.key) if commit.revision < get.revision and commit.value]
        if len(older) > 3:
            return _instead(history, get, replace(get, revision=older[0].revision, found=older[0].value))
    raise LookupError("no get with a past")


def read_from_the_future(history: History) -> History:
    log = CommittedLog(history.commits)
    for get in _answers(history, Kind.GET):
        newer = [commit for commit in log.chain(get.key) if commit.revision > get.revision and commit.value]
        if len(newer) > 3:
            return _instead(history, get, replace(get, revision=newer[-1].revision, found=newer[-1].value))
    raise LookupError("no get with a future")


def read_what_was_never_written(history: History) -> History:
    get = next(_answers(history, Kind.GET))
    return _instead(history, get, replace(get, found="never"))


def tear_a_list(history: History) -> History:
    listed = next(operation for operation in _answers(history, Kind.LIST) if len(operation.items) > 2)
    key, version = next(iter(listed.items.items()))
    items = {**listed.items, key: Version(version.revision - 1, "older")}
    return _instead(history, listed, replace(listed, items=items))


def lose_an_object_from_a_list(history: History) -> History:
    listed = next(operation for operation in _answers(history, Kind.LIST) if len(operation.items) > 2)
    return _instead(history, listed, replace(listed, items=dict(list(listed.items.items())[1:])))


def list_a_stale_snapshot(history: History) -> History:
    lists = [operation for operation in _answers(history, Kind.LIST) if operation.key == "/configmaps/"]
    old, new = lists[1], lists[-1]
    return _instead(history, new, replace(new, revision=old.revision, items=old.items))


def go_back_in_a_clients_lists(history: History) -> History:
    lists = [operation for operation in _answers(history, Kind.LIST) if operation.key == "/configmaps/"]
    oldest = min(lists, key=lambda each: each.revision)
    for before, after in permutations(lists, 2):
        if before.client == after.client and before.called < after.called and before.revision > oldest.revision:
            return _instead(history, after, replace(after, revision=oldest.revision, items=oldest.items))
    raise LookupError("no client listed twice")


def answer_below_the_revision_asked_for(history: History) -> History:
    listed = list(_answers(history, Kind.LIST))[3]
    return _instead(history, listed, replace(listed, not_older_than=listed.revision + 1))


# Refusals without a reason.


def _while_unchanged(history: History, *, present: bool) -> tuple[Operation, Commit]:
    """A new request that lies wholly in the life of one version (or absence), and that version."""
    log = CommittedLog(history.commits)
    writes = {write.commit.revision: write for write in effective_writes(history.operations, log)}
    for commit in log.commits[10:]:
        chain = log.chain(commit.key)
        successor = next((each for each in chain if each.revision > commit.revision), None)
        if successor is None or (commit.value is not None) is not present:
            continue
        begin, end = writes[commit.revision].returned, writes[successor.revision].called
        if begin < end:
            third = (end - begin) / 3
            request = Operation(_NEW_ID, _NEW_CLIENT, Kind.UPDATE, commit.key, begin + third, end - third)
            return request, commit
    raise LookupError("no version lived alone")


def _with(history: History, operation: Operation) -> History:
    return replace(history, operations=[*history.operations, operation])


def refuse_the_current_version(history: History) -> History:
    request, commit = _while_unchanged(history, present=True)
    return _with(history, replace(request, value="x", expected=commit.revision, outcome=Outcome.CONFLICT))


def not_find_what_is_there(history: History) -> History:
    request, commit = _while_unchanged(history, present=True)
    return _with(history, replace(request, value="x", expected=commit.revision, outcome=Outcome.NOT_FOUND))


def read_nothing_where_something_is(history: History) -> History:
    request, _ = _while_unchanged(history, present=True)
    return _with(history, replace(request, kind=Kind.GET, outcome=Outcome.NOT_FOUND))


def find_what_is_gone(history: History) -> History:
    request, _ = _while_unchanged(history, present=False)
    return _with(history, replace(request, kind=Kind.CREATE, value="x", outcome=Outcome.EXISTS))


# Watches.


def drop_an_event(history: History) -> History:
    events = _events(history)
    del events[_change_at(events, 30)]
    return _stream_instead(history, 1, events=events)


def repeat_an_event(history: History) -> History:
    events = _events(history)
    place = _change_at(events, 30)
    return _stream_instead(history, 1, events=[*events[: place + 1], *events[place:]])


def swap_two_events(history: History) -> History:
    events = _events(history)
    place = _change_at(events, 30)
    events[place], events[place + 1] = events[place + 1], events[place]
    return _stream_instead(history, 1, events=events)


def forget_the_first_event_after_a_resume(history: History) -> History:
    events = _events(history, 5)
    del events[_change_at(events, 0)]
    return _stream_instead(history, 5, events=events)


def repeat_the_last_event_after_a_resume(history: History) -> History:
    last = [event for event in _events(history, 4) if event.type is not EventType.BOOKMARK][-1]
    return _stream_instead(history, 5, events=[last, *_events(history, 5)])


def resume_further_on(history: History) -> History:
    events = _events(history, 5)[2:]
    skipped = _events(history, 5)[1].revision
    return _stream_instead(history, 5, start=skipped, events=events)


def send_a_bookmark_too_early(history: History) -> History:
    events = _events(history)
    place = _change_at(events, 30)
    events.insert(place, Event(EventType.BOOKMARK, events[place].revision))
    return _stream_instead(history, 1, events=events)


def send_a_bookmark_that_goes_back(history: History) -> History:
    events = _events(history)
    events.insert(31, Event(EventType.BOOKMARK, events[10].revision))
    return _stream_instead(history, 1, events=events)


def call_a_change_an_addition(history: History) -> History:
    events = _events(history)
    place = _change_at(events, 10, EventType.MODIFIED)
    events[place] = replace(events[place], type=EventType.ADDED)
    return _stream_instead(history, 1, events=events)


def delete_without_the_last_state(history: History) -> History:
    events = _events(history)
    place = _change_at(events, 10, EventType.DELETED)
    events[place] = replace(events[place], value=None)
    return _stream_instead(history, 1, events=events)


def show_another_value(history: History) -> History:
    events = _events(history)
    place = _change_at(events, 10, EventType.MODIFIED)
    events[place] = replace(events[place], value=events[place - 1].value or "x")
    return _stream_instead(history, 1, events=events)


def invent_an_event(history: History) -> History:
    events = _events(history)
    end = events[-1].revision + 1
    return _stream_instead(history, 1, events=[*events, Event(EventType.ADDED, end, "/configmaps/one/k0", "x")])


def leak_another_prefix(history: History) -> History:
    foreign = next(event for event in _events(history) if event.key.startswith("/configmaps/two/"))
    return _stream_instead(history, 2, events=[foreign, *_events(history, 2)])


def leave_out_an_initial_event(history: History) -> History:
    return _stream_instead(history, 7, events=_events(history, 7)[1:])


def begin_with_a_stale_state(history: History) -> History:
    end = max(operation.called for operation in history.operations)
    return _stream_instead(history, 7, opened=end)


def fall_silent(history: History) -> History:
    return _stream_instead(history, 1, events=_events(history)[:-20])


def expire_without_a_reason(history: History) -> History:
    return _stream_instead(history, 8, start=max(commit.revision for commit in history.commits))


def expire_what_the_server_has_seen(history: History) -> History:
    return _stream_instead(history, 8, served_since=0.0)


MUTANTS = (
    Mutant("lose an acknowledged write", Rule.DURABLE, lose_an_acknowledged_write),
    Mutant("lose an acknowledged delete", Rule.DURABLE, lose_an_acknowledged_delete),
    Mutant("store another value", Rule.DURABLE, store_another_value),
    Mutant("acknowledge a wrong revision", Rule.DURABLE, acknowledge_a_wrong_revision),
    Mutant("invent a write", Rule.GHOST, invent_a_write),
    Mutant("apply a refused write", Rule.GHOST, apply_a_refused_write),
    Mutant("break the promise that nothing happened", Rule.GHOST, break_the_promise_that_nothing_happened),
    Mutant("apply a write twice", Rule.TWICE, apply_a_write_twice),
    Mutant("ignore the expected version", Rule.COMPARE_AND_SWAP, ignore_the_expected_version),
    Mutant("create over an object", Rule.COMPARE_AND_SWAP, create_over_an_object),
    Mutant("answer a delete with a stale state", Rule.ANSWER, answer_a_delete_with_a_stale_state),
    Mutant("order writes against real time", Rule.LINEARIZABLE, order_writes_against_real_time),
    Mutant("read a stale version", Rule.LINEARIZABLE, read_a_stale_version),
    Mutant("read from the future", Rule.LINEARIZABLE, read_from_the_future),
    Mutant("read what was never written", Rule.READ, read_what_was_never_written),
    Mutant("tear a list", Rule.LIST_SNAPSHOT, tear_a_list),
    Mutant("lose an object from a list", Rule.LIST_SNAPSHOT, lose_an_object_from_a_list),
    Mutant("list a stale snapshot", Rule.LINEARIZABLE, list_a_stale_snapshot),
    Mutant("go back in a client's lists", Rule.MONOTONIC_LISTS, go_back_in_a_clients_lists),
    Mutant("answer below the revision asked for", Rule.NOT_OLDER_THAN, answer_below_the_revision_asked_for),
    Mutant("refuse the current version", Rule.SPURIOUS_CONFLICT, refuse_the_current_version),
    Mutant("not find what is there", Rule.SPURIOUS_NOT_FOUND, not_find_what_is_there),
    Mutant("read nothing where something is", Rule.SPURIOUS_NOT_FOUND, read_nothing_where_something_is),
    Mutant("find what is gone", Rule.SPURIOUS_EXISTS, find_what_is_gone),
    Mutant("drop an event", Rule.RELIABLE, drop_an_event),
    Mutant("repeat an event", Rule.UNIQUE, repeat_an_event),
    Mutant("swap two events", Rule.ORDERED, swap_two_events),
    Mutant("forget the first event after a resume", Rule.RESUMABLE, forget_the_first_event_after_a_resume),
    Mutant("repeat the last event after a resume", Rule.RESUMABLE, repeat_the_last_event_after_a_resume),
    Mutant("resume further on", Rule.RESUMABLE, resume_further_on),
    Mutant("send a bookmark too early", Rule.BOOKMARKABLE, send_a_bookmark_too_early),
    Mutant("send a bookmark that goes back", Rule.BOOKMARKABLE, send_a_bookmark_that_goes_back),
    Mutant("call a change an addition", Rule.EVENT_TYPE, call_a_change_an_addition),
    Mutant("delete without the last state", Rule.LAST_STATE, delete_without_the_last_state),
    Mutant("show another value", Rule.EVENT_VALUE, show_another_value),
    Mutant("invent an event", Rule.GHOST_EVENT, invent_an_event),
    Mutant("leak another prefix", Rule.FILTER, leak_another_prefix),
    Mutant("leave out an initial event", Rule.INITIAL_EVENTS, leave_out_an_initial_event),
    Mutant("begin with a stale state", Rule.INITIAL_EVENTS, begin_with_a_stale_state),
    Mutant("fall silent", Rule.LIVENESS, fall_silent),
    Mutant("expire without a reason", Rule.EXPIRED, expire_without_a_reason),
    Mutant("expire what the server has seen", Rule.EXPIRED, expire_what_the_server_has_seen),
)
