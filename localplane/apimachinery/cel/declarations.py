"""Functions and variables that expressions may use: an environment is what is declared, nothing else.

A function has overloads, each with the types of its arguments and what computes it. Types decide at check time which
of them a call may mean; where types are dynamic, the values decide when it is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .schema.declared_types import DeclaredType
from .types import DYN, SIMPLE, Kind, Type

Implementation = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Overload:
    """`member` overloads are called on a value. `compute` is None for what the compiler treats by itself."""

    id: str
    arguments: tuple[Type, ...]
    result: Type
    compute: Implementation | None = None
    member: bool = False

    @cached_property
    def type_parameters(self) -> tuple[str, ...]:
        names: dict[str, None] = {}
        for each in (*self.arguments, self.result):
            _gather(each, names)
        return tuple(names)


def _gather(of: Type, names: dict[str, None]) -> None:
    if of.kind is Kind.TYPE_PARAMETER:
        names[of.name] = None
    for each in of.parameters:
        _gather(each, names)


@dataclass(frozen=True, eq=False)
class Function:
    """`unguarded` functions look at their arguments themselves and answer for all overloads."""

    name: str
    overloads: tuple[Overload, ...]
    unguarded: bool = False

    @cached_property
    def by_kinds(self) -> Mapping[tuple[bool, tuple[Kind, ...]], Overload] | None:
        """The overload for arguments of simple types, where these alone decide; None where they don't."""
        found: dict[tuple[bool, tuple[Kind, ...]], Overload] = {}
        for each in self.overloads:
            kinds = tuple(argument.kind for argument in each.arguments)
            if Kind.TYPE_PARAMETER in kinds or Kind.DYN in kinds or not kinds:
                return None
            if SIMPLE.issuperset(kinds):
                found.setdefault((each.member, kinds), each)
        return found


def overload(name: str, arguments: Iterable[Type], result: Type, compute: Implementation | None = None) -> Overload:
    return Overload(name, tuple(arguments), result, compute)


def member(name: str, arguments: Iterable[Type], result: Type, compute: Implementation | None = None) -> Overload:
    return Overload(name, tuple(arguments), result, compute, member=True)


@dataclass(frozen=True)
class Environment:
    """What an expression may refer to. `types` are names that denote one."""

    functions: Mapping[str, Function]
    types: Mapping[str, Type]
    variables: Mapping[str, Type]

    @cached_property
    def overloads(self) -> Mapping[str, Overload]:
        return {each.id: each for function in self.functions.values() for each in function.overloads}

    def with_variables(self, variables: Mapping[str, Type]) -> Environment:
        extended = Environment(self.functions, self.types, {**self.variables, **variables})
        extended.__dict__["overloads"] = self.overloads
        return extended


def merged(*libraries: Iterable[Function]) -> dict[str, Function]:
    """All functions by name; overloads of the same name in the order of the libraries."""
    found: dict[str, Function] = {}
    for library in libraries:
        for function in library:
            known = found.get(function.name)
            if known is None:
                found[function.name] = function
                continue
            ids = {each.id for each in known.overloads}
            more = tuple(each for each in function.overloads if each.id not in ids)
            unguarded = known.unguarded and function.unguarded
            found[function.name] = Function(function.name, known.overloads + more, unguarded)
    return found


# Objects that a program declares for expressions, field by field: what is asked, by whom, for which device.


class Struct(DeclaredType):
    """An object whose fields are told by name, and can become more."""

    __slots__ = ("fields",)

    def __init__(self, name: str, fields: dict[str, Type]) -> None:
        super().__init__(DYN, smallest=2, name=name)
        self.type = Type(Kind.STRUCT, name, (), self)
        self.fields = fields

    def field(self, name: str) -> DeclaredType | None:
        found = self.fields.get(name)
        return None if found is None else DeclaredType(found, smallest=1)


def struct(name: str, /, **fields: Type) -> Type:
    return Struct(name, fields).type
