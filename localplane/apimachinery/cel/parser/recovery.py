"""How ANTLR's parsers go on after something was wrong: DefaultErrorStrategy of its runtime.

A token too many is skipped, a missing one is imagined, else everything is skipped up to a token that may follow any of
the rules that are being read. What was said once is not said again before a token fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from .source import Issue
from .tokens import END, Token

Kinds = frozenset[str]
_ORDER: Final = (
    f"{END} == != in < <= >= > && || [ ] {{ }} ( ) . , - ! ? : + * / % true false null NUM_FLOAT NUM_INT NUM_UINT"
    " STRING BYTES IDENTIFIER ESC_IDENTIFIER"
).split()
_RESERVED: Final = re.compile(r"no viable alternative at input '.(true|false|null)'")
_ATTEMPTS: Final = 30
_REPORTS: Final = 100


class Wrong(Exception):
    """The rule can't go on; the message is what is said of it."""

    def __init__(self, message: str, token: Token) -> None:
        super().__init__(message)
        self.token = token


class GivenUp(Exception):
    pass


class Follow:
    """What may come after a rule that was entered: some tokens, and what comes after the rule it was entered from."""

    __slots__ = ("kinds", "may_end")

    def __init__(self, kinds: Iterable[str] = (), *, may_end: bool = True) -> None:
        self.kinds = frozenset(kinds)
        self.may_end = may_end


def then(*kinds: str) -> Follow:
    return Follow(kinds, may_end=False)


ANYTHING: Final = Follow()


class Recovering:
    """Reads tokens rule by rule; `_follows` are the rules that are being read, by what may come after them."""

    def __init__(self, tokens: list[Token]) -> None:
        self.issues: list[Issue] = []
        self.afterthoughts: list[Issue] = []
        self._tokens = tokens
        self._position = 0
        self._follows: list[Follow] = []
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

    def _match(self, kind: str, after: Follow) -> None:
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
            raise GivenUp
        self.issues.append(Issue(token.offset, f"Syntax error: {message}"))

    def _mismatch(self, kinds: Kinds) -> Wrong:
        return Wrong(f"mismatched input {_shown(self._token)} expecting {_set(kinds)}", self._token)

    def _no_alternative(self, ahead: int) -> Wrong:
        """The tokens from here up to the one that fits nowhere."""
        last = min(self._position + ahead, len(self._tokens) - 1)
        words = [token for token in self._tokens[self._position : last + 1] if token.kind != END]
        text = "".join(token.space + token.text for token in words).removeprefix(words[0].space if words else "")
        return Wrong(f"no viable alternative at input '{_escaped(text) or END}'", self._tokens[last])

    # Going on

    def _attempt(self) -> None:
        if self._attempts == _ATTEMPTS:
            self._notify(f"error recovery attempt limit exceeded: {_ATTEMPTS}", self._token)
            raise GivenUp
        self._attempts += 1

    def _skipped(self, kinds: Kinds) -> bool:
        """One token too many, if the next one fits."""
        if self._kind(1) not in kinds or self._kind() == END:
            return False
        self._report(f"extraneous input {_shown(self._token)} expecting {_set(kinds)}", self._token)
        self._consume()
        self._recovering = False
        return True

    def _recover_inline(self, kinds: Kinds, after: Follow) -> None:
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

    def _rule(self, follow: Follow, body: Callable[[], None]) -> None:
        """A rule: what goes wrong in it ends here, and the rule that entered it goes on."""
        self._follows.append(follow)
        try:
            body()
        except Wrong as wrong:
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


_NAMED: Final = frozenset({END, *(name for name in _ORDER if name.isupper())})


def _set(kinds: Kinds) -> str:
    names = [kind if kind in _NAMED else f"'{kind}'" for kind in _ORDER if kind in kinds]
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def _escaped(text: str) -> str:
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _shown(token: Token) -> str:
    return f"'{_escaped(token.text)}'"
