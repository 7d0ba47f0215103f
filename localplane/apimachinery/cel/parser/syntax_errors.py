"""What is wrong with the syntax of an expression, in the words of ANTLR's parsers.

cel-go's parser is made by ANTLR, and its messages are ANTLR's: which token was found, which ones could stand there, and
what else is wrong after it tried to go on. So this walks the tokens the way such a parser does, one method per rule of
parser/gen/CEL.g4, and lets `recovery` do what the runtime does. It makes no tree.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from .recovery import ANYTHING, Follow, GivenUp, Kinds, Recovering, Wrong, then
from .source import Issue
from .tokens import END, Token

_LITERAL: Final = frozenset(["-", "true", "false", "null", "NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES"])
_PRIMARY: Final = _LITERAL | frozenset(["[", "{", "(", ".", "IDENTIFIER"])
_EXPRESSION: Final = _PRIMARY | {"!"}
_RELATIONS: Final = frozenset(["<", "<=", ">=", ">", "==", "!=", "in"])
_FACTORS: Final = frozenset(["*", "/", "%"])
_CALCULATIONS: Final = _FACTORS | {"+", "-"}
_MEMBER: Final = frozenset({".", "["})
_NAMES: Final = frozenset({"IDENTIFIER", "ESC_IDENTIFIER"})
_AFTER_EXPRESSION: Final = Follow("?")
_AFTER_OR: Final = Follow(["||"])
_AFTER_AND: Final = Follow(["&&"])
_AFTER_RELATION: Final = Follow(_RELATIONS)
_AFTER_CALCULATION: Final = Follow(_CALCULATIONS)
_AFTER_MEMBER: Final = Follow(_MEMBER)
_AFTER_ITEM: Final = Follow(",")


def syntax_issues(tokens: list[Token]) -> list[Issue]:
    walker = _Walker(tokens)
    with suppress(GivenUp, RecursionError):
        walker.start()
    return walker.issues + walker.afterthoughts


class _Walker(Recovering):
    def start(self) -> None:
        def start() -> None:
            self._expression(then(END))
            self._match(END, ANYTHING)

        try:
            start()
        except Wrong as wrong:
            self._report(str(wrong), wrong.token)

    def _expression(self, follow: Follow) -> None:
        def expression() -> None:
            self._disjunction(_AFTER_EXPRESSION)
            if self._kind() == "?":
                self._match("?", ANYTHING)
                self._disjunction(then(":"))
                self._match(":", Follow(_EXPRESSION, may_end=False))
                self._expression(ANYTHING)

        self._rule(follow, expression)

    def _disjunction(self, follow: Follow) -> None:
        def disjunction() -> None:
            self._conjunction(_AFTER_OR)
            while self._kind() == "||":
                self._match("||", ANYTHING)
                self._conjunction(_AFTER_OR)

        self._rule(follow, disjunction)

    def _conjunction(self, follow: Follow) -> None:
        def conjunction() -> None:
            self._relation(0, _AFTER_AND)
            while self._kind() == "&&":
                self._match("&&", ANYTHING)
                self._relation(0, _AFTER_AND)

        self._rule(follow, conjunction)

    def _relation(self, precedence: int, follow: Follow) -> None:
        def relation() -> None:
            self._calculation(0, _AFTER_RELATION)
            while self._kind() in _RELATIONS and precedence <= 1:
                self._match(self._kind(), ANYTHING)
                self._relation(2, _AFTER_RELATION)

        self._rule(follow, relation)

    def _calculation(self, precedence: int, follow: Follow) -> None:
        def calculation() -> None:
            self._unary(_AFTER_CALCULATION)
            while True:
                kind = self._kind()
                if kind in _FACTORS and precedence <= 2:
                    operand = 3
                elif kind in ("+", "-") and precedence <= 1:
                    operand = 2
                else:
                    return
                self._match(kind, ANYTHING)
                self._calculation(operand, _AFTER_CALCULATION)

        self._rule(follow, calculation)

    def _unary(self, follow: Follow) -> None:
        def unary() -> None:
            self._sync(_EXPRESSION)
            kind = self._kind()
            if kind == "!":
                while self._kind() == "!":
                    self._match("!", ANYTHING)
                    self._sync_loop(_EXPRESSION)
            elif kind == "-" and self._kind(1) not in ("NUM_INT", "NUM_FLOAT"):
                self._minuses()
            elif kind not in _PRIMARY:
                raise self._no_alternative(0)
            self._member(ANYTHING)

        self._rule(follow, unary)

    def _minuses(self) -> None:
        if self._kind(1) not in _PRIMARY:
            raise self._no_alternative(1)
        while self._kind() == "-" and self._kind(1) in _PRIMARY:
            self._match("-", ANYTHING)

    def _member(self, follow: Follow) -> None:
        def member() -> None:
            self._primary(_AFTER_MEMBER)
            while self._kind() in _MEMBER:
                if self._kind() == "[":
                    self._index()
                else:
                    self._selection()

        self._rule(follow, member)

    def _index(self) -> None:
        self._match("[", ANYTHING)
        self._sync(_EXPRESSION | {"?"})
        if self._kind() == "?":
            self._match("?", ANYTHING)
        self._expression(then("]"))
        self._match("]", _AFTER_MEMBER)

    def _selection(self) -> None:
        after = self._kind(1)
        if after not in _NAMES and after != "?":
            raise self._no_alternative(1)
        self._match(".", ANYTHING)
        if after == "IDENTIFIER" and self._kind(1) == "(":
            self._match("IDENTIFIER", ANYTHING)
            self._arguments(_AFTER_MEMBER)
            return
        if after == "?":
            self._match("?", ANYTHING)
        self._field_name(_AFTER_MEMBER)

    def _arguments(self, after: Follow) -> None:
        self._match("(", ANYTHING)
        self._sync(_EXPRESSION | {")"})
        if self._kind() in _EXPRESSION:
            self._expressions(then(")"))
        self._match(")", after)

    def _field_name(self, follow: Follow) -> None:
        def field_name() -> None:
            self._sync(_NAMES)
            if self._kind() not in _NAMES:
                raise self._no_alternative(0)
            self._match(self._kind(), ANYTHING)

        before = self._token
        if before.kind not in _NAMES and self._kind(1) not in _NAMES:
            # cel-go looks at the name that is not there, too.
            self.afterthoughts.append(Issue(before.offset, "unsupported ident kind"))

        self._rule(follow, field_name)

    def _primary(self, follow: Follow) -> None:
        def primary() -> None:
            self._sync(_PRIMARY)
            match self._kind():
                case "(":
                    self._match("(", ANYTHING)
                    self._expression(then(")"))
                    self._match(")", ANYTHING)
                case "[":
                    self._braced("]", _EXPRESSION | {"?"}, self._items)
                case "{":
                    self._braced("}", _EXPRESSION | {"?"}, self._entries)
                case "IDENTIFIER" | ".":
                    self._name()
                case "-":
                    if self._kind(1) not in ("NUM_INT", "NUM_FLOAT"):
                        raise self._no_alternative(1)
                    self._match("-", ANYTHING)
                    self._match(self._kind(), ANYTHING)
                case kind if kind in _LITERAL:
                    self._match(kind, ANYTHING)
                case _:
                    raise self._no_alternative(0)

        self._rule(follow, primary)

    def _name(self) -> None:
        if self._kind() == ".":
            if self._kind(1) != "IDENTIFIER":
                raise self._no_alternative(1)
            self._match(".", ANYTHING)
        if self._is_message():
            while self._kind() != "{":
                self._match(self._kind(), ANYTHING)
            self._braced("}", _NAMES | {"?"}, self._fields)
            return
        self._match("IDENTIFIER", ANYTHING)
        if self._kind() == "(":
            self._arguments(ANYTHING)

    def _is_message(self) -> bool:
        ahead = 1
        while self._kind(ahead) == "." and self._kind(ahead + 1) == "IDENTIFIER":
            ahead += 2
        return self._kind(ahead) == "{"

    def _braced(self, closing: str, first: Kinds, content: Callable[[Follow], None]) -> None:
        self._match(self._kind(), ANYTHING)
        self._sync(first | {",", closing})
        if self._kind() in first:
            content(then(",", closing))
        self._sync(frozenset({",", closing}))
        if self._kind() == ",":
            self._match(",", then(closing))
        self._match(closing, ANYTHING)

    def _expressions(self, follow: Follow) -> None:
        def expressions() -> None:
            self._expression(_AFTER_ITEM)
            while self._kind() == ",":
                self._match(",", ANYTHING)
                self._expression(_AFTER_ITEM)

        self._rule(follow, expressions)

    def _items(self, follow: Follow) -> None:
        def items() -> None:
            self._optional_expression(_AFTER_ITEM)
            while self._kind() == "," and self._kind(1) in _EXPRESSION | {"?"}:
                self._match(",", ANYTHING)
                self._optional_expression(_AFTER_ITEM)

        self._rule(follow, items)

    def _entries(self, follow: Follow) -> None:
        def entries() -> None:
            self._entry()
            while self._kind() == "," and self._kind(1) in _EXPRESSION | {"?"}:
                self._match(",", ANYTHING)
                self._entry()

        self._rule(follow, entries)

    def _entry(self) -> None:
        self._optional_expression(then(":"))
        self._match(":", Follow(_EXPRESSION, may_end=False))
        self._expression(_AFTER_ITEM)

    def _fields(self, follow: Follow) -> None:
        def fields() -> None:
            self._field()
            while self._kind() == "," and self._kind(1) in _NAMES | {"?"}:
                self._match(",", ANYTHING)
                self._field()

        self._rule(follow, fields)

    def _field(self) -> None:
        def optional_field() -> None:
            self._sync(_NAMES | {"?"})
            if self._kind() == "?":
                self._match("?", ANYTHING)
            self._field_name(ANYTHING)

        self._rule(then(":"), optional_field)
        self._match(":", Follow(_EXPRESSION, may_end=False))
        self._expression(_AFTER_ITEM)

    def _optional_expression(self, follow: Follow) -> None:
        def optional_expression() -> None:
            self._sync(_EXPRESSION | {"?"})
            if self._kind() == "?":
                self._match("?", ANYTHING)
            self._expression(ANYTHING)

        self._rule(follow, optional_expression)
