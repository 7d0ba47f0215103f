"""Temporary directories that know whose they are, so that those of a killed process are found and taken away.

Each holds a file that its process keeps locked: the kernel gives the lock back however the process ends. Whoever makes
or looks for such directories takes away those of his own whose lock is free. A directory without that file is
nobody's to judge: it is another's, older than this, or just being made.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIXES: Final = ("localplane-", "kctl-")
OWNER: Final = "owner.lock"


@contextmanager
def temporary_directory(prefix: str = PREFIXES[0]) -> Iterator[Path]:
    """One that is gone at the end of the block, or when the next one is made after a kill."""
    sweep_temporary()
    with tempfile.TemporaryDirectory(prefix=prefix) as made:
        path = Path(made).resolve()
        lock = _locked_before_it_is_seen(path)
        try:
            yield path
        finally:
            os.close(lock)


def _locked_before_it_is_seen(path: Path) -> int:
    early = path / f".{OWNER}"
    lock = os.open(early, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    early.rename(path / OWNER)
    return lock


def sweep_temporary() -> None:
    """Take away what killed processes of ours have left."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIXES):
                with suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(path: Path) -> None:
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return
    lock = os.open(path / OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(lock)
