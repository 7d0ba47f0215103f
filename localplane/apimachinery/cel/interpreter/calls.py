"""Calls as closures: which overload is meant, by types where they are known and by values where they are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from localplane.apimachinery.cel.costs.actual import AMPLIFIERS, call_cost
from localplane.apimachinery.cel.declarations import Function, Implementation, Overload
from localplane.apimachinery.cel.errors import CostExceeded, EvaluationError, no_such_overload
from localplane.apimachinery.cel.interpreter import program
from localplane.apimachinery.cel.library.conversions import CONVERSION_NAMES
from localplane.apimachinery.cel.library.patterns import compiled as compiled_pattern
from localplane.apimachinery.cel.parser.tree import Call, Expr
from localplane.apimachinery.cel.types import Kind, Type
from localplane.apimachinery.cel.values import MISSING, MOST_BUILT, Mapper, built, type_of_value

from .operators import BINARY, SPECIAL, compile_binary

if TYPE_CHECKING:
    from .program import Code, Compiler, Frame, Run


def compile_call(compiler: Compiler, node: Call) -> Code:
    special = SPECIAL.get(node.function)
    if special is not None:
        return special(compiler, node)
    arguments = ([node.target] if node.target is not None else []) + node.args
    codes = [compiler.compile(each) for each in arguments]
    binary = BINARY.get(node.function)
    if binary is not None:
        return compile_binary(node, codes, binary)
    function = compiler.environment.functions[node.function]
    compute = _computation(compiler, function, node, arguments)
    if node.function in CONVERSION_NAMES and codes[0].is_constant:
        return _folded(compute, codes[0].value)
    _check_pattern(node, codes)
    return _call(compute, codes, node)


def _code(run: Run, cost: int) -> program.Code:
    return program.Code(run, cost)


def _folded(compute: Implementation, value: Any) -> Code:
    try:
        return program.constant(compute(value))
    except EvaluationError as error:
        raise program.InstantiationFailed(str(error)) from None


def _check_pattern(node: Call, codes: Sequence[Code]) -> None:
    """A pattern that is written in the expression must be one before it is used."""
    if node.function in ("matches", "find", "findAll") and len(codes) > 1 and type(codes[1].value) is str:
        try:
            compiled_pattern(codes[1].value)
        except EvaluationError as error:
            raise program.InstantiationFailed(str(error)) from None


def _call(compute: Implementation, codes: Sequence[Code], node: Call) -> Code:
    cost = call_cost(node.function, node.overloads)
    static = sum(code.cost for code in codes)
    runs = [code.run for code in codes]
    if isinstance(cost, int):
        return _code(_plain_call(compute, runs), static + cost)
    charge, amplifies = cost, node.function in AMPLIFIERS

    def run(frame: Frame) -> Any:
        values = [part(frame) for part in runs]
        result = compute(*values)
        frame[0] += charge(values, result)
        if amplifies:
            frame[2] += built(result)
        if frame[0] > frame[1] or frame[2] > MOST_BUILT:
            raise CostExceeded
        return result

    return _code(run, static)


def _plain_call(compute: Implementation, runs: Sequence[Run]) -> Run:
    if len(runs) == 1:
        only = runs[0]
        return lambda frame: compute(only(frame))
    if len(runs) == 2:
        first, second = runs
        return lambda frame: compute(first(frame), second(frame))
    return lambda frame: compute(*[part(frame) for part in runs])


# Which overload


def _computation(compiler: Compiler, function: Function, node: Call, arguments: Sequence[Expr]) -> Implementation:
    overloads = [compiler.environment.overloads[key] for key in node.overloads]
    if function.unguarded or (len(overloads) == 1 and not any(_is_dynamic(each.type) for each in arguments)):
        compute = overloads[0].compute
        assert compute is not None
        return compute
    candidates = overloads if len(overloads) == 1 else list(function.overloads)
    return _dispatch(function.name, candidates)


def _is_dynamic(of: Type) -> bool:
    return of.kind in (Kind.DYN, Kind.TYPE_PARAMETER, Kind.ERROR) or any(_is_dynamic(each) for each in of.parameters)


def _dispatch(name: str, overloads: Sequence[Overload]) -> Implementation:
    """By the types that values have."""

    def call(*values: Any) -> Any:
        for overload in overloads:
            if overload.compute is not None and len(overload.arguments) == len(values):
                pairs = zip(overload.arguments, values, strict=True)
                if all(_accepts(wanted, value) for wanted, value in pairs):
                    return overload.compute(*values)
        types = ", ".join(type_of_value(value).name for value in values)
        raise no_such_overload(f"{name}({types})")

    return call


def _accepts(wanted: Type, value: Any) -> bool:
    if wanted.kind in (Kind.DYN, Kind.TYPE_PARAMETER):
        return True
    if wanted.kind is Kind.LIST:
        return isinstance(value, list) and (not value or _accepts(wanted.parameters[0], value[0]))
    if wanted.kind is Kind.MAP:
        if not isinstance(value, Mapper) or type_of_value(value).kind is not Kind.MAP:
            return False
        key = next(value.each_key(), MISSING)
        return key is MISSING or (
            _accepts(wanted.parameters[0], key) and _accepts(wanted.parameters[1], value.find(key))
        )
    return type_of_value(value).name == wanted.name
