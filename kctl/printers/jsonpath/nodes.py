"""What a template consists of. A Template's parts are texts and actions; an action is a sequence of steps."""

from __future__ import annotations

from typing import NamedTuple


class Text(NamedTuple):
    text: str


class Field(NamedTuple):
    name: str


class Wildcard(NamedTuple):
    pass


class Recursive(NamedTuple):
    pass


class Constant(NamedTuple):
    value: int | float | bool


class Identifier(NamedTuple):
    name: str


class Slice(NamedTuple):
    """None where nothing was said. `single` is an index alone: its end follows from its start."""

    start: int | None
    end: int | None
    step: int | None
    single: bool = False


class Choice(NamedTuple):
    """`[0,2]`, `['a','b']`"""

    choices: tuple[Action, ...]


class Filter(NamedTuple):
    """`operator` is `exists` when nothing is compared."""

    left: Action
    operator: str
    right: Action


class Action(NamedTuple):
    steps: tuple[Step, ...]


Step = Text | Field | Wildcard | Recursive | Constant | Identifier | Slice | Choice | Filter
