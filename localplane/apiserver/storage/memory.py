"""The backend in a dictionary: for unit tests and for servers that are thrown away.

It keeps every promise of `backend` but durability. All changes stand in one list until a compaction drops their
beginning, or they take more bytes than history may: then the store compacts itself. The state at an old revision is
today's state with the later changes undone. A branch begins with the same state and the same history, whose records it
shares, and goes its own way from there.
"""

from __future__ import annotations

import asyncio
import secrets
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from heapq import merge
from itertools import islice

from sortedcontainers import SortedDict

from localplane.apimachinery.clock.waiting import Timer, call_at, loop_time
from localplane.apimachinery.time_slices import TimeSlices

from .backend import BackendStatus, Batch, Change, Found, KeyValue, Page, Wanted
from .errors import CompareFailed, RequestTooLarge, ResourceVersionTooLarge, ResourceVersionTooOld, Unavailable

_MAX_VALUE_BYTES = 1_572_864  # etcd's default limit, so that an object fits in every store or in none
_COMPACTED = "required revision has been compacted"
_MOST_HISTORY_BYTES = 32 * 1024 * 1024
# What a change takes beside its key and value: its record, that of the state it made, a revision.
_BYTES_PER_CHANGE = 400
_AFTER_REPLACING = 0.05  # seconds


@dataclass(frozen=True, slots=True)
class _Expiry:
    """`due` is a `loop_time`."""

    due: float
    timer: Timer


class MemoryBackend:
    """Writes never await, so each is atomic on the event loop and no lock is needed. Only a replacement takes its time,
    and lets no write in meanwhile."""

    name = "memory"
    exclusive = True

    def __init__(self, *, most_history_bytes: int = _MOST_HISTORY_BYTES) -> None:
        self._state: SortedDict[str, KeyValue] = SortedDict()
        self._changes: list[Change] = []
        self._history_bytes = 0
        self._most_history_bytes = most_history_bytes
        self._revision = 1
        self._compacted = 0
        self._watches: set[_MemoryWatch] = set()
        self._expiries: dict[str, _Expiry] = {}
        self._identity = secrets.token_hex(8)
        self._closed = False
        self._replacing = asyncio.Lock()

    def branch(self) -> MemoryBackend:
        """Another store that has all that this one has, its past included; what either writes from now on is its own.
        The revisions go on from here in both. What expires does so in both at the same time."""
        self._check_open()
        other = MemoryBackend(most_history_bytes=self._most_history_bytes)
        other._state = self._state.copy()
        other._changes = self._changes.copy()
        other._history_bytes = self._history_bytes
        other._revision = self._revision
        other._compacted = self._compacted
        for key, expiry in self._expiries.items():
            other._expire_at(key, expiry.due)
        return other

    @property
    def observed_revision(self) -> int:
        return self._revision

    @property
    def compacted_revision(self) -> int:
        return self._compacted

    async def get(self, key: str, *, revision: int = 0) -> Found:
        page = await self.range(key, key + "\x00", revision=revision)
        return Found(page.kvs[0] if page.kvs else None, page.revision)

    async def range(self, start: str, end: str, *, limit: int = 0, revision: int = 0) -> Page:
        self._check_open()
        self._check_revision(revision)
        state = self._state
        kvs: Iterable[KeyValue] = map(state.__getitem__, state.irange(start, end, inclusive=(True, False)))
        count = self._count(start, end)
        if revision and revision < self._revision:
            undone = self._undone(start, end, revision)
            before = sorted((kv for kv in undone.values() if kv is not None), key=_key_of)
            count += len(before) - sum(key in state for key in undone)
            kvs = merge((kv for kv in kvs if kv.key not in undone), before, key=_key_of)
        return Page(list(islice(kvs, limit or None)), count, self._revision)

    async def count(self, start: str, end: str) -> int:
        self._check_open()
        return self._count(start, end)

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        self._check_open()
        if len(value) > _MAX_VALUE_BYTES:
            raise RequestTooLarge("etcdserver: request is too large")
        if self._replacing.locked():
            await self._replaced()
        previous = self._compare(key, expected)
        self._forget_expiry(key)
        self._revision += 1
        self._state[key] = KeyValue(key, value, self._revision)
        if ttl is not None:
            self._expire_at(key, loop_time() + ttl.total_seconds())
        self._publish(Change(key, value, self._revision, previous))
        return self._revision

    async def delete(self, key: str, *, expected: int) -> int:
        self._check_open()
        if self._replacing.locked():
            await self._replaced()
        if self._compare(key, expected) is None:
            raise CompareFailed(key, None)
        return self._remove(key)

    async def replace(self, start: str, end: str, wanted: Sequence[Wanted]) -> int:
        """Everything is prepared in slices beside what is there, which is then let go of in one step."""
        async with self._replacing:
            self._check_open()
            slices, changes = TimeSlices(), list[Change]()
            state: SortedDict[str, KeyValue] = SortedDict()
            revision = self._revision
            everything: list[KeyValue | Wanted] = [*self._stay(start, end), *wanted]
            for new in everything:
                if slices.is_over:
                    await slices.next()
                before: KeyValue | None = self._state.get(new.key)
                if before is not None and before.value == new.value:
                    state[new.key] = before
                    continue
                if len(new.value) > _MAX_VALUE_BYTES:
                    raise RequestTooLarge("etcdserver: request is too large")
                revision += 1
                state[new.key] = KeyValue(new.key, new.value, revision)
                changes.append(Change(new.key, new.value, revision, before))
            for key in list(self._state.irange(start, end, inclusive=(True, False))):
                if slices.is_over:
                    await slices.next()
                if key not in state:
                    revision += 1
                    changes.append(Change(key, None, revision, self._state[key]))
            self._check_open()
            self._become(state, changes, {new.key: new.ttl for new in wanted if new.ttl is not None})
            return self._revision

    def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> _MemoryWatch:  # noqa: ARG002
        # `previous` costs nothing here, so it is always there.
        self._check_open()
        watch = _MemoryWatch(self, start, end, after)
        self._watches.add(watch)
        return watch

    async def current_revision(self) -> int:
        self._check_open()
        return self._revision

    async def compact(self, revision: int) -> None:
        self._check_open()
        if revision > self._revision:
            raise ResourceVersionTooLarge(revision, self._revision)
        if revision <= self._compacted:
            return
        self._forget_before(revision)

    async def advance_revision(self, to: int) -> int:
        self._check_open()
        if self._replacing.locked():
            await self._replaced()
        self._revision = max(self._revision, to)
        return self._revision

    async def identity(self) -> str:
        return self._identity

    async def status(self) -> BackendStatus:
        size = sum(len(kv.key) + len(kv.value) for kv in self._state.values())
        return BackendStatus("memory", size, self._revision)

    async def close(self) -> None:
        self._closed = True
        for expiry in self._expiries.values():
            expiry.timer.cancel()
        for watch in list(self._watches):
            watch.wake()

    # What the watches need of it.

    def changes_after(self, revision: int) -> Iterator[Change]:
        if revision + 1 < self._compacted:
            raise ResourceVersionTooOld(_COMPACTED)
        if revision >= self._revision:
            return iter(())
        start = bisect_right(self._changes, revision, key=_revision_of)
        return iter(self._changes[start:])

    def forget(self, watch: _MemoryWatch) -> None:
        self._watches.discard(watch)

    @property
    def closed(self) -> bool:
        return self._closed

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable("the store is closed")

    def _check_revision(self, revision: int) -> None:
        if revision > self._revision:
            raise ResourceVersionTooLarge(revision, self._revision)
        if revision and revision < self._compacted:
            raise ResourceVersionTooOld(_COMPACTED)

    def _count(self, start: str, end: str) -> int:
        return int(self._state.bisect_left(end) - self._state.bisect_left(start))

    def _undone(self, start: str, end: str, revision: int) -> dict[str, KeyValue | None]:
        """What stood at a revision under the keys that were changed after it; None where nothing did."""
        undone: dict[str, KeyValue | None] = {}
        for change in islice(self._changes, bisect_right(self._changes, revision, key=_revision_of), None):
            if start <= change.key < end:
                undone.setdefault(change.key, change.previous)
        return undone

    def _forget_before(self, revision: int) -> None:
        """The change at `revision` itself stays: a watch may begin just before it, as in etcd."""
        self._compacted = revision
        end = bisect_left(self._changes, revision, key=_revision_of)
        self._history_bytes -= sum(map(_size, islice(self._changes, end)))
        del self._changes[:end]

    def _compare(self, key: str, expected: int) -> KeyValue | None:
        current: KeyValue | None = self._state.get(key)
        if (current.revision if current else 0) != expected:
            raise CompareFailed(key, current)
        return current

    def _remove(self, key: str) -> int:
        self._forget_expiry(key)
        previous = self._state.pop(key)
        self._revision += 1
        self._publish(Change(key, None, self._revision, previous))
        return self._revision

    def _expire_at(self, key: str, due: float) -> None:
        self._expiries[key] = _Expiry(due, call_at(due, self._expire, key))

    def _stay(self, start: str, end: str) -> list[KeyValue]:
        """What is outside of a range."""
        state = self._state
        keys = (*state.irange(None, start, inclusive=(True, False)), *state.irange(end, None))
        return [state[key] for key in keys]

    def _become(self, state: SortedDict[str, KeyValue], changes: list[Change], ttls: dict[str, timedelta]) -> None:
        now = loop_time()
        self._state = state
        if not changes:
            return
        self._revision = changes[-1].revision
        for change in changes:
            self._forget_expiry(change.key)
            if change.value is not None and change.key in ttls:
                self._expire_at(change.key, now + ttls[change.key].total_seconds())
        self._changes += changes[:-1]
        self._history_bytes += sum(map(_size, changes[:-1]))
        self._publish(changes[-1])

    async def _replaced(self) -> None:
        while self._replacing.locked():
            async with self._replacing:
                pass
        self._check_open()

    def _expire(self, key: str) -> None:
        """Its time is over; what is being replaced is looked at again afterwards."""
        if self._replacing.locked():
            self._expire_at(key, loop_time() + _AFTER_REPLACING)
        else:
            self._remove(key)

    def _forget_expiry(self, key: str) -> None:
        expiry = self._expiries.pop(key, None)
        if expiry is not None:
            expiry.timer.cancel()

    def _publish(self, change: Change) -> None:
        self._changes.append(change)
        self._history_bytes += _size(change)
        for watch in self._watches:
            watch.wake()
        if self._history_bytes > self._most_history_bytes:
            self._make_room()

    def _make_room(self) -> None:
        """Forget the older half, but nothing that an open watch has not read yet: it is about to."""
        oldest, newest = self._changes[0].revision, self._changes[-1].revision
        until = (oldest + newest) // 2
        if self._history_bytes < 2 * self._most_history_bytes:  # who has not read it by then is not about to
            until = min([until, *(watch.after + 1 for watch in self._watches)])
        if until > max(oldest, self._compacted):
            self._forget_before(until)


class _MemoryWatch:
    """A place in the list of changes. There is no queue: a slow reader costs nothing but its place."""

    def __init__(self, backend: MemoryBackend, start: str, end: str, after: int) -> None:
        self._backend = backend
        self._start = start
        self._end = end
        self.after = after
        """The last revision that was read."""
        self._progress_asked = False
        self._news = asyncio.Event()
        self._news.set()
        self._closed = False

    def __aiter__(self) -> _MemoryWatch:
        return self

    async def __anext__(self) -> Batch:
        while True:
            if self._closed:
                raise StopAsyncIteration
            if self._backend.closed:
                raise Unavailable("the store is closed")
            changes = [c for c in self._backend.changes_after(self.after) if self._start <= c.key < self._end]
            self.after = max(self.after, self._backend.observed_revision)
            if changes or self._progress_asked:
                self._progress_asked = False
                return Batch(changes, self.after)
            self._news.clear()
            await self._news.wait()

    def wake(self) -> None:
        self._news.set()

    async def request_progress(self) -> None:
        self._progress_asked = True
        self.wake()

    async def close(self) -> None:
        self._closed = True
        self._backend.forget(self)
        self.wake()


def _key_of(kv: KeyValue) -> str:
    return kv.key


def _revision_of(change: Change) -> int:
    return change.revision


def _size(change: Change) -> int:
    return _BYTES_PER_CHANGE + len(change.key) + len(change.value or b"")
