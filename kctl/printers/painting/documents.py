"""YAML and JSON, as our own printers write them: a key, a colon, a value; one pass over each line.

What they can't make out stays as it is: a wrong guess is a wrong colour, never a wrong text.
"""

from __future__ import annotations

import re

from kctl.printers.painting.themes import PLAIN, Theme

_ENTRY = re.compile(
    r"""(?P<indent> *+(?:- ++)*+)"""
    r"""(?P<key>"(?:[^"\\]|\\.)*+"|'[^']*+'|[^\s"'#{}\[\]][^:#]*+(?::\S[^:#]*+)*+)(?P<colon>:)(?= |$)"""
)
_ITEM = re.compile(r" *+(?:- ++)*+(?:-$)?")
_BLOCK = re.compile(r" ?[|>][0-9+-]*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = frozenset(("true", "false", "null", "{}", "[]"))
_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*+(?:"|\\?$))(?P<colon>:?)|(?P<word>\b(?:true|false|null)\b)|(?P<number>(?<![\w."])-?\d[\d.eE+-]*)'
)


_PAIR = re.compile(
    r'( *+)("(?:[^"\\]|\\.)*+"): '
    r'(?:("(?:[^"\\]|\\.)*+")|(-?\d[\d.eE+-]*+)|(true|false|null)|([{\[][}\]]?))(,?)'
)
"""A line of an object with a pair to a line, as most are."""


class YAMLPainter:
    """Lines of documents. It remembers whether it is within a text of several lines."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._block = -1
        """How far a text's lines are indented at most before it is over; -1 outside of one."""
        self._quote = ""

    def paint(self, text: str) -> str:
        return "\n".join([self._line(line) if line else line for line in text.split("\n")])

    def _line(self, line: str) -> str:
        theme = self._theme
        if self._quote:
            self._quote = _open_quote(line, self._quote)
            return theme.paint(line, theme.text)
        indent = len(line) - len(line.lstrip(" "))
        if self._block >= 0:
            if indent > self._block:
                return theme.paint(line, theme.text)
            self._block = -1
        if line in ("---", "...") or line.lstrip().startswith("#"):
            return theme.paint(line, theme.quiet)
        entry = _ENTRY.match(line)
        if entry is None:
            start = _ITEM.match(line)
            prefix = start.group() if start else ""
            return prefix + self._value(line[len(prefix) :], max(0, prefix.rfind("-")))
        prefix, key, value = entry["indent"], entry["key"], line[entry.end() :]
        return f"{prefix}{theme.key}{key}{PLAIN}:" + self._value(value, len(prefix))

    def _value(self, value: str, column: int) -> str:
        """With the space before it. `column` is where the entry begins: a text of several lines is right of it."""
        theme = self._theme
        stripped = value.lstrip(" ")
        space = value[: len(value) - len(stripped)]
        if not stripped:
            return value
        if _BLOCK.fullmatch(stripped):
            self._block = column
            return space + theme.paint(stripped, theme.quiet)
        if stripped in _WORDS:
            return space + theme.paint(stripped, theme.word)
        if _NUMBER.fullmatch(stripped):
            return space + theme.paint(stripped, theme.number)
        if stripped[0] in "\"'":
            self._quote = _open_quote(stripped[1:], stripped[0])
        elif stripped[0] in "{[":
            return value
        return space + theme.paint(stripped, theme.text)


def _open_quote(text: str, quote: str) -> str:
    """The quote that is still open behind a text that begins within it."""
    if quote == "'":
        return "" if text.count("'") % 2 else quote
    position = 0
    while position < len(text):
        if text[position] == "\\":
            position += 2
            continue
        if text[position] == '"':
            return ""
        position += 1
    return quote


class JSONPainter:
    """JSON in any form, and KYAML, whose keys have no quotes: line by line, because no string goes over several."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def paint(self, text: str) -> str:
        return "\n".join([self._line(line) for line in text.split("\n")])

    def _line(self, line: str) -> str:
        pair = _PAIR.fullmatch(line)
        if pair is None:
            return _TOKEN.sub(self._token, line)
        theme = self._theme
        indent, key, string, number, word, opening, comma = pair.groups()
        if opening:
            return f"{indent}{theme.key}{key}{PLAIN}: {opening}{comma}"
        colour = theme.text if string else theme.number if number else theme.word
        return f"{indent}{theme.key}{key}{PLAIN}: {colour}{string or number or word}{PLAIN}{comma}"

    def _token(self, match: re.Match[str]) -> str:
        theme = self._theme
        kind = match.lastgroup
        if kind == "word":
            return theme.paint(match.group(), theme.word)
        if kind == "number":
            return theme.paint(match.group(), theme.number)
        colour = theme.key if match["colon"] else theme.text
        return f"{colour}{match['string']}{PLAIN}{match['colon']}"
