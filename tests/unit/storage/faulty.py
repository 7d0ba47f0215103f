"""A memory backend that can be cut off, held up and asked how often it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from localplane.apiserver.storage.backend import BackendStatus, BackendWatch, Batch, Found, Page, Wanted
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.memory import MemoryBackend


async def _nothing() -> None:
    pass


class FaultyBackend:
    """`inner` is the truth, and how other servers write: behind the back of whoever uses this one.

    `down` refuses every call, `cut` breaks the open watches, `hold` keeps back what they have to say, and
    `before_revision` runs inside `current_revision`, before the answer is known.
    """

    name = "faulty"

    def __init__(self, *, exclusive: bool = True) -> None:
        self.inner = MemoryBackend()
        self.exclusive = exclusive
        self.down = False
        self.watches: list[FaultyWatch] = []
        self.ranges = 0
        self.revision_questions = 0
        self.before_revision: Callable[[], Awaitable[None]] = _nothing
        self._flowing = True

    async def cut(self) -> None:
        for watch in list(self.watches):
            await watch.break_off()

    async def fail(self) -> None:
        self.down = True
        await self.cut()

    def hold(self) -> None:
        self._flowing = False

    def release(self) -> None:
        self._flowing = True
        for watch in self.watches:
            watch.gate.set()

    @property
    def flowing(self) -> bool:
        return self._flowing

    @property
    def observed_revision(self) -> int:
        return self.inner.observed_revision

    @property
    def compacted_revision(self) -> int:
        return self.inner.compacted_revision

    async def get(self, key: str, *, revision: int = 0) -> Found:
        self._check()
        return await self.inner.get(key, revision=revision)

    async def range(self, start: str, end: str, *, limit: int = 0, revision: int = 0) -> Page:
        self._check()
        self.ranges += 1
        return await self.inner.range(start, end, limit=limit, revision=revision)

    async def count(self, start: str, end: str) -> int:
        self._check()
        return await self.inner.count(start, end)

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        self._check()
        return await self.inner.put(key, value, expected=expected, ttl=ttl)

    async def delete(self, key: str, *, expected: int) -> int:
        self._check()
        return await self.inner.delete(key, expected=expected)

    def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> BackendWatch:
        self._check()
        watch = FaultyWatch(self, self.inner.watch(start, end, after=after, previous=previous))
        self.watches.append(watch)
        return watch

    async def current_revision(self) -> int:
        self.revision_questions += 1
        await self.before_revision()
        self._check()
        return await self.inner.current_revision()

    async def compact(self, revision: int) -> None:
        self._check()
        await self.inner.compact(revision)

    async def replace(self, start: str, end: str, wanted: Sequence[Wanted]) -> int:
        return await self.inner.replace(start, end, wanted)

    async def advance_revision(self, to: int) -> int:
        return await self.inner.advance_revision(to)

    async def identity(self) -> str:
        return await self.inner.identity()

    async def status(self) -> BackendStatus:
        self._check()
        return await self.inner.status()

    async def close(self) -> None:
        await self.inner.close()

    def _check(self) -> None:
        if self.down:
            raise Unavailable("the store is down")


class FaultyWatch:
    """A batch that was held back when the watch broke is lost: whoever resumes must ask for it again."""

    def __init__(self, backend: FaultyBackend, inner: BackendWatch) -> None:
        self._backend = backend
        self._inner = inner
        self._broken = False
        self.gate = asyncio.Event()
        self.progress_questions = 0

    def __aiter__(self) -> FaultyWatch:
        return self

    async def __anext__(self) -> Batch:
        try:
            batch = await anext(self._inner)
        except StopAsyncIteration:
            if self._broken:
                raise Unavailable("the connection broke") from None
            raise
        while not (self._backend.flowing or self._broken):
            self.gate.clear()
            await self.gate.wait()
        if self._broken:
            raise Unavailable("the connection broke")
        return batch

    async def break_off(self) -> None:
        self._broken = True
        self.gate.set()
        await self._inner.close()

    async def request_progress(self) -> None:
        self.progress_questions += 1
        if self._broken:
            raise Unavailable("the connection broke")
        await self._inner.request_progress()

    async def close(self) -> None:
        await self._inner.close()
        self.gate.set()
        if self in self._backend.watches:
            self._backend.watches.remove(self)


@asynccontextmanager
async def caching(
    backend: FaultyBackend,
    *,
    freshness_timeout: timedelta = timedelta(seconds=3),
) -> AsyncIterator[Cacher]:
    """A started cacher that is closed in the end."""
    cacher = Cacher(backend, freshness_timeout=freshness_timeout)
    await cacher.start()
    try:
        yield cacher
    finally:
        await cacher.close()
