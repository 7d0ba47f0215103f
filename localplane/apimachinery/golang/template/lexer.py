"""A template's text in tokens. Go: text/template/parse/lex.go."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import NamedTuple

_ACTION = re.compile(r"\{\{(-\s)?")
_COMMENT = re.compile(r"/\*.*?\*/(\s-)?\}\}", re.DOTALL)
_CLOSE = re.compile(r"(\s-)?\}\}")
_SPACE = re.compile(r"[ \t\r\n]+")
_TOKENS = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<raw>`[^`]*`)
    |(?P<char>'(?:[^'\\\n]|\\.)+')
    |(?P<number>[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))
    |(?P<field>\.[^\W\d]\w*)
    |(?P<dot>\.)
    |(?P<variable>\$\w*)
    |(?P<declare>:=)
    |(?P<assign>=)
    |(?P<word>[^\W\d]\w*)
    |(?P<punctuation>[|(),])""",
    re.VERBOSE,
)
KEYWORDS = frozenset(("if", "else", "end", "range", "with", "define", "template", "block", "break", "continue"))


class TemplateSyntaxError(ValueError):
    pass


class Token(NamedTuple):
    """`kind` is text, open, close, space, or one of the named groups above."""

    kind: str
    text: str
    at: int


class Lexer:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name

    def error(self, at: int, message: str) -> TemplateSyntaxError:
        line = 1 + self._text.count("\n", 0, at)
        return TemplateSyntaxError(f"template: {self._name}:{line}: {message}")

    def tokens(self) -> Iterator[Token]:
        at, trim = 0, False
        while at <= len(self._text):
            action = _ACTION.search(self._text, at)
            end = len(self._text) if action is None else action.start()
            text = self._text[at:end]
            text = text.lstrip() if trim else text
            text = text.rstrip() if action is not None and action[1] else text
            if text:
                yield Token("text", text, at)
            if action is None:
                return
            inside = action.end()
            if comment := _COMMENT.match(self._text, inside):
                at, trim = comment.end(), bool(comment[1])
                continue
            if self._text.startswith("/*", inside):
                raise self.error(inside, "unclosed comment")
            yield Token("open", "{{", action.start())
            at, trim = yield from self._inside(inside, action.start())

    def _inside(self, at: int, opened: int) -> Generator[Token, None, tuple[int, bool]]:
        """To the end of an action; where that is, and whether it trims what follows."""
        while True:
            if close := _CLOSE.match(self._text, at):
                yield Token("close", "}}", at)
                return close.end(), bool(close[1])
            if space := _SPACE.match(self._text, at):
                yield Token("space", " ", at)
                at = space.end()
                continue
            if at >= len(self._text):
                raise self.error(opened, "unclosed action")
            found = _TOKENS.match(self._text, at)
            if found is None:
                raise self.error(at, self._complaint(at))
            yield Token(str(found.lastgroup), found.group(), at)
            at = found.end()

    def _complaint(self, at: int) -> str:
        character = self._text[at]
        if character == '"':
            return "unterminated quoted string"
        if character == "`":
            return "unterminated raw quoted string"
        if character == "'":
            return "unterminated character constant"
        return (
            f"unexpected {_go_character(character)} in action"
            if character in "{}"
            else (f"unrecognized character in action: U+{ord(character):04X} '{character}'")
        )


def _go_character(character: str) -> str:
    return f'"{character}"'
