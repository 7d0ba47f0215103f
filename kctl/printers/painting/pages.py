"""Pages for people: descriptions, explanations, and what differs."""

from __future__ import annotations

import re

from kctl.printers.painting.tables import States
from kctl.printers.painting.themes import PLAIN, Theme

_FIELD = re.compile(r"(?P<indent> *)(?P<name>[A-Za-z/(][\w /().-]*+:)(?P<gap> +|$)")
_CONDITION = re.compile(
    r"(?P<name>  (?:Ready|Available|Progressing|Initialized|ContainersReady|PodScheduled|PodReadyToStartContainers|"
    r"Complete|Established|NamesAccepted) +)(?P<status>True|False|Unknown)(?P<rest>.*)"
)
_EVENT = re.compile(r"(?P<indent>  +)(?P<type>Normal|Warning)(?P<rest>  .*)")
_TELLING = frozenset(("Status:", "State:", "Reason:", "Phase:", "Last State:", "Ready:"))
_NONE = ("<none>", "<unset>", "<unknown>", "<nil>")


class DescriptionPainter:
    """`Name:  value`, conditions that are about being ready, and events by their type."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._states = States(theme)

    def paint(self, text: str) -> str:
        return "\n".join([self._line(line) if line else line for line in text.split("\n")])

    def _line(self, line: str) -> str:
        theme = self._theme
        if condition := _CONDITION.fullmatch(line):
            colour = theme.good if condition["status"] == "True" else theme.bad
            return f"{condition['name']}{colour}{condition['status']}{PLAIN}{condition['rest']}"
        if event := _EVENT.fullmatch(line):
            colour = theme.bad if event["type"] == "Warning" else theme.quiet
            return f"{event['indent']}{colour}{event['type']}{PLAIN}{event['rest']}"
        field = _FIELD.match(line)
        if field is None:
            return line
        value = line[field.end() :]
        if value in _NONE:
            value = theme.paint(value, theme.quiet)
        elif field["name"] in _TELLING:
            value = self._states.state(value)
        return f"{field['indent']}{theme.key}{field['name']}{PLAIN}{field['gap']}{value}"


_HEADING = re.compile(r"(?P<name>[A-Z][A-Z ]+:)(?P<value>.*)")
_EXPLAINED = re.compile(r"(?P<name> +[^\s<]+)(?P<gap>\t)(?P<type><[^>]*>)(?P<required> -required-)?")


class ExplanationPainter:
    """Of `explain`: headings, fields and their types, and which are required."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def paint(self, text: str) -> str:
        return "\n".join([self._line(line) if line else line for line in text.split("\n")])

    def _line(self, line: str) -> str:
        theme = self._theme
        if line[0] != " ":
            heading = _HEADING.fullmatch(line)
            return f"{theme.title}{heading['name']}{PLAIN}{heading['value']}" if heading else line
        field = _EXPLAINED.fullmatch(line)
        if field is None:
            enum = line.lstrip().startswith("enum: ")
            return theme.paint(line, theme.word) if enum else line
        required = theme.paint(field["required"] or "", theme.bad)
        return f"{theme.key}{field['name']}{PLAIN}{field['gap']}{theme.paint(field['type'], theme.number)}{required}"


class DifferencePainter:
    """A unified diff, its lines behind a margin, and what stands between several."""

    def __init__(self, theme: Theme, *, margin: int = 0) -> None:
        self._theme = theme
        self._margin = margin

    def paint(self, text: str) -> str:
        return "\n".join([self._line(line) if line else line for line in text.split("\n")])

    def _line(self, line: str) -> str:
        theme = self._theme
        if line.startswith(("diff ", "+++ ", "--- ", "revision ")):
            return theme.paint(line, theme.title)
        colours = {"+": theme.added, "-": theme.removed, "@": theme.place, "\\": theme.quiet}
        return theme.paint(line, colours.get(line[self._margin : self._margin + 1], ""))
