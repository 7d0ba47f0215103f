"""Regular expressions. Upstream: common/types/string.go, Match, and pkg/cel/library/regex.go."""

from __future__ import annotations

from itertools import islice
from typing import Any

from localplane.apimachinery.cel.declarations import Function, member
from localplane.apimachinery.cel.errors import CostExceeded, EvaluationError, no_such_overload
from localplane.apimachinery.cel.types import INT, STRING, list_of
from localplane.apimachinery.golang import regexps


def compiled(pattern: str) -> regexps.Regexp:
    """Raises EvaluationError in Go's words."""
    try:
        return regexps.compiled(pattern)
    except regexps.InvalidRegexp as error:
        raise EvaluationError(str(error)) from None


def matches(text: Any, pattern: Any) -> bool:
    if type(text) is not str or type(pattern) is not str:
        raise no_such_overload()
    try:
        return compiled(pattern).is_in(text)
    except regexps.TooCostly:
        raise CostExceeded from None


def _find(text: Any, pattern: Any) -> str:
    found = _find_all(text, pattern, 1)
    return found[0] if found else ""


def _find_all(text: Any, pattern: Any, limit: int = -1) -> list[str]:
    if type(text) is not str or type(pattern) is not str:
        raise no_such_overload()
    try:
        expression = compiled(pattern)
    except EvaluationError as error:
        raise EvaluationError(f"Illegal regex: {error}") from None
    try:
        return list(islice(expression.all_in(text), limit if limit >= 0 else None))
    except regexps.TooCostly:
        raise CostExceeded from None


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
