"""From a board to lines of text that fit a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from kctl.printers.terminal import harmless
from kctl.views.watch.board import CHANGED, GONE, NEW, Board, Entry, Section, is_age
from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.times import age

_GAP = 2
_NARROWEST, _NARROWEST_NAME = 10, 22
"""Columns are not cut shorter than this; rather the last one is left out."""
_COLOURS = {NEW: "\x1b[32m", GONE: "\x1b[31m", CHANGED: ""}
_BOLD, _DIM, _LOUD, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[1;33m", "\x1b[0m"


class Look(NamedTuple):
    """`height` 0 is as high as it takes. `namespaces` and labels are columns that the server's table does not have."""

    width: int
    height: int = 0
    colour: bool = False
    wide: bool = False
    namespaces: bool = False
    headers: bool = True
    show_labels: bool = False
    column_labels: tuple[str, ...] = ()


class _Line(NamedTuple):
    cells: list[str]
    mark: str = ""
    loud: frozenset[int] = frozenset()


def draw(board: Board, look: Look, *, title: str, at: datetime) -> list[str]:
    """The screen, line by line, none wider than it."""
    lines = [_painted(_clipped(title, look.width), _DIM, look)] if title else []
    if board.problem:
        lines.append(_painted(_clipped(harmless(f"! {board.problem}; trying again"), look.width), _COLOURS[GONE], look))
    sections = list(board.sections())
    shown = _chosen(sections, look, used=len(lines))
    for number, section in enumerate(sections):
        if number:
            lines.append("")
        lines += _section(section, shown, look, at)
    hidden = sum(len(section.entries) for section in sections) - len(shown)
    if not sections:
        lines.append("Nothing is there yet.")
    if hidden:
        lines.append(_painted(_clipped(f"... and {hidden} more that don't fit", look.width), _DIM, look))
    return lines[: look.height] if look.height else lines


def _chosen(sections: list[Section], look: Look, *, used: int) -> set[int]:
    """Which entries are shown, by id: if they don't all fit, what changed last goes first."""
    entries = [entry for section in sections for entry in section.entries]
    room = look.height - used - len(sections) * (2 if look.headers else 1) + 1
    if not look.height or len(entries) <= room:
        return {id(entry) for entry in entries}
    ranked = sorted(entries, key=lambda entry: -entry.since if entry.mark else 0.0)
    return {id(entry) for entry in ranked[: max(room - 1, 0)]}


def _section(section: Section, shown: set[int], look: Look, at: datetime) -> list[str]:
    columns = [i for i, column in enumerate(section.columns) if look.wide or not column.get("priority")]
    lines = [_headers(section, columns, look)] if look.headers else []
    lines += [_row(entry, section, columns, look, at) for entry in section.entries if id(entry) in shown]
    names = [place for place, i in enumerate(columns) if section.columns[i].get("format") == "name"]
    extra = 1 if look.namespaces and section.source.mapping.namespaced else 0
    widths = _widths(lines, look.width - _GAP, name=extra + (names or [0])[0])
    return [_text(line, widths, look, is_header=look.headers and not number) for number, line in enumerate(lines)]


def _headers(section: Section, columns: Sequence[int], look: Look) -> _Line:
    cells = ["NAMESPACE"] if look.namespaces and section.source.mapping.namespaced else []
    cells += [_shown(section.columns[i].get("name", "")).upper() for i in columns]
    cells += [label.rpartition("/")[2].upper() for label in look.column_labels]
    return _Line([*cells, *(["LABELS"] if look.show_labels else [])])


def _row(entry: Entry, section: Section, columns: Sequence[int], look: Look, at: datetime) -> _Line:
    metadata, given = entry.row["metadata"], entry.row["cells"]
    cells = [_shown(metadata.get("namespace", ""))] if look.namespaces and section.source.mapping.namespaced else []
    before = len(cells)
    for i in columns:
        definition, cell = section.columns[i], given[i] if i < len(given) else ""
        if is_age(definition) and metadata.get("creationTimestamp"):
            cell = age(metadata["creationTimestamp"], at=at)
        elif definition.get("format") == "name":
            cell = f"{section.source.kind}/{cell}"
        cells.append(_shown(cell))
    labels = metadata.get("labels") or {}
    cells += [_shown(labels.get(label, "")) for label in look.column_labels]
    if look.show_labels:
        cells.append(_shown(",".join(f"{key}={labels[key]}" for key in sorted(labels)) or "<none>"))
    return _Line(cells, entry.mark, frozenset(before + place for place, i in enumerate(columns) if i in entry.changed))


def _shown(cell: Any) -> str:
    """One line of it, none of which the terminal obeys."""
    text = cell if isinstance(cell, str) else "" if cell is None else go_plain(cell)
    first, *rest = re.split("[\f\n\r\t]", text)
    return harmless(first) + ("..." if rest else "")


def _widths(lines: Sequence[_Line], width: int, *, name: int) -> list[int]:
    """Of the columns that fit: long ones are cut first, then the last ones are left out."""
    count = max((len(line.cells) for line in lines), default=0)
    wanted = [max((_cells(line.cells[i]) for line in lines if i < len(line.cells)), default=0) for i in range(count)]
    least = [min(one, _NARROWEST_NAME if i == name else _NARROWEST) for i, one in enumerate(wanted)]
    while len(least) > 1 and _together(least) > width:
        least.pop()
    widths = wanted[: len(least)]
    while (excess := _together(widths) - width) > 0:
        spare = [one - low for one, low in zip(widths, least, strict=True)]
        most = max(range(len(widths)), key=spare.__getitem__)
        if spare[most] <= 0:
            return [max(width, 1)]
        widths[most] -= min(excess, max(1, spare[most] // 2))
    return widths


def _together(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _text(line: _Line, widths: Sequence[int], look: Look, *, is_header: bool) -> str:
    base = _BOLD if is_header else _COLOURS.get(line.mark, "")
    parts = []
    for i, (cell, width) in enumerate(zip(line.cells, widths, strict=False)):
        clipped = _clipped(cell, width)
        padding = "" if i == len(widths) - 1 else " " * (width - _cells(clipped) + _GAP)
        parts.append(_painted(clipped, _LOUD if i in line.loud else base, look) + padding)
    return f"{_painted(line.mark or ' ', base or _LOUD if line.mark else '', look)} {''.join(parts)}".rstrip()


def _painted(text: str, colour: str, look: Look) -> str:
    return f"{colour}{text}{_PLAIN}" if look.colour and colour and text else text


def _clipped(text: str, width: int) -> str:
    if _cells(text) <= width:
        return text
    kept, used = [], 1  # the sign that something is missing
    for character in text:
        used += _cells(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _cells(text: str) -> int:
    """How many columns of a terminal it takes."""
    if text.isascii():
        return len(text)
    return sum(_character_cells(character) for character in text)


def _character_cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("F", "W") else 1
