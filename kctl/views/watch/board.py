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
    """One object. `mark` and the `changed` cells count from `since` on, for a moment. `order` is namespace and name."""

    __slots__ = ("changed", "mark", "order", "row", "since", "text")

    def __init__(self, row: JSONObject, mark: str, since: float, changed: frozenset[int] = frozenset()) -> None:
        self.row = row
        self.mark = mark
        self.since = since
        self.changed = changed
        metadata = row["metadata"]
        self.order = str(metadata.get("namespace", "")), str(metadata.get("name", ""))
        self.text = ""
        """All that a filter looks at, once one did."""


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
        self._fresh: dict[tuple[str, tuple[str, str]], Entry] = {}
        self._sorted: dict[str, list[Entry]] = {}
        self.version = 0
        """Another one whenever something is to be seen that was not before."""

    def show(self, source: Source, changes: list[Change], *, initial: bool, now: float) -> None:
        entries = self._entries[source.resource]
        for change in changes:
            entry = _entry(change, now, initial=initial)
            entries[entry.order] = entry
            if entry.mark:
                self._fresh[source.resource, entry.order] = entry
        self._sorted.pop(source.resource, None)
        self.version += 1

    def connected(self, source: Source, problem: str) -> None:
        self._problems[source.resource] = problem

    @property
    def problem(self) -> str:
        """What keeps us from hearing the server, if anything does."""
        return next((problem for problem in self._problems.values() if problem), "")

    def settle(self, now: float) -> bool:
        """Let what is old news look like everything else. Whether anything changed by that."""
        old = [place for place, entry in self._fresh.items() if now - entry.since >= FRESH]
        for resource, key in old:
            entry = self._fresh.pop((resource, key))
            if entry.mark == GONE:
                self._entries[resource].pop(key)
                self._sorted.pop(resource, None)
            else:
                entry.mark, entry.changed = "", frozenset()
        self.version += bool(old)
        return bool(old)

    def __len__(self) -> int:
        return sum(entry.mark != GONE for entries in self._entries.values() for entry in entries.values())

    def sections(self) -> Iterator[Section]:
        """Kinds in the order in which they were named, if there is anything of them; objects by namespace and name."""
        for source in self._sources:
            entries = self._sorted.get(source.resource)
            if entries is None:
                entries = sorted(self._entries[source.resource].values(), key=lambda entry: entry.order)
                self._sorted[source.resource] = entries
            if entries:
                yield Section(source, entries[-1].row["columns"], entries)


def is_age(column: JSONObject) -> bool:
    """Every table that shows an object's age calls it so."""
    return str(column.get("name", "")).lower() == "age"


def ticks(column: JSONObject) -> bool:
    """Whether it tells how long ago something was, which is another time with each second."""
    return str(column.get("name", "")).lower() in ("age", "last seen") or column.get("type") == "date"


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
    ages = {i for i, column in enumerate(row["columns"]) if ticks(column)}
    old = before.get("cells") or []
    cells = enumerate(row["cells"])
    return frozenset(i for i, cell in cells if i not in ages and (i >= len(old) or old[i] != cell))
