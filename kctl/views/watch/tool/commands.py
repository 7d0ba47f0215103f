"""What keys do: to what is shown, and to the object under the cursor."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from kctl.errors import KctlError
from kctl.printers.painting.documents import YAMLPainter
from kctl.printers.painting.pages import DescriptionPainter, DifferencePainter
from kctl.printers.painting.themes import theme
from kctl.printers.terminal import harmless
from kctl.views.watch.sources import Scope
from kctl.views.watch.tool import help_text
from kctl.views.watch.tool.inspection import Inspection, Related, Target
from kctl.views.watch.tool.listing import Listing, Row
from kctl.views.watch.tool.pages import Choice, Choices, Page, Question, Text, typed
from kctl.views.watch.tool.visits import EVERYWHERE, TOLD, Visits, first_of


class Commands:
    """`pages` lie over the table, the last one on top. `news` is set when something else is to be seen.

    What takes time is done by tasks of `group`, which whoever draws opens.
    """

    def __init__(self, visits: Visits, inspection: Inspection, news: asyncio.Event, *, colour: bool) -> None:
        self._visits = visits
        self._inspection = inspection
        self._news = news
        self._colour = colour
        self._reading: dict[Page, asyncio.Task[None]] = {}
        self.group: asyncio.TaskGroup | None = None
        self.pages: list[Page] = []
        self.message = ""
        self.filtering = False
        self.shift = 0
        """How many columns behind the name are passed over."""
        self.headers: Sequence[str] = ()
        """Of all columns that there are."""
        self.screenful = 1
        self._actions = self._table()

    @property
    def listing(self) -> Listing:
        return self._visits.current.listing

    @property
    def is_used(self) -> bool:
        """Whether anybody has done anything yet: until then it is a view to look at."""
        return bool(self.pages or self.filtering or self.message or self.shift or self.listing.is_touched)

    def press(self, key: str) -> None:
        self.message = ""
        if self.pages:
            page = self.pages[-1]
            page.press(key)
            if page.closed:
                self._close(page)
        elif self.filtering:
            self._type_filter(key)
        elif key in self._actions:
            self._actions[key]()

    def say(self, message: str) -> None:
        self.message = harmless(message).partition("\n")[0]
        self._news.set()

    def _table(self) -> dict[str, Callable[[], object]]:
        yaml, history = YAMLPainter, lambda one: DifferencePainter(one, margin=2)
        return {
            **dict.fromkeys(("up", "k"), lambda: self.listing.move(-1)),
            **dict.fromkeys(("down", "j"), lambda: self.listing.move(1)),
            "page-up": lambda: self.listing.move(-self.screenful),
            **dict.fromkeys(("page-down", " "), lambda: self.listing.move(self.screenful)),
            **dict.fromkeys(("home", "g"), lambda: self.listing.go(0)),
            **dict.fromkeys(("end", "G"), lambda: self.listing.go(len(self.listing.rows) - 1)),
            "right": lambda: self._scroll_columns(1),
            "left": lambda: self._scroll_columns(-1),
            "/": self._filter,
            ">": lambda: self.listing.sort_by_next(1, self.headers),
            "<": lambda: self.listing.sort_by_next(-1, self.headers),
            "r": self._reverse,
            **dict.fromkeys(("enter", "y"), lambda: self._read("YAML", Inspection.yaml, yaml)),
            "d": lambda: self._read("description", Inspection.description, DescriptionPainter),
            "e": lambda: self._read("events", Inspection.events, DescriptionPainter),
            "h": lambda: self._read("history", Inspection.history, history),
            "l": self._logs,
            "o": self._owner,
            "w": self._owned,
            **dict.fromkeys(("D", "delete"), self._delete),
            "s": self._scale,
            ":": self._kinds,
            "n": self._namespaces,
            **dict.fromkeys(("escape", "backspace", "b"), self._back),
            "?": lambda: self.pages.append(Text("Keys", help_text.KEYS)),
            **dict.fromkeys(("q", "Q"), self._visits.end),
        }

    # What is shown.

    def _close(self, page: Page) -> None:
        self.pages.remove(page)
        if task := self._reading.pop(page, None):
            task.cancel()

    def _filter(self) -> None:
        self.filtering = True

    def _type_filter(self, key: str) -> None:
        if key in ("up", "down"):
            self.listing.move(-1 if key == "up" else 1)
            return
        self.listing.filter, done = typed(self.listing.filter, key)
        self.filtering = not done
        if key == "escape":
            self.listing.filter = ""

    def _reverse(self) -> None:
        self.listing.reverse = not self.listing.reverse

    def _scroll_columns(self, step: int) -> None:
        self.shift = max(0, min(self.shift + step, len(self.headers) - 2))

    def _back(self) -> None:
        """One step of what was done last: filter, place, cursor."""
        if self.listing.filter:
            self.listing.filter = ""
        elif not self._visits.back():
            self.listing.leave()
        self.shift = 0

    # What is asked of the server.

    def _start(self, work: Coroutine[Any, Any, None], page: Page | None = None) -> None:
        """In its own time. A `page` is there at once, to be filled; when it is closed nobody waits any more."""
        assert self.group is not None
        task = self.group.create_task(self._attempt(work, page))
        if page is not None:
            self.pages.append(page)
            self._reading[page] = task

    async def _attempt(self, work: Awaitable[None], page: Page | None) -> None:
        try:
            await work
        except (*TOLD, ExceptionGroup) as error:
            if isinstance(error, ExceptionGroup) and error.subgroup(TOLD) is None:
                raise
            if page in self.pages:
                self.pages.remove(page)
            self.say(first_of(error))
        self._news.set()

    def _target(self) -> tuple[Row, Target] | None:
        row = self.listing.current
        if row is None:
            self.say("there is nothing under the cursor")
            return None
        namespace, name = row.entry.order
        return row, Target(row.section.source, namespace, name, str(row.metadata.get("uid", "")))

    def _about(self, ask: Callable[[Row, Target], Coroutine[Any, Any, None]]) -> None:
        if found := self._target():
            self._start(ask(*found))

    def _read(
        self, what: str, ask: Callable[[Inspection, Target], Awaitable[str]], painter: Callable[..., Any]
    ) -> None:
        if (found := self._target()) is None:
            return
        row, target = found
        page = Text(f"{what} of {row.shown}", "")

        async def fill() -> None:
            text = await ask(self._inspection, target)
            page.fill(text, painter(theme(os.environ)).paint if self._colour else str)

        self._start(fill(), page)

    def _logs(self) -> None:
        if (found := self._target()) is None:
            return
        row, target = found
        page = Text(f"logs of {row.shown}", "")
        page.follows = True

        def write(text: str) -> None:
            page.append(text)
            self._news.set()

        self._start(self._inspection.logs(target, write), page)

    def _owner(self) -> None:
        async def go(row: Row, _: Target) -> None:
            related = await self._inspection.owners(row.metadata)
            if not related:
                self.say(f"nobody owns {row.shown}")
            elif len(related) == 1:
                await self._go_to(related[0])
            else:
                self._choose(f"owners of {row.shown}", related)

        self._about(go)

    def _owned(self) -> None:
        async def go(row: Row, target: Target) -> None:
            self.say(f"looking for what {row.shown} owns")
            related = await self._inspection.owned(target)
            self.say("" if related else f"{row.shown} owns nothing")
            if related:
                self._choose(f"owned by {row.shown}", related)

        self._about(go)

    def _choose(self, title: str, related: Sequence[Related]) -> None:
        by_label = {one.label: one for one in related}
        page = Choices(title, lambda label: self._start(self._go_to(by_label[label])))
        page.fill([Choice(label, label) for label in by_label])
        self.pages.append(page)

    async def _go_to(self, related: Related) -> None:
        scope = Scope(related.namespace or self._visits.current.scope.namespace)
        await self._go([related.type], scope, select=(related.type, related.namespace, related.name))

    async def _go(self, words: list[str], scope: Scope, *, select: tuple[str, str, str] | None = None) -> None:
        await self._visits.go(words, scope, select=select)
        self.shift = 0

    def _kinds(self) -> None:
        scope = self._visits.current.scope._replace(field_selector="")
        go = lambda words: self._start(self._go(words.split(), scope))  # noqa: E731 - it is one line
        page = Choices("kind, or several (po,deploy)", go, free=True)

        async def fill() -> None:
            choices = []
            for one in await self._inspection.kinds():
                name, short = str(one.resource.group_resource), ", ".join(one.short_names)
                names = (*one.short_names, one.resource.resource, one.singular)
                choices.append(Choice(f"{name} ({short})" if short else name, name, names))
            page.fill(choices)

        self._start(fill(), page)

    def _namespaces(self) -> None:
        visit = self._visits.current
        go = lambda name: self._start(self._go(visit.words, visit.scope._replace(namespace=name)))  # noqa: E731 - as above
        page = Choices("namespace", go, free=True)

        async def fill() -> None:
            names = await self._inspection.namespaces()
            page.fill([Choice(EVERYWHERE, ""), *(Choice(name, name) for name in names)])

        self._start(fill(), page)

    # What changes something.

    def _delete(self) -> None:
        if (found := self._target()) is None:
            return
        row, target = found

        async def delete() -> None:
            await self._inspection.delete(target)
            self.say(f"{row.shown} deleted")

        where = f" in {target.namespace}" if target.namespace else ""
        title = f"Delete {row.shown}{where}?"
        self.pages.append(Question(title, lambda _: self._start(delete()), yes_or_no=True))

    def _scale(self) -> None:
        async def ask(row: Row, target: Target) -> None:
            async def scale(text: str) -> None:
                if not text.isdecimal() or len(text) > 9:
                    raise KctlError(f"{text!r} is no number of replicas: nothing was changed")
                await self._inspection.scale(target, int(text))
                self.say(f"{row.shown} scaled to {int(text)}")

            title = f"Replicas of {row.shown} (now {await self._inspection.replicas(target)}):"
            self.pages.append(Question(title, lambda text: self._start(scale(text)), yes_or_no=False))

        self._about(ask)
