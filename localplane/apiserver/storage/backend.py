"""What a store must be able to do: a key-value map whose every change has a revision.

etcd, SQLite and the dictionary in `memory` each implement `Backend`; `store` and `cacher` build Kubernetes'
storage on it, once. Keys are text and absolute (`/registry/configmaps/default/a`), values are bytes, and nothing
here knows what an object is.

Revisions are etcd's: an empty store stands at 1, every successful put or delete takes the next number, and
numbers are never used twice, not even after a compaction or a crash.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol


@dataclass(slots=True)
class KeyValue:
    """One version of one key. `revision` is that of the write that made it. A value that is `stale` should be written
    again even if nothing changes: it is not stored as it would be now."""

    key: str
    value: bytes
    revision: int
    stale: bool = False


@dataclass(slots=True)
class Found:
    """The answer to a get: what is there, and how far the store had come when it looked."""

    kv: KeyValue | None
    revision: int


@dataclass(slots=True)
class Page:
    """The answer to a range. `count` is the number of keys in the whole range, not only in this page."""

    kvs: list[KeyValue]
    count: int
    revision: int


@dataclass(slots=True)
class Change:
    """One write as a watch sees it. A delete has `value` None; `previous` is what the write replaced."""

    key: str
    value: bytes | None
    revision: int
    previous: KeyValue | None


@dataclass(slots=True)
class Batch:
    """Changes in revision order; every change up to and including `revision` has now been delivered.

    A batch without changes is progress: nothing happened in the range, and the watch is that far.
    All changes of one revision arrive in one batch.
    """

    changes: list[Change]
    revision: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to stand under a key after a replacement; `ttl` as in `put`, if it has to be written."""

    key: str
    value: bytes
    ttl: timedelta | None = None


@dataclass(frozen=True, slots=True)
class BackendStatus:
    """For people and for readiness. `alarms` are sentences; any of them means that writes are refused. `in_use_bytes`
    is the part of the size that holds something; 0 where nobody can tell."""

    version: str
    size_bytes: int
    revision: int
    alarms: tuple[str, ...] = ()
    in_use_bytes: int = 0
    is_full: bool = False


class BackendWatch(Protocol):
    """An open watch. Iterating raises ResourceVersionTooOld when its history was compacted, Unavailable when the
    store is gone; both end it. Leaving the loop does not close it: call `close`."""

    def __aiter__(self) -> AsyncIterator[Batch]: ...
    async def __anext__(self) -> Batch: ...
    async def request_progress(self) -> None:
        """Ask for a batch that says how far the store has come, even if nothing happens in the range."""

    async def close(self) -> None: ...


class Backend(Protocol):
    @property
    def name(self) -> str:
        """For people: `etcd`, `sqlite`, `memory`."""

    @property
    def exclusive(self) -> bool:
        """Nobody else writes here, so `observed_revision` is the newest there is."""

    @property
    def observed_revision(self) -> int:
        """The highest revision any answer has shown. Whoever reads from a cache must have caught up with it."""

    @property
    def compacted_revision(self) -> int:
        """The highest compaction that a call of ours made or an answer told of; 0 when none is known."""

    async def get(self, key: str, *, revision: int = 0) -> Found:
        """The key now (revision 0: a linearizable read) or as it was.

        Raises ResourceVersionTooOld below the compaction, ResourceVersionTooLarge for the future.
        """

    async def range(self, start: str, end: str, *, limit: int = 0, revision: int = 0) -> Page:
        """Keys in [start, end) in byte order, at most `limit` of them (0: all); revision as in `get`."""

    async def count(self, start: str, end: str) -> int: ...

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        """Write if the key's revision is `expected` (0: if it is absent) and return the new revision.

        With `ttl` the key is deleted by itself afterwards; without, an earlier ttl is forgotten.
        Raises CompareFailed, RequestTooLarge, NoSpace, Unavailable.
        """

    async def delete(self, key: str, *, expected: int) -> int:
        """Delete if the key's revision is `expected` and return the delete's revision; raises as `put`."""

    async def replace(self, start: str, end: str, wanted: Sequence[Wanted]) -> int:
        """Let [start, end) hold exactly this, which is in key order, and return the revision now.

        It is done as a whole or not at all, also if this process is killed meanwhile. What is there already stays as it
        is, with its revision; everything else is an ordinary change, with a revision above all before it, that watches
        see. Raises as `put`, without CompareFailed. Once cancelled, it may have happened.
        """

    def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> BackendWatch:
        """Every change in [start, end) with a revision greater than `after`, which may be in the past.

        A change without `Change.previous` is a creation; one whose previous value is gone ends the watch with
        ResourceVersionTooOld. Without `previous` the store may leave it out: the cache knows it anyway, and etcd
        saves a read for each event.
        """

    async def current_revision(self) -> int:
        """The store's revision now: at least that of every write acknowledged before the call, to anyone."""

    async def compact(self, revision: int) -> None:
        """Forget history before `revision`; the state at `revision` itself stays readable. Idempotent."""

    async def advance_revision(self, to: int) -> int:
        """Let the next write take a number above `to`, and return the revision now.

        For data restored from an older copy: clients may have seen higher numbers, which must not come again.
        """

    async def identity(self) -> str:
        """What stays the same for the life of the data: etcd's cluster id, or a random name in the database."""

    async def status(self) -> BackendStatus: ...

    async def close(self) -> None: ...


def prefix_end(prefix: str) -> str:
    """The first key after all keys that start with `prefix` (which ends in an ASCII character)."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
