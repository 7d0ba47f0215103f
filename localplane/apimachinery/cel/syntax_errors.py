"""What is wrong with the syntax of an expression, in the words of ANTLR's parsers.

cel-go's parser is made by ANTLR, and its messages are ANTLR's: which token was found, which ones could stand there, and
what else is wrong after it tried to go on. So this walks the tokens the way such a parser does (DefaultErrorStrategy of
the ANTLR runtime): a token too many is skipped, a missing one is imagined, else it skips to something that may follow
any of the rules it is in. One method per rule of parser/gen/CEL.g4. It makes no tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from .source import Issue
from .tokens import END, Token

Kinds = frozenset[str]
_ORDER: Final = (
    f"{END} == != in < <= >= > && || [ ] {{ }} ( ) . , - ! ? : + * / % true false null NUM_FLOAT NUM_INT NUM_UINT STRING"
    " BYTES IDENTIFIER ESC_IDENTIFIER"
).split()
_LITERAL: Final = frozenset("- true false null NUM_FLOAT NUM_INT NUM_UINT STRING BYTES".split())
_PRIMARY: Final = _LITERAL | frozenset("[ { ( . IDENTIFIER".split())
_EXPRESSION: Final = _PRIMARY | {"!"}
_RELATIONS: Final = frozenset("< <= >= > == != in".split())
_FACTORS: Final = frozenset("* / %".split())
_CALCULATIONS: Final = _FACTORS | {"+", "-"}
_MEMBER: Final = frozenset({".", "["})
_NAMES: Final = frozenset({"IDENTIFIER", "ESC_IDENTIFIER"})
_RESERVED: Final = re.compile(r"no viable alternative at input '.(true|false|null)'")
_ATTEMPTS: Final = 30
_REPORTS: Final = 100


def syntax_issues(tokens: list[Token]) -> list[Issue]:
    walker = _Walker(tokens)
    try:
        walker.start()
    except (_GivenUp, RecursionError):
        pass
    return walker.issues + walker.afterthoughts


class _Wrong(Exception):
    """The rule can't go on; the message is what is said of it."""

    def __init__(self, message: str, token: Token) -> None:
        super().__init__(message)
        self.token = token


class _GivenUp(Exception):
    pass


class _Follow:
    """What may come after a rule that was entered: some tokens, and what comes after the rule it was entered from."""

    __slots__ = ("kinds", "may_end")

    def __init__(self, kinds: Iterable[str] = (), *, may_end: bool = True) -> None:
        self.kinds = frozenset(kinds)
        self.may_end = may_end


def _then(*kinds: str) -> _Follow:
    return _Follow(kinds, may_end=False)


_ANYTHING: Final = _Follow()
_AFTER_EXPRESSION: Final = _Follow("?")
_AFTER_OR: Final = _Follow(["||"])
_AFTER_AND: Final = _Follow(["&&"])
_AFTER_RELATION: Final = _Follow(_RELATIONS)
_AFTER_CALCULATION: Final = _Follow(_CALCULATIONS)
_AFTER_MEMBER: Final = _Follow(_MEMBER)
_AFTER_ITEM: Final = _Follow(",")


class _Walker:
    def __init__(self, tokens: list[Token]) -> None:
        self.issues: list[Issue] = []
        self.afterthoughts: list[Issue] = []
        self._tokens = tokens
        self._position = 0
        self._follows: list[_Follow] = []
        self._recovering = False
        self._last_position = -1
        self._last_places: set[str] = set()
        self._attempts = 0

    # Tokens

    def _kind(self, ahead: int = 0) -> str:
        return self._tokens[min(self._position + ahead, len(self._tokens) - 1)].kind

    @property
    def _token(self) -> Token:
        return self._tokens[self._position]

    def _consume(self) -> None:
        if self._token.kind != END:
            self._position += 1

    def _match(self, kind: str, after: _Follow) -> None:
        """`after` is what may follow the token itself, within the rule."""
        if self._kind() == kind:
            self._recovering = False
            self._consume()
        else:
            self._recover_inline(frozenset({kind}), after)

    def _expected(self, kinds: Kinds, *, may_end: bool = False) -> Kinds:
        found = set(kinds)
        for follow in reversed(self._follows):
            if not may_end:
                return frozenset(found)
            found |= follow.kinds
            may_end = follow.may_end
        return frozenset(found | {END} if may_end else found)

    # Saying it

    def _report(self, message: str, token: Token) -> None:
        if self._recovering:
            return
        self._recovering = True
        self._notify(message, token)

    def _notify(self, message: str, token: Token) -> None:
        message = _RESERVED.sub(r"mismatched input '\1' expecting IDENTIFIER", message)
        if len(self.issues) >= _REPORTS:
            self.issues.append(Issue(token.offset, f"Syntax error: More than {_REPORTS} syntax errors"))
            raise _GivenUp
        self.issues.append(Issue(token.offset, f"Syntax error: {message}"))

    def _mismatch(self, kinds: Kinds) -> _Wrong:
        return _Wrong(f"mismatched input {_shown(self._token)} expecting {_set(kinds)}", self._token)

    def _no_alternative(self, ahead: int) -> _Wrong:
        """The tokens from here up to the one that fits nowhere."""
        last = min(self._position + ahead, len(self._tokens) - 1)
        words = [token for token in self._tokens[self._position : last + 1] if token.kind != END]
        text = "".join(token.space + token.text for token in words).removeprefix(words[0].space if words else "")
        return _Wrong(f"no viable alternative at input '{_escaped(text) or END}'", self._tokens[last])

    # Going on

    def _attempt(self) -> None:
        if self._attempts == _ATTEMPTS:
            self._notify(f"error recovery attempt limit exceeded: {_ATTEMPTS}", self._token)
            raise _GivenUp
        self._attempts += 1

    def _skipped(self, kinds: Kinds) -> bool:
        """One token too many, if the next one fits."""
        if self._kind(1) not in kinds or self._kind() == END:
            return False
        self._report(f"extraneous input {_shown(self._token)} expecting {_set(kinds)}", self._token)
        self._consume()
        self._recovering = False
        return True

    def _recover_inline(self, kinds: Kinds, after: _Follow) -> None:
        self._attempt()
        if self._skipped(kinds):
            self._consume()
            return
        if self._kind() in self._expected(after.kinds, may_end=after.may_end):
            self._report(f"missing {_set(kinds)} at {_shown(self._token)}", self._token)
            return
        raise self._mismatch(kinds)

    def _sync(self, kinds: Kinds) -> None:
        """Before a choice: what is here must be one of these."""
        if self._recovering or self._kind() in kinds or self._skipped(kinds):
            return
        raise self._mismatch(kinds)

    def _sync_loop(self, kinds: Kinds) -> None:
        """After a round of a loop that must go on with one of these."""
        if self._recovering or self._kind() in kinds:
            return
        self._report(f"extraneous input {_shown(self._token)} expecting {_set(kinds)}", self._token)
        self._consume_until(kinds | self._recovery_set())

    def _recovery_set(self) -> Kinds:
        return frozenset(kind for follow in self._follows for kind in follow.kinds)

    def _consume_until(self, kinds: Kinds) -> None:
        while self._kind() != END and self._kind() not in kinds:
            self._consume()

    def _rule(self, follow: _Follow, body: Callable[[], None]) -> None:
        """A rule: what goes wrong in it ends here, and the rule that entered it goes on."""
        self._follows.append(follow)
        try:
            body()
        except _Wrong as wrong:
            self._report(str(wrong), wrong.token)
            self._recover(getattr(body, "__name__", ""))
        finally:
            self._follows.pop()

    def _recover(self, place: str) -> None:
        self._attempt()
        if self._last_position == self._position and place in self._last_places:
            self._consume()
        if self._last_position != self._position:
            self._last_position = self._position
        self._last_places.add(place)
        self._consume_until(self._recovery_set())

    # The rules

    def start(self) -> None:
        def start() -> None:
            self._expression(_then(END))
            self._match(END, _ANYTHING)

        try:
            start()
        except _Wrong as wrong:
            self._report(str(wrong), wrong.token)

    def _expression(self, follow: _Follow) -> None:
        def expression() -> None:
            self._disjunction(_AFTER_EXPRESSION)
            if self._kind() == "?":
                self._match("?", _ANYTHING)
                self._disjunction(_then(":"))
                self._match(":", _Follow(_EXPRESSION, may_end=False))
                self._expression(_ANYTHING)

        self._rule(follow, expression)

    def _disjunction(self, follow: _Follow) -> None:
        def disjunction() -> None:
            self._conjunction(_AFTER_OR)
            while self._kind() == "||":
                self._match("||", _ANYTHING)
                self._conjunction(_AFTER_OR)

        self._rule(follow, disjunction)

    def _conjunction(self, follow: _Follow) -> None:
        def conjunction() -> None:
            self._relation(0, _AFTER_AND)
            while self._kind() == "&&":
                self._match("&&", _ANYTHING)
                self._relation(0, _AFTER_AND)

        self._rule(follow, conjunction)

    def _relation(self, precedence: int, follow: _Follow) -> None:
        def relation() -> None:
            self._calculation(0, _AFTER_RELATION)
            while self._kind() in _RELATIONS and precedence <= 1:
                self._match(self._kind(), _ANYTHING)
                self._relation(2, _AFTER_RELATION)

        self._rule(follow, relation)

    def _calculation(self, precedence: int, follow: _Follow) -> None:
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
                self._match(kind, _ANYTHING)
                self._calculation(operand, _AFTER_CALCULATION)

        self._rule(follow, calculation)

    def _unary(self, follow: _Follow) -> None:
        def unary() -> None:
            self._sync(_EXPRESSION)
            kind = self._kind()
            if kind == "!":
                while self._kind() == "!":
                    self._match("!", _ANYTHING)
                    self._sync_loop(_EXPRESSION)
            elif kind == "-" and self._kind(1) not in ("NUM_INT", "NUM_FLOAT"):
                self._minuses()
            elif kind not in _PRIMARY:
                raise self._no_alternative(0)
            self._member(_ANYTHING)

        self._rule(follow, unary)

    def _minuses(self) -> None:
        if self._kind(1) not in _PRIMARY:
            raise self._no_alternative(1)
        while self._kind() == "-" and self._kind(1) in _PRIMARY:
            self._match("-", _ANYTHING)

    def _member(self, follow: _Follow) -> None:
        def member() -> None:
            self._primary(_AFTER_MEMBER)
            while self._kind() in _MEMBER:
                if self._kind() == "[":
                    self._index()
                else:
                    self._selection()

        self._rule(follow, member)

    def _index(self) -> None:
        self._match("[", _ANYTHING)
        self._sync(_EXPRESSION | {"?"})
        if self._kind() == "?":
            self._match("?", _ANYTHING)
        self._expression(_then("]"))
        self._match("]", _AFTER_MEMBER)

    def _selection(self) -> None:
        after = self._kind(1)
        if after not in _NAMES and after != "?":
            raise self._no_alternative(1)
        self._match(".", _ANYTHING)
        if after == "IDENTIFIER" and self._kind(1) == "(":
            self._match("IDENTIFIER", _ANYTHING)
            self._arguments(_AFTER_MEMBER)
            return
        if after == "?":
            self._match("?", _ANYTHING)
        self._field_name(_AFTER_MEMBER)

    def _arguments(self, after: _Follow) -> None:
        self._match("(", _ANYTHING)
        self._sync(_EXPRESSION | {")"})
        if self._kind() in _EXPRESSION:
            self._expressions(_then(")"))
        self._match(")", after)

    def _field_name(self, follow: _Follow) -> None:
        def field_name() -> None:
            self._sync(_NAMES)
            if self._kind() not in _NAMES:
                raise self._no_alternative(0)
            self._match(self._kind(), _ANYTHING)

        before = self._token
        if before.kind not in _NAMES and self._kind(1) not in _NAMES:
            # cel-go looks at the name that is not there, too.
            self.afterthoughts.append(Issue(before.offset, "unsupported ident kind"))

        self._rule(follow, field_name)

    def _primary(self, follow: _Follow) -> None:
        def primary() -> None:
            self._sync(_PRIMARY)
            match self._kind():
                case "(":
                    self._match("(", _ANYTHING)
                    self._expression(_then(")"))
                    self._match(")", _ANYTHING)
                case "[":
                    self._braced("]", _EXPRESSION | {"?"}, self._items)
                case "{":
                    self._braced("}", _EXPRESSION | {"?"}, self._entries)
                case "IDENTIFIER" | ".":
                    self._name()
                case "-":
                    if self._kind(1) not in ("NUM_INT", "NUM_FLOAT"):
                        raise self._no_alternative(1)
                    self._match("-", _ANYTHING)
                    self._match(self._kind(), _ANYTHING)
                case kind if kind in _LITERAL:
                    self._match(kind, _ANYTHING)
                case _:
                    raise self._no_alternative(0)

        self._rule(follow, primary)

    def _name(self) -> None:
        if self._kind() == ".":
            if self._kind(1) != "IDENTIFIER":
                raise self._no_alternative(1)
            self._match(".", _ANYTHING)
        if self._is_message():
            while self._kind() != "{":
                self._match(self._kind(), _ANYTHING)
            self._braced("}", _NAMES | {"?"}, self._fields)
            return
        self._match("IDENTIFIER", _ANYTHING)
        if self._kind() == "(":
            self._arguments(_ANYTHING)

    def _is_message(self) -> bool:
        ahead = 1
        while self._kind(ahead) == "." and self._kind(ahead + 1) == "IDENTIFIER":
            ahead += 2
        return self._kind(ahead) == "{"

    def _braced(self, closing: str, first: Kinds, content: Callable[[_Follow], None]) -> None:
        self._match(self._kind(), _ANYTHING)
        self._sync(first | {",", closing})
        if self._kind() in first:
            content(_then(",", closing))
        self._sync(frozenset({",", closing}))
        if self._kind() == ",":
            self._match(",", _then(closing))
        self._match(closing, _ANYTHING)

    def _expressions(self, follow: _Follow) -> None:
        def expressions() -> None:
            self._expression(_AFTER_ITEM)
            while self._kind() == ",":
                self._match(",", _ANYTHING)
                self._expression(_AFTER_ITEM)

        self._rule(follow, expressions)

    def _items(self, follow: _Follow) -> None:
        def items() -> None:
            self._optional_expression(_AFTER_ITEM)
            while self._kind() == "," and self._kind(1) in _EXPRESSION | {"?"}:
                self._match(",", _ANYTHING)
                self._optional_expression(_AFTER_ITEM)

        self._rule(follow, items)

    def _entries(self, follow: _Follow) -> None:
        def entries() -> None:
            self._entry()
            while self._kind() == "," and self._kind(1) in _EXPRESSION | {"?"}:
                self._match(",", _ANYTHING)
                self._entry()

        self._rule(follow, entries)

    def _entry(self) -> None:
        self._optional_expression(_then(":"))
        self._match(":", _Follow(_EXPRESSION, may_end=False))
        self._expression(_AFTER_ITEM)

    def _fields(self, follow: _Follow) -> None:
        def fields() -> None:
            self._field()
            while self._kind() == "," and self._kind(1) in _NAMES | {"?"}:
                self._match(",", _ANYTHING)
                self._field()

        self._rule(follow, fields)

    def _field(self) -> None:
        def optional_field() -> None:
            self._sync(_NAMES | {"?"})
            if self._kind() == "?":
                self._match("?", _ANYTHING)
            self._field_name(_ANYTHING)

        self._rule(_then(":"), optional_field)
        self._match(":", _Follow(_EXPRESSION, may_end=False))
        self._expression(_AFTER_ITEM)

    def _optional_expression(self, follow: _Follow) -> None:
        def optional_expression() -> None:
            self._sync(_EXPRESSION | {"?"})
            if self._kind() == "?":
                self._match("?", _ANYTHING)
            self._expression(_ANYTHING)

        self._rule(follow, optional_expression)


_NAMED: Final = frozenset({END, *(name for name in _ORDER if name.isupper())})


def _set(kinds: Kinds) -> str:
    names = [kind if kind in _NAMED else f"'{kind}'" for kind in _ORDER if kind in kinds]
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def _escaped(text: str) -> str:
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _shown(token: Token) -> str:
    return f"'{_escaped(token.text)}'"
