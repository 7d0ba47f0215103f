"""How far a large apply is, on a terminal and nowhere else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kctl.session import Session

_A_HANDFUL = 10
_WIDTH = 30


class Progress:
    """A line on stderr that is written over; what is printed meanwhile goes above it."""

    def __init__(self, session: Session) -> None:
        self._shown = session.is_terminal and sys.stderr.isatty()
        self._total = 0
        self._done = 0

    def begin(self, total: int) -> None:
        self._shown = self._shown and total > _A_HANDFUL
        self._total = total
        self._draw()

    def step(self) -> None:
        """Make room for what is said about this one, which brings the line back with `show`."""
        self._done += 1
        self._draw()

    def end(self) -> None:
        self._clear()
        self._shown = False

    def _clear(self) -> None:
        if self._shown:
            sys.stdout.flush()
            sys.stderr.write("\r\x1b[K")

    def _draw(self) -> None:
        if not self._shown:
            return
        self._clear()
        filled = _WIDTH * self._done // max(self._total, 1)
        sys.stderr.write(f"{'━' * filled}{'─' * (_WIDTH - filled)} {self._done}/{self._total}\r")
        sys.stderr.flush()
