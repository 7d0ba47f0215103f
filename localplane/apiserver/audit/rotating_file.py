"""A file that only grows so far: then it is moved aside, and the oldest of those that were is deleted.

Used by one thread. Names and order of backups are those of lumberjack, which Kubernetes uses.
"""

from __future__ import annotations

import logging
import os
import re
from datetime import UTC, datetime
from pathlib import Path

_log = logging.getLogger(__name__)

_MOMENT = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}"


class RotatingFile:
    """Readable by its owner alone. A symbolic link in its place is refused: it may point anywhere.

    `max_backups` 0 keeps all, as in Kubernetes' flags.
    """

    def __init__(self, path: Path, *, max_bytes: int, max_backups: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._max_backups = max_backups
        self._descriptor = -1
        self._size = 0

    def open(self) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o600)
        os.fchmod(self._descriptor, 0o600)
        self._size = os.fstat(self._descriptor).st_size

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def write(self, lines: list[bytes]) -> None:
        """A disk that is full loses lines, which the server's log tells, and nothing else."""
        page: list[bytes] = []
        size = 0
        try:
            for line in lines:
                if self._size + size and self._size + size + len(line) > self._max_bytes:
                    self._append(b"".join(page))
                    self._rotate()
                    page, size = [], 0
                page.append(line)
                size += len(line)
            self._append(b"".join(page))
        except OSError as error:
            _log.warning("the audit log can't be written: %s: %s", self._path, error.strerror)

    def _append(self, data: bytes) -> None:
        if self._descriptor < 0:
            self.open()
        view = memoryview(data)
        while view:
            written = os.write(self._descriptor, view)
            self._size += written
            view = view[written:]

    def _rotate(self) -> None:
        self.close()
        moment = datetime.now(UTC).isoformat(timespec="microseconds").removesuffix("+00:00").replace(":", "-")
        self._path.rename(self._path.with_name(f"{self._path.stem}-{moment}{self._path.suffix}"))
        self.open()
        for backup in self._backups()[: -self._max_backups] if self._max_backups else ():
            backup.unlink(missing_ok=True)

    def _backups(self) -> list[Path]:
        """Oldest first: the names sort by time."""
        pattern = re.compile(rf"{re.escape(self._path.stem)}-{_MOMENT}{re.escape(self._path.suffix)}")
        return sorted(path for path in self._path.parent.iterdir() if pattern.fullmatch(path.name))
