"""Leaving a plane in the background without losing what it has to say.

It is a fork of this process, made before a thread, a loop or the server exists. It keeps the terminal until it is
ready, so that it shows its report or its error itself; then it lets go, and whoever started it goes on.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from .errors import PlaneError
from .places import places


class Terminal:
    """What a detached plane shares with whoever started it, until it lets go."""

    def __init__(self, writing: int) -> None:
        self._writing: int | None = writing

    @property
    def is_held(self) -> bool:
        return self._writing is not None

    def let_go(self, log: Path) -> None:
        """From now on all that is printed goes to the log. The second time there is nothing to let go of."""
        if self._writing is None:
            return
        sys.stdout.flush()
        sys.stderr.flush()
        sink = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW)
        os.dup2(sink, 1)
        _onto(sink, 2)
        with suppress(BrokenPipeError):
            os.write(self._writing, b".")
        os.close(self._writing)
        self._writing = None


def detach(name: str) -> Terminal | int:
    """Returns twice: in the new process at once, with the terminal; here when that lets go or ends, with a code."""
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return _wait_for(child, reading, name)
    os.close(reading)
    os.setsid()
    os.chdir("/")
    _onto(os.open(os.devnull, os.O_RDONLY), 0)
    return Terminal(writing)


def _wait_for(child: int, reading: int, name: str) -> int:
    """What there is to say the child says itself."""
    try:
        said = os.read(reading, 1)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
        raise
    if said:
        return 0
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        raise PlaneError(f"{name} was ended by signal {-code} while it started: see {places(name).log}")
    return code


def _onto(source: int, target: int) -> None:
    os.dup2(source, target)
    os.close(source)
