"""SQLite's error codes in storage's own words."""

from __future__ import annotations

import sqlite3

from localplane.apiserver.storage.errors import NoSpace, StorageError, Unavailable

CLOSED = "the store is closed"
COMPACTED = "required revision has been compacted"

# Sent when the index of the log can't grow, which on a full disk is the first thing that fails.
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)


class UnusableDatabase(StorageError):
    """The file is not ours, is damaged, is in use, or was written by a newer release; it was left as it is."""


def storage_error(error: sqlite3.Error, *, committing: bool = False) -> StorageError:
    """What to tell the caller. `committing`: the write had reached the disk's door, so it may have gone through."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return Unavailable(CLOSED)
    if code in _NO_ROOM or code & 0xFF in _NO_ROOM:
        return NoSpace(f"no space left for the store: {error}")
    return Unavailable(f"sqlite: {error} ({error.sqlite_errorname})", may_have_happened=committing)
