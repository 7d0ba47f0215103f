"""A store whose revisions are counted from a higher number than its own.

Data that was lost takes its revisions with it, and what is left would hand them out again, although clients have seen
them with other content. etcd can't be told to count from a higher number, and to use up ten million numbers takes it
half an hour. So the numbers are raised on their way in and out.

What lies below the difference was lost: a read or a watch from there is too old.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from .backend import Backend, BackendStatus, BackendWatch, Batch, Change, Found, KeyValue, Page, Wanted
from .errors import CompareFailed, ResourceVersionTooLarge, ResourceVersionTooOld

_LOST = "required revision has been compacted"

T = TypeVar("T")


class RenumberedBackend:
    """A Backend on another. `difference` is what its revisions are raised by; it must stay the same for the data."""

    def __init__(self, inner: Backend, *, difference: int) -> None:
        self._inner = inner
        self._difference = difference
        self.name = inner.name
        self.exclusive = inner.exclusive

    @property
    def observed_revision(self) -> int:
        return self._inner.observed_revision + self._difference

    @property
    def compacted_revision(self) -> int:
        return self._inner.compacted_revision + self._difference

    async def get(self, key: str, *, revision: int = 0) -> Found:
        found = await self._raised(self._inner.get(key, revision=self._lowered(revision)))
        return Found(self._kv(found.kv), found.revision + self._difference)

    async def range(self, start: str, end: str, *, limit: int = 0, revision: int = 0) -> Page:
        page = await self._raised(self._inner.range(start, end, limit=limit, revision=self._lowered(revision)))
        difference = self._difference
        kvs = [KeyValue(kv.key, kv.value, kv.revision + difference) for kv in page.kvs]
        return Page(kvs, page.count, page.revision + difference)

    async def count(self, start: str, end: str) -> int:
        return await self._inner.count(start, end)

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        lowered = await self._expected(key, expected)
        return await self._raised(self._inner.put(key, value, expected=lowered, ttl=ttl)) + self._difference

    async def delete(self, key: str, *, expected: int) -> int:
        lowered = await self._expected(key, expected)
        return await self._raised(self._inner.delete(key, expected=lowered)) + self._difference

    async def replace(self, start: str, end: str, wanted: Sequence[Wanted]) -> int:
        return await self._inner.replace(start, end, wanted) + self._difference

    def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> BackendWatch:
        if after < self._difference:
            return _LostWatch()
        inner = self._inner.watch(start, end, after=after - self._difference, previous=previous)
        return _RenumberedWatch(inner, self._difference)

    async def current_revision(self) -> int:
        return await self._inner.current_revision() + self._difference

    async def compact(self, revision: int) -> None:
        if revision > self._difference:
            await self._raised(self._inner.compact(revision - self._difference))

    async def advance_revision(self, to: int) -> int:
        return await self._inner.advance_revision(to - self._difference) + self._difference

    async def identity(self) -> str:
        return await self._inner.identity()

    async def status(self) -> BackendStatus:
        status = await self._inner.status()
        return replace(status, revision=status.revision + self._difference)

    async def close(self) -> None:
        await self._inner.close()

    def _lowered(self, revision: int) -> int:
        """What the store calls a revision that somebody asks for; 0, which means now, stays so."""
        if 0 < revision <= self._difference:
            raise ResourceVersionTooOld(_LOST)
        return revision - self._difference if revision else 0

    async def _expected(self, key: str, expected: int) -> int:
        """What a write compares with. No key has a revision that was lost."""
        if 0 < expected <= self._difference:
            raise CompareFailed(key, (await self.get(key)).kv)
        return expected - self._difference if expected else 0

    async def _raised(self, answer: Awaitable[T]) -> T:
        """An answer whose errors speak of our revisions."""
        try:
            return await answer
        except CompareFailed as error:
            raise CompareFailed(error.key, self._kv(error.current)) from error
        except ResourceVersionTooLarge as error:
            difference = self._difference
            raise ResourceVersionTooLarge(error.requested + difference, error.current + difference) from error

    def _kv(self, kv: KeyValue | None) -> KeyValue | None:
        return None if kv is None else KeyValue(kv.key, kv.value, kv.revision + self._difference)


class _RenumberedWatch:
    def __init__(self, inner: BackendWatch, difference: int) -> None:
        self._inner = inner
        self._difference = difference

    def __aiter__(self) -> AsyncIterator[Batch]:
        return self

    async def __anext__(self) -> Batch:
        batch = await anext(self._inner)
        difference = self._difference
        changes = []
        for change in batch.changes:
            before = change.previous
            if before is not None:
                before = KeyValue(before.key, before.value, before.revision + difference)
            changes.append(Change(change.key, change.value, change.revision + difference, before))
        return Batch(changes, batch.revision + difference)

    async def request_progress(self) -> None:
        await self._inner.request_progress()

    async def close(self) -> None:
        await self._inner.close()


class _LostWatch:
    """From before what the store has: it ends with the first look at it."""

    def __aiter__(self) -> AsyncIterator[Batch]:
        return self

    async def __anext__(self) -> Batch:
        raise ResourceVersionTooOld(_LOST)

    async def request_progress(self) -> None: ...

    async def close(self) -> None: ...
