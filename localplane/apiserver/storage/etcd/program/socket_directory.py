"""The private place where etcd and its client meet: two unix sockets in a directory that nobody else may enter.

A socket's path may have about 100 characters, far fewer than a data directory's, so the sockets live under the
user's runtime directory or the temporary one. The data directory remembers where, and the next start clears away
what a killed process left behind.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from localplane.apiserver.storage.data_directory import DataDirectoryUnusable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from localplane.apiserver.storage.data_directory import DataDirectory

_NOTE = "sockets.json"
_PREFIX = "localplane-"
_LONGEST_PATH = 100  # the kernel's sun_path: 108 bytes on Linux, 104 on macOS

CLIENT_SOCKET = "client.sock"


class SocketDirectory:
    """Made with mode 0700 under a name that can't be guessed; `remove` takes it away again."""

    def __init__(self, data_directory: DataDirectory, *, environ: Mapping[str, str] = os.environ) -> None:
        _remove_left_over(data_directory)
        self.path = _free_place(environ)
        # Noted before it is made: killed in between, we leave a note without a directory and not the reverse.
        data_directory.write_note(_NOTE, {"path": str(self.path)})
        self._lock: int | None = None
        self.ensure()

    @property
    def client_socket(self) -> Path:
        return self.path / CLIENT_SOCKET

    def ensure(self) -> None:
        """Make it, also a second time: the runtime directory is emptied when its user logs out."""
        try:
            self.path.mkdir(mode=0o700)
            self._release()
        except FileExistsError:
            if not _is_ours(self.path):
                raise DataDirectoryUnusable(
                    f"{self.path}, where etcd's sockets belong, is not the private directory that it was: somebody has "
                    "put another one there"
                ) from None
        if self._lock is None:
            # Programs that sweep temporary directories leave a locked directory alone, however old it is.
            self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(self._lock, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def remove(self) -> None:
        """Idempotent; a directory that is gone already is as good."""
        self._release()
        _remove(self.path)

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def client_socket_of(data_directory: Path) -> Path | None:
    """Where the etcd that another process of ours runs on a data directory is to be found; None if nobody can tell."""
    try:
        path = json.loads((data_directory / _NOTE).read_bytes())["path"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Path(path) / CLIENT_SOCKET if isinstance(path, str) and _is_ours(Path(path)) else None


def _free_place(environ: Mapping[str, str]) -> Path:
    name = f"{_PREFIX}{secrets.token_hex(6)}"
    for parent in _parents(environ):
        place = parent / name
        if len(os.fsencode(place / CLIENT_SOCKET)) <= _LONGEST_PATH and os.access(parent, os.W_OK | os.X_OK):
            return place
    raise DataDirectoryUnusable(
        "no directory for etcd's sockets: XDG_RUNTIME_DIR and TMPDIR name none that is writable and has a short "
        "path: set TMPDIR to one"
    )


def _parents(environ: Mapping[str, str]) -> Iterator[Path]:
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if runtime and Path(runtime).is_absolute():
        yield Path(runtime)
    yield Path(tempfile.gettempdir()).absolute()
    yield Path("/tmp")  # noqa: S108 - only the parent: the name below it is random, and mkdir refuses to share it


def _remove_left_over(data_directory: DataDirectory) -> None:
    note = data_directory.read_note(_NOTE)
    if note is not None and isinstance(note.get("path"), str):
        _remove(Path(note["path"]))


def _remove(path: Path) -> None:
    """Remove sockets and the then empty directory, if it looks in every way like one that we made."""
    if not _is_ours(path) or not path.name.startswith(_PREFIX):
        return
    with suppress(OSError):  # a stranger's file keeps it in place, and that is as it should be
        for entry in path.iterdir():
            if entry.is_socket():
                entry.unlink()
        path.rmdir()


def _is_ours(path: Path) -> bool:
    """A directory, no link to one, that belongs to us and lets nobody else in."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_mode & 0o777 == 0o700 and found.st_uid == os.geteuid()
