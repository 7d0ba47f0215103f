"""What one transaction does to many writes: each compared, each with its own revision, all synced once.

Python gives up its interpreter lock around every SQLite statement, and under load has to queue to get it back. So
a group costs a handful of statements with many rows each, not a handful for each write.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any

from localplane.apiserver.storage.backend import Change, KeyValue
from localplane.apiserver.storage.errors import CompareFailed

if TYPE_CHECKING:
    import asyncio
    import sqlite3

    from localplane.apiserver.storage.errors import StorageError

# Few sizes, so that every statement is prepared once and stays prepared.
_SIZES = (64, 16, 4, 1)


class Detail(IntEnum):
    """How much of a change those who watch now want to know."""

    NOTHING = 0
    CHANGES = 1
    PREVIOUS = 2


@dataclass(slots=True)
class QueuedWrite:
    """A put, or with `value` None a delete. `outcome` is its revision, or why not."""

    key: str
    value: bytes | None
    expected: int
    expires: int | None = None
    future: asyncio.Future[int] | None = None
    outcome: int | StorageError = 0


@dataclass(slots=True)
class WriteGroup:
    """What the loop hears of a transaction that is on the disk."""

    writes: list[QueuedWrite]
    revision: int
    detail: Detail = Detail.NOTHING
    changes: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class _Verdicts:
    revision: int
    accepted: list[QueuedWrite] = field(default_factory=list)
    refused: list[tuple[QueuedWrite, int]] = field(default_factory=list)


def apply_group(connection: sqlite3.Connection, writes: list[QueuedWrite], revision: int, detail: Detail) -> WriteGroup:
    """Run the writes in order on top of `revision`, inside the caller's transaction."""
    keys = list({write.key for write in writes})
    current = dict(zip(keys, _look_up(connection, "SELECT revision FROM live WHERE key=?", keys), strict=True))
    verdicts = _compare(writes, current, revision)
    _insert(connection, verdicts.accepted)
    needed = [current for _, current in verdicts.refused if current]
    if detail is Detail.PREVIOUS:
        needed += [write.expected for write in verdicts.accepted if write.expected]
    found = _look_up(connection, "SELECT value FROM changes WHERE revision=?", needed)
    values = dict(zip(needed, found, strict=True))
    for write, there in verdicts.refused:
        write.outcome = CompareFailed(write.key, KeyValue(write.key, values[there], there) if there else None)
    changes = [] if detail is Detail.NOTHING else [_change(write, values) for write in verdicts.accepted]
    return WriteGroup(writes, verdicts.revision, detail, changes)


def _compare(writes: list[QueuedWrite], current: dict[str, int | None], revision: int) -> _Verdicts:
    """Decide each write as if the ones before it were done; a refused one leaves no trace, not even a number."""
    verdicts = _Verdicts(revision)
    for write in writes:
        there = current[write.key] or 0
        if there != write.expected or (write.value is None and not there):
            verdicts.refused.append((write, there))
            continue
        verdicts.revision += 1
        write.outcome = verdicts.revision
        current[write.key] = verdicts.revision if write.value is not None else 0
        verdicts.accepted.append(write)
    return verdicts


def _insert(connection: sqlite3.Connection, accepted: list[QueuedWrite]) -> None:
    for part in _parts(accepted):
        rows = [cell for write in part for cell in (write.outcome, write.expected, write.key, write.value)]
        connection.execute(_append(len(part)), rows)
    last = {write.key: write for write in accepted}.values()
    for part in _parts([write for write in last if write.value is not None]):
        rows = [cell for write in part for cell in (write.key, write.outcome, write.expires)]
        connection.execute(_upsert(len(part)), rows)
    for gone in _parts([write.key for write in last if write.value is None]):
        connection.execute(f"DELETE FROM live WHERE key IN ({_marks('?', len(gone))})", gone)  # noqa: S608 - marks


def _look_up(connection: sqlite3.Connection, question: str, subjects: Sequence[Any]) -> list[Any]:
    """The answer to a one-value question for each subject (None: no row), many in one statement."""
    answers: list[Any] = []
    for part in _parts(subjects):
        answers += connection.execute(_columns(question, len(part)), part).fetchone()
    return answers


def _change(write: QueuedWrite, values: dict[int, bytes]) -> Change:
    before = values.get(write.expected) if write.expected else None
    previous = None if before is None else KeyValue(write.key, before, write.expected)
    assert isinstance(write.outcome, int)
    return Change(write.key, write.value, write.outcome, previous)


def _parts(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    start = 0
    for size in _SIZES:
        while len(items) - start >= size:
            yield items[start : start + size]
            start += size


def _marks(one: str, count: int) -> str:
    return ",".join([one] * count)


@cache
def _append(count: int) -> str:
    return f"INSERT INTO changes (revision, previous, key, value) VALUES {_marks('(?,?,?,?)', count)}"  # noqa: S608


@cache
def _upsert(count: int) -> str:
    return (
        f"INSERT INTO live (key, revision, expires) VALUES {_marks('(?,?,?)', count)}"  # noqa: S608 - question marks
        " ON CONFLICT (key) DO UPDATE SET revision=excluded.revision, expires=excluded.expires"
    )


@cache
def _columns(question: str, count: int) -> str:
    return f"SELECT {_marks(f'({question})', count)}"
