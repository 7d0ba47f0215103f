"""Reading a shell script, as far as `commands` goes through one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_OPERATORS: Final = ("&&", "||", ">>", "\n", ";", ">", "|", "&", "<", "(", ")")
_ENDS: Final = frozenset({"then", "elif", "else", "fi", "do", "done", "}"})
_DEEPEST: Final = 20
_ASSIGNMENT: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*=")


class NotUnderstood(Exception):
    """Some part of it is not known here."""


@dataclass(frozen=True, slots=True)
class Simple:
    """A command and its words; `output` is the file that it prints to."""

    words: tuple[str, ...]
    output: str | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Script
    then: Script
    otherwise: Script


@dataclass(frozen=True, slots=True)
class Loop:
    condition: Script
    body: Script


@dataclass(frozen=True, slots=True)
class Function:
    """That a name stands for a script from now on."""

    name: str
    body: Script


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """`joint` is what stands before it; `is_judged` that its failure is somebody's question."""

    joint: str
    statement: Statement
    is_judged: bool = False


Statement = Simple | Branch | Loop | Function
Script = tuple[ScriptStep, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    is_operator: bool = False


_PARENTHESES: Final = [_Token("(", is_operator=True), _Token(")", is_operator=True)]


def parse(text: str) -> Script:
    """Raises NotUnderstood."""
    reader = _Reader(list(_tokens(text)))
    script = reader.script()
    if reader.next is not None:
        raise NotUnderstood
    return script


def _tokens(text: str) -> Iterator[_Token]:
    word: list[str] | None = None
    position = 0
    while position < len(text):
        character = text[position]
        operator = next((each for each in _OPERATORS if text.startswith(each, position)), None)
        if operator is not None or character in " \t\r":
            if word is not None:
                yield _Token("".join(word))
                word = None
            if operator is not None:
                yield _Token(operator, is_operator=True)
            position += len(operator or character)
        elif character == "#" and word is None:
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        else:
            piece, position = _piece(text, position)
            word = [] if word is None else word
            word.append(piece)
    if word is not None:
        yield _Token("".join(word))


def _piece(text: str, position: int) -> tuple[str, int]:
    """The next part of a word, and where it ends."""
    character = text[position]
    if character in "'\"":
        end = text.find(character, position + 1)
        if end < 0 or (character == '"' and "\\" in text[position:end]):
            raise NotUnderstood
        return text[position + 1 : end], end + 1
    if character == "\\":
        if position + 1 >= len(text):
            raise NotUnderstood
        following = text[position + 1]
        return ("" if following == "\n" else following), position + 2
    return character, position + 1


class _Reader:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0

    @property
    def next(self) -> _Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def script(self) -> Script:
        """Up to the word that ends it, which is left."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotUnderstood
        steps: list[ScriptStep] = []
        joint = ";"
        while (token := self.next) is not None and not (token.text in _ENDS and not token.is_operator):
            if token.is_operator and token.text in (";", "\n"):
                self._position += 1
                joint = ";" if joint == ";" else joint
                continue
            statement = self._statement()
            following = self.next
            judged = following is not None and following.is_operator and following.text in ("&&", "||")
            steps.append(ScriptStep(joint, statement, is_judged=judged))
            joint = self._joint()
        self._depth -= 1
        return tuple(steps)

    def _joint(self) -> str:
        token = self.next
        if token is None or (token.text in _ENDS and not token.is_operator):
            return ";"
        if not token.is_operator or token.text not in (";", "\n", "&&", "||"):
            raise NotUnderstood
        self._position += 1
        return ";" if token.text in (";", "\n") else token.text

    def _statement(self) -> Statement:
        token = self.next
        match token:
            case _Token("if", False):
                self._position += 1
                return self._branch()
            case _Token("while", False):
                return self._loop()
            case _Token(name, False) if self._tokens[self._position + 1 : self._position + 3] == _PARENTHESES:
                return self._function(name)
            case _:
                return self._simple()

    def _branch(self) -> Branch:
        condition = self.script()
        self._expect("then")
        then = self.script()
        token = self.next
        if token == _Token("elif"):
            self._position += 1
            return Branch(condition, then, (ScriptStep(";", self._branch()),))
        otherwise: Script = ()
        if token == _Token("else"):
            self._position += 1
            otherwise = self.script()
        self._expect("fi")
        return Branch(condition, then, otherwise)

    def _loop(self) -> Loop:
        self._expect("while")
        condition = self.script()
        self._expect("do")
        body = self.script()
        self._expect("done")
        return Loop(condition, body)

    def _function(self, name: str) -> Function:
        self._position += 1 + len(_PARENTHESES)
        while self.next == _Token("\n", is_operator=True):
            self._position += 1
        self._expect("{")
        body = self.script()
        self._expect("}")
        return Function(name, body)

    def _simple(self) -> Simple:
        words: list[str] = []
        output: str | None = None
        while (token := self.next) is not None and (not token.is_operator or token.text in (">", ">>")):
            self._position += 1
            if not token.is_operator:
                words.append(token.text)
                continue
            target = self.next
            if target is None or target.is_operator or (words and words[-1] in ("1", "2")):
                raise NotUnderstood
            output = target.text
            self._position += 1
        while len(words) > 1 and _ASSIGNMENT.match(words[0]):  # what it sets is seen by the command alone
            words = words[1:]
        if not words or "=" in words[0]:
            raise NotUnderstood
        return Simple(tuple(words), output)

    def _expect(self, word: str) -> None:
        if self.next != _Token(word):
            raise NotUnderstood
        self._position += 1
