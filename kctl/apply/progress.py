"""How far a large apply is, on a terminal and nowhere else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from kctl.session import Session

_A_HANDFUL = 10


class Progress:
    """A bar on stderr below what is printed meanwhile. It is gone when all is done."""

    def __init__(self, session: Session) -> None:
        self._shown = session.is_terminal and sys.stderr.isatty()
        self._bar: Bar | None = None

    def begin(self, total: int) -> None:
        if not self._shown or total <= _A_HANDFUL:
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn
        from rich.progress import Progress as NewBar

        # What is printed goes through the bar while it stands there, so that the two don't get in each other's way.
        self._bar = NewBar(
            BarColumn(), MofNCompleteColumn(), console=Console(stderr=True), transient=True, auto_refresh=False
        )
        self._bar.add_task("apply", total=total)
        self._bar.start()
        self._bar.refresh()

    def step(self) -> None:
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0])
            self._bar.refresh()

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
