"""Reading a label selector, with Kubernetes' own faults found in Kubernetes' own order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from localplane.apimachinery.fieldpath import Path, invalid
from localplane.apimachinery.names import qualified_name

from .selector import BINARY, DOES_NOT_EXIST, EXISTS, InvalidSelector, Requirement, Selector, everything, requirement


def parse(text: str) -> Selector:
    """A selector as it stands in a query parameter. The empty text selects everything."""
    return Selector(_Parser(text).requirements()) if text else everything


# A NUL byte ends a token, and the whole selector where a token should begin: Go's lexer takes it for its own end mark.
_TOKEN = re.compile("[ \t\r\n]*(?:(==|!=|[=!(),<>])\0?|([^=!(),<> \t\r\n\0]+)\0?|)")
_OPERATORS = {"=": "=", "==": "==", "!=": "!=", ">": "gt", "<": "lt", "in": "in", "notin": "notin"}


@dataclass(frozen=True, slots=True)
class _Token:
    """A symbol, or a word (`in` and `notin` are words too, unless an operator is expected). The end is empty."""

    text: str
    is_word: bool = False


_END = _Token("")


def _tokens(text: str) -> list[_Token]:
    tokens, position = [], 0
    while match := _TOKEN.match(text, position):
        symbol, word = match.groups()
        if not symbol and not word:
            break
        tokens.append(_Token(symbol) if symbol else _Token(word, is_word=True))
        position = match.end()
    tokens.append(_END)
    return tokens


class _Parser:
    """Recursive descent, as Kubernetes does it: which of two faults is told depends on it."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._position = 0

    def _peek(self) -> _Token:
        return self._tokens[self._position]

    def _next(self) -> _Token:
        token = self._tokens[self._position]
        self._position += 1
        return token

    def requirements(self) -> list[Requirement]:
        requirements: list[Requirement] = []
        while True:
            token = self._peek()
            if token is _END:
                return requirements
            if not token.is_word and token.text != "!":
                raise InvalidSelector(f"found '{token.text}', expected: !, identifier, or 'end of string'")
            try:
                requirements.append(self._requirement())
            except InvalidSelector as error:
                raise InvalidSelector(f"unable to parse requirement: {error}") from None
            token = self._next()
            if token is _END:
                return requirements
            if token.text != ",":
                raise InvalidSelector(f"found '{token.text}', expected: ',' or 'end of string'")
            token = self._peek()
            if not token.is_word and token.text != "!":
                raise InvalidSelector(f"found '{token.text}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        token = self._next()
        negated = token.text == "!" and not token.is_word
        if negated:
            token = self._next()
        if not token.is_word:
            raise InvalidSelector(f"found '{token.text}', expected: identifier")
        key = token.text
        if problems := qualified_name(key):
            raise InvalidSelector(str(invalid(Path(), key, "; ".join(problems))))
        if negated:
            return requirement(key, DOES_NOT_EXIST)
        if self._peek().text in ("", ","):
            return requirement(key, EXISTS)
        operator = self._operator()
        values = self._set() if operator in ("in", "notin") else {self._value()}
        return requirement(key, operator, sorted(values))

    def _operator(self) -> str:
        token = self._next()
        operator = _OPERATORS.get(token.text)
        if operator is None:
            raise InvalidSelector(f"found '{token.text}', expected: {', '.join(BINARY)}")
        return operator

    def _value(self) -> str:
        if self._peek().text in ("", ","):
            return ""
        token = self._next()
        if not token.is_word:
            raise InvalidSelector(f"found '{token.text}', expected: identifier")
        return token.text

    def _set(self) -> set[str]:
        token = self._next()
        if token.text != "(":
            raise InvalidSelector(f"found '{token.text}' expected: '('")
        token = self._peek()
        if token.text == ")":
            self._next()
            return {""}
        if not token.is_word and token.text != ",":
            raise InvalidSelector(f"found '{token.text}', expected: ',', ')' or identifier")
        return self._set_members()

    def _set_members(self) -> set[str]:
        """Between the parentheses: a missing member on either side of a comma is the empty value."""
        members: set[str] = set()
        while True:
            token = self._next()
            following = self._peek() if token is not _END else _END
            if token.is_word:
                members.add(token.text)
                if following.text not in (",", ")"):
                    raise InvalidSelector(f"found '{following.text}', expected: ',' or ')'")
            elif token.text == ",":
                if not members or following.text in (",", ")"):
                    members.add("")
            else:
                raise InvalidSelector(f"found '{token.text}', expected: ',', or identifier")
            if following.text == ")":
                self._next()
                return members
