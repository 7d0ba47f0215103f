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

from kctl.command_line.flags import FlagSet
from kctl.printers.terminal import harmless
from kctl.session.session import Session
from kctl.views.watch.cells import clipped, width_of
from kctl.views.watch.drawing import Look, draw, draw_listing, headers, not_shown, painted
from kctl.views.watch.sources import Scope, Source
from kctl.views.watch.terminal import Terminal, size
from kctl.views.watch.tool import help_text
from kctl.views.watch.tool.commands import Commands
from kctl.views.watch.tool.inspection import Inspection
from kctl.views.watch.tool.keys import Keys
from kctl.views.watch.tool.pages import Question
from kctl.views.watch.tool.visits import Visit, Visits

_PAUSE = 0.05
"""Seconds between two drawings, however much happens."""
_TICK = 1.0
_DIM = "\x1b[2m"


class LiveView:
    """Run `run` beside `follow`, which brings the changes; `follow` is over after `end`."""

    def __init__(self, session: Session, flags: FlagSet, scope: Scope, sources: Sequence[Source]) -> None:
        self._session = session
        self._flags = flags
        self._colour = session.paints
        self._news = asyncio.Event()
        self._terminal = Terminal()
        self._keys = Keys()
        self._visits = Visits(session, Visit(flags.arguments, scope, sources, self._news), self._news)
        self._commands = Commands(self._visits, Inspection(session), self._news, colour=self._colour)

    def end(self) -> None:
        self._visits.end()

    async def follow(self, *, must_exist: bool) -> None:
        """Raises an ExceptionGroup with what can't be had; with `must_exist` that may be a name."""
        await self._visits.follow(must_exist=must_exist)

    async def run(self) -> None:
        """Until it is cancelled."""
        await self._news.wait()  # what can't be watched at all is said on the usual screen
        loop = asyncio.get_running_loop()
        try:
            self._terminal.enter()
            self._session.take_warning = lambda text: self._commands.say(f"Warning: {text}")
            loop.add_signal_handler(signal.SIGWINCH, self._redraw)
            loop.add_signal_handler(signal.SIGTSTP, self._suspend)
            if sys.stdin.isatty():
                loop.add_reader(sys.stdin.fileno(), self._typed)
            async with asyncio.TaskGroup() as self._commands.group:
                await self._draw_for_ever()
        finally:
            if sys.stdin.isatty():
                loop.remove_reader(sys.stdin.fileno())
            self._terminal.leave()
            self._session.take_warning = None

    async def _draw_for_ever(self) -> None:
        while True:
            self._draw()
            self._news.clear()
            await asyncio.sleep(_PAUSE)
            with suppress(TimeoutError):
                async with asyncio.timeout(_TICK - _PAUSE):
                    await self._news.wait()

    def leave_behind(self) -> None:
        """The last state, on the usual screen, so that it can be scrolled back to."""
        board = self._visits.current.board
        board.settle(float("inf"))
        for line in draw(board, self._look(colour=False)._replace(height=0, shift=0), title="", at=datetime.now(UTC)):
            sys.stdout.write(f"{line}\n")

    def _draw(self) -> None:
        visit, commands = self._visits.current, self._commands
        visit.board.settle(time.monotonic())
        if self._visits.problem:
            commands.say(self._visits.problem)
            self._visits.problem = ""
        look, at = self._look(colour=self._colour), datetime.now(UTC)
        page = commands.pages[-1] if commands.pages else None
        if page is not None and not isinstance(page, Question):
            title = painted(clipped(page.title, look.width), _DIM, look)
            self._paint([title, *page.draw(look.width, look.height - 2)], _joined(commands.message, page.hint), look)
        elif commands.is_used:
            self._draw_listing(visit, look, at)
        else:
            self._terminal.paint(draw(visit.board, look, title=_title(visit, look.width, at), at=at))

    def _draw_listing(self, visit: Visit, look: Look, at: datetime) -> None:
        commands, listing = self._commands, visit.listing
        room = look._replace(height=look.height - 1)
        drawn = draw_listing(visit.board, listing, room, title=_title(visit, look.width, at), at=at)
        rows, cursor = len(listing.rows), listing.cursor
        where = f"{cursor + 1}/{rows}" if cursor is not None else f"{rows} rows"
        if commands.pages:
            foot = commands.pages[-1].hint
        elif commands.filtering:
            foot = f"/{listing.filter}_   {where}"
        else:
            words = [commands.message, f"/{listing.filter}" if listing.filter else "", where]
            words += [not_shown(drawn.dropped) if drawn.dropped else "", help_text.HINT]
            foot = _joined(*words)
        self._paint(drawn.lines, foot, look)

    def _paint(self, lines: list[str], foot: str, look: Look) -> None:
        above = lines[: look.height - 1]
        filled = [*above, *[""] * (look.height - 1 - len(above))]
        self._terminal.paint([*filled, painted(clipped(harmless(foot), look.width), _DIM, look)])

    def _look(self, *, colour: bool) -> Look:
        flags, terminal = self._flags, size()
        return Look(
            width=terminal.columns,
            height=terminal.lines,
            colour=colour,
            wide=flags.text("output") == "wide",
            namespaces=not self._visits.current.scope.namespace,
            headers=not flags.is_on("no-headers"),
            show_labels=flags.is_on("show-labels"),
            column_labels=tuple(flags.texts("label-columns")),
            shift=self._commands.shift,
        )

    def _typed(self) -> None:
        data = os.read(sys.stdin.fileno(), 1024)
        if not data:
            self.end()
        look, sections = self._look(colour=False), self._visits.current.board.sections()
        self._commands.headers = [*dict.fromkeys(name for section in sections for name in headers(section, look))]
        self._commands.screenful = max(1, look.height - 4)
        for key in self._keys.read(data):
            if key == "redraw":
                self._terminal.forget()
            self._commands.press(key)
        self._news.set()

    def _redraw(self) -> None:
        self._terminal.forget()
        self._news.set()

    def _suspend(self) -> None:
        self._terminal.leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._terminal.enter()
        self._news.set()


def _joined(*words: str) -> str:
    return "  ".join(filter(None, words))


def _title(visit: Visit, width: int, at: datetime) -> str:
    """What there is no room for goes from the left: the clock first."""
    count = len(visit.board)
    parts = [f"{at.astimezone():%H:%M:%S}", f"{count} object{'' if count == 1 else 's'}", visit.title]
    keys = " · ? keys"
    while len(parts) > 1 and width_of(" · ".join(parts) + keys) > width:
        parts.pop(0)
    return clipped(" · ".join(parts), max(1, width - len(keys))) + keys
