"""Regular expressions. Upstream: common/types/string.go, Match, and pkg/cel/library/regex.go.

Patterns are RE2's and are run by Python's re, as those of schemas are: see `localplane.apimachinery.schema.patterns`.
"""

from __future__ import annotations

import re
from typing import Any

from localplane.apimachinery.cel.declarations import Function, member
from localplane.apimachinery.cel.errors import EvaluationError, no_such_overload
from localplane.apimachinery.cel.types import INT, STRING, list_of
from localplane.apimachinery.schema.patterns import InvalidPattern, searcher


def compiled(pattern: str) -> re.Pattern[str]:
    """Raises EvaluationError in Go's words, as far as Python knows them."""
    try:
        found: Any = searcher(pattern)
    except InvalidPattern as error:
        raise EvaluationError(_go_words(str(error), pattern)) from None
    expression: re.Pattern[str] = found.__self__
    return expression


_GO_WORDS = (
    ("unterminated character set", "missing closing ]: `{rest}`"),
    ("missing ), unterminated subpattern", "missing closing ): `{pattern}`"),
    ("unbalanced parenthesis", "unexpected ): `{pattern}`"),
    ("nothing to repeat", "missing argument to repetition operator: `{at}`"),
    ("multiple repeat", "invalid nested repetition operator: `{pattern}`"),
)
_POSITION = re.compile(r"at position (\d+)")


def _go_words(message: str, pattern: str) -> str:
    position = _POSITION.search(message)
    start = int(position[1]) if position is not None else 0
    for words, go in _GO_WORDS:
        if words in message:
            said = go.format(pattern=pattern, rest=pattern[start:], at=pattern[start : start + 1])
            return f"error parsing regexp: {said}"
    return message


def matches(text: Any, pattern: Any) -> bool:
    if type(text) is not str or type(pattern) is not str:
        raise no_such_overload()
    return compiled(pattern).search(text) is not None


def _illegal(text: Any, pattern: Any) -> re.Pattern[str]:
    if type(text) is not str or type(pattern) is not str:
        raise no_such_overload()
    try:
        return compiled(pattern)
    except EvaluationError as error:
        raise EvaluationError(f"Illegal regex: {error}") from None


def _find(text: str, pattern: str) -> str:
    found = _illegal(text, pattern).search(text)
    return found.group() if found is not None else ""


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    """As Go's FindAllString: an empty match right behind another match does not count."""
    found: list[str] = []
    end = -1
    for match in _illegal(text, pattern).finditer(text):
        if limit >= 0 and len(found) >= limit:
            break
        if match.start() != match.end() or match.start() != end:
            found.append(match.group())
        end = match.end()
    return found


REGEX: tuple[Function, ...] = (
    Function("find", (member("string_find_string", (STRING, STRING), STRING, _find),), unguarded=True),
    Function(
        "findAll",
        (
            member("string_find_all_string", (STRING, STRING), list_of(STRING), _find_all),
            member("string_find_all_string_int", (STRING, STRING, INT), list_of(STRING), _find_all),
        ),
        unguarded=True,
    ),
)
