"""From a board to lines of text that fit a terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, NamedTuple

from kctl.printers.painting.tables import Paint, States
from kctl.printers.painting.themes import theme
from kctl.printers.terminal import harmless
from kctl.views.watch.board import CHANGED, GONE, NEW, Board, Entry, Section, is_age, ticks
from kctl.views.watch.cells import clipped, width_of
from kctl.views.watch.tool.listing import Listing, Row
from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.times import age, human_duration

_GAP = 2
_NARROWEST, _NARROWEST_NAME = 10, 22
"""Columns are not cut shorter than this; rather the last one is left out."""
_COLOURS = {NEW: "\x1b[32m", GONE: "\x1b[31m", CHANGED: ""}
_BOLD, _DIM, _LOUD, _REVERSED, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[1;33m", "\x1b[7m", "\x1b[0m"
_AGO = re.compile(r"(?:\d++[smhdy])++")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "y": 31_536_000}


class Look(NamedTuple):
    """`height` 0 is as high as it takes. `namespaces` and labels are columns that the server's table does not have.
    `shift` is how many columns behind the name are passed over."""

    width: int
    height: int = 0
    colour: bool = False
    wide: bool = False
    namespaces: bool = False
    headers: bool = True
    show_labels: bool = False
    column_labels: tuple[str, ...] = ()
    shift: int = 0


class _Line(NamedTuple):
    cells: list[str]
    mark: str = ""
    loud: frozenset[int] = frozenset()
    selected: bool = False


class Drawn(NamedTuple):
    """`dropped` are the headers of columns for which there is no room."""

    lines: list[str]
    dropped: tuple[str, ...] = ()


def draw(board: Board, look: Look, *, title: str, at: datetime) -> list[str]:
    """The screen, line by line, none wider than it: all of it, or if it does not fit, what changed last."""
    lines = _top(board, look, title)
    sections = list(board.sections())
    shown = _chosen(sections, look, used=len(lines))
    dropped: tuple[str, ...] = ()
    for number, section in enumerate(sections):
        if number:
            lines.append("")
        drawn = _section(section, [entry for entry in section.entries if id(entry) in shown], look, at)
        lines += drawn.lines
        dropped += drawn.dropped
    hidden = sum(len(section.entries) for section in sections) - len(shown)
    if not sections:
        lines.append("Nothing is there yet.")
    foot = [f"... and {hidden} more that don't fit"] if hidden else []
    if dropped:
        foot.append(not_shown(dropped))
        lines = lines[: look.height - len(foot)] if look.height else lines
    lines += [painted(clipped(line, look.width), _DIM, look) for line in foot]
    return lines[: look.height] if look.height else lines


def draw_listing(board: Board, listing: Listing, look: Look, *, title: str, at: datetime) -> Drawn:
    """As many rows as fit, from the listing's offset on, which moves so that its cursor can be seen."""
    lines = _top(board, look, title)
    rows = listing.rows
    end = _scroll(listing, rows, look.height - len(lines), with_headers=look.headers)
    dropped: tuple[str, ...] = ()
    window = rows[listing.offset : end]
    cursor = rows[listing.cursor].entry if listing.cursor is not None else None
    for number, (_, together) in enumerate(groupby(window, key=lambda row: row.section.source.resource)):
        group = list(together)
        if number:
            lines.append("")
        drawn = _section(group[0].section, [row.entry for row in group], look, at, listing=listing, cursor=cursor)
        lines += drawn.lines
        dropped += drawn.dropped
    if not rows:
        lines.append("Nothing matches." if listing.filter else "Nothing is there yet.")
    return Drawn(lines[: look.height], tuple(dict.fromkeys(dropped)))


def not_shown(dropped: Iterable[str]) -> str:
    return f"not shown: {', '.join(dict.fromkeys(dropped))}"


def headers(section: Section, look: Look) -> list[str]:
    """All that its rows have."""
    columns = _columns(section, look)
    cells = ["NAMESPACE"] if look.namespaces and section.source.mapping.namespaced else []
    cells += [_shown(section.columns[i].get("name", "")).upper() for i in columns]
    cells += [label.rpartition("/")[2].upper() for label in look.column_labels]
    return [*cells, *(["LABELS"] if look.show_labels else [])]


def painted(text: str, colour: str, look: Look) -> str:
    return f"{colour}{text}{_PLAIN}" if look.colour and colour and text else text


def _top(board: Board, look: Look, title: str) -> list[str]:
    lines = [painted(clipped(title, look.width), _DIM, look)] if title else []
    if board.problem:
        lines.append(painted(clipped(harmless(f"! {board.problem}; trying again"), look.width), _COLOURS[GONE], look))
    return lines


def _scroll(listing: Listing, rows: Sequence[Row], height: int, *, with_headers: bool) -> int:
    """Moves the offset; where the window ends."""
    listing.offset = max(0, min(listing.offset, len(rows) - 1))
    cursor = listing.cursor
    if cursor is not None and cursor < listing.offset:
        listing.offset = cursor
    end = _end(rows, listing.offset, height, with_headers=with_headers)
    while cursor is not None and cursor >= end and listing.offset < cursor:
        listing.offset += max(1, cursor - end + 1)
        end = _end(rows, listing.offset, height, with_headers=with_headers)
    while listing.offset and end == len(rows):  # no room is left below what comes last
        fuller = _end(rows, listing.offset - 1, height, with_headers=with_headers)
        if fuller < len(rows):
            break
        listing.offset -= 1
    return end


def _end(rows: Sequence[Row], start: int, height: int, *, with_headers: bool) -> int:
    used, resource, place = 0, "", start
    while place < len(rows):
        source = rows[place].section.source.resource
        cost = 1
        if source != resource:
            cost += int(with_headers) + bool(resource)
        if used + cost > height and place > start:
            break
        used, resource, place = used + cost, source, place + 1
    return place


def _chosen(sections: list[Section], look: Look, *, used: int) -> set[int]:
    """Which entries are shown, by id: if they don't all fit, what changed last goes first."""
    entries = [entry for section in sections for entry in section.entries]
    room = look.height - used - len(sections) * (2 if look.headers else 1) + 1
    if not look.height or len(entries) <= room:
        return {id(entry) for entry in entries}
    ranked = sorted(entries, key=lambda entry: -entry.since if entry.mark else 0.0)
    return {id(entry) for entry in ranked[: max(room - 1, 0)]}


def _columns(section: Section, look: Look) -> list[int]:
    return [i for i, column in enumerate(section.columns) if look.wide or not column.get("priority")]


def _section(
    section: Section,
    entries: Sequence[Entry],
    look: Look,
    at: datetime,
    *,
    listing: Listing | None = None,
    cursor: Entry | None = None,
) -> Drawn:
    names = headers(section, look)
    lines = [_row(entry, section, look, at, selected=entry is cursor) for entry in entries]
    columns = _columns(section, look)
    place = next((i for i, column in enumerate(columns) if section.columns[column].get("format") == "name"), 0)
    name = place + (1 if look.namespaces and section.source.mapping.namespaced else 0)
    titles = [_titled(one, listing) for one in names]
    if look.shift:
        titles, lines, passed = _shifted(titles, lines, after=name, shift=look.shift)
        names = names[: name + 1] + names[name + 1 + passed :]
    everything = [_Line(titles), *lines] if look.headers else lines
    least = _NARROWEST if look.shift else _NARROWEST_NAME  # who looks at other columns can do with less of the name
    widths = _widths(everything, look.width - _GAP, name=name, least_of_name=least)
    states = States(theme(os.environ)) if look.colour else None
    paints = [states.by_column(one) for one in names] if states else []
    drawn = [_text(line, widths, look, paints, is_header=look.headers and not i) for i, line in enumerate(everything)]
    return Drawn(drawn, tuple(names[len(widths) :]))


def _titled(name: str, listing: Listing | None) -> str:
    """With a sign, if it is what the rows are sorted by."""
    return f"{name}{'▼' if listing.reverse else '▲'}" if listing is not None and listing.column == name else name


def _shifted(titles: list[str], lines: list[_Line], *, after: int, shift: int) -> tuple[list[str], list[_Line], int]:
    """Without the first columns behind the name; the last one stays."""
    shift = max(0, min(shift, len(titles) - after - 2))
    kept = [
        line._replace(
            cells=line.cells[: after + 1] + line.cells[after + 1 + shift :],
            loud=frozenset(i if i <= after else i - shift for i in line.loud if i <= after or i > after + shift),
        )
        for line in lines
    ]
    return titles[: after + 1] + titles[after + 1 + shift :], kept, shift


def _row(entry: Entry, section: Section, look: Look, at: datetime, *, selected: bool) -> _Line:
    metadata, given = entry.row["metadata"], entry.row["cells"]
    columns = _columns(section, look)
    cells = [_shown(metadata.get("namespace", ""))] if look.namespaces and section.source.mapping.namespaced else []
    before = len(cells)
    for i in columns:
        definition, cell = section.columns[i], given[i] if i < len(given) else ""
        if is_age(definition) and metadata.get("creationTimestamp"):
            cell = age(metadata["creationTimestamp"], at=at)
        elif ticks(definition):
            cell = _later(cell, entry.row.get("received"), at)
        elif definition.get("format") == "name":
            cell = f"{section.source.kind}/{cell}"
        cells.append(_shown(cell))
    labels = metadata.get("labels") or {}
    cells += [_shown(labels.get(label, "")) for label in look.column_labels]
    if look.show_labels:
        cells.append(_shown(",".join(f"{key}={labels[key]}" for key in sorted(labels)) or "<none>"))
    loud = frozenset(before + place for place, i in enumerate(columns) if i in entry.changed)
    return _Line(cells, entry.mark, loud, selected)


def _later(cell: Any, received: Any, at: datetime) -> Any:
    """`5s` was said when the row came; what it is now. `3m (x5 over 10m)` keeps its rest."""
    ago = _AGO.match(cell) if isinstance(cell, str) else None
    if ago is None or not isinstance(received, datetime) or at - received < timedelta(seconds=1):
        return cell
    told = re.findall(r"\d++|[smhdy]", ago.group())
    seconds = sum(int(number) * _UNITS[unit] for number, unit in zip(told[::2], told[1::2], strict=True))
    return human_duration(timedelta(seconds=seconds) + (at - received)) + cell[ago.end() :]


def _shown(cell: Any) -> str:
    """One line of it, none of which the terminal obeys."""
    text = cell if isinstance(cell, str) else "" if cell is None else go_plain(cell)
    first, *rest = re.split("[\f\n\r\t]", text)
    return harmless(first) + ("..." if rest else "")


def _widths(lines: Sequence[_Line], width: int, *, name: int, least_of_name: int) -> list[int]:
    """Of the columns that fit: long ones are cut first, then the last ones are left out."""
    count = max((len(line.cells) for line in lines), default=0)
    wanted = [max((width_of(line.cells[i]) for line in lines if i < len(line.cells)), default=0) for i in range(count)]
    least = [min(one, least_of_name if i == name else _NARROWEST) for i, one in enumerate(wanted)]
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


def _text(line: _Line, widths: Sequence[int], look: Look, paints: Sequence[Paint], *, is_header: bool) -> str:
    base = _BOLD if is_header else _COLOURS.get(line.mark, "")
    if line.selected:
        return _selected(line, widths, look)
    parts = []
    for i, (cell, width) in enumerate(zip(line.cells, widths, strict=False)):
        shown = clipped(cell, width)
        padding = "" if i == len(widths) - 1 else " " * (width - width_of(shown) + _GAP)
        if i in line.loud or base or not look.colour or shown != cell:
            shown = painted(shown, _LOUD if i in line.loud else base, look)
        else:
            shown = paints[i](shown) if i < len(paints) else shown
        parts.append(shown + padding)
    return f"{painted(line.mark or ' ', base or _LOUD if line.mark else '', look)} {''.join(parts)}".rstrip()


def _selected(line: _Line, widths: Sequence[int], look: Look) -> str:
    """From one side to the other; without colour, by a sign before it."""
    shown = [clipped(cell, width) for cell, width in zip(line.cells, widths, strict=False)]
    gaps = [" " * (width - width_of(cell) + _GAP) for cell, width in zip(shown, widths, strict=False)]
    text = "".join(cell + gap for cell, gap in zip(shown, gaps, strict=True)).rstrip()
    if not look.colour:
        return f"{line.mark or ' '}>{text}"
    text = f"{line.mark or ' '} {text}"
    return f"{_REVERSED}{text}{' ' * (look.width - width_of(text))}{_PLAIN}"
