"""Writes whose answer is true, also when the store's own answer was lost.

A backend says `may_have_happened` when a write was sent and nobody knows what became of it. Who is told so can only
guess, and whoever sends the write again may do it twice. So the store is asked. What its answer proves depends on the
write:

- An update or a delete is a compare-and-swap on a revision, and revisions never come again: of all that expect the same
  one, at most one takes effect. So it is sent again as it is. If that succeeds, the first attempt never will. If it is
  refused, the first change after that revision was either ours, or somebody else's and then ours never happens.
- A create expects that there is nothing, which may be true again later. If the key holds our bytes, with a uid that
  nobody else has, it is done. If it doesn't, the create may yet come. A store that can make sure that it won't
  (`fence`) is asked to, and then it is sent anew; otherwise it is looked for a little longer, and never sent again.

Equal bytes prove that a write was ours only if nobody else wrote the same: two clients may add the same line to one and
the same revision, or delete it, and only one of them may be told that it did. So writes on their way are kept by key,
and one that has a twin is not decided by its bytes. The twin of another server on the same keys would be unknown here.

What can't be decided within `patience` stays unknown, and the error says so with `may_have_happened`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from localplane.apiserver.storage.backend import Backend, Change
from localplane.apiserver.storage.errors import (
    CompareFailed,
    ResourceVersionTooOld,
    StorageError,
    Unavailable,
)
from localplane.apiserver.storage.permission import check_permission

Fence = Callable[[], Awaitable[bool]]
"""Whether no create that was sent before the call takes effect after it has returned. Raises StorageError."""

PATIENCE = timedelta(seconds=15)

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
_PAUSES = (0.05, 0.1, 0.2, 0.4)  # seconds before each further look for a create that may be about to come
_MOST_UNDECIDED = 256


class _Undecided(Exception):
    """The store has answered, and the answer proves nothing."""


@dataclass(slots=True, eq=False)
class _Write:
    """One put or, with `value` None, delete on its way. `floor` is a revision that it will be above."""

    key: str
    value: bytes | None
    expected: int
    floor: int
    ttl: timedelta | None = None
    has_twin: bool = False

    @property
    def fingerprint(self) -> tuple[str, int, int]:
        """What it shares with its twins. It takes little room, and to compare it little time: bytes keep their hash."""
        return self.key, self.expected, hash(self.value)


class CertainWrites:
    """`put` and `delete` of a backend. One for all resources of a store, because it knows what is on its way there."""

    def __init__(self, backend: Backend, *, fence: Fence | None = None, patience: timedelta = PATIENCE) -> None:
        self._backend = backend
        self._fence = fence
        self._patience = patience.total_seconds()
        self._on_their_way: dict[str, list[_Write]] = {}
        self._undecided: deque[tuple[str, int, int]] = deque(maxlen=_MOST_UNDECIDED)

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        """As the backend's, and raises `may_have_happened` only where that can't be found out."""
        check_permission()
        write = _Write(key, value, expected, expected or self._backend.observed_revision, ttl)
        sending = self._backend.put(key, value, expected=expected, ttl=ttl)
        return await self._send(write, sending, self._put_again if expected else self._look_for)

    async def delete(self, key: str, *, expected: int) -> int:
        """As `put`."""
        check_permission()
        write = _Write(key, None, expected, expected)
        return await self._send(write, self._backend.delete(key, expected=expected), self._delete_again)

    def is_on_its_way(self, key: str, value: bytes) -> bool:
        """Whether this server has sent it, and has not heard what became of it."""
        return any(write.value == value for write in self._on_their_way.get(key, ()))

    async def _send(self, write: _Write, sending: Awaitable[int], ask: Callable[[_Write], Awaitable[int]]) -> int:
        others = self._on_their_way.setdefault(write.key, [])
        if others or self._undecided:
            self._look_for_twins(write, others)
        others.append(write)
        try:
            return await sending
        except asyncio.CancelledError:
            self._undecided.append(write.fingerprint)
            raise
        except Unavailable as error:
            if not error.may_have_happened:
                raise
            return await self._settle(write, ask, error)
        finally:
            others.remove(write)
            if not others:
                del self._on_their_way[write.key]

    async def _settle(self, write: _Write, ask: Callable[[_Write], Awaitable[int]], unknown: Unavailable) -> int:
        """Ask until there is an answer. A refusal that is certain is raised as such."""
        pause = _FIRST_PAUSE
        try:
            async with asyncio.timeout(self._patience):
                while True:
                    try:
                        return await ask(write)
                    except Unavailable:
                        await asyncio.sleep(pause)
                    pause = min(pause * 2, _LONGEST_PAUSE)
        except (TimeoutError, _Undecided, asyncio.CancelledError) as reason:
            self._undecided.append(write.fingerprint)
            if isinstance(reason, asyncio.CancelledError):
                raise
            raise unknown from None
        except CompareFailed:
            raise
        except StorageError:  # the store has room or words for the first attempt only
            self._undecided.append(write.fingerprint)
            raise unknown from None

    async def _put_again(self, write: _Write) -> int:
        assert write.value is not None, "only a delete has none"
        check_permission()
        try:
            return await self._backend.put(write.key, write.value, expected=write.expected, ttl=write.ttl)
        except CompareFailed:
            change = await self._first_change(write)
            if change.value != write.value:
                raise
            return _own(write, change.revision)

    async def _delete_again(self, write: _Write) -> int:
        check_permission()
        try:
            return await self._backend.delete(write.key, expected=write.expected)
        except CompareFailed:
            change = await self._first_change(write)
            if change.value is not None:
                raise
            return _own(write, change.revision)

    async def _look_for(self, write: _Write) -> int:
        assert write.value is not None, "nothing is created without a value"
        if revision := await self._live_revision(write):
            return _own(write, revision)
        if self._fence is not None and await self._fence():
            if revision := await self._live_revision(write) or await self._creation(write):
                return _own(write, revision)
            check_permission()
            return await self._backend.put(write.key, write.value, expected=0, ttl=write.ttl)
        for pause in _PAUSES:
            await asyncio.sleep(pause)
            if revision := await self._live_revision(write):
                return _own(write, revision)
        if revision := await self._creation(write):
            return _own(write, revision)
        raise _Undecided

    async def _live_revision(self, write: _Write) -> int:
        """Of our bytes; 0 if they are not there."""
        kv = (await self._backend.get(write.key)).kv
        return kv.revision if kv is not None and kv.value == write.value else 0

    async def _first_change(self, write: _Write) -> Change:
        """The change that took the place of the revision that the write expected, and that is known to be gone."""
        watch = self._backend.watch(write.key, f"{write.key}\0", after=write.floor, previous=False)
        try:
            async for batch in watch:
                if batch.changes:
                    return batch.changes[0]
        except ResourceVersionTooOld:
            raise _Undecided from None
        finally:
            await watch.close()
        raise Unavailable("the watch ended")

    async def _creation(self, write: _Write) -> int:
        """When our bytes were stored, also if they have gone again; 0 if they were not."""
        try:
            return await self._creation_after(write, write.floor)
        except ResourceVersionTooOld:  # what was before the compaction nobody knows; it may have come since
            with suppress(ResourceVersionTooOld):
                if revision := await self._creation_after(write, self._backend.compacted_revision):
                    return revision
        raise _Undecided

    async def _creation_after(self, write: _Write, floor: int) -> int:
        until = await self._backend.current_revision()
        watch = self._backend.watch(write.key, f"{write.key}\0", after=floor, previous=False)
        try:
            await watch.request_progress()  # the last revision may be somebody else's
            async for batch in watch:
                for change in batch.changes:
                    if change.value == write.value:
                        return change.revision
                if batch.revision >= until:
                    return 0
        finally:
            await watch.close()
        raise Unavailable("the watch ended")

    def _look_for_twins(self, write: _Write, others: list[_Write]) -> None:
        fingerprint = write.fingerprint
        write.has_twin = fingerprint in self._undecided
        for other in others:
            if other.fingerprint == fingerprint:
                write.has_twin = other.has_twin = True


def _own(write: _Write, revision: int) -> int:
    """The revision at which our bytes were found, if they can only be ours."""
    if write.has_twin:
        raise _Undecided
    return revision
