"""Cells of a table, by the column they stand in.

Which columns a table has is read off its headers as they pass, or told to the painter where none are printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kctl.printers.painting.themes import Theme

Paint = Callable[[str], str]

_HEADER = re.compile(r"[A-Z][A-Z0-9 ()%/_.-]*")
_GOOD = frozenset(
    (
        *("Running", "Ready", "Active", "Bound", "Completed", "Complete", "Succeeded", "Available", "Established"),
        *("Healthy", "Current", "Approved", "Issued", "Synced", "True", "Deployed"),
    )
)
_BUSY = frozenset(
    (
        *("Pending", "ContainerCreating", "PodInitializing", "Terminating", "Waiting", "Progressing", "Released"),
        *("Unknown", "SchedulingDisabled", "SchedulingGated", "Suspended", "FailureTarget", "NotTriggerable"),
    )
)
_BAD = re.compile(
    r"Err|Fail|BackOff|Crash|OOM|Evicted|Invalid|NotReady|Lost|Unhealthy|Warning|False|Deadline|Unschedulable|Killed|"
    r"Denied|Refused|ImageNeverPull|NodeAffinity|Misscheduled|Degraded"
)
_COUNT = re.compile(r"(\d+)/(\d+)")
_YOUNG = re.compile(r"(?:1m)?\d{1,3}s")
_STEPS_BACK = frozenset(("<none>", "<unset>", "<unknown>", "<invalid>", "-", "None"))


class States:
    """What a word says about how something is."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def state(self, text: str) -> str:
        """`Running`, `Init:0/1`, `Ready,SchedulingDisabled`: the worst of them counts."""
        return self._theme.paint(text, self.colour(text))

    def colour(self, text: str) -> str:
        theme = self._theme
        if text in _GOOD:
            return theme.good
        if text in _STEPS_BACK:
            return theme.quiet
        if _BAD.search(text):
            return theme.bad
        words = text.split(",")
        if any(word in _BUSY or word.startswith("Init:") for word in words):
            return theme.busy
        return theme.good if words[0] in _GOOD else ""

    def count(self, text: str) -> str:
        """`1/2`. Nothing of nothing is neither good nor bad; a word may stand here as well."""
        counted = _COUNT.fullmatch(text)
        if counted is None:
            return self.state(text)
        ready, wanted = int(counted[1]), int(counted[2])
        if not wanted:
            return self._theme.paint(text, self._theme.quiet)
        if ready >= wanted:
            return self._theme.paint(text, self._theme.good)
        return self._theme.paint(text, self._theme.busy if ready else self._theme.bad)

    def restarts(self, text: str) -> str:
        """`0`, `5 (3m ago)`."""
        return text if text.startswith("0") or not text else self._theme.paint(text, self._theme.busy)

    def age(self, text: str) -> str:
        return self._theme.paint(text, self._theme.fresh) if _YOUNG.fullmatch(text) else text

    def kind_of_event(self, text: str) -> str:
        if text == "Normal":
            return self._theme.paint(text, self._theme.quiet)
        return self._theme.paint(text, self._theme.bad) if text == "Warning" else text

    def change(self, text: str) -> str:
        """Of a watch."""
        colours = {"ADDED": self._theme.good, "MODIFIED": self._theme.busy, "DELETED": self._theme.bad}
        return self._theme.paint(text, colours.get(text, ""))

    def other(self, text: str) -> str:
        return self._theme.paint(text, self._theme.quiet) if text in _STEPS_BACK else text

    def by_column(self, name: str) -> Paint:
        match name:
            case "STATUS" | "PHASE" | "STATE" | "CONDITION" | "HEALTH":
                return self.state
            case "READY" | "COMPLETIONS" | "AVAILABLE" | "ESTABLISHED" | "SYNCED":
                return self.count
            case "RESTARTS":
                return self.restarts
            case "AGE" | "LAST SEEN":
                return self.age
            case "TYPE":
                return self.kind_of_event
            case "EVENT":
                return self.change
        return self.other


class TablePainter:
    """`cleaned` makes a cell harmless where it goes, which comes before its colour."""

    def __init__(self, theme: Theme, cleaned: Callable[[str], str]) -> None:
        self._theme = theme
        self._cleaned = cleaned
        self._states = States(theme)
        self._columns: list[Paint] = []

    def name_columns(self, names: Sequence[str]) -> None:
        self._columns = [self._states.by_column(name.strip().upper()) for name in names]

    def paint(self, cells: Sequence[str]) -> list[str]:
        """One line."""
        if _is_header(cells):
            self.name_columns(cells)
            return [_padded(self._title, self._cleaned(cell)) for cell in cells]
        columns = self._columns
        if len(cells) > len(columns):
            columns = [*columns, *[self._states.other] * (len(cells) - len(columns))]
        return [_padded(column, self._cleaned(cell)) for column, cell in zip(columns, cells, strict=False)]

    def _title(self, text: str) -> str:
        return self._theme.paint(text, self._theme.title)


def _padded(paint: Paint, cell: str) -> str:
    """Some cells bring spaces of their own, which have no colour."""
    bare = cell.rstrip(" ")
    return paint(bare) + cell[len(bare) :]


def _is_header(cells: Sequence[str]) -> bool:
    return bool(cells[0]) and all(_HEADER.fullmatch(cell) for cell in cells) and (len(cells) > 1 or cells[0] == "NAME")
