"""Go's view of JSON values: what is true, what is printed, how kinds are called."""

from __future__ import annotations

from typing import Any, Final

from localplane.apimachinery.golang.text import go_plain

MISSING: Final[Any] = type("Missing", (), {"__slots__": ()})()
"""What a map answers for a key that it does not have: no value at all, not even nil."""


class Int(int):
    """A number of the template itself: Go's int, while those of an object are int64."""

    __slots__ = ()


def decoded(value: Any) -> Any:
    """As Go decodes JSON into an empty interface: every number is a float64."""
    if isinstance(value, dict):
        return {key: decoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [decoded(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def is_true(value: Any) -> bool:
    return value is not MISSING and bool(value)


def printed(value: Any) -> str:
    return "<no value>" if value is MISSING or value is None else go_plain(value)


def kind_of(value: Any) -> str:
    match value:
        case bool():
            return "bool"
        case Int():
            return "int"
        case int():
            return "int64"
        case float():
            return "float64"
        case str():
            return "string"
        case list():
            return "[]interface {}"
        case dict():
            return "map[string]interface {}"
    return "nil"
