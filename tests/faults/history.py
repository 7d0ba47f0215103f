"""What happened, as the clients saw it, and what the store says was committed.

Times are monotonic seconds of one clock. Every write carries a value that no other write carries, so a value names
its write, and a revision names a committed version.

An object's value is one text. That of a list has its entries in it, with commas between, and an append brings the last
one; that of a counter begins with its count and a colon. Whatever begins with a tilde was written by somebody else than
the clients, such as a controller of the server.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

NEVER = math.inf
"""When an operation returned of which nobody knows the outcome: it may still take effect."""


class Kind(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    APPEND = "append"
    DELETE = "delete"
    GET = "get"
    LIST = "list"


WRITES = frozenset({Kind.CREATE, Kind.UPDATE, Kind.APPEND, Kind.DELETE})


class Outcome(StrEnum):
    """FAILED is an error with the promise that nothing was written; UNKNOWN is an error without it, or silence."""

    OK = "ok"
    CONFLICT = "conflict"
    EXISTS = "exists"
    NOT_FOUND = "notfound"
    FAILED = "failed"
    UNKNOWN = "unknown"


REFUSED = frozenset({Outcome.CONFLICT, Outcome.EXISTS, Outcome.NOT_FOUND})
"""Answers that say something about the state, and must therefore have been true at some moment of the request."""


@dataclass(frozen=True, slots=True)
class Version:
    revision: int
    value: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of a client, which may have sent its request more than once: `tries` says how often.

    For a list, `key` is the prefix, `revision` the list's own and `items` its content; for a create that leaves the
    name to the server it is what the name begins with, until an answer tells. `value` is what was sent, `found` what
    the answer carried. `not_older_than` marks a read that may be stale, but not staler than that revision; such a read
    has no place in the order of the others. A delete may be acknowledged without a revision. `left` is when the client
    stopped to wait for an answer that it never got.
    """

    id: int
    client: int
    kind: Kind
    key: str
    called: float
    returned: float = NEVER
    value: str | None = None
    expected: int | None = None
    outcome: Outcome = Outcome.UNKNOWN
    revision: int = 0
    found: str | None = None
    items: Mapping[str, Version] = field(default_factory=dict)
    not_older_than: int | None = None
    tries: int = 1
    left: float | None = None

    @property
    def moment(self) -> float:
        """When its client knew as much as it ever would."""
        if self.returned < NEVER:
            return self.returned
        return self.called if self.left is None else self.left

    @property
    def acknowledged_write(self) -> bool:
        return self.kind in WRITES and self.outcome is Outcome.OK

    def __str__(self) -> str:
        sent = f" expecting {self.expected}" if self.expected is not None else ""
        at = f" at {self.revision}" if self.revision else ""
        return f"operation {self.id} of client {self.client} ({self.kind} {self.key}{sent}: {self.outcome}{at})"


@dataclass(frozen=True, slots=True)
class Commit:
    """One write in the store's log; a delete has no value."""

    revision: int
    key: str
    value: str | None

    def __str__(self) -> str:
        return f"revision {self.revision} ({self.key}: {self.marker or 'deleted'})"

    @property
    def marker(self) -> str | None:
        """What its writer brought: the value, or the last entry of a list."""
        return None if self.value is None else self.value.rpartition(",")[2]

    @property
    def count(self) -> int | None:
        """None for what is no counter."""
        count, colon, _ = (self.value or "").partition(":")
        return int(count) if colon and count.isdecimal() else None

    @property
    def foreign(self) -> bool:
        return self.value is not None and self.value.startswith("~")


class EventType(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"


@dataclass(frozen=True, slots=True)
class Event:
    """`initial` is an event made from the state at the start; `initial_end` the bookmark that closes those."""

    type: EventType
    revision: int
    key: str = ""
    value: str | None = None
    initial: bool = False
    initial_end: bool = False


@dataclass(slots=True)
class Stream:
    """One watch. Without `start` it begins with the state; `resumes` is the id of the stream it continues.

    `live` says that it was still open when everything had come to rest, `expired` that the server ended it because
    the history it asked for was gone, `served_since` when that server had started, and `compacted` up to where
    somebody had thrown the store's history away by then.
    """

    id: int
    prefix: str
    opened: float
    start: int | None = None
    resumes: int | None = None
    events: list[Event] = field(default_factory=list)
    live: bool = False
    expired: bool = False
    served_since: float = 0.0
    compacted: int = 0

    @property
    def position(self) -> int | None:
        """The revision from which a successor goes on; None when the initial state did not arrive whole."""
        position = self.start
        for event in self.events:
            if position is None and not event.initial_end:
                continue
            position = max(position or 0, event.revision)
        return position


@dataclass(frozen=True, slots=True)
class History:
    """`rest` is the revision up to which everybody was waited for: what nobody has heard the end of may be written
    later still."""

    operations: Sequence[Operation]
    streams: Sequence[Stream]
    commits: Sequence[Commit]
    rest: float = math.inf


class Rule(StrEnum):
    """What can be broken, by the name under which it is reported."""

    HARNESS = "harness"
    DURABLE = "durable"
    GHOST = "ghost"
    TWICE = "twice"
    COMPARE_AND_SWAP = "compare-and-swap"
    APPEND = "append"
    COUNTER = "counter"
    ANSWER = "answer"
    READ = "read"
    LINEARIZABLE = "linearizable"
    LIST_SNAPSHOT = "list-snapshot"
    MONOTONIC_LISTS = "monotonic-lists"
    NOT_OLDER_THAN = "not-older-than"
    SPURIOUS_CONFLICT = "spurious-conflict"
    SPURIOUS_NOT_FOUND = "spurious-notfound"
    SPURIOUS_EXISTS = "spurious-exists"
    FILTER = "filter"
    ORDERED = "ordered"
    UNIQUE = "unique"
    RELIABLE = "reliable"
    RESUMABLE = "resumable"
    BOOKMARKABLE = "bookmarkable"
    GHOST_EVENT = "ghost-event"
    EVENT_TYPE = "event-type"
    EVENT_VALUE = "event-value"
    LAST_STATE = "last-state"
    INITIAL_EVENTS = "initial-events"
    EXPIRED = "expired"
    LIVENESS = "liveness"


@dataclass(frozen=True, slots=True)
class Violation:
    """`moment` is when the operation ended that it concerns, or the watch was opened; None if there is neither."""

    rule: Rule
    detail: str
    moment: float | None = None

    def __str__(self) -> str:
        return f"[{self.rule}] {self.detail}"
