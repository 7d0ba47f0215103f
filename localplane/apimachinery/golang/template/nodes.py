"""What a template consists of. `at` is where it stands in the text, and `shown` how Go's messages write it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Text(NamedTuple):
    text: str


class Constant(NamedTuple):
    at: int
    shown: str
    value: Any


class Dot(NamedTuple):
    at: int
    shown: str = "."


class Variable(NamedTuple):
    """`$x.a.b`: a name and the fields after it."""

    at: int
    shown: str
    name: str
    fields: tuple[str, ...]


class Field(NamedTuple):
    at: int
    shown: str
    fields: tuple[str, ...]


class Function(NamedTuple):
    at: int
    shown: str


class Chain(NamedTuple):
    """`(pipeline).a.b`"""

    at: int
    shown: str
    inner: Pipeline
    fields: tuple[str, ...]


class Command(NamedTuple):
    at: int
    shown: str
    words: tuple[Operand, ...]


class Pipeline(NamedTuple):
    """`names` are variables that it declares, or with `assigns` changes."""

    at: int
    shown: str
    commands: tuple[Command, ...]
    names: tuple[str, ...] = ()
    assigns: bool = False


class Output(NamedTuple):
    pipeline: Pipeline


class Branch(NamedTuple):
    """`keyword` is if, with or range."""

    keyword: str
    pipeline: Pipeline
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...]


class Jump(NamedTuple):
    keyword: str


class Call(NamedTuple):
    """{{template "name" pipeline}}"""

    at: int
    name: str
    pipeline: Pipeline | None


Operand = Constant | Dot | Variable | Field | Function | Chain | Pipeline
Node = Text | Output | Branch | Jump | Call
