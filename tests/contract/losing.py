"""A store between which and its client answers get lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import Enum

from localplane.apiserver.storage.backend import Backend
from localplane.apiserver.storage.errors import StorageError, TimedOut, Unavailable


class Fate(Enum):
    """What becomes of a write. Whoever sent it hears nothing but that it may have happened, except of the last two."""

    DONE = "it is done, and the answer is lost"
    NEVER = "it is lost on its way"
    LATE = "it is on its way, until `arrive` is called"
    REFUSED = "it was certainly never sent"
    ANSWERED = "it is done, and the answer comes"


class LostAnswers:
    """Meets the writes of a backend, beginning with the next one: one fate for each, and then none."""

    def __init__(self, backend: Backend) -> None:
        self._put = backend.put
        self._delete = backend.delete
        self._fates: list[Fate] = []
        self._on_their_way: list[Callable[[], Awaitable[int]]] = []
        self._below = ""
        self.sent: list[str] = []
        self.refusals: list[str] = []
        self.afterwards: Callable[[], Awaitable[object]] | None = None
        """Called once, after the first write that meets a fate, and before its sender hears anything."""

    def meet(self, *fates: Fate, below: str = "") -> None:
        """The next writes, of keys that contain `below`, go this way."""
        self._fates, self._below = list(fates), below
        self.sent.clear()

    @property
    def is_over(self) -> bool:
        """Every fate has met its write."""
        return not self._fates

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        return await self._go(key, lambda: self._put(key, value, expected=expected, ttl=ttl))

    async def delete(self, key: str, *, expected: int) -> int:
        return await self._go(key, lambda: self._delete(key, expected=expected))

    async def arrive(self) -> None:
        """What was on its way gets there, and is done or refused as the store likes."""
        while self._on_their_way:
            try:
                await self._on_their_way.pop(0)()
            except StorageError as error:
                self.refusals.append(type(error).__name__)

    async def _go(self, key: str, write: Callable[[], Awaitable[int]]) -> int:
        if self._below not in key:
            return await write()
        self.sent.append(key)
        if not self._fates:
            return await write()
        fate = self._fates.pop(0)
        if fate is Fate.ANSWERED:
            return await write()
        if fate is Fate.REFUSED:
            raise Unavailable("the store can't be reached")
        if fate is Fate.DONE:
            await write()
        elif fate is Fate.LATE:
            self._on_their_way.append(write)
        afterwards, self.afterwards = self.afterwards, None
        if afterwards is not None:
            await afterwards()
        await asyncio.sleep(0)
        raise TimedOut("no answer in time")


@contextmanager
def losing(backend: Backend) -> Iterator[LostAnswers]:
    """A backend's own writes are lost from now on, whoever sends them."""
    lost = LostAnswers(backend)
    kept = backend.put, backend.delete
    backend.put, backend.delete = lost.put, lost.delete  # type: ignore[method-assign]  # its class stays as it is
    try:
        yield lost
    finally:
        backend.put, backend.delete = kept  # type: ignore[method-assign]  # as above
