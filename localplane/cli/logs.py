"""What a plane says while it runs: quietly on the terminal, and in a file of its own, for `kctl status --logs`."""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import BinaryIO

from .places import Places

FILE_ONLY = "localplane.cli.file"
"""The logger for what the terminal has been told in another form."""

_NOT_ON_TERMINAL = (FILE_ONLY, "localplane.apiserver.server.monitoring.loop_watch")
_LARGEST = 8 * 1024 * 1024
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LOOK_AGAIN = 0.2
_SHOWN_LINES = 40


class _OneLine(logging.Formatter):
    """Control characters are shown, not sent: a name in a request must not move somebody's cursor."""

    def format(self, record: logging.LogRecord) -> str:
        return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", super().format(record))


def start_logging(path: Path, *, on_terminal: bool, verbose: bool) -> None:
    """Warnings, and what `up` itself has to say; all of it if `verbose`. The file is its owner's alone."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600))
    handlers: list[logging.Handler] = [RotatingFileHandler(path, maxBytes=_LARGEST, backupCount=1, encoding="utf-8")]
    handlers[0].setFormatter(_OneLine("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S"))
    if on_terminal:
        handlers.append(logging.StreamHandler(sys.stderr))
        handlers[1].addFilter(lambda record: record.name not in _NOT_ON_TERMINAL)
        handlers[1].setFormatter(_OneLine("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    logging.basicConfig(handlers=handlers, level=logging.INFO if verbose else logging.WARNING, force=True)
    logging.getLogger("localplane").setLevel(logging.DEBUG if verbose else logging.WARNING)
    logging.getLogger("localplane.cli").setLevel(logging.DEBUG if verbose else logging.INFO)


def leave_log(where: Places, *, file: Path | None, shown: bool) -> None:
    """Of a plane that had a command: its log into a file that stays, or its last lines onto the terminal if something
    went wrong."""
    text = "".join(one.read_text("utf-8", "replace") for one in (where.older_log, where.log) if one.exists())
    if file is not None:
        try:
            file.write_text(text, "utf-8")
        except OSError as error:
            sys.stderr.write(f"warning: the log can't be written to {file}: {error.strerror}\n")
    lines = text.splitlines(keepends=True)
    if not shown or not lines:
        return
    last = lines[-_SHOWN_LINES:]
    which = "" if len(last) == len(lines) else f", the last {len(last)} of {len(lines)} lines"
    kept = f", all of it in {file}" if file is not None else ", kept with --log-file"
    sys.stderr.write(f"--- the plane's log{which}{kept if which else ''}:\n{''.join(last)}---\n")


class LogReader:
    """Reads on where it stopped, also when the log was turned over or removed meanwhile: the file stays open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inode = 0
        self._file: BinaryIO | None = None

    def read(self) -> str:
        """What is new since the last time."""
        content = self._file.read() if self._file is not None else b""
        if _inode(self._path) not in (0, self._inode):
            self.close()
            try:
                self._file = self._path.open("rb")
            except FileNotFoundError:
                return content.decode("utf-8", "replace")
            self._inode = os.fstat(self._file.fileno()).st_ino
            content += self._file.read()
        return content.decode("utf-8", "replace")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file, self._inode = None, 0


def follow(path: Path, *, while_true: Callable[[], bool]) -> Iterator[str]:
    """What the log says and will say. Asked before each look, so that the last words are not missed."""
    with closing(LogReader(path)) as reader:
        while True:
            goes_on = while_true()
            if text := reader.read():
                yield text
            if not goes_on:
                return
            time.sleep(_LOOK_AGAIN)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0
