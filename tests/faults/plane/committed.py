"""The committed log, read beside the server while it is written: nothing that is compacted meanwhile is missed, and no
kill of the store stops it for longer than the store is away.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from localplane.apiserver.storage.backend import prefix_end
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.etcd.client import EtcdClient, messages
from localplane.apiserver.storage.etcd.client.methods import COMPACT, RANGE, WATCH, Method
from localplane.apiserver.storage.keys import DEFAULT_ROOT
from tests.faults.history import Commit, Rule, Violation
from tests.faults.plane.objects import RESOURCES, value_of
from tests.faults.truth import CommittedLog

_PAUSE = 0.2
_COMES_WITHIN = 30.0
_ROOT = f"{DEFAULT_ROOT}/"


class LogLost(Exception):
    """Part of the log can no longer be read, so that the run proves nothing."""


class Tap(ABC):
    """Collects what is committed to the resources of a run. `compacted` is where the store's own log begins."""

    def __init__(self) -> None:
        self.commits: list[Commit] = []
        self.position = 0
        self.compacted = 0
        self._progress = asyncio.Condition()

    @abstractmethod
    async def run(self) -> None:
        """For ever; ended by cancelling."""

    @abstractmethod
    async def state(self) -> dict[str, int]:
        """The key and revision of every object that the store has now."""

    async def upto(self, revision: int) -> None:
        async with asyncio.timeout(_COMES_WITHIN), self._progress:
            await self._progress.wait_for(lambda: self.position >= revision)

    async def _take(self, revision: int, key: str, value: bytes | None) -> None:
        relative = key.removeprefix(DEFAULT_ROOT)
        if relative.startswith(RESOURCES):
            self.commits.append(Commit(revision, relative, None if value is None else value_of(json.loads(value))))
        async with self._progress:
            self.position = max(self.position, revision)
            self._progress.notify_all()


async def check_state(tap: Tap) -> Iterator[Violation]:
    """What the log says is there is there, and nothing else."""
    log = CommittedLog(tap.commits)
    expected = {key: version.revision for key, version in log.state(log.revision, "/").items()}
    present = await tap.state()
    different = sorted(key for key in expected.keys() | present.keys() if expected.get(key) != present.get(key))
    return (
        Violation(Rule.DURABLE, f"{key} is at {present.get(key)} in the store, and {expected.get(key)} in its log")
        for key in different
    )


class SQLiteTap(Tap):
    """Reads the table of changes again and again, while `readable` says that somebody has the file open."""

    def __init__(self, database: Path, readable: Callable[[], bool]) -> None:
        super().__init__()
        self._database = database
        self._readable = readable

    async def run(self) -> None:
        while True:
            if self._readable():
                with suppress(sqlite3.OperationalError):  # it was killed just now
                    for revision, key, value in self._changes():
                        await self._take(revision, key, value)
            await asyncio.sleep(_PAUSE)

    def _changes(self) -> list[tuple[int, str, bytes | None]]:
        select = "SELECT revision, key, value FROM changes WHERE revision > ? ORDER BY revision"
        with closing(self._connected()) as connection:
            return connection.execute(select, (self.position,)).fetchall()

    async def state(self) -> dict[str, int]:
        with closing(self._connected()) as connection:
            rows = connection.execute("SELECT key, revision FROM live").fetchall()
        return _relevant(rows)

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(f"{self._database.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)


class EtcdTap(Tap):
    """Watches everything below the root. `endpoint` says where etcd is met just now, None if nowhere."""

    def __init__(self, endpoint: Callable[[], str | None]) -> None:
        super().__init__()
        self._endpoint = endpoint

    async def run(self) -> None:
        while True:
            endpoint = self._endpoint()
            if endpoint is not None:
                client = EtcdClient([endpoint])
                try:
                    await self._follow(client)
                except StorageError:
                    pass  # away; it comes back
                finally:
                    await client.close()
            await asyncio.sleep(_PAUSE)

    async def _follow(self, client: EtcdClient) -> None:
        stream = await client.open(WATCH)
        begin, end = _ROOT.encode(), prefix_end(_ROOT).encode()
        create = messages.WatchCreateRequest(key=begin, range_end=end, start_revision=self.position + 1)
        stream.send(messages.WatchRequest(create_request=create))
        while True:
            response = await stream.receive()
            if response.canceled:
                raise LogLost(f"etcd will not show its log from {self.position}: {response.cancel_reason}")
            for event in response.events:
                deleted = event.type == messages.EVENT_DELETE
                value = None if deleted else event.kv.value
                await self._take(event.kv.mod_revision, event.kv.key.decode(), value)

    async def state(self) -> dict[str, int]:
        begin, end = _ROOT.encode(), prefix_end(_ROOT).encode()
        found = await self._call(RANGE, messages.RangeRequest(key=begin, range_end=end, keys_only=True))
        return _relevant([(pair.key.decode(), pair.mod_revision) for pair in found.kvs])

    async def compact(self) -> None:
        """Throw the history away, so far as it was read here."""
        self.compacted = self.position
        await self._call(COMPACT, messages.CompactionRequest(revision=self.compacted))

    async def _call(self, method: Method, request: object) -> Any:
        endpoint = self._endpoint()
        assert endpoint is not None
        client = EtcdClient([endpoint])
        try:
            return await client.call(method, request)
        finally:
            await client.close()


def _relevant(rows: list[tuple[str, int]]) -> dict[str, int]:
    keys = ((key.removeprefix(DEFAULT_ROOT), revision) for key, revision in rows)
    return {key: revision for key, revision in keys if key.startswith(RESOURCES)}
