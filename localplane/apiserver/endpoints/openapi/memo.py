"""Finished documents, by name, for as long as their hash is the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from collections.abc import Set as AbstractSet
from typing import Any


class Memo:
    """Whoever comes while a document is built waits for it. If the builder is cancelled, the next in line builds."""

    def __init__(self) -> None:
        self._documents: dict[str, tuple[str, bytes]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def get(self, name: str, current: str, build: Callable[[], Coroutine[Any, Any, bytes]]) -> bytes:
        """The document with the hash `current`, which `build` makes."""
        found = self._known(name, current)
        if found is not None:
            return found
        async with self._locks.setdefault(name, asyncio.Lock()):
            found = self._known(name, current)
            if found is None:
                found = await build()
                self._documents[name] = (current, found)
        return found

    def keep(self, names: AbstractSet[str]) -> None:
        """Forget all but these."""
        for name in self._documents.keys() - names:
            del self._documents[name]
        self._locks = {name: lock for name, lock in self._locks.items() if name in names or lock.locked()}

    def _known(self, name: str, current: str) -> bytes | None:
        version, document = self._documents.get(name, ("", b""))
        return document if version == current else None
