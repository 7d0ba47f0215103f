"""The rows of a board as somebody wants to see them: filtered, sorted, with a cursor that stays with its object."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kctl.views.watch.board import Board, Entry, Section, is_age
from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.objects import JSONObject

_COUNT = re.compile(r"(\d+)/(\d+)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_YOUNGEST = "9999"
_LATER_FIRST = str.maketrans("0123456789", "9876543210")


class Row(NamedTuple):
    section: Section
    entry: Entry

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.section.source.resource, *self.entry.order)

    @property
    def shown(self) -> str:
        """`pod/web-0`."""
        return f"{self.section.source.kind}/{self.entry.order[1]}"

    @property
    def metadata(self) -> JSONObject:
        metadata: JSONObject = self.entry.row["metadata"]
        return metadata


class Listing:
    """`cursor` is None until somebody moves: until then it is a view like any other."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self.filter = ""
        self.column = ""
        """The header of the column by which it is sorted; without one, by namespace and name."""
        self.reverse = False
        self.offset = 0
        self._cursor: tuple[str, str, str] | None = None
        self._place = 0
        self._rows: list[Row] = []
        self._made_of: object = None

    def show(self, board: Board) -> None:
        """Another board, with the same wishes."""
        self._board, self._made_of = board, None

    @property
    def is_touched(self) -> bool:
        """Whether it is any different from what it was in the beginning."""
        return self._cursor is not None or bool(self.filter or self.column or self.reverse)

    @property
    def rows(self) -> Sequence[Row]:
        made_of = self._board.version, self.filter, self.column, self.reverse
        if made_of != self._made_of:
            self._made_of = made_of
            self._rows = [Row(section, entry) for section in self._board.sections() for entry in self._chosen(section)]
            self._find_cursor()
        return self._rows

    @property
    def cursor(self) -> int | None:
        """Where it is among the rows."""
        return self._place if self._cursor is not None and self.rows else None

    @property
    def current(self) -> Row | None:
        """The row under the cursor; the first, if nobody has moved it yet."""
        rows = self.rows
        if not rows:
            return None
        self.go(0 if self._cursor is None else self._place)
        return rows[self._place]

    def move(self, by: int) -> None:
        self.go(0 if self._cursor is None else self._place + by)

    def go(self, place: int) -> None:
        rows = self.rows
        if rows:
            self._place = max(0, min(place, len(rows) - 1))
            self._cursor = rows[self._place].key

    def select(self, key: tuple[str, str, str]) -> None:
        """That object, now or when it comes."""
        self._cursor = key
        self._made_of = None

    def leave(self) -> None:
        self._cursor, self.offset = None, 0

    def sort_by_next(self, step: int, headers: Sequence[str]) -> None:
        """The column beside the present one; beyond the last there is none."""
        choices = ["", *headers]
        present = choices.index(self.column) if self.column in choices else 0
        self.column = choices[(present + step) % len(choices)]

    def _find_cursor(self) -> None:
        if self._cursor is None or not self._rows:
            return
        if self._place < len(self._rows) and self._rows[self._place].key == self._cursor:
            return
        places = (place for place, row in enumerate(self._rows) if row.key == self._cursor)
        place = next(places, None)
        if place is None:  # it is gone, or not there yet: whoever stands there now is not it
            self._place = max(0, min(self._place, len(self._rows) - 1))
        else:
            self._place = place

    def _chosen(self, section: Section) -> Sequence[Entry]:
        entries: Sequence[Entry] = section.entries
        if self.filter:
            wanted = self.filter.lower().split()
            entries = [entry for entry in entries if _matches(entry, section, wanted)]
        if self.column:
            place = _place(section, self.column)
            if place is not None:
                return sorted(entries, key=lambda entry: _sort_key(entry, section, place), reverse=self.reverse)
        return entries[::-1] if self.reverse else entries


def _matches(entry: Entry, section: Section, wanted: Sequence[str]) -> bool:
    """Every word is somewhere in the row; none that has a `!` before it is."""
    if not entry.text:
        cells = (cell if isinstance(cell, str) else go_plain(cell) for cell in entry.row["cells"] if cell is not None)
        labels = entry.row["metadata"].get("labels") or {}
        pairs = (f"{key}={value}" for key, value in labels.items())
        entry.text = " ".join((section.source.kind + "/" + entry.order[1], entry.order[0], *cells, *pairs)).lower()
    return all(
        word[1:] not in entry.text if word.startswith("!") and len(word) > 1 else word in entry.text for word in wanted
    )


def _place(section: Section, header: str) -> int | None:
    """-1 is the namespace, which is no cell."""
    if header == "NAMESPACE":
        return -1
    names = (i for i, column in enumerate(section.columns) if str(column.get("name", "")).upper() == header)
    return next(names, None)


def _sort_key(entry: Entry, section: Section, place: int) -> tuple[float, str, tuple[str, str]]:
    """Numbers before words; `1/2` is a half; `5 (3m ago)` is five; the youngest first."""
    if place < 0:
        return 0.0, entry.order[0], entry.order
    if is_age(section.columns[place]):
        created = str(entry.row["metadata"].get("creationTimestamp") or _YOUNGEST)
        return 0.0, created.translate(_LATER_FIRST), entry.order
    cells = entry.row["cells"]
    cell = cells[place] if place < len(cells) else ""
    if isinstance(cell, (int, float)):
        return float(cell), "", entry.order
    text = str(cell)
    if counted := _COUNT.fullmatch(text):
        return int(counted[1]) / (int(counted[2]) or 1), "", entry.order
    if number := _NUMBER.match(text):
        return float(number.group()), text, entry.order
    return float("inf"), text.lower(), entry.order
