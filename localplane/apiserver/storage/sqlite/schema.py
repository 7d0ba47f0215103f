"""The file: what is in it, how a new one comes to be, and which files are refused.

    changes   the log: one row for each put and delete, under its own revision; `previous` is the revision of the
              value that it replaced. Its last row is how far the store has come.
    live      the keys that exist now, in byte order, with the revision of their value.
    facts     the store's name; how far it was compacted, and swept; the lowest revision it may stand at.

The state at an older revision R needs no third index: it is what is live and not newer than R, together with what
changes after R replaced. So history costs nothing until somebody asks for it.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from localplane.files import sync_directory

from .errors import UnusableDatabase

if TYPE_CHECKING:
    from pathlib import Path

APPLICATION_ID = 0x6C706C6E  # "lpln", in the file's header for `file` and for us
SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE changes (
    revision INTEGER PRIMARY KEY,
    previous INTEGER NOT NULL,
    key TEXT NOT NULL,
    value BLOB
);
CREATE TABLE live (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, expires INTEGER) WITHOUT ROWID;
CREATE INDEX live_by_expiry ON live (expires) WHERE expires IS NOT NULL;
CREATE TABLE facts (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
"""

# A small file is read through at start; in a large one damage shows when it is met.
_CHECKED_BYTES = 1 << 20


@dataclass(slots=True)
class Database:
    """The open file: the write connection, the lock that keeps others out, and what it said at the start."""

    path: Path
    connection: sqlite3.Connection
    lock: int
    identity: str
    revision: int
    compacted: int
    next_expiry: int | None

    def close(self) -> None:
        """Fold the log into the file, and let others in."""
        try:
            # Where the disk is full the log just stays, and is read at the next start.
            with closing(self.connection), suppress(sqlite3.Error):
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            os.close(self.lock)


def open_database(path: Path) -> Database:
    """Open the store in `path`, made now if there is none. Its directory must exist and be private."""
    lock = _lock(path)
    try:
        if path.exists():
            _check_header(path)
        else:
            _create(path)
        return _open(path, lock)
    except sqlite3.DatabaseError as error:
        os.close(lock)
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise UnusableDatabase(f"{path} is damaged: {error}: restore it from a backup") from error
        raise UnusableDatabase(f"{path} can't be opened: {error}") from error
    except BaseException:
        os.close(lock)
        raise


def connect(path: Path, *, writes: bool = False) -> sqlite3.Connection:
    """A connection to an existing file; SQLite's own transactions are ours to begin and end."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, check_same_thread=False
    )
    if not writes:
        connection.execute("PRAGMA query_only=1")
        return connection
    for pragma in (
        "synchronous=FULL",  # every commit waits for the disk
        "fullfsync=1",  # macOS: for the disk itself, not for its cache
        "checkpoint_fullfsync=1",
        "secure_delete=FAST",
        "cache_size=-8192",
        "journal_size_limit=67108864",  # after a burst the log shrinks to this again
    ):
        connection.execute(f"PRAGMA {pragma}").close()
    return connection


def _open(path: Path, lock: int) -> Database:
    connection = connect(path, writes=True)
    try:
        _check_version(path, connection.execute("PRAGMA user_version").fetchone()[0])
        if path.stat().st_size <= _CHECKED_BYTES:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise UnusableDatabase(f"{path} is damaged: {verdict}: restore it from a backup")
        facts = dict(connection.execute("SELECT name, value FROM facts"))
        (top,) = connection.execute("SELECT max(revision) FROM changes").fetchone()
        (due,) = connection.execute("SELECT min(expires) FROM live WHERE expires IS NOT NULL").fetchone()
        _make_private(path)
    except BaseException:
        connection.close()
        raise
    return Database(path, connection, lock, facts["identity"], max(top or 0, facts["floor"]), facts["compacted"], due)


def _lock(path: Path) -> int:
    """Keep other processes out for as long as we live; the lock goes with the process, however it ends.

    A file of its own, because SQLite's locks on the database would be lost if we closed a descriptor of it.
    """
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise UnusableDatabase(f"{path} is in use by another process") from None
    return lock


def _create(path: Path) -> None:
    """Make the file under another name and move it into place whole, so that a crash leaves all of it or nothing."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        raise UnusableDatabase(f"{path} is missing, but its log {log} is there: restore the one or move the other")
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            connection.executescript(f"""
                PRAGMA auto_vacuum=INCREMENTAL;
                PRAGMA synchronous=OFF;
                PRAGMA application_id={APPLICATION_ID};
                PRAGMA user_version={SCHEMA_VERSION};
                BEGIN;
                {_SCHEMA}
                INSERT INTO facts VALUES ('compacted', 0), ('swept', 0), ('floor', 1);
                COMMIT;
                PRAGMA journal_mode=WAL;
            """)  # noqa: S608 - constants of this module
            connection.execute("INSERT INTO facts VALUES ('identity', ?)", (os.urandom(16).hex(),))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    draft.replace(path)
    sync_directory(path.parent)


def _check_header(path: Path) -> None:
    """Look at the file without SQLite, which might tidy up a file that is not ours."""
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
        raise UnusableDatabase(f"{path} is not a SQLite database: move it away, or choose another directory")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise UnusableDatabase(f"{path} is a SQLite database of another program: choose another directory")
    _check_version(path, int.from_bytes(header[60:64], "big"))


def _check_version(path: Path, version: int) -> None:
    if version > SCHEMA_VERSION:
        raise UnusableDatabase(
            f"{path} has schema version {version}; this release knows versions up to {SCHEMA_VERSION}: use a newer one"
        )


def _make_private(path: Path) -> None:
    for name in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        if name.exists() and name.stat().st_mode & 0o077:
            name.chmod(0o600)
