"""What the live view shows: rows in order, and what is new about them for a few moments.

It knows nothing of terminals; time is given to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kctl.views.watch.changes import Change
from kctl.views.watch.sources import Source
from localplane.apimachinery.objects import JSONObject

FRESH = 3.0
"""Seconds for which a change stands out, and a deleted object can still be seen."""
NEW, CHANGED, GONE = "+", "~", "-"


class Entry:
    """One object. `mark` and the `changed` cells count from `since` on, for a moment."""

    __slots__ = ("changed", "mark", "row", "since")

    def __init__(self, row: JSONObject, mark: str, since: float, changed: frozenset[int] = frozenset()) -> None:
        self.row = row
        self.mark = mark
        self.since = since
        self.changed = changed

    @property
    def order(self) -> tuple[str, str]:
        metadata = self.row["metadata"]
        return str(metadata.get("namespace", "")), str(metadata.get("name", ""))


class Section(NamedTuple):
    """The objects of one kind."""

    source: Source
    columns: list[JSONObject]
    entries: list[Entry]


class Board:
    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = list({source.resource: source for source in sources}.values())
        self._entries: dict[str, dict[tuple[str, str], Entry]] = {source.resource: {} for source in sources}
        self._problems: dict[str, str] = {}

    def show(self, source: Source, changes: list[Change], *, initial: bool, now: float) -> None:
        entries = self._entries[source.resource]
        for change in changes:
            entry = _entry(change, now, initial=initial)
            entries[entry.order] = entry

    def connected(self, source: Source, problem: str) -> None:
        self._problems[source.resource] = problem

    @property
    def problem(self) -> str:
        """What keeps us from hearing the server, if anything does."""
        return next((problem for problem in self._problems.values() if problem), "")

    def settle(self, now: float) -> bool:
        """Let what is old news look like everything else. Whether anything changed by that."""
        settled = False
        for entries in self._entries.values():
            for key, entry in list(entries.items()):
                if entry.mark and now - entry.since >= FRESH:
                    settled = True
                    if entry.mark == GONE:
                        del entries[key]
                    else:
                        entry.mark, entry.changed = "", frozenset()
        return settled

    def __len__(self) -> int:
        return sum(entry.mark != GONE for entries in self._entries.values() for entry in entries.values())

    def sections(self) -> Iterator[Section]:
        """Kinds in the order in which they were named, if there is anything of them; objects by namespace and name."""
        for source in self._sources:
            entries = sorted(self._entries[source.resource].values(), key=lambda entry: entry.order)
            if entries:
                yield Section(source, entries[-1].row["columns"], entries)


def is_age(column: JSONObject) -> bool:
    """Every table that shows an object's age calls it so."""
    return str(column.get("name", "")).lower() == "age"


def _entry(change: Change, now: float, *, initial: bool) -> Entry:
    match change.type:
        case "ADDED":
            return Entry(change.object, "" if initial else NEW, now)
        case "DELETED":
            return Entry(change.object, GONE, now)
        case _:
            return Entry(change.object, CHANGED, now, _changed(change))


def _changed(change: Change) -> frozenset[int]:
    """An age is always another one."""
    row, before = change.object, change.before or {}
    ages = {i for i, column in enumerate(row["columns"]) if is_age(column)}
    old = before.get("cells") or []
    cells = enumerate(row["cells"])
    return frozenset(i for i, cell in cells if i not in ages and (i >= len(old) or old[i] != cell))
