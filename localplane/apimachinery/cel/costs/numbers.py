"""Numbers that don't overflow. Upstream: checker/cost.go."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

MOST: Final = 2**64 - 1
STRING_FACTOR: Final = 0.1
REGEX_FACTOR: Final = 0.25
LIST_COST: Final = 10
MAP_COST: Final = 30
STRUCT_COST: Final = 40


def plus(one: int, other: int) -> int:
    return min(one + other, MOST)


def times(one: int, other: int) -> int:
    return min(one * other, MOST)


def scaled(size: int, factor: float) -> int:
    """Rounded up, in the arithmetic of floats."""
    product = float(size) * factor
    return MOST if product >= 2.0**64 else math.ceil(product)


_TENTHS: Final = tuple(math.ceil(size * STRING_FACTOR) for size in range(1024))


def traversed(size: int) -> int:
    """The cost of looking at a text of this length once."""
    return _TENTHS[size] if size < 1024 else math.ceil(size * STRING_FACTOR)


def matched(size: int, regex_size: int) -> int:
    """The cost of matching a text against a pattern: one more than the text, so that an empty one is not free."""
    return traversed(size + 1) * math.ceil(regex_size * REGEX_FACTOR)


@dataclass(frozen=True, slots=True)
class Size:
    """How many elements or characters there may be."""

    least: int
    most: int

    def __add__(self, other: Size) -> Size:
        return Size(plus(self.least, other.least), plus(self.most, other.most))

    def __mul__(self, other: Size) -> Size:
        return Size(times(self.least, other.least), times(self.most, other.most))

    def __or__(self, other: Size) -> Size:
        return Size(min(self.least, other.least), max(self.most, other.most))


UNKNOWN: Final = Size(0, MOST)


def fixed(size: int) -> Size:
    return Size(size, size)
