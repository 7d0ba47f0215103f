"""Operators as closures: what they compute, what they leave out, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.cel.costs.actual import AMPLIFIERS, call_cost, compared
from localplane.apimachinery.cel.costs.numbers import traversed
from localplane.apimachinery.cel.declarations import Implementation
from localplane.apimachinery.cel.errors import CostExceeded, EvaluationError, no_such_overload
from localplane.apimachinery.cel.interpreter import program
from localplane.apimachinery.cel.parser.tree import Call
from localplane.apimachinery.cel.types import INT, SCALARS, STRING, Kind
from localplane.apimachinery.cel.values import MISSING, MOST_BUILT, Optional, Unsigned, built, map_key

from . import arithmetic
from .access import get, get_optional
from .equality import compare, equal

if TYPE_CHECKING:
    from .program import Code, Compiler, Frame, Run


def _code(run: Run, cost: int) -> program.Code:
    return program.Code(run, cost)


def compile_binary(node: Call, codes: Sequence[Code], compute: Implementation) -> Code:
    left, right = codes[0].run, codes[1].run
    static = codes[0].cost + codes[1].cost
    cost = call_cost(node.function, node.overloads)
    types = node.args[0].type, node.args[1].type
    if types[0] is INT and types[1] is INT and node.function in _INT_RELATIONS:
        return _code(_INT_RELATIONS[node.function](left, right), static + 1)
    if isinstance(cost, int):
        if node.function in AMPLIFIERS and not SCALARS.issuperset((types[0].kind, types[1].kind)):
            return _code(_concatenation(left, right), static + cost)
        return _code(lambda frame: compute(left(frame), right(frame)), static + cost)
    charge = cost

    def run(frame: Frame) -> Any:
        one, other = left(frame), right(frame)
        frame[0] += charge((one, other), None)
        if frame[0] > frame[1]:
            raise CostExceeded
        return compute(one, other)

    return _code(run, static)


def _concatenation(left: Run, right: Run) -> Run:
    """Of lists, or of what may be: it costs one, however long they are."""

    def run(frame: Frame) -> Any:
        one, other = left(frame), right(frame)
        frame[2] += built(one) + built(other)
        if frame[2] > MOST_BUILT:
            raise CostExceeded
        return arithmetic.add(one, other)

    return run


def _less(left: Run, right: Run) -> Run:
    return lambda frame: left(frame) < right(frame)


def _less_or_equal(left: Run, right: Run) -> Run:
    return lambda frame: left(frame) <= right(frame)


def _greater(left: Run, right: Run) -> Run:
    return lambda frame: left(frame) > right(frame)


def _greater_or_equal(left: Run, right: Run) -> Run:
    return lambda frame: left(frame) >= right(frame)


_INT_RELATIONS: Final[dict[str, Callable[[Run, Run], Run]]] = {
    "_<_": _less,
    "_<=_": _less_or_equal,
    "_>_": _greater,
    "_>=_": _greater_or_equal,
}
BINARY: Final[dict[str, Implementation]] = {
    "_+_": arithmetic.add,
    "_-_": arithmetic.subtract,
    "_*_": arithmetic.multiply,
    "_/_": arithmetic.divide,
    "_%_": arithmetic.modulo,
    "_<_": lambda one, other: compare(one, other, "_<_") < 0,
    "_<=_": lambda one, other: compare(one, other, "_<=_") <= 0,
    "_>_": lambda one, other: compare(one, other, "_>_") > 0,
    "_>=_": lambda one, other: compare(one, other, "_>=_") >= 0,
}


def _equality(compiler: Compiler, node: Call) -> Code:
    codes = [compiler.compile(each) for each in node.args]
    left, right = codes[0].run, codes[1].run
    static = codes[0].cost + codes[1].cost
    wanted = node.function == "_==_"
    types = node.args[0].type, node.args[1].type
    if types[0] is STRING and types[1] is STRING:
        return _code(_string_equality(left, right, wanted=wanted), static)
    if types[0].kind in SCALARS and types[1].kind in SCALARS:
        return _code(lambda frame: equal(left(frame), right(frame)) is wanted, static + 1)
    extensions = (Kind.STRUCT, Kind.OPAQUE)
    if wanted and types[0].kind in extensions and types[0].declared is None and not types[0].is_optional:
        return _code(lambda frame: equal(left(frame), right(frame)), static + 1)

    def run(frame: Frame) -> bool:
        one, other = left(frame), right(frame)
        frame[0] += compared((one, other))
        return _equal_or_not(one, other, wanted=wanted)

    return _code(run, static)


def _equal_or_not(one: Any, other: Any, *, wanted: bool) -> bool:
    """An error while comparing is an inequality to !=, and an error to ==."""
    if wanted:
        return equal(one, other)
    try:
        return not equal(one, other)
    except EvaluationError:
        return True


def _string_equality(left: Run, right: Run, *, wanted: bool) -> Run:
    def run(frame: Frame) -> bool:
        one, other = left(frame), right(frame)
        frame[0] += traversed(min(len(one), len(other)))
        return bool(one == other) is wanted

    return run


def _logical(compiler: Compiler, node: Call) -> Code:
    """&& and ||: an error on one side counts only if the other side does not decide."""
    first, second = (compiler.compile(each) for each in node.args)
    left, right, cost = first.run, second.run, second.cost
    decisive = node.function == "_||_"

    def run(frame: Frame) -> bool:
        failure: EvaluationError | None = None
        value: object
        try:
            value = left(frame)
            if value is decisive:
                return decisive
            if value is not (not decisive):
                failure = no_such_overload()
        except EvaluationError as error:
            failure = error
        frame[0] += cost
        try:
            value = right(frame)
        except EvaluationError as error:
            raise failure or error from None
        if value is decisive:
            return decisive
        if failure is not None:
            raise failure
        if value is not (not decisive):
            raise no_such_overload()
        return not decisive

    return _code(run, first.cost)


def _not(compiler: Compiler, node: Call) -> Code:
    code = compiler.compile(node.args[0])
    operand = code.run

    def run(frame: Frame) -> bool:
        value = operand(frame)
        if value is True:
            return False
        if value is False:
            return True
        raise no_such_overload()

    return _code(run, code.cost + 1)


def _negate(compiler: Compiler, node: Call) -> Code:
    code = compiler.compile(node.args[0])
    operand = code.run
    return _code(lambda frame: arithmetic.negate(operand(frame)), code.cost + 1)


def _conditional(compiler: Compiler, node: Call) -> program.Code:
    test, then, otherwise = (compiler.compile(each) for each in node.args)
    condition, yes, no = test.run, then.run, otherwise.run
    yes_cost, no_cost = then.cost - then.branch_discount, otherwise.cost - otherwise.branch_discount

    def run(frame: Frame) -> Any:
        value = condition(frame)
        if value is True:
            frame[0] += yes_cost
            return yes(frame)
        if value is False:
            frame[0] += no_cost
            return no(frame)
        raise no_such_overload()

    return program.Code(run, test.cost, is_attribute=True)


def _indexed(compiler: Compiler, node: Call) -> program.Code:
    container, key = (compiler.compile(each) for each in node.args)
    cost = container.cost + (not container.is_attribute) + key.cost - key.branch_discount
    left, right = container.run, key.run
    if node.function == "_[_]":
        return program.Code(
            lambda frame: get(left(frame), right(frame)), cost + 1, is_attribute=True, branch_discount=1
        )

    def run(frame: Frame) -> Optional:
        value = get_optional(left(frame), right(frame))
        frame[0] += value.value is not MISSING
        return value

    return program.Code(run, cost, is_attribute=True, branch_discount=1)


def _membership(compiler: Compiler, node: Call) -> Code:
    element, container = (compiler.compile(each) for each in node.args)
    left, right = element.run, container.run
    if node.overloads == ("in_list",) and container.is_constant:
        if not container.value:
            return program.constant(value=False)
        if all(type(each) in (bool, int, Unsigned, float, str) for each in container.value):
            known = frozenset(map_key(each) for each in container.value)
            return _code(lambda frame: map_key(left(frame)) in known, element.cost)
    cost = call_cost("@in", node.overloads)
    static = element.cost + container.cost
    if isinstance(cost, int):
        return _code(lambda frame: arithmetic.contains(right(frame), left(frame)), static + cost)
    charge = cost

    def run(frame: Frame) -> bool:
        value, values = left(frame), right(frame)
        frame[0] += charge((value, values), None)
        return arithmetic.contains(values, value)

    return _code(run, static)


def _or_value(compiler: Compiler, node: Call) -> Code:
    """`or` and `orValue`: the alternative is looked at only if it is needed."""
    assert node.target is not None
    first, second = compiler.compile(node.target), compiler.compile(node.args[0])
    left, right, cost = first.run, second.run, second.cost
    unwraps = node.function == "orValue"

    def run(frame: Frame) -> Any:
        value = left(frame)
        if not isinstance(value, Optional):
            raise no_such_overload()
        if value.value is not MISSING:
            return value.value if unwraps else value
        frame[0] += cost
        return right(frame)

    return _code(run, first.cost)


SPECIAL: Final[dict[str, Callable[[Compiler, Call], Code]]] = {
    "_==_": _equality,
    "_!=_": _equality,
    "_&&_": _logical,
    "_||_": _logical,
    "!_": _not,
    "-_": _negate,
    "_?_:_": _conditional,
    "_[_]": _indexed,
    "_[?_]": _indexed,
    "_?._": _indexed,
    "@in": _membership,
    "or": _or_value,
    "orValue": _or_value,
}
