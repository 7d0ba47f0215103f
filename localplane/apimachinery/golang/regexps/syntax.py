"""What an expression consists of, once it is read: a tree, each of whose nodes knows how large it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from .classes import Characters, only

_NAMED_WEIGHT: Final = 1200
"""How many instructions RE2 makes of letters: it reads bytes, and there are many ways to begin a letter."""
_OUTSIDE_ASCII_WEIGHT: Final = 12


class Position(Enum):
    """What is asked of a place between two characters."""

    TEXT_BEGINS = "^"
    TEXT_ENDS = "$"
    LINE_BEGINS = "(?m:^)"
    LINE_ENDS = "(?m:$)"
    AT_WORD = r"\b"
    NOT_AT_WORD = r"\B"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegexpNode:
    """`size` is in Go's instructions, `weight` in RE2's, `height` as Go counts it; `product` is how many times the most
    repeated part is asked for."""

    size: int = 1
    weight: int = 1
    height: int = 1
    product: int = 1


@dataclass(frozen=True, slots=True)
class Leaf(RegexpNode):
    characters: Characters


@dataclass(frozen=True, slots=True)
class Assertion(RegexpNode):
    position: Position


@dataclass(frozen=True, slots=True)
class RegexpGroup(RegexpNode):
    """One with a number: it counts for the height and for nothing else."""

    part: RegexpNode


@dataclass(frozen=True, slots=True)
class Row(RegexpNode):
    parts: tuple[RegexpNode, ...]


@dataclass(frozen=True, slots=True)
class Choice(RegexpNode):
    parts: tuple[RegexpNode, ...]


@dataclass(frozen=True, slots=True)
class Repeat(RegexpNode):
    """Without a `most`, as often as it can be."""

    part: RegexpNode
    least: int
    most: int | None
    lazy: bool


def leaf(characters: Characters) -> Leaf:
    weight = 0
    for piece in characters.pieces:
        outside = characters.negated or piece.negated or any(high > 127 for _, high in piece.ranges)
        weight += _NAMED_WEIGHT if piece.name else max(len(piece.ranges), 1) + outside * _OUTSIDE_ASCII_WEIGHT
    return Leaf(characters, weight=max(weight, 1) * (1 + characters.folds))


@lru_cache(maxsize=1024)
def letter(character: str, *, folds: bool) -> Leaf:
    return leaf(only(character, folds=folds))


def group(part: RegexpNode) -> RegexpGroup:
    return RegexpGroup(part, size=part.size + 2, weight=part.weight, height=part.height + 1, product=part.product)


def row(parts: Sequence[RegexpNode]) -> RegexpNode:
    """Letters in a row are one node to Go."""
    if len(parts) == 1:
        return parts[0]
    is_word = all(type(part) is Leaf and part.weight == 1 for part in parts)
    return Row(tuple(parts), **_together(parts, is_leaf=is_word, extra=0))


def choice(parts: Sequence[RegexpNode]) -> RegexpNode:
    """One character or another is a set to Go."""
    if len(parts) == 1:
        return parts[0]
    is_set = all(type(part) is Leaf for part in parts)
    return Choice(tuple(parts), **_together(parts, is_leaf=is_set, extra=len(parts) - 1))


def _together(parts: Sequence[RegexpNode], *, is_leaf: bool, extra: int) -> dict[str, int]:
    if not parts:
        return {}
    return {
        "size": sum(part.size for part in parts) + extra,
        "weight": sum(part.weight for part in parts) + extra,
        "height": max(part.height for part in parts) + (not is_leaf),
        "product": max(part.product for part in parts),
    }


def repeat(part: RegexpNode, least: int, most: int | None, *, lazy: bool, counted: bool) -> Repeat:
    """`counted`: written with braces, which Go measures differently."""
    copies = max(least, 1) if most is None else most
    extra = 2 if least == 0 else 1
    if counted and most is not None:
        extra = most - least
    return Repeat(
        part,
        least,
        most,
        lazy,
        size=max(copies * part.size + extra, 1),
        weight=max(copies * part.weight + extra, 1),
        height=part.height + 1,
        product=1 if counted and most == 0 else part.product * max(copies if counted else 1, 1),
    )
