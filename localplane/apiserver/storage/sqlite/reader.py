"""Every question that does not write, each answered from one snapshot; none of them waits for the writer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import starmap
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from localplane.apiserver.storage.backend import Batch, Change, Found, KeyValue, Page
from localplane.apiserver.storage.errors import ResourceVersionTooLarge, ResourceVersionTooOld, Unavailable

from .errors import CLOSED, COMPACTED, storage_error
from .schema import connect

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")

_THREADS = 2
# What a watch reads of the log at a time.
_HISTORY_CHANGES = 1000
_HISTORY_BYTES = 8 << 20

_TOP = "max(coalesce((SELECT max(revision) FROM changes), 0), (SELECT value FROM facts WHERE name='floor'))"
_HEAD = f"SELECT {_TOP}, (SELECT value FROM facts WHERE name='compacted')"  # noqa: S608 - constants of this module
_GET = f"""
SELECT {_TOP}, live.revision, changes.value
FROM (SELECT 1) LEFT JOIN live ON live.key=? LEFT JOIN changes ON changes.revision=live.revision
"""  # noqa: S608
_KEYS_NOW = "SELECT key, revision FROM live WHERE key>=:start AND key<:end"
_KEYS_THEN = f"""
{_KEYS_NOW} AND revision<=:revision UNION ALL
SELECT key, previous FROM changes
WHERE revision>:revision AND previous BETWEEN 1 AND :revision AND key>=:start AND key<:end
"""  # noqa: S608
_PAGE = """
SELECT page.key, changes.value, page.revision
FROM (SELECT key, revision FROM ({keys}) ORDER BY key LIMIT :limit) AS page
CROSS JOIN changes ON changes.revision=page.revision ORDER BY page.key
"""
_RANGE_NOW = _PAGE.format(keys=_KEYS_NOW)
_RANGE_THEN = _PAGE.format(keys=_KEYS_THEN)
_COUNT_NOW = f"SELECT count(*) FROM ({_KEYS_NOW})"  # noqa: S608
_COUNT_THEN = f"SELECT count(*) FROM ({_KEYS_THEN})"  # noqa: S608
_HISTORY = """
SELECT new.key, new.value, new.revision, new.previous, {value}
FROM changes AS new {join}
WHERE new.revision>? AND new.revision<=? AND new.key>=? AND new.key<? ORDER BY new.revision
"""
_HISTORY_ALONE = _HISTORY.format(value="NULL", join="")
_HISTORY_PREVIOUS = _HISTORY.format(
    value="old.value", join="LEFT JOIN changes AS old ON old.revision=new.previous AND new.previous>0"
)


class Readers:
    """A few threads with a connection each for the long questions, and one on the loop for single keys.

    A single key is a handful of pages, nearly always in memory: fetching them takes less time than a thread's answer.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._here = connect(path)
        self._here.execute("PRAGMA busy_timeout=0")
        self._idle: list[sqlite3.Connection] = []
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="sqlite-reader")
        self._closed = False

    def get(self, key: str) -> Found | None:
        """The key now, without a thread; None if the file would have made us wait."""
        if self._closed:
            raise Unavailable(CLOSED)
        try:
            top, revision, value = self._here.execute(_GET, (key,)).fetchone()
        except sqlite3.OperationalError:
            return None
        except sqlite3.Error as error:
            raise storage_error(error) from error
        return Found(None if revision is None else KeyValue(key, value, revision), top)

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Put a question to a snapshot, in a thread."""
        if self._closed:
            raise Unavailable(CLOSED)
        return await self._loop.run_in_executor(self._pool, self._answer, question)

    def refuse_more(self) -> None:
        """From now on nothing is asked."""
        self._closed = True

    def close(self) -> None:
        """Wait, off the loop, for the questions under way, and let go of the file."""
        self._pool.shutdown()
        for connection in (self._here, *self._idle):
            connection.close()

    def _answer(self, question: Callable[[sqlite3.Connection], T]) -> T:
        try:
            connection = self._connection()
            try:
                connection.execute("BEGIN")
                return question(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._idle.append(connection)
        except sqlite3.Error as error:
            raise storage_error(error) from error

    def _connection(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return connect(self._path)


def read_range(connection: sqlite3.Connection, *, start: str, end: str, limit: int, revision: int) -> Page:
    """Keys in [start, end), now or as they were."""
    top = _head(connection, revision).revision
    bounds = {"start": start, "end": end, "revision": revision, "limit": limit or -1}
    kvs = list(starmap(KeyValue, connection.execute(_RANGE_THEN if revision else _RANGE_NOW, bounds)))
    count = len(kvs)
    if limit and count == limit:
        (count,) = connection.execute(_COUNT_THEN if revision else _COUNT_NOW, bounds).fetchone()
    return Page(kvs, count, top)


def read_count(connection: sqlite3.Connection, *, start: str, end: str) -> int:
    """How many keys are in [start, end) now."""
    (count,) = connection.execute(_COUNT_NOW, {"start": start, "end": end}).fetchone()
    assert isinstance(count, int)
    return count


class Span(NamedTuple):
    """A part of the log that a watch still lacks: changes in [start, end) after one revision, up to another."""

    start: str
    end: str
    after: int
    until: int


def read_history(connection: sqlite3.Connection, span: Span, *, previous: bool) -> Batch:
    """The next changes of the span, as many as are good to hold at once; the batch says how far it came."""
    if span.after + 1 < _head(connection, 0).compacted:
        raise ResourceVersionTooOld(COMPACTED)
    query = _HISTORY_PREVIOUS if previous else _HISTORY_ALONE
    changes: list[Change] = []
    size = 0
    for key, value, revision, replaced, old in connection.execute(
        query, (span.after, span.until, span.start, span.end)
    ):
        before = None if old is None else KeyValue(key, old, replaced)
        changes.append(Change(key, value, revision, before))
        size += len(value or b"") + len(old or b"")
        if len(changes) == _HISTORY_CHANGES or size >= _HISTORY_BYTES:
            return Batch(changes, revision)
    return Batch(changes, span.until)


class _Head(NamedTuple):
    revision: int
    compacted: int


def _head(connection: sqlite3.Connection, wanted: int) -> _Head:
    """How far the snapshot has come, after making sure that it can answer for `wanted` (0: now)."""
    head = _Head(*connection.execute(_HEAD).fetchone())
    if wanted > head.revision:
        raise ResourceVersionTooLarge(wanted, head.revision)
    if wanted and wanted < head.compacted:
        raise ResourceVersionTooOld(COMPACTED)
    return head
