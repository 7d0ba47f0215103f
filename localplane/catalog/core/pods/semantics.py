"""When two parts of a spec mean the same: amounts are equal however they are written.

Kubernetes: apimachinery/pkg/api/equality, Semantic. The decoder has left out what is empty, so the rest is plain
comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from localplane.apimachinery.quantity import InvalidQuantity, parse

_AMOUNTS = frozenset({"limits", "requests", "overhead", "sizeLimit", "divisor"})


def equal(one: Any, other: Any, *, are_amounts: bool = False) -> bool:
    if one == other:
        return True
    match one, other:
        case Mapping(), Mapping():
            return one.keys() == other.keys() and all(
                equal(value, other[name], are_amounts=are_amounts or name in _AMOUNTS) for name, value in one.items()
            )
        case str(), str():
            return are_amounts and _same_amount(one, other)
        case Sequence(), Sequence() if not isinstance(one, str) and not isinstance(other, str):
            return len(one) == len(other) and all(
                equal(each, its, are_amounts=are_amounts) for each, its in zip(one, other, strict=True)
            )
        case _:
            return False


def _same_amount(one: str, other: str) -> bool:
    try:
        return parse(one) == parse(other)
    except InvalidQuantity:
        return False
