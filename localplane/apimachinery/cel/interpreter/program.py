"""From a checked tree to closures: compiled once, run for every object.

A closure gets a frame: a list of the cost so far, the limit, what was built, and the variables. What an expression
costs whatever its values are is known here, so a closure adds only what depends on them; branches and loops add what
they run. Upstream: interpreter/planner.go for what is evaluated when, interpreter/runtimecost.go for what is charged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.cel.declarations import Environment
from localplane.apimachinery.cel.errors import CostExceeded, EvaluationError
from localplane.apimachinery.cel.interpreter import access, calls, comprehensions
from localplane.apimachinery.cel.parser.tree import (
    Call,
    Comprehension,
    CreateList,
    CreateMap,
    CreateStruct,
    Expr,
    Ident,
    Literal,
    Select,
)
from localplane.apimachinery.cel.values import MISSING, Map, Optional, type_of_value

Frame = list[Any]
Run = Callable[[Frame], Any]
COST: Final = 0
LIMIT: Final = 1
BUILT: Final = 2
_VARIABLES: Final = 3
UNLIMITED: Final = 2**63


@dataclass(frozen=True, slots=True)
class Code:
    """`cost` is what running it always costs. An `attribute` (a variable, perhaps with fields) as a branch of ?: costs
    one less. `value` is there if it is a constant."""

    run: Run
    cost: int = 0
    value: Any = MISSING
    is_attribute: bool = False
    branch_discount: int = 0

    @property
    def is_constant(self) -> bool:
        return self.value is not MISSING


class InstantiationFailed(ValueError):
    """A constant part of the expression can't be computed."""


@dataclass(frozen=True, slots=True)
class Program:
    """An expression that can be run. Not bound to anything: may be run by many at once."""

    _run: Run
    _cost: int
    _names: tuple[str, ...]
    _size: int

    def evaluate(self, variables: Mapping[str, Any], *, limit: int = UNLIMITED) -> tuple[Any, int]:
        """The value and what it cost. An EvaluationError is the value of an expression that fails.

        Raises CostExceeded beyond the limit.
        """
        frame: Frame = [self._cost, limit, 0, *[variables.get(name) for name in self._names]]
        frame += [None] * self._size
        try:
            value = self._run(frame)
        except EvaluationError as error:
            value = error
        except RecursionError:
            value = EvaluationError("expression recursion limit exceeded")
        if frame[COST] > limit:
            raise CostExceeded
        return value, frame[COST]


def compiled(tree: Expr, environment: Environment) -> Program:
    """Raises InstantiationFailed."""
    compiler = Compiler(environment)
    try:
        code = compiler.compile(tree)
    except RecursionError:
        raise InstantiationFailed("expression recursion limit exceeded") from None
    return Program(code.run, code.cost, compiler.names, compiler.size)


def constant(value: Any) -> Code:
    return Code(lambda _: value, value=value)


class Compiler:
    """One expression. Variables that are given come first in the frame, those of comprehensions after them."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.names = tuple(environment.variables)
        self._globals = {name: _VARIABLES + number for number, name in enumerate(self.names)}
        self._locals: list[tuple[str, int]] = []
        self.size = 0

    def compile(self, node: Expr) -> Code:
        match node:
            case Literal():
                return constant(node.value)
            case Ident():
                return self._ident(node)
            case Select():
                return self._select(node)
            case Call():
                return calls.compile_call(self, node)
            case Comprehension():
                return comprehensions.compile_comprehension(self, node)
            case CreateList():
                return self._list(node)
            case CreateMap():
                return self._map(node)
            case CreateStruct():
                raise InstantiationFailed(f"unknown type: {node.name}")
        raise TypeError(node)

    def declare(self, name: str) -> int:
        """A place in the frame for a local variable, which hides others of its name until it is forgotten."""
        slot = _VARIABLES + len(self.names) + self.size
        self.size += 1
        self._locals.append((name, slot))
        return slot

    def forget(self, count: int) -> None:
        del self._locals[len(self._locals) - count :]

    def _slot(self, name: str) -> int:
        for known, slot in reversed(self._locals):
            if known == name:
                return slot
        return self._globals[name]

    def _ident(self, node: Ident) -> Code:
        if node.denotes is not None:
            return constant(node.denotes)
        slot = self._slot(node.name)
        return Code(lambda frame: frame[slot], 1, is_attribute=True, branch_discount=1)

    def _select(self, node: Select) -> Code:
        if node.denotes is not None:
            return constant(node.denotes)
        operand = self.compile(node.operand)
        run, name = operand.run, node.name
        cost = operand.cost + 1 + (not operand.is_attribute)
        if node.is_test:
            return Code(lambda frame: access.has_field(run(frame), name), cost - 1, is_attribute=True)
        return Code(access.select_field(run, name), cost, is_attribute=True, branch_discount=1)

    def _list(self, node: CreateList) -> Code:
        parts = [self.compile(each) for each in node.elements]
        if not node.optional and all(part.is_constant for part in parts):
            return constant([part.value for part in parts])
        runs = [part.run for part in parts]
        cost = sum(part.cost for part in parts) + 10
        if not node.optional:
            return Code(lambda frame: [run(frame) for run in runs], cost)
        return Code(_optional_list(runs, node.optional), cost)

    def _map(self, node: CreateMap) -> Code:
        keys = [self.compile(entry.key) for entry in node.entries]
        values = [self.compile(entry.value) for entry in node.entries]
        optional = [entry.is_optional for entry in node.entries]
        if not any(optional) and all(part.is_constant for part in (*keys, *values)):
            return constant(Map.of([(key.value, value.value) for key, value in zip(keys, values, strict=True)]))
        cost = sum(part.cost for part in (*keys, *values)) + 30
        pairs = [(key.run, value.run) for key, value in zip(keys, values, strict=True)]
        return Code(_created_map(pairs, optional), cost)


def _present(value: Any, what: str) -> Optional:
    if isinstance(value, Optional):
        return value
    raise EvaluationError(f"cannot initialize optional {what} from non-optional value {type_of_value(value).name}")


def _optional_list(runs: Sequence[Run], optional: frozenset[int]) -> Run:
    def run(frame: Frame) -> list[Any]:
        result = []
        for number, part in enumerate(runs):
            value = part(frame)
            if number in optional:
                value = _present(value, "list element").value
                if value is MISSING:
                    continue
            result.append(value)
        return result

    return run


def _created_map(pairs: Sequence[tuple[Run, Run]], optional: Sequence[bool]) -> Run:
    def run(frame: Frame) -> Map:
        result = []
        for (key, value), is_optional in zip(pairs, optional, strict=True):
            name, content = key(frame), value(frame)
            if is_optional:
                content = _present(content, "entry").value
                if content is MISSING:
                    continue
            result.append((name, content))
        return Map.of(result)

    return run
