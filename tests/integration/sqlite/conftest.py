"""A store in a private directory, and the few things that many of its tests do."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import localplane
from localplane.apiserver.storage.backend import Change
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend
from localplane.apiserver.storage.sqlite.watch import SQLiteWatch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SQLiteBackend]:
    store = await SQLiteBackend.open(path)
    yield store
    await store.close()


class Tools:
    @staticmethod
    @contextmanager
    def writer_held(store: SQLiteBackend) -> Iterator[None]:
        """What is submitted inside gathers in the queue, and is run as one group at the end."""
        gate = threading.Event()
        held = store._writer.run(lambda _: gate.wait())
        try:
            yield
        finally:
            gate.set()
        assert not held.cancelled()

    @staticmethod
    async def rewrite(store: SQLiteBackend, key: str, times: int) -> int:
        """Put a new key many times, in few commits; returns its last revision."""
        first = await store.put(key, b"v", expected=0)
        later = range(first, first + times - 1)
        return (await asyncio.gather(*(store.put(key, b"v", expected=revision) for revision in later)))[-1]

    @staticmethod
    def python() -> dict[str, str]:
        """The environment of a child process that imports what we import."""
        return {**os.environ, "PYTHONPATH": str(Path(localplane.__file__).parents[1])}

    @staticmethod
    async def read(watch: SQLiteWatch, count: int) -> list[Change]:
        """The next `count` changes, which must come in whole batches."""
        changes: list[Change] = []
        while len(changes) < count:
            changes += (await anext(watch)).changes
        return changes


@pytest.fixture
def tools() -> Tools:
    return Tools()
