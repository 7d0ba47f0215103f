"""The audit log: lines of JSON in a file that only its owner can read, moved aside when it has grown.

Events are gathered for a moment and written by a thread, so that no request waits for the disk. Who stops the server
gets all of them; who kills it loses that moment. Kubernetes: apiserver/plugin/pkg/audit/log, with rotation as its
library lumberjack does it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.serializers import to_json

# A file that only grows so far: then it is moved aside, and the oldest of those that were is deleted.
#
# Used by one thread. Names and order of backups are those of lumberjack, which Kubernetes uses.

_log = logging.getLogger(__name__)

STANDARD_OUTPUT = Path("-")
_MOMENT = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}"


class RotatingFile:
    """Readable by its owner alone. A symbolic link in its place is refused: it may point anywhere.

    `max_backups` 0 keeps all, and `max_age` 0 for ever, as in Kubernetes' flags. `-` is standard output.
    """

    def __init__(self, path: Path, *, max_bytes: int, max_backups: int, max_age: timedelta = timedelta()) -> None:
        self._path = path
        self._is_file = path != STANDARD_OUTPUT
        self._max_age = max_age
        self._max_bytes = max_bytes
        self._max_backups = max_backups
        self._descriptor = -1
        self._size = 0

    def open(self) -> None:
        if not self._is_file:
            self._descriptor = os.dup(sys.stdout.fileno())
            return
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o600)
        os.fchmod(self._descriptor, 0o600)
        self._size = os.fstat(self._descriptor).st_size
        self._forget_backups()

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
                if self._is_file and self._size + size and self._size + size + len(line) > self._max_bytes:
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
        self._path.rename(self._backup(datetime.now(UTC)))
        self.open()

    def _forget_backups(self) -> None:
        """The oldest of too many, and those that are too old."""
        backups = self._backups()
        surplus = backups[: -self._max_backups] if self._max_backups else []
        if self._max_age:
            limit = self._backup(datetime.now(UTC) - self._max_age).name
            surplus += [path for path in backups if path.name < limit]
        for backup in surplus:
            backup.unlink(missing_ok=True)

    def _backup(self, moment: datetime) -> Path:
        text = moment.isoformat(timespec="microseconds").removesuffix("+00:00").replace(":", "-")
        return self._path.with_name(f"{self._path.stem}-{text}{self._path.suffix}")

    def _backups(self) -> list[Path]:
        """Oldest first: the names sort by time."""
        pattern = re.compile(rf"{re.escape(self._path.stem)}-{_MOMENT}{re.escape(self._path.suffix)}")
        return sorted(path for path in self._path.parent.iterdir() if pattern.fullmatch(path.name))


def legacy_line(event: Mapping[str, Any]) -> bytes:
    """Kubernetes: apiserver/pkg/audit/format.go, EventString."""
    user = event.get("user") or {}
    impersonated = event.get("impersonatedUser") or {}
    fields = {
        "id": event.get("auditID", ""),
        "stage": event.get("stage", ""),
        "ip": (event.get("sourceIPs") or ["<unknown>"])[0],
        "method": event.get("verb", ""),
        "user": user.get("username") or "<none>",
        "groups": _quoted(user.get("groups")) or "<none>",
        "as": impersonated.get("username") or "<self>",
        "asgroups": _quoted(impersonated.get("groups")) or "<lookup>",
        "user-agent": event.get("userAgent", ""),
        "namespace": (event.get("objectRef") or {}).get("namespace") or "<none>",
        "uri": event.get("requestURI", ""),
        "response": str((event.get("responseStatus") or {}).get("code", "<deferred>")),
    }
    text = " ".join(f"{name}={go_quote(value)}" for name, value in fields.items())
    return f"{event.get('requestReceivedTimestamp', '')} AUDIT: {text}".encode("utf-8", "replace")


def _quoted(groups: Sequence[str] | None) -> str:
    return ",".join(map(go_quote, groups or ()))


_MEBIBYTE = 1024 * 1024
_GATHER_FOR = timedelta(milliseconds=50)


class AuditLogFile:
    """Use it as an async context manager; `record` works inside. What does not fit into memory while the disk is slow
    is dropped, and how much that was is logged. `legacy` lines are text."""

    def __init__(
        self,
        path: Path,
        *,
        max_bytes: int = 100 * _MEBIBYTE,
        max_backups: int = 10,
        max_age: timedelta = timedelta(),
        legacy: bool = False,
        max_waiting_bytes: int = 64 * _MEBIBYTE,
    ) -> None:
        self._file = RotatingFile(path, max_bytes=max_bytes, max_backups=max_backups, max_age=max_age)
        self._line = legacy_line if legacy else to_json
        self._max_waiting_bytes = max_waiting_bytes
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="audit-log")
        self._gathered: list[bytes] = []
        self._waiting_bytes = 0
        self._gathering: asyncio.TimerHandle | None = None
        self._dropped_before = 0
        self.dropped = 0

    async def __aenter__(self) -> Self:
        """Opens the file, so that a path that can't be written to is known at once. Raises OSError."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._file.open)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._gathering is not None:
            self._gathering.cancel()
        self._hand_over()
        try:
            # One thread does things in order: when the file is closed, all that came before is in it.
            await asyncio.get_running_loop().run_in_executor(self._thread, self._file.close)
        finally:
            self._thread.shutdown(wait=False)

    def record(self, event: Mapping[str, Any]) -> None:
        line = self._line(event) + b"\n"
        if self._waiting_bytes + len(line) > self._max_waiting_bytes:
            self.dropped += 1
            return
        self._waiting_bytes += len(line)
        self._gathered.append(line)
        if self._gathering is None:
            loop = asyncio.get_running_loop()
            self._gathering = loop.call_later(_GATHER_FOR.total_seconds(), self._hand_over)

    def _hand_over(self) -> None:
        lines, self._gathered, self._gathering = self._gathered, [], None
        if lines:
            writing = asyncio.get_running_loop().run_in_executor(self._thread, self._file.write, lines)
            writing.add_done_callback(lambda _: self._written(lines))

    def _written(self, lines: list[bytes]) -> None:
        self._waiting_bytes -= sum(map(len, lines))
        if self.dropped > self._dropped_before:
            _log.warning("the disk is too slow for the audit log: %d events are lost", self.dropped)
            self._dropped_before = self.dropped
