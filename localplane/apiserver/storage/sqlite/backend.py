"""`SQLiteBackend`: the interface of `storage.backend` on one SQLite file."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from localplane.apiserver.storage.backend import BackendStatus, Found, Page, Wanted
from localplane.apiserver.storage.errors import InvalidKey, RequestTooLarge, StorageError, Unavailable

from . import compaction
from .errors import CLOSED
from .expiry import Clock, Expiry
from .feed import Feed
from .group import QueuedWrite
from .reader import Readers, read_count, read_range
from .replacement import replace
from .schema import Database, open_database
from .watch import SQLiteWatch
from .writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

# etcd's limit on a request, so that what one store takes, every store takes.
MAX_VALUE_BYTES = 1_572_864


class SQLiteBackend:
    """Made by `open`, used on the loop that opened it, ended by `close`."""

    name = "sqlite"
    exclusive = True

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._feed = Feed(database.revision)
        self._readers = Readers(database.path)
        self._writer = Writer(database, self._feed)
        self._clock = clock
        self._expiry = Expiry(self._writer, clock)
        self._expiry.expect(database.next_expiry)
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    async def open(cls, path: Path, *, clock: Clock | None = None) -> SQLiteBackend:
        """Open the store in `path`, made now if there is none; its directory must be private.

        It takes a few milliseconds, and blocks the loop for them: nothing can be served before it is done.

        Raises UnusableDatabase for a file that is not ours, damaged, in use, or of a newer release.
        """
        return cls(open_database(path), clock or Clock())

    @property
    def observed_revision(self) -> int:
        return self._feed.observed

    @property
    def compacted_revision(self) -> int:
        return self._writer.compacted

    async def get(self, key: str, *, revision: int = 0) -> Found:
        _check_key(key)
        found = None if revision else self._readers.get(key)
        if found is None:
            page = await self.range(key, f"{key}\0", revision=revision)
            found = Found(page.kvs[0] if page.kvs else None, page.revision)
        self._feed.observe(found.revision)
        return found

    async def range(self, start: str, end: str, *, limit: int = 0, revision: int = 0) -> Page:
        _check_key(start)
        _check_key(end)
        question = partial(read_range, start=start, end=end, limit=limit, revision=revision)
        page = await self._readers.ask(question)
        self._feed.observe(page.revision)
        return page

    async def count(self, start: str, end: str) -> int:
        _check_key(start)
        _check_key(end)
        return await self._readers.ask(partial(read_count, start=start, end=end))

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        _check_key(key)
        if len(value) > MAX_VALUE_BYTES:
            raise RequestTooLarge("etcdserver: request is too large")
        if ttl is None:
            return await self._writer.submit(QueuedWrite(key, value, expected))
        expires = self._clock.after(ttl)
        done = self._writer.submit(QueuedWrite(key, value, expected, expires))
        self._expiry.expect(expires)
        return await done

    async def delete(self, key: str, *, expected: int) -> int:
        _check_key(key)
        return await self._writer.submit(QueuedWrite(key, None, expected))

    async def replace(self, start: str, end: str, wanted: Sequence[Wanted]) -> int:
        for new in wanted:
            _check_key(new.key)
            if len(new.value) > MAX_VALUE_BYTES:
                raise RequestTooLarge("etcdserver: request is too large")
        done = self._writer.run(partial(replace, start=start, end=end, wanted=wanted, expires=self._clock.after))
        for ttl in {new.ttl for new in wanted if new.ttl is not None}:
            self._expiry.expect(self._clock.after(ttl))
        return await done

    def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> SQLiteWatch:
        """Open at once, also on a closed store: then its first answer says so."""
        watch = SQLiteWatch(self._feed, self._readers, start=start, end=end, after=after, previous=previous)
        if self._closing is not None:
            watch.fail(CLOSED)
        return watch

    async def current_revision(self) -> int:
        """No question to the disk: every acknowledged write has been published, and nobody else writes."""
        self._check_open()
        return self._feed.observed

    async def compact(self, revision: int) -> None:
        await self._writer.run(partial(compaction.record_compaction, revision=revision))
        while await self._writer.run(compaction.sweep):
            pass
        while await self._writer.run(compaction.shrink):
            pass

    async def advance_revision(self, to: int) -> int:
        """Let the next write take a number above `to`; watches hear of it as progress. Returns the revision now.

        For data that was restored from an older copy: clients may have seen higher numbers, which must not recur.
        """
        revision = await self._writer.run(partial(compaction.raise_floor, to=to))
        self._feed.advance(revision)
        return revision

    async def identity(self) -> str:
        self._check_open()
        return self._database.identity

    async def status(self) -> BackendStatus:
        self._check_open()
        if self._writer.alarm:
            with suppress(StorageError):
                await self._writer.run(compaction.probe_space)
        path = self._database.path
        files = (path, path.with_name(f"{path.name}-wal"))
        size = sum(file.stat().st_size for file in files if file.exists())
        alarms = (self._writer.alarm,) if self._writer.alarm else ()
        return BackendStatus(f"sqlite {sqlite3.sqlite_version}", size, self._feed.revision, alarms)

    async def close(self) -> None:
        """Finish what was accepted, fold the log into the file, end the threads; watches end with Unavailable."""
        if self._closing is None:
            self._expiry.stop()
            self._readers.refuse_more()
            self._writer.refuse_more()
            self._closing = self._loop.run_in_executor(None, self._shut_down)
        await asyncio.shield(self._closing)
        self._feed.end(CLOSED)

    def _shut_down(self) -> None:
        self._writer.join()
        self._readers.close()
        self._database.close()

    def _check_open(self) -> None:
        if self._closing is not None:
            raise Unavailable(CLOSED)


def _check_key(key: str) -> None:
    """Text that has no UTF-8 form can't be stored, or be compared with what is."""
    if not key.isascii():
        try:
            key.encode()
        except UnicodeEncodeError as error:
            raise InvalidKey(key, "not valid Unicode") from error
