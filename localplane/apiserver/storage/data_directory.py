"""Owning the directory in which a server keeps its data: ours, private, and used by one process at a time.

    StorageError
    └── DataDirectoryError
        ├── DataDirectoryUnusable    not a directory, not ours, not writable
        ├── DataDirectoryInUse       another process holds the lock
        ├── DataWentBack             the store is older than it was (high_water)
        └── HighWaterDamaged         the mark can't be read (high_water)

Every sentence names the path and says what to do. The composition root opens one before any store; nothing in here
is ever deleted, except the left-over of a killed process that `etcd/program/socket_directory` recognises as our own.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localplane.files import write_atomically
from localplane.temporary import OWNER

from .errors import StorageError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_LOCK = "lock.json"
_MARKER = "localplane-data.json"
_FORMAT = 1

# What may lie in a directory that we make our own: what an interrupted first start left, what mkfs puts
# there, and whose it is if it is a temporary one.
_NOT_FOREIGN = frozenset({_LOCK, f"{_MARKER}.tmp", "lost+found", OWNER})


class DataDirectoryError(StorageError):
    """The root of what a data directory says no with; never raised itself."""


class DataDirectoryUnusable(DataDirectoryError):
    pass


class DataDirectoryInUse(DataDirectoryError):
    """`holder` is the process that says it holds the lock, None when it has not said so yet."""

    def __init__(self, path: Path, holder: int | None, started: str | None) -> None:
        who = "another process" if holder is None else f"process {holder}"
        since = f" (started {started})" if started else ""
        super().__init__(
            f"data directory {path} is in use by {who}{since}: stop it, or choose another directory with --data-dir"
        )
        self.path = path
        self.holder = holder


class DataDirectory:
    """An open data directory: made, checked and locked. The kernel gives the lock back however the process ends."""

    def __init__(self, path: Path, *, command: str) -> None:
        """Take the directory or raise a DataDirectoryError at once; `command` tells others who holds it."""
        self.path = _usable(path)
        self._lock: int | None = _locked(self.path, command)
        try:
            _mark(self.path)
        except BaseException:
            self.close()
            raise

    @property
    def etcd(self) -> Path:
        """Where etcd keeps its files; etcd makes it."""
        return self.path / "etcd"

    @property
    def etcd_log(self) -> Path:
        return self.path / "etcd.log"

    @property
    def high_water(self) -> Path:
        return self.path / "high-water.json"

    @property
    def free_bytes(self) -> int:
        """What an ordinary user may still write to this disk."""
        disk = os.statvfs(self.path)
        return disk.f_bavail * disk.f_frsize

    def read_note(self, name: str) -> dict[str, Any] | None:
        """A small fact that an earlier run left for the next; None if there is none that can be read."""
        return _json_object(self.path / name)

    def write_note(self, name: str, note: dict[str, Any]) -> None:
        write_atomically(self.path / name, json.dumps(note).encode())

    def close(self) -> None:
        """Give the directory back. The lock's file stays: deleting it would let two processes lock two files."""
        if self._lock is not None:
            os.ftruncate(self._lock, 0)
            # Closing alone is not enough at the instant in which a program that we start still shares the descriptor.
            fcntl.flock(self._lock, fcntl.LOCK_UN)
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def is_data_directory(path: Path) -> bool:
    """Whether we made this directory: what has to be true before anybody may delete it."""
    return path.is_dir() and _json_object(path / _MARKER) is not None


def _usable(path: Path) -> Path:
    """The real path of a directory that is there, ours alone (mode 0700) and not somebody's other folder."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        real = path.resolve(strict=True)
        _private(real, real.stat())
        _not_foreign(real)
    except (OSError, RuntimeError) as error:  # pathlib of 3.11 and 3.12 reports a loop of links as RuntimeError
        raise DataDirectoryUnusable(_why_unusable(path, error)) from error
    return real


def _private(path: Path, found: os.stat_result) -> None:
    mode = stat.S_IMODE(found.st_mode)
    if found.st_uid != os.geteuid():
        raise DataDirectoryUnusable(
            f"data directory {path} belongs to user id {found.st_uid}, and this process runs as {os.geteuid()}: "
            "start it as that user, or choose another directory with --data-dir"
        )
    if mode & 0o700 != 0o700:
        raise DataDirectoryUnusable(
            f"data directory {path} is not writable (mode {mode:04o}): run `chmod 700 {path}`, "
            "or choose another directory with --data-dir"
        )


def _not_foreign(path: Path) -> None:
    """Only then is the mode tightened: a home directory named by mistake is left as it was."""
    if not is_data_directory(path):
        foreign = sorted(entry.name for entry in path.iterdir() if entry.name not in _NOT_FOREIGN)
        if foreign:
            raise DataDirectoryUnusable(
                f"data directory {path} holds other files ({foreign[0]}) and was not made by localplane: "
                "choose an empty or a new directory with --data-dir"
            )
    if stat.S_IMODE(path.stat().st_mode) != 0o700:
        path.chmod(0o700)


def _why_unusable(path: Path, error: OSError | RuntimeError) -> str:
    number = error.errno if isinstance(error, OSError) else errno.ELOOP
    blocker = Path(str(getattr(error, "filename", None) or path))
    if number == errno.ELOOP or blocker.is_symlink():
        return f"data directory {path}: {blocker} is a symbolic link that leads nowhere: remove it, or choose another"
    if number in {errno.EEXIST, errno.ENOTDIR}:
        blocker = next((place for place in (path, *path.parents) if place.is_file()), blocker)
        return f"data directory {path} can't be used, because {blocker} is not a directory: choose another --data-dir"
    if number in {errno.EACCES, errno.EPERM}:
        return f"data directory {path} can't be used: no permission on {blocker}: mend it, or choose another --data-dir"
    if number == errno.EROFS:
        return f"data directory {path} is on a read-only file system: choose another directory with --data-dir"
    if number == errno.ENOSPC:
        return f"the disk that holds data directory {path} is full: free some space, or choose another --data-dir"
    return f"data directory {path} can't be used: {error}: choose another directory with --data-dir"


def _locked(path: Path, command: str) -> int:
    """A descriptor that holds the lock. What the file says is for people; only the kernel's lock counts."""
    try:
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DataDirectoryUnusable(_why_unusable(path, error)) from error
    try:
        _wait_briefly_for(lock)
        holder = {"pid": os.getpid(), "started": _now(), "command": command}
        os.ftruncate(lock, 0)
        os.write(lock, json.dumps(holder).encode())
    except BlockingIOError as error:
        os.close(lock)
        raise _in_use(path) from error
    except OSError as error:
        os.close(lock)
        raise DataDirectoryUnusable(_why_unusable(path, error)) from error
    return lock


def _wait_briefly_for(lock: int) -> None:
    """A killed holder is a moment away from letting go; a living one costs the second start that moment."""
    for _ in range(10):
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.01)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _in_use(path: Path) -> DataDirectoryInUse:
    said = _json_object(path / _LOCK) or {}
    pid, started = said.get("pid"), said.get("started")
    return DataDirectoryInUse(
        path, pid if isinstance(pid, int) else None, started if isinstance(started, str) else None
    )


def _mark(path: Path) -> None:
    """Say that the directory is ours, or learn that a newer release has taken it over."""
    try:
        marker = _json_object(path / _MARKER)
        if marker is None:
            made = {"format": _FORMAT, "created": _now()}
            write_atomically(path / _MARKER, json.dumps(made).encode())
    except OSError as error:
        raise DataDirectoryUnusable(_why_unusable(path, error)) from error
    if marker is not None and marker.get("format") != _FORMAT:
        raise DataDirectoryUnusable(
            f"data directory {path} has format {marker.get('format')}, and this release knows {_FORMAT}: "
            "use the release that wrote it, or choose another directory with --data-dir"
        )


def _json_object(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
