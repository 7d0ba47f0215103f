"""Who runs an expression: RE2, or where it can't, the automaton.

RE2 is imported when the first expression is used, and an expression is compiled for it then: a definition with a
thousand patterns costs no more than reading them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any, Final, Protocol

from .automaton import Automaton, TooCostly
from .parser import InvalidRegexp, ParsedRegexp, parsed

_HEAVIEST: Final = 100_000
"""In RE2's instructions: what it compiles within some 30 ms."""
_LONGEST_KEPT: Final = 1024
"""In characters: a pattern that real definitions have."""
_MOST_NAMED: Final = 100
"""Classes with names: reading one takes RE2 a tenth of a millisecond."""
_LARGEST_AUTOMATON: Final = 20_000
_LIGHT: Final = 10_000
_MEMORY: Final = 1 << 20
_HEAVY_MEMORY: Final = 8 << 20
_MOST_WORK: Final = 1 << 28
"""Characters times instructions: what RE2 does in little more than a second where it can't remember its steps."""
_MOST_PASSED: Final = 1 << 29
"""Characters that may be passed while finding all matches: each search may look at all that follows."""
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


class Engine(Protocol):
    def is_in(self, text: str) -> bool:
        """Whether it matches anywhere. Raises TooCostly."""

    def all_in(self, text: str) -> Iterator[str]:
        """What it matches, one behind the other, as Go's FindAll. Raises TooCostly."""


class Regexp:
    """A regular expression that can be used."""

    __slots__ = ("_engine", "_parsed", "pattern")

    def __init__(self, pattern: str) -> None:
        """Raises InvalidRegexp."""
        self.pattern = pattern
        self._parsed: ParsedRegexp | None = parsed(pattern)
        if self._parsed.tree.size > _LARGEST_AUTOMATON and not _suits_re2(self._parsed):
            raise InvalidRegexp("expression too large", pattern)
        self._engine: Engine | None = None

    def is_in(self, text: str) -> bool:
        """Whether it matches anywhere in the text. Raises TooCostly."""
        return (self._engine or self._built()).is_in(text)

    def all_in(self, text: str) -> Iterator[str]:
        """What it matches, one behind the other, as Go's FindAll: an empty match right behind another does not count.
        Raises TooCostly."""
        return (self._engine or self._built()).all_in(text)

    def _built(self) -> Engine:
        assert self._parsed is not None
        self._engine = _engine(self._parsed)
        self._parsed = None
        return self._engine


def compiled(pattern: str) -> Regexp:
    """Raises InvalidRegexp, in Go's words. A pattern may be a text that somebody sent: long ones are not kept."""
    return _kept(pattern) if len(pattern) <= _LONGEST_KEPT else Regexp(pattern)


@lru_cache(maxsize=1024)
def _kept(pattern: str) -> Regexp:
    return Regexp(pattern)


def _suits_re2(expression: ParsedRegexp) -> bool:
    return expression.text is not None and expression.tree.weight <= _HEAVIEST and expression.named <= _MOST_NAMED


def _engine(expression: ParsedRegexp) -> Engine:
    library = _re2() if _suits_re2(expression) else None
    if library is not None:
        try:
            return RE2Engine(library, expression)
        except library.error:
            pass
    return Automaton(expression.tree)


@cache
def _re2() -> Any:
    """None where there is no such package."""
    try:
        import re2  # type: ignore[import-untyped] # its API is four calls of ours
    except ImportError:
        return None
    return re2


class RE2Engine:
    """Texts are handed over as bytes, which is what RE2 reads."""

    def __init__(self, library: Any, expression: ParsedRegexp) -> None:
        """Raises the library's error for what it can't compile."""
        assert expression.text is not None
        options = library.Options()
        options.log_errors = False
        options.never_capture = True
        options.max_mem = _MEMORY if expression.tree.weight <= _LIGHT else _HEAVY_MEMORY
        self._search: Callable[..., Any] = library.compile(encoded(expression.text), options).search
        self._longest = _MOST_WORK // expression.tree.size

    def is_in(self, text: str) -> bool:
        data = encoded(text)
        if len(data) > self._longest:
            raise TooCostly("the text is too long for a pattern of this size")
        return self._search(data) is not None

    def all_in(self, text: str) -> Iterator[str]:
        data = encoded(text)
        if len(data) > self._longest:
            raise TooCostly("the text is too long for a pattern of this size")
        at, end_before, passed = 0, -1, 0
        while at <= len(data):
            match = self._search(data, at)
            if match is None:
                return
            start, end = match.span()
            if start < end or start != end_before:
                yield data[start:end].decode()
            passed += len(data) - at
            if passed > _MOST_PASSED:
                raise TooCostly("the text has too many matches")
            at = end if end != at else _next(data, at)
            end_before = end


def _next(data: bytes, at: int) -> int:
    """Where the next character begins."""
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at


def encoded(text: str) -> bytes:
    """In UTF-8. Half a character is the one that stands for what is none, as it is in Go."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text).encode()
