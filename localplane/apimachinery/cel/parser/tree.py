"""The tree of an expression, after macros are expanded.

The checker writes into the nodes what it found out: their type, what a name refers to, which overloads a call may have.
`offset` is where an issue about the node points to.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from localplane.apimachinery.cel.types import DYN, Type


@dataclass(slots=True, eq=False)
class Expr:
    offset: int
    type: Type = field(default=DYN, init=False)


@dataclass(slots=True, eq=False)
class Literal(Expr):
    value: Any


@dataclass(slots=True, eq=False)
class Ident(Expr):
    name: str
    denotes: Type | None = field(default=None, init=False)
    """The type that the name is, when it is one: `int`, `net.IP`."""


@dataclass(slots=True, eq=False)
class Select(Expr):
    operand: Expr
    name: str
    is_test: bool = False
    denotes: Type | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class Call(Expr):
    function: str
    target: Expr | None
    args: list[Expr]
    overloads: tuple[str, ...] = field(default=(), init=False)


@dataclass(slots=True, eq=False)
class CreateList(Expr):
    elements: list[Expr]
    optional: frozenset[int] = frozenset()


@dataclass(slots=True, eq=False)
class Entry:
    offset: int
    key: Expr
    value: Expr
    is_optional: bool = False


@dataclass(slots=True, eq=False)
class CreateMap(Expr):
    entries: list[Entry]


@dataclass(slots=True, eq=False)
class CreateStruct(Expr):
    name: str
    fields: list[tuple[str, Expr]]


@dataclass(slots=True, eq=False)
class Comprehension(Expr):
    """What a macro over a range becomes. `macro` says which, so that evaluating it needs no general loop; the parts
    below are what the checker and the estimate of costs reason about."""

    macro: str
    range: Expr
    variable: str
    second: str
    accumulator: str
    init: Expr
    condition: Expr
    step: Expr
    result: Expr
    body: Expr
    """The predicate or the transformation, as it was written."""
    filter: Expr | None = None


ACCUMULATOR = "@result"


def children(node: Expr) -> list[Expr]:
    """In the order in which cel-go visits them."""
    kind = type(node)
    if kind is Literal or kind is Ident:
        return []
    if isinstance(node, Call):
        return node.args if node.target is None else [node.target, *node.args]
    if isinstance(node, Select):
        return [node.operand]
    if isinstance(node, CreateList):
        return node.elements
    if isinstance(node, CreateMap):
        return [part for entry in node.entries for part in (entry.key, entry.value)]
    if isinstance(node, Comprehension):
        return [node.range, node.init, node.condition, node.step, node.result]
    return [value for _, value in node.fields] if isinstance(node, CreateStruct) else []


def descendants(node: Expr) -> list[Expr]:
    """The node and everything below it, parents first."""
    found: list[Expr] = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        found.append(current)
        waiting.extend(reversed(children(current)))
    return found


def copied(node: Expr) -> Expr:
    """A tree of its own, where a macro needs an argument twice."""
    return copy.deepcopy(node)
