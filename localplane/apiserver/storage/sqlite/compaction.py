"""Forgetting history, in steps small enough that writes in between hardly notice. All of it on the writer's thread.

First the new limit is recorded, then rows go. A crash between the two costs nothing: `swept` says where to go on.
The change at the limit itself stays, with what it replaced, so that a watch can begin with it, as in etcd.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from localplane.apiserver.storage.errors import ResourceVersionTooLarge

if TYPE_CHECKING:
    from .writer import Writer

_ROWS = 256
_PAGES = 256
# Free pages are the room for the next writes; only more than this, and than a quarter of the file, is given back.
_SPARE_PAGES = 1024


def record_compaction(writer: Writer, *, revision: int) -> None:
    """From here on reads and watches before `revision` are refused."""
    if revision > writer.revision:
        raise ResourceVersionTooLarge(revision, writer.revision)
    writer.connection.execute("UPDATE facts SET value=? WHERE name='compacted' AND value<?", (revision, revision))
    writer.compacted = max(writer.compacted, revision)


def sweep(writer: Writer) -> bool:
    """Delete some of the rows that nobody can ask for any more; says whether more are left."""
    connection = writer.connection
    facts = dict(connection.execute("SELECT name, value FROM facts WHERE name IN ('compacted', 'swept')"))
    begin, limit = facts["swept"], facts["compacted"] - 1
    if begin >= limit:
        return False
    (last, rows) = connection.execute(
        "SELECT max(revision), count(*) FROM (SELECT revision FROM changes"
        " WHERE revision>? AND revision<=? ORDER BY revision LIMIT ?)",
        (begin, limit, _ROWS),
    ).fetchone()
    end = last if rows == _ROWS else limit
    with _unhurried(writer):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            "DELETE FROM changes WHERE revision IN"
            " (SELECT previous FROM changes WHERE revision>? AND revision<=? AND previous>0)",
            (begin, end),
        )
        connection.execute("DELETE FROM changes WHERE revision>? AND revision<=? AND value IS NULL", (begin, end))
        connection.execute("UPDATE facts SET value=? WHERE name='swept'", (end,))
        connection.execute("COMMIT")
    return bool(end < limit)


def shrink(writer: Writer) -> bool:
    """Give some free pages back to the file system; says whether more should follow."""
    connection = writer.connection
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    if free <= max(_SPARE_PAGES, pages // 4):
        return False
    with _unhurried(writer):
        connection.execute(f"PRAGMA incremental_vacuum({_PAGES})").fetchall()
    (left,) = connection.execute("PRAGMA freelist_count").fetchone()
    return bool(left < free)


@contextmanager
def _unhurried(writer: Writer) -> Iterator[None]:
    """Transactions whose loss would cost only work: the next write that is acknowledged syncs them with itself."""
    writer.connection.execute("PRAGMA synchronous=NORMAL")
    try:
        yield
    finally:
        writer.roll_back()
        writer.connection.execute("PRAGMA synchronous=FULL")


def raise_floor(writer: Writer, *, to: int) -> int:
    """Let the store stand at `to` at least, and say where it stands."""
    if to > writer.revision:
        writer.connection.execute("UPDATE facts SET value=? WHERE name='floor'", (to,))
        writer.revision = to
    return writer.revision


def probe_space(writer: Writer) -> None:
    """Find out whether a full disk has room again, so that an alarm ends without waiting for a write."""
    connection = writer.connection
    connection.execute("INSERT OR REPLACE INTO facts VALUES ('probe', zeroblob(65536))")
    connection.execute("DELETE FROM facts WHERE name='probe'")
    writer.alarm = ""
