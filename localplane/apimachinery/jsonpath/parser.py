"""From a template's text to its nodes, and Kubernetes' words for what can't be read."""

from __future__ import annotations

import re
from typing import NamedTuple

# What a template consists of. A Template's parts are texts and actions; an action is a sequence of steps.


class Text(NamedTuple):
    text: str


class Field(NamedTuple):
    name: str


class Wildcard(NamedTuple):
    pass


class Recursive(NamedTuple):
    pass


class Constant(NamedTuple):
    value: int | float | bool


class Identifier(NamedTuple):
    name: str


class Slice(NamedTuple):
    """None where nothing was said. `single` is an index alone: its end follows from its start."""

    start: int | None
    end: int | None
    step: int | None
    single: bool = False


class Union_(NamedTuple):  # noqa: N801 - the word is taken by typing
    choices: tuple[Action, ...]


class Filter(NamedTuple):
    """`operator` is `exists` when nothing is compared."""

    left: Action
    operator: str
    right: Action


class Action(NamedTuple):
    steps: tuple[Step, ...]


Step = Text | Field | Wildcard | Recursive | Constant | Identifier | Slice | Union_ | Filter


_END = ""
_TERMINATORS = frozenset("., \t\r\n[]$@{}") | {_END}
_KEY = re.compile(r"^'([^']*)'$")
_SLICE = re.compile(r"^(-?\d*)(:-?\d*)?(:-?\d*)?$")
_COMPARISON = re.compile(r"^([^!<>=]+)([!<>=]+)(.+?)$", re.DOTALL)
_SIMPLE_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}


class JSONPathSyntaxError(ValueError):
    pass


class Template(NamedTuple):
    text: str
    parts: tuple[Text | Action, ...]


def parse(text: str) -> Template:
    """Raises JSONPathSyntaxError."""
    return Template(text, tuple(_Parser(text).template()))


def _action(text: str) -> Action:
    parts = parse("{" + text + "}").parts
    return parts[0] if parts and isinstance(parts[0], Action) else Action(())


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def template(self) -> list[Text | Action]:
        parts: list[Text | Action] = []
        while self._at < len(self._text):
            brace = self._text.find("{", self._at)
            end = len(self._text) if brace < 0 else brace
            if end > self._at:
                parts.append(Text(self._text[self._at : end]))
            self._at = end
            if brace >= 0:
                self._at += 1
                parts.append(Action(tuple(self._steps())))
        return parts

    def _next(self) -> str:
        character = self._text[self._at : self._at + 1]
        self._at += len(character)
        return character

    def _steps(self) -> list[Step]:
        steps: list[Step] = []
        while True:
            rest = self._text[self._at : self._at + 3]
            if rest.startswith("}"):
                self._at += 1
                return steps
            if rest == "[?(":
                steps.append(self._filter())
            elif rest.startswith(".."):
                self._recursive(steps)
            else:
                self._step(steps)

    def _step(self, steps: list[Step]) -> None:
        start = self._at
        character = self._next()
        if character in (_END, "\r", "\n"):
            raise JSONPathSyntaxError("unclosed action")
        if character in " @$":
            return
        if character == "[":
            steps += self._array(start)
        elif character in "\"'":
            steps.append(self._quoted(start, character))
        elif character == ".":
            steps.append(self._field())
        elif character in "+-" or character.isdigit():
            self._at = start
            steps.append(self._number())
        elif character == "_" or character.isalnum():
            self._at = start
            steps.append(self._identifier())
        else:
            raise JSONPathSyntaxError(f"unrecognized character in action: U+{ord(character):04X} '{character}'")

    def _identifier(self) -> Step:
        start = self._at
        while self._text[self._at : self._at + 1] not in _TERMINATORS:
            self._at += 1
        word = self._text[start : self._at]
        return Constant(word == "true") if word in ("true", "false") else Identifier(word)

    def _recursive(self, steps: list[Step]) -> None:
        if steps and isinstance(steps[-1], Recursive):
            raise JSONPathSyntaxError("invalid multiple recursive descent")
        self._at += 2
        steps.append(Recursive())
        following = self._text[self._at : self._at + 1]
        if following == "_" or following.isalnum():
            steps.append(self._field())

    def _number(self) -> Constant:
        start = self._at
        if self._text[self._at] in "+-":
            self._at += 1
        while (character := self._text[self._at : self._at + 1]) == "." or character.isdigit():
            self._at += 1
        text = self._text[start : self._at]
        for kind in (int, float):
            try:
                return Constant(kind(text))
            except ValueError:
                continue
        raise JSONPathSyntaxError(f"cannot parse number {text}")

    def _field(self) -> Step:
        start = self._at
        while True:
            character = self._text[self._at : self._at + 1]
            if character == "\\":
                self._at += 2
            elif character in _TERMINATORS:
                break
            else:
                self._at += 1
        name = self._text[start : self._at]
        return Wildcard() if name == "*" else Field(name.replace("\\", ""))

    def _array(self, start: int) -> list[Step]:
        while (character := self._next()) != "]":
            if character in (_END, "\n"):
                raise JSONPathSyntaxError("unterminated array")
        inner = self._text[start + 1 : self._at - 1]
        if inner == "*":
            inner = ":"
        choices = inner.split(",")
        if len(choices) > 1:
            return [Union_(tuple(_action(f"[{choice.strip(' ')}]") for choice in choices))]
        if key := _KEY.match(inner):
            return list(_action(f".{key[1]}").steps)
        return [_slice(inner)]

    def _filter(self) -> Filter:
        self._at += 3
        start = self._at
        quote, closed = "", False
        while True:
            character = self._next()
            if character in (_END, "\n"):
                raise JSONPathSyntaxError("unterminated filter")
            if character in "\"'":
                if not quote:
                    quote = character
                elif character == quote and self._text[self._at - 2] != "\\":
                    closed = True
            elif character == ")" and bool(quote) == closed:
                break
        if self._next() != "]":
            raise JSONPathSyntaxError("unclosed array expect ]")
        text = self._text[start : self._at - 2]
        compared = _COMPARISON.match(text)
        if compared is None:
            return Filter(_action(text), "exists", Action(()))
        return Filter(_action(compared[1]), compared[2], _action(compared[3]))

    def _quoted(self, start: int, quote: str) -> Text:
        while True:
            character = self._next()
            if character in (_END, "\n"):
                raise JSONPathSyntaxError("unterminated quoted string")
            if character == quote and self._text[self._at - 2] != "\\":
                break
        whole = self._text[start : self._at]
        return Text(_unquoted(whole))


def _slice(text: str) -> Slice:
    found = _SLICE.match(text)
    if found is None:
        raise JSONPathSyntaxError(f"invalid array index {text}")
    start, end, step = found.groups(default="")
    known = [_index(part.lstrip(":")) for part in (start, end, step)]
    return Slice(known[0], known[1], known[2], single=not end)


def _index(text: str) -> int | None:
    try:
        return int(text) if text else None
    except ValueError:
        raise JSONPathSyntaxError(f"array index {text} is not a number") from None


def _unquoted(whole: str) -> str:
    """Go's strconv.Unquote, for both kinds of quotes."""
    inner, quote = whole[1:-1], whole[0]
    if "\\" not in inner:
        return inner
    pieces: list[str] = []
    position = 0
    while position < len(inner):
        character = inner[position]
        position += 1
        if character != "\\":
            pieces.append(character)
            continue
        escape = inner[position : position + 1]
        position += 1
        digits = {"x": 2, "u": 4, "U": 8}.get(escape)
        if escape in _SIMPLE_ESCAPES:
            pieces.append(_SIMPLE_ESCAPES[escape])
        elif escape == quote:
            pieces.append(escape)
        elif digits is not None and re.fullmatch("[0-9a-fA-F]+", inner[position : position + digits]):
            pieces.append(chr(int(inner[position : position + digits], 16)))
            position += digits
        elif re.fullmatch("[0-3][0-7]{2}", octal := inner[position - 1 : position + 2]):
            pieces.append(chr(int(octal, 8)))
            position += 2
        else:
            raise JSONPathSyntaxError(f"unquote string {whole} error invalid syntax")
    return "".join(pieces)
