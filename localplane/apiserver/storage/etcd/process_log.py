"""What etcd says: kept in a file for people, bounded in size, and its last lines in memory for the diagnosis.

We read etcd's output and write the file ourselves, because etcd's last words on a full disk are the ones that it
could not have written there.
"""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_MOST_BYTES = 1024 * 1024
_MOST_LINES = 400  # a Go panic with the stack of its goroutine


class ProcessLog:
    """Appends to `path`, which is moved to `path`.1 when it is full: there are never more than two files."""

    def __init__(self, path: Path, *, most_bytes: int = _MOST_BYTES) -> None:
        self.path = path
        self._most_bytes = most_bytes
        self._lines: deque[bytes] = deque(maxlen=_MOST_LINES)
        self._unfinished = b""

    @property
    def lines(self) -> Sequence[str]:
        """What the present run said last, oldest first."""
        unfinished = [self._unfinished] if self._unfinished else []
        return [line.decode(errors="replace") for line in (*self._lines, *unfinished)]

    def begin_run(self) -> None:
        """Forget the lines of the run before; its part of the file stays."""
        self._lines.clear()
        self._unfinished = b""

    def write(self, data: bytes) -> None:
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        self._lines.extend(lines)
        try:
            self._append(data)
        except OSError:  # a full disk: the lines are in memory, and saying so would need the disk as well
            return

    def _append(self, data: bytes) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
        if size + len(data) > self._most_bytes:
            self.path.replace(self.path.with_name(f"{self.path.name}.1"))
