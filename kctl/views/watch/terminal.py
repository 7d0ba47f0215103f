"""The terminal while a live view has it: another screen, no cursor, no echo; and afterwards as it was."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any


class Terminal:
    """The alternate screen, without a cursor and without an echo. What was there before comes back with `leave`."""

    def __init__(self) -> None:
        self._settings: list[Any] | None = None
        self._entered = False
        self._painted: list[str] = []

    def enter(self) -> None:
        self._entered = True
        self._painted = []
        if sys.stdin.isatty():
            import termios

            descriptor = sys.stdin.fileno()
            self._settings = termios.tcgetattr(descriptor)
            changed = termios.tcgetattr(descriptor)
            changed[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(descriptor, termios.TCSANOW, changed)
        self._send("\x1b[?1049h\x1b[?25l")

    def leave(self) -> None:
        """Also where there is nobody left to see it: then nothing of it is an error."""
        if not self._entered:
            return
        self._entered = False
        with suppress(OSError):
            self._send("\x1b[0m\x1b[?25h\x1b[?1049l")
        if self._settings is not None:
            import termios

            with suppress(termios.error):
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, self._settings)
            self._settings = None

    def forget(self) -> None:
        """What is on the screen may be anything: the next lines are all painted."""
        self._painted = []

    def paint(self, lines: Sequence[str]) -> None:
        """Only lines that are not there yet: most of a screen stays as it is when one row changes."""
        # Each line is wiped before it is written: behind a line that fills the screen its last character would go.
        before = self._painted
        if not before:
            self._send("\x1b[H" + "\r\n".join(f"\x1b[2K{line}" for line in lines) + "\x1b[0m\x1b[J")
        else:
            parts = [
                f"\x1b[{number};1H\x1b[2K{line}\x1b[0m"
                for number, line in enumerate(lines, start=1)
                if number > len(before) or before[number - 1] != line
            ]
            if len(lines) < len(before):
                parts.append(f"\x1b[{len(lines) + 1};1H\x1b[J")
            if parts:
                self._send("".join(parts))
        self._painted = list(lines)

    def _send(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def size() -> os.terminal_size:
    try:
        return os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        return os.terminal_size((80, 24))
