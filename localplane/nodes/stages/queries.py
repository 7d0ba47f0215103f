"""Paths into an object, as Stages write them: `.status.phase`, `.metadata.annotations["a/b"]`, `.items.[]`, and
`.status.conditions.[] | select( .type == "Ready" ) | .status`.

It is a small part of jq, and a query that uses more is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

_STEP: Final = re.compile(
    r"""\.?\[\s*\]                              # every item
    |\.?\[\s*"(?P<quoted>[^"\\]*)"\s*\]         # a key in quotes
    |\.?\[\s*(?P<index>-?[0-9]{1,9})\s*\]       # one item
    |\."(?P<dotted>[^"\\]*)"
    |\.(?P<name>[A-Za-z_][A-Za-z0-9_]*)""",
    re.VERBOSE,
)
_SELECT: Final = re.compile(r"select\((?P<inside>[^()|]*)\)")
_COMPARISON: Final = re.compile(r'(?P<path>[^=!"]*(?:"[^"]*"[^=!"]*)*)(?P<operator>==|!=)(?P<value>[^=!]*)')
_LONGEST: Final = 1024

_Filter = Callable[[Iterable[Any]], list[Any]]


class InvalidQuery(ValueError):
    """What is not understood of a query."""


@dataclass(frozen=True, slots=True)
class StageQuery:
    text: str
    filters: tuple[_Filter, ...]

    def values(self, obj: Any) -> list[Any]:
        """All that it finds; what is not there is not found."""
        found: list[Any] = [obj]
        for each in self.filters:
            found = each(found)
        return [value for value in found if value is not None]


def parse(text: str) -> StageQuery:
    """Raises InvalidQuery."""
    if len(text) > _LONGEST:
        raise InvalidQuery(f"a query of more than {_LONGEST} characters")
    return StageQuery(text, tuple(_filter(part.strip()) for part in text.split("|")))


def _filter(part: str) -> _Filter:
    match = _SELECT.fullmatch(part)
    return _selection(match.group("inside").strip()) if match else _path(part)


def _path(text: str) -> _Filter:
    steps: list[Callable[[Any], list[Any]]] = []
    position = 0
    while position < len(text) and text != ".":
        match = _STEP.match(text, position)
        if match is None:
            raise InvalidQuery(f"{text[position:]!r} in the query {text!r} is not understood")
        steps.append(_step(match))
        position = match.end()
    if not text.startswith((".", "[")):
        raise InvalidQuery(f"the query {text!r} is not understood: a path begins with a dot")

    def walk(values: Iterable[Any]) -> list[Any]:
        found = list(values)
        for step in steps:
            found = [inner for value in found for inner in step(value)]
        return found

    return walk


def _step(match: re.Match[str]) -> Callable[[Any], list[Any]]:
    name = match.group("name") or match.group("quoted") or match.group("dotted")
    if name is not None:
        return lambda value: [value[name]] if isinstance(value, Mapping) and name in value else []
    if (index := match.group("index")) is not None:
        number = int(index)
        return lambda value: value[number:][:1] if isinstance(value, list) and -len(value) <= number else []
    return _items


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return list(value.values()) if isinstance(value, Mapping) else []


def _selection(text: str) -> _Filter:
    match = _COMPARISON.fullmatch(text)
    if match is None:
        raise InvalidQuery(f"select({text}) is not understood: it compares a path with a value")
    path, value = _path(match.group("path").strip()), _literal(match.group("value").strip())
    wants_equal = match.group("operator") == "=="
    return lambda values: [each for each in values if (value in (path([each]) or [None])) == wants_equal]


def _literal(text: str) -> Any:
    constants = {"true": True, "false": False, "null": None}
    if text in constants:
        return constants[text]
    if re.fullmatch(r'"[^"\\]*"', text):
        return text[1:-1]
    if re.fullmatch("-?[0-9]{1,15}", text):
        return int(text)
    raise InvalidQuery(f"{text!r} is no value that is understood")
