"""What an estimate knows of an argument, and what it says of a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from localplane.apimachinery.cel.parser.tree import Expr, Literal
from localplane.apimachinery.cel.types import Kind, Type

from .numbers import STRING_FACTOR, UNKNOWN, Size, scaled

Path = tuple[str, ...]


class _Schema(Protocol):
    def declared_size(self, path: Path) -> Size | None: ...


@dataclass(frozen=True, slots=True)
class Entries:
    """The sizes of what is in a list or a map."""

    kind: Kind
    key: Size
    value: Size


@dataclass(frozen=True, slots=True)
class Operand:
    """An argument: where it stands in the schema, and how large it is as far as that is known."""

    node: Expr
    path: Path
    computed: Size | None
    entries: Entries | None
    schema: _Schema

    @property
    def type(self) -> Type:
        return self.node.type

    @property
    def size(self) -> Size:
        """As cel-go sees it: by the expression alone."""
        return self.computed or UNKNOWN

    @property
    def declared(self) -> Size:
        """As the libraries see it: by the schema too."""
        return self.computed or self.schema.declared_size(self.path) or UNKNOWN

    def element(self) -> tuple[Type, Size] | None:
        """The type and size of a list's elements."""
        if not self.type.parameters:
            return None
        path = (*self.path, "@items") if self.path else ()
        return self.type.parameters[0], self.schema.declared_size(path) or UNKNOWN

    def number(self, default: int) -> int:
        """What it is, if it is a whole number written in the expression."""
        if isinstance(self.node, Literal) and type(self.node.value) is int:
            return max(self.node.value, 0)
        return default


@dataclass(frozen=True, slots=True)
class Estimate:
    cost: int
    size: Size | None = None
    entries: Entries | None = None


def text_cost(size: Size) -> int:
    """The cost of looking at a text once."""
    return scaled(size.most, STRING_FACTOR)
