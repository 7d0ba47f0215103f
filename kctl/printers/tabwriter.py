"""Text in columns, as Go's tabwriter aligns it: a column is a run of neighbouring lines that have a cell there which
ends in a tab, so the last cell of a line never widens anything.

What was flushed is remembered: later lines are at least as wide. Kubernetes: cli-runtime/pkg/printers/tabwriter.go.
"""

from __future__ import annotations

from collections.abc import Callable

_NARROWEST = 6
_PADDING = 3
_MOST_COLUMNS = 200  # that are aligned: each takes a call inside the one before


class TabWriter:
    """Without `remembers` every run of lines is as wide as it has to be: Go's own tabwriter."""

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        narrowest: int = _NARROWEST,
        padding: int = _PADDING,
        remembers: bool = True,
    ) -> None:
        self._write = write
        self._remembers = remembers
        self._narrowest = narrowest
        self._padding = padding
        self._parts: list[str] = []
        self._remembered: list[int] = []

    def write(self, text: str) -> None:
        self._parts.append(text)

    def flush(self) -> None:
        text = "".join(self._parts)
        self._parts = []
        if text:
            lines = [line.split("\t") for line in text.split("\n")]
            written: list[str] = []
            self._format(lines, 0, len(lines), [], written)
            self._write("\n".join(written))

    def forget_widths(self) -> None:
        self._remembered = []

    def _format(self, lines: list[list[str]], start: int, end: int, widths: list[int], written: list[str]) -> None:
        column = len(widths)
        line = start
        while line < end:
            if column >= len(lines[line]) - 1 or column == _MOST_COLUMNS:
                line += 1
                continue
            _put(lines[start:line], widths, written)
            start = line
            width = self._narrowest
            while line < end and column < len(lines[line]) - 1:
                width = max(width, len(lines[line][column]) + self._padding)
                line += 1
            self._format(lines, start, line, [*widths, self._widened(column, width)], written)
            start = line
        _put(lines[start:end], widths, written)

    def _widened(self, column: int, width: int) -> int:
        if not self._remembers:
            return width
        if column >= len(self._remembered):
            self._remembered.append(width)
        self._remembered[column] = max(self._remembered[column], width)
        return self._remembered[column]


def _put(lines: list[list[str]], widths: list[int], written: list[str]) -> None:
    for cells in lines:
        padded = (cell.ljust(width) for cell, width in zip(cells[:-1], widths, strict=False))
        rest = (f"{cell}   " for cell in cells[len(widths) : -1])  # none, if there are no more columns than anybody has
        written.append("".join((*padded, *rest, cells[-1])))
