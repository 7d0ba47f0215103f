"""Putting other content in the place of a whole range, in one transaction, on the writer's thread."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from localplane.apiserver.storage.backend import Wanted

from .errors import storage_error

if TYPE_CHECKING:
    from .writer import Writer

_THERE = """
SELECT live.key, live.revision, changes.value FROM live CROSS JOIN changes ON changes.revision=live.revision
WHERE live.key>=? AND live.key<?
"""
_CHANGED = "INSERT INTO changes (revision, previous, key, value) VALUES (?, ?, ?, ?)"
_GONE = "DELETE FROM live WHERE key=?"
# In the order of the changes, which is that of the keys: one statement, and pages are filled one after the other.
_LIVE = """
INSERT INTO live (key, revision, expires) SELECT key, revision, NULL FROM changes
WHERE revision>? AND value IS NOT NULL ORDER BY revision
ON CONFLICT (key) DO UPDATE SET revision=excluded.revision, expires=excluded.expires
"""
_EXPIRES = "UPDATE live SET expires=? WHERE key=?"


class _Row(NamedTuple):
    revision: int
    previous: int
    key: str
    value: bytes | None


def replace(
    writer: Writer, *, start: str, end: str, wanted: Sequence[Wanted], expires: Callable[[timedelta], int]
) -> int:
    """Returns the revision now. What is there already is not written."""
    connection = writer.connection
    connection.execute("BEGIN IMMEDIATE")
    there = {key: (revision, value) for key, revision, value in connection.execute(_THERE, (start, end))}
    rows: list[_Row] = []
    due: list[tuple[int, str]] = []
    revision = writer.revision
    for new in wanted:
        before, value = there.pop(new.key, (0, None))
        if value == new.value:
            continue
        revision += 1
        rows.append(_Row(revision, before, new.key, new.value))
        if new.ttl is not None:
            due.append((expires(new.ttl), new.key))
    for key, (before, _) in there.items():
        revision += 1
        rows.append(_Row(revision, before, key, None))
    connection.executemany(_CHANGED, rows)
    connection.execute(_LIVE, (writer.revision,))
    connection.executemany(_GONE, [(row.key,) for row in rows if row.value is None])
    connection.executemany(_EXPIRES, due)
    try:
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        writer.roll_back()
        raise storage_error(error, committing=True) from error
    if rows:
        writer.publish(revision)
    return revision
