"""JSON values: when they are the same, and how Go prints them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def identity(value: Any) -> Any:
    """Something hashable that is equal for equal JSON values only: 1, 1.0 and true are three."""
    if isinstance(value, dict):
        return frozenset((key, identity(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(identity(item) for item in value)
    return (type(value), value)


def has_repeats(values: Iterable[Any]) -> bool:
    seen: set[Any] = set()
    for value in values:
        known = identity(value)
        if known in seen:
            return True
        seen.add(known)
    return False


def in_order(value: Any) -> Any:
    """A copy with its keys sorted, as Go prints a map."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(item) for item in value] if isinstance(value, list) else value
