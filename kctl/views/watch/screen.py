"""The live view: a board on a screen of its own, drawn when something happens and once a second."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from kctl.command_line.colours import allowed
from kctl.command_line.flags import FlagSet
from kctl.printers.terminal import harmless
from kctl.views.watch.board import Board
from kctl.views.watch.changes import Change
from kctl.views.watch.drawing import Look, draw
from kctl.views.watch.sources import Source

_PAUSE = 0.05
"""Seconds between two drawings, however much happens."""
_TICK = 1.0


class Terminal:
    """The alternate screen, without a cursor and without an echo. What was there before comes back with `leave`."""

    def __init__(self) -> None:
        self._settings: list[Any] | None = None
        self._entered = False

    def enter(self) -> None:
        self._entered = True
        if sys.stdin.isatty():
            import termios

            descriptor = sys.stdin.fileno()
            self._settings = termios.tcgetattr(descriptor)
            changed = termios.tcgetattr(descriptor)
            changed[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(descriptor, termios.TCSANOW, changed)
        self._send("\x1b[?1049h\x1b[?25l")

    def leave(self) -> None:
        if not self._entered:
            return
        self._entered = False
        self._send("\x1b[?25h\x1b[?1049l")
        if self._settings is not None:
            import termios

            termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, self._settings)
            self._settings = None

    def paint(self, lines: Sequence[str]) -> None:
        # Each line is wiped before it is written: behind a line that fills the screen its last character would go.
        self._send("\x1b[H" + "\r\n".join(f"\x1b[2K{line}" for line in lines) + "\x1b[0m\x1b[J")

    def _send(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


class LiveView:
    """`stop` is set when somebody types q. Run it beside what brings the changes."""

    def __init__(self, flags: FlagSet, sources: Sequence[Source], stop: asyncio.Event) -> None:
        self._board = Board(sources)
        self._flags = flags
        self._stop = stop
        self._title = _title(flags, sources)
        self._news = asyncio.Event()
        self._terminal = Terminal()
        self._colour = allowed(flags.text("color"), sys.stdout)

    def show(self, source: Source, changes: list[Change], *, initial: bool) -> None:
        self._board.show(source, changes, initial=initial, now=time.monotonic())
        self._news.set()

    def connected(self, source: Source, problem: str) -> None:
        self._board.connected(source, problem)
        self._news.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        await self._news.wait()  # what can't be watched at all is said on the usual screen
        loop = asyncio.get_running_loop()
        try:
            self._terminal.enter()
            loop.add_signal_handler(signal.SIGWINCH, self._news.set)
            loop.add_signal_handler(signal.SIGTSTP, self._suspend)
            if sys.stdin.isatty():
                loop.add_reader(sys.stdin.fileno(), self._typed)
            while True:
                self._draw()
                self._news.clear()
                await asyncio.sleep(_PAUSE)
                with suppress(TimeoutError):
                    async with asyncio.timeout(_TICK - _PAUSE):
                        await self._news.wait()
        finally:
            if sys.stdin.isatty():
                loop.remove_reader(sys.stdin.fileno())
            self._terminal.leave()

    def leave_behind(self) -> None:
        """The last state, on the usual screen, so that it can be scrolled back to."""
        self._board.settle(float("inf"))
        for line in draw(self._board, self._look(colour=False)._replace(height=0), title="", at=datetime.now(UTC)):
            sys.stdout.write(f"{line}\n")

    def _draw(self) -> None:
        self._board.settle(time.monotonic())
        now = datetime.now(UTC)
        title = f"{now.astimezone():%H:%M:%S} · {_counted(len(self._board))} · {self._title}"
        self._terminal.paint(draw(self._board, self._look(colour=self._colour), title=title, at=now))

    def _look(self, *, colour: bool) -> Look:
        flags, size = self._flags, _size()
        return Look(
            width=size.columns,
            height=size.lines,
            colour=colour,
            wide=flags.text("output") == "wide",
            namespaces=flags.is_on("all-namespaces"),
            headers=not flags.is_on("no-headers"),
            show_labels=flags.is_on("show-labels"),
            column_labels=tuple(flags.texts("label-columns")),
        )

    def _typed(self) -> None:
        if os.read(sys.stdin.fileno(), 64)[:1] in (b"q", b"Q", b""):
            self._stop.set()

    def _suspend(self) -> None:
        self._terminal.leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._terminal.enter()
        self._news.set()


def _size() -> os.terminal_size:
    try:
        return os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        return os.terminal_size((80, 24))


def _counted(count: int) -> str:
    return f"{count} object{'' if count == 1 else 's'}"


def _title(flags: FlagSet, sources: Sequence[Source]) -> str:
    parts = [", ".join(dict.fromkeys(source.resource for source in sources))]
    namespaced = [source for source in sources if source.mapping.namespaced]
    if flags.is_on("all-namespaces"):
        parts.append("all namespaces")
    elif namespaced:
        parts.append(f"namespace {namespaced[0].namespace}")
    parts += [f"-l {flags.text('selector')}"] if flags.text("selector") else []
    parts += [f"--field-selector {flags.text('field-selector')}"] if flags.text("field-selector") else []
    return harmless(" · ".join(parts))
