"""What a watch promises, held against the log.

Filter, ordered, unique, reliable, resumable, bookmarkable: etcd's words for them. Kubernetes adds the event's type,
the last state in a DELETED event, and initial events that are one snapshot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tests.faults.effects import Write
from tests.faults.history import Commit, Event, EventType, Rule, Stream, Version, Violation
from tests.faults.reads import difference
from tests.faults.truth import CommittedLog


def check_streams(
    streams: Iterable[Stream], writes: Iterable[Write], log: CommittedLog, rest: float
) -> Iterator[Violation]:
    by_id = {stream.id: stream for stream in streams}
    writes = list(writes)
    for stream in by_id.values():
        if stream.resumes is not None:
            yield from _check_resumed(stream, by_id[stream.resumes])
        for violation in _check_stream(stream, writes, log, rest):
            yield replace(violation, moment=stream.opened)


def _check_stream(stream: Stream, writes: list[Write], log: CommittedLog, rest: float) -> Iterator[Violation]:
    if stream.start is None:
        yield from _check_initial_events(stream, writes, log)
    if stream.expired:
        yield from _check_expired(stream, writes, log)
    yield from _check_sequence(stream, log)
    for event in _changes(stream):
        yield from _check_event(stream, event, log)
    yield from _check_complete(stream, log)
    yield from _check_alive(stream, log, rest)


def _check_resumed(stream: Stream, predecessor: Stream) -> Iterator[Violation]:
    """A successor asks for exactly what its predecessor had not yet shown."""
    if predecessor.position is None or stream.start != predecessor.position:
        detail = f"{_name(stream)} begins at {stream.start}, its predecessor ended at {predecessor.position}"
        yield Violation(Rule.RESUMABLE, detail, stream.opened)


def _check_initial_events(stream: Stream, writes: list[Write], log: CommittedLog) -> Iterator[Violation]:
    """Initial events are the state at the revision of the bookmark that ends them, and not a stale one."""
    base = _base(stream)
    if base is None:
        return
    initial = [event for event in stream.events if event.initial]
    shown = {event.key: Version(event.revision, event.value or "") for event in initial}
    expected = log.state(base, stream.prefix)
    if shown != expected or len(initial) != len(shown):
        yield Violation(Rule.INITIAL_EVENTS, f"{_name(stream)} at {base}: {difference(shown, expected)}")
    if any(event.type is not EventType.ADDED for event in initial):
        yield Violation(Rule.EVENT_TYPE, f"{_name(stream)}: an initial event is not ADDED")
    acknowledged = max((write.commit.revision for write in writes if write.returned < stream.opened), default=0)
    if base < acknowledged:
        detail = f"{_name(stream)} begins with the state at {base}, {acknowledged} was acknowledged before"
        yield Violation(Rule.INITIAL_EVENTS, detail)


def _check_expired(stream: Stream, writes: list[Write], log: CommittedLog) -> Iterator[Violation]:
    """Only what was compacted, or happened before the server started, can be gone for it."""
    if (stream.position or 0) < stream.compacted:
        return
    calls = {write.commit.revision: write.called for write in writes}
    newer = log.between(stream.position or 0, math.inf, "")
    if not any(calls.get(commit.revision, math.inf) < stream.served_since for commit in newer):
        detail = f"{_name(stream)} expired at {stream.position}, though its server has seen everything since"
        yield Violation(Rule.EXPIRED, detail)


def _check_sequence(stream: Stream, log: CommittedLog) -> Iterator[Violation]:
    """Only the prefix, in order, once; a bookmark comes after everything below it and before everything above."""
    start = _base(stream) or 0
    last, bookmark = start, start
    seen: set[int] = set()
    for event in stream.events:
        if event.initial or event.initial_end:
            continue
        if event.type is EventType.BOOKMARK:
            yield from _check_bookmark(stream, event, last, log.between(bookmark, event.revision, stream.prefix), seen)
            bookmark = max(bookmark, event.revision)
            last = max(last, event.revision)
            continue
        if not event.key.startswith(stream.prefix):
            yield Violation(Rule.FILTER, f"{_name(stream)} shows {event.key}")
        if event.revision in seen:
            yield Violation(Rule.UNIQUE, f"{_name(stream)} shows revision {event.revision} twice")
        elif event.revision <= start and stream.resumes is not None:
            yield Violation(Rule.RESUMABLE, f"{_name(stream)} shows {event.revision} again, it began at {start}")
        elif event.revision <= bookmark and bookmark > start:
            yield Violation(Rule.BOOKMARKABLE, f"{_name(stream)} shows {event.revision} after bookmark {bookmark}")
        elif event.revision <= last:
            yield Violation(Rule.ORDERED, f"{_name(stream)} shows {event.revision} after {last}")
        seen.add(event.revision)
        last = max(last, event.revision)


def _check_bookmark(
    stream: Stream, event: Event, last: int, promised: Iterable[Commit], seen: set[int]
) -> Iterator[Violation]:
    if event.revision < last:
        yield Violation(Rule.BOOKMARKABLE, f"{_name(stream)}: bookmark {event.revision} after {last}")
    missing = [commit.revision for commit in promised if commit.revision not in seen]
    if missing:
        detail = f"{_name(stream)}: bookmark {event.revision} before events {missing[:5]}"
        yield Violation(Rule.BOOKMARKABLE, detail)


def _check_event(stream: Stream, event: Event, log: CommittedLog) -> Iterator[Violation]:
    """An event is one commit: its type follows from what was there before, a delete carries the last state."""
    commit = log.at(event.revision)
    if commit is None or commit.key != event.key:
        yield Violation(
            Rule.GHOST_EVENT, f"{_name(stream)} shows {event.key} at {event.revision}; the log has {commit}"
        )
        return
    replaced = log.replaced(commit)
    deleted = commit.value is None
    there = EventType.MODIFIED if replaced else EventType.ADDED
    expected_type = EventType.DELETED if deleted else there
    if event.type is not expected_type:
        yield Violation(Rule.EVENT_TYPE, f"{_name(stream)}: {event.revision} is {event.type}, not {expected_type}")
    expected_value = (replaced.value if replaced else None) if deleted else commit.value
    if event.value != expected_value:
        detail = f"{_name(stream)}: {event.revision} carries {event.value!r}, not {expected_value!r}"
        yield Violation(Rule.LAST_STATE if deleted else Rule.EVENT_VALUE, detail)


def _check_complete(stream: Stream, log: CommittedLog) -> Iterator[Violation]:
    """Between where it began and where it stands, a stream left nothing out."""
    base, position = _base(stream), stream.position
    if base is None or position is None:
        return
    shown = {event.revision for event in _changes(stream)}
    missing = [commit.revision for commit in log.between(base, position, stream.prefix) if commit.revision not in shown]
    if not missing:
        return
    first_shown = min((revision for revision in shown if revision > base), default=position)
    at_the_seam = stream.resumes is not None and missing[0] < first_shown
    rule = Rule.RESUMABLE if at_the_seam else Rule.RELIABLE
    yield Violation(rule, f"{_name(stream)} from {base} to {position} left out {missing[:5]}")


def _check_alive(stream: Stream, log: CommittedLog, rest: float) -> Iterator[Violation]:
    """Once everything has come to rest, a watch that is still open has shown everything up to there."""
    if not stream.live:
        return
    position = stream.position
    if position is None:
        yield Violation(Rule.LIVENESS, f"{_name(stream)} never showed its initial state")
        return
    late = [commit.revision for commit in log.between(position, rest, stream.prefix)]
    if late:
        yield Violation(Rule.LIVENESS, f"{_name(stream)} stands at {position}; {len(late)} events never came")


def _base(stream: Stream) -> int | None:
    """The revision after which changes are due: where it was asked to start, or where its initial state ends."""
    if stream.start is not None:
        return stream.start
    return next((event.revision for event in stream.events if event.initial_end), None)


def _changes(stream: Stream) -> Iterator[Event]:
    return (event for event in stream.events if not event.initial and event.type is not EventType.BOOKMARK)


def _name(stream: Stream) -> str:
    return f"stream {stream.id} on {stream.prefix}"
