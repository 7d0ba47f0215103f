"""Where somebody looks: a place, the places they came from, and what is heard from the one they are at."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from kctl.errors import KctlError
from kctl.printers.terminal import harmless
from kctl.session.session import Session
from kctl.views.watch import feed
from kctl.views.watch.board import Board
from kctl.views.watch.changes import Change
from kctl.views.watch.sources import Scope, Source, sources
from kctl.views.watch.tool.listing import Listing
from localplane.apimachinery.errors import APIError
from localplane.client.errors import ClientError, NoMatch

EVERYWHERE = "all namespaces"
TOLD = (APIError, ClientError, KctlError, NoMatch)
"""What is said on the last line, and ends nothing."""


class Visit:
    """One place: what is watched there, and how they want to see it. It is what `feed` tells of changes."""

    def __init__(self, words: list[str], scope: Scope, sources: Sequence[Source], news: asyncio.Event) -> None:
        self.words = words
        self.scope = scope
        self.sources = sources
        self._news = news
        self.board = Board(sources)
        self.listing = Listing(self.board)

    def begin(self) -> None:
        """Anew: what was known of it may be old."""
        self.board = Board(self.sources)
        self.listing.show(self.board)

    def show(self, source: Source, changes: list[Change], *, initial: bool) -> None:
        self.board.show(source, changes, initial=initial, now=time.monotonic())
        self._news.set()

    def connected(self, source: Source, problem: str) -> None:
        self.board.connected(source, problem)
        self._news.set()

    @property
    def title(self) -> str:
        parts = [", ".join(dict.fromkeys(source.resource for source in self.sources))]
        if not self.scope.namespace:
            parts.append(EVERYWHERE)
        elif any(source.mapping.namespaced for source in self.sources):
            parts.append(f"namespace {self.scope.namespace}")
        parts += [f"-l {self.scope.label_selector}"] if self.scope.label_selector else []
        parts += [f"--field-selector {self.scope.field_selector}"] if self.scope.field_selector else []
        return harmless(" · ".join(parts))


class Visits:
    """`news` is set whenever there is something to draw; `problem` is why a place could not be gone to."""

    def __init__(self, session: Session, first: Visit, news: asyncio.Event) -> None:
        self._session = session
        self._news = news
        self._visits = [first]
        self._over = asyncio.Event()
        self._ended = False
        self.problem = ""

    @property
    def current(self) -> Visit:
        return self._visits[-1]

    def end(self) -> None:
        self._ended = True
        self._over.set()

    async def go(self, words: list[str], scope: Scope, *, select: tuple[str, str, str] | None = None) -> None:
        """Raises what `sources` does."""
        visit = Visit(words, scope, await sources(self._session, scope, words), self._news)
        if select is not None:
            visit.listing.select(select)
        self._visits.append(visit)
        self._over.set()

    def back(self) -> bool:
        """Whether there was a place to go back to."""
        if len(self._visits) == 1:
            return False
        self._leave()
        self._over.set()
        return True

    async def follow(self, *, must_exist: bool) -> None:
        """What is looked at, until it is another place, and so on. What can't be had at first is raised."""
        while not self._ended:
            self._over.clear()
            visit = self.current
            try:
                await feed.follow(self._session, visit.sources, visit, self._over, as_rows=True, must_exist=must_exist)
            except ExceptionGroup as group:
                if len(self._visits) == 1 or group.subgroup(TOLD) is None:
                    raise
                self._leave()
                self.problem = first_of(group)
                self._news.set()
            must_exist = False

    def _leave(self) -> None:
        self._visits.pop()
        self.current.begin()


def first_of(error: Exception) -> str:
    """Where several things failed at once it is mostly for one reason."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return str(error)
