"""A backend that does what another does, and remembers how it was asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from localplane.apiserver.storage.backend import Backend, BackendStatus, BackendWatch, Found, Page, Wanted


@dataclass(frozen=True, slots=True)
class Range:
    start: str
    limit: int
    revision: int


async def _nothing() -> None:
    pass


class RecordingBackend:
    """`after_range` and `before_delete` let a test do something at the moment when a race would."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner
        self.ranges: list[Range] = []
        self.after_range: Callable[[], Awaitable[None]] = _nothing
        self.before_delete: Callable[[], Awaitable[None]] = _nothing

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def exclusive(self) -> bool:
        return self._inner.exclusive

    @property
    def observed_revision(self) -> int:
        return self._inner.observed_revision

    @property
    def compacted_revision(self) -> int:
        return self._inner.compacted_revision

    async def get(self, key: str, *, revision: int = 0) -> Found:
        return await self._inner.get(key, revision=revision)

    async def range(self, start: str, end: str, *, limit: int = 0, revision: int = 0) -> Page:
        self.ranges.append(Range(start, limit, revision))
        page = await self._inner.range(start, end, limit=limit, revision=revision)
        await self.after_range()
        return page

    async def count(self, start: str, end: str) -> int:
        return await self._inner.count(start, end)

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        return await self._inner.put(key, value, expected=expected, ttl=ttl)

    async def delete(self, key: str, *, expected: int) -> int:
        await self.before_delete()
        return await self._inner.delete(key, expected=expected)

    def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> BackendWatch:
        return self._inner.watch(start, end, after=after, previous=previous)

    async def current_revision(self) -> int:
        return await self._inner.current_revision()

    async def compact(self, revision: int) -> None:
        await self._inner.compact(revision)

    async def replace(self, start: str, end: str, wanted: Sequence[Wanted]) -> int:
        return await self._inner.replace(start, end, wanted)

    async def advance_revision(self, to: int) -> int:
        return await self._inner.advance_revision(to)

    async def identity(self) -> str:
        return await self._inner.identity()

    async def status(self) -> BackendStatus:
        return await self._inner.status()

    async def close(self) -> None:
        await self._inner.close()
