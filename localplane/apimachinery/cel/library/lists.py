"""Functions on lists. Upstream: pkg/cel/library/lists.go, ext/lists.go (version 3), ext/sets.go, cel/library.go."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from localplane.apimachinery.cel.declarations import Function, Overload, member, overload
from localplane.apimachinery.cel.errors import CostExceeded, EvaluationError, no_such_overload
from localplane.apimachinery.cel.interpreter.arithmetic import add, contains
from localplane.apimachinery.cel.interpreter.equality import compare, equal
from localplane.apimachinery.cel.types import (
    BOOL,
    COMPARABLE,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    SHORT_NAMES,
    UINT,
    Type,
    list_of,
    parameter,
)
from localplane.apimachinery.cel.values import MOST_BUILT, Duration, Unsigned, built, type_of_value

_T = parameter("T")
_LIST = list_of(_T)
_MOST = 1_000_000  # a list of more costs more than any evaluation may


def _is_sorted(values: list[Any]) -> bool:
    return all(compare(one, other) <= 0 for one, other in pairwise(values))


def _sum_from(zero: Any) -> Callable[[list[Any]], Any]:
    def answer(values: list[Any]) -> Any:
        total = zero
        for each in values:
            total = add(total, each)
        return total

    return answer


def _extreme(name: str, sign: int) -> Callable[[list[Any]], Any]:
    def answer(values: list[Any]) -> Any:
        if not values:
            raise EvaluationError(f"{name} called on empty list")
        best = values[0]
        for each in values[1:]:
            if compare(best, each) == sign:
                best = each
        return best

    return answer


def _index_of(values: list[Any], wanted: Any) -> int:
    return next((number for number, each in enumerate(values) if equal(each, wanted)), -1)


def _last_index_of(values: list[Any], wanted: Any) -> int:
    return next((n for n in range(len(values) - 1, -1, -1) if equal(values[n], wanted)), -1)


def _includes(target: Any, wanted: Any) -> bool:
    if isinstance(target, list):
        return any(equal(each, wanted) for each in target)
    return equal(target, wanted)


def _slice(values: list[Any], start: int, end: int) -> list[Any]:
    call = f"cannot slice({start}, {end})"
    if start < 0 or end < 0:
        raise EvaluationError(f"{call}, negative indexes not supported")
    if start > end:
        raise EvaluationError(f"{call}, start index must be less than or equal to end index")
    if len(values) < end:
        raise EvaluationError(f"{call}, list is length {len(values)}")
    return list(values[start:end])


def _flatten(values: Any, depth: Any = 1) -> list[Any]:
    if not isinstance(values, list) or type(depth) is not int:
        raise no_such_overload(f"{type_of_value(values).name}.flatten()")
    if depth < 0:
        raise EvaluationError("level must be non-negative")
    if not depth:
        return values
    result: list[Any] = []
    for each in values:
        result += _flatten(each, depth - 1) if isinstance(each, list) else [each]
        if built(result) > MOST_BUILT:
            raise CostExceeded
    return result


def _sorted_by(values: list[Any], keys: list[Any]) -> list[Any]:
    if len(values) != len(keys):
        words = "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got"
        raise EvaluationError(f"{words} {len(values)} and {len(keys)} elements respectively")
    if len({type_of_value(key).name for key in keys}) > 1:
        raise EvaluationError("list elements must have the same type")
    in_order = cmp_to_key(compare)
    pairs = sorted(zip(keys, values, strict=True), key=lambda pair: in_order(pair[0]))
    return [value for _, value in pairs]


def _sorted(values: list[Any]) -> list[Any]:
    return _sorted_by(values, values)


def _range(count: int) -> list[int]:
    if count < 0:
        raise EvaluationError(f"lists.range: size must be non-negative, got {count}")
    return list(range(min(count, _MOST)))


def _distinct(values: list[Any]) -> list[Any]:
    result: list[Any] = []
    for each in values:
        if not any(equal(each, known) for known in result):
            result.append(each)
    return result


def _contains_all(values: list[Any], wanted: list[Any]) -> bool:
    return all(contains(values, each) for each in wanted)


def _equivalent(one: list[Any], other: list[Any]) -> bool:
    return _contains_all(one, other) and _contains_all(other, one)


def _intersects(one: list[Any], other: list[Any]) -> bool:
    return any(contains(other, each) for each in one)


def _each(types: tuple[Type, ...], make: Callable[[str, Type], Overload]) -> tuple[Overload, ...]:
    return tuple(make(SHORT_NAMES[type_.kind], type_) for type_ in types)


_ZEROS: tuple[tuple[Type, Any], ...] = ((INT, 0), (UINT, Unsigned(0)), (DOUBLE, 0.0), (DURATION, Duration(0)))
_A = parameter("A")


def _extremes(name: str, sign: int) -> Function:
    compute = _extreme(name, sign)
    made = _each(COMPARABLE, lambda key, type_: member(f"list_{key}_{name}_{key}", (list_of(type_),), type_, compute))
    return Function(name, made)


LISTS: tuple[Function, ...] = (
    Function(
        "isSorted",
        _each(COMPARABLE, lambda key, of: member(f"list_{key}_is_sorted_bool", (list_of(of),), BOOL, _is_sorted)),
    ),
    Function(
        "sum",
        tuple(
            member(f"list_{SHORT_NAMES[of.kind]}_sum_{SHORT_NAMES[of.kind]}", (list_of(of),), of, _sum_from(zero))
            for of, zero in _ZEROS
        ),
    ),
    _extremes("max", -1),
    _extremes("min", 1),
    Function("indexOf", (member("list_a_index_of_int", (list_of(_A), _A), INT, _index_of),)),
    Function("lastIndexOf", (member("list_a_last_index_of_int", (list_of(_A), _A), INT, _last_index_of),)),
    Function("includes", (member("list_includes_dyn_dyn", (DYN, DYN), BOOL, _includes),)),
    Function("slice", (member("list_slice", (_LIST, INT, INT), _LIST, _slice),)),
    Function(
        "flatten",
        (
            member("list_flatten", (list_of(_LIST),), _LIST, _flatten),
            member("list_flatten_int", (list_of(DYN), INT), list_of(DYN), _flatten),
        ),
        unguarded=True,
    ),
    Function(
        "sort",
        tuple(member(f"list_{of.name}_sort", (list_of(of),), list_of(of), _sorted) for of in COMPARABLE),
    ),
    Function(
        "@sortByAssociatedKeys",
        tuple(
            member(f"list_{of.name}_sortByAssociatedKeys", (_LIST, list_of(of)), _LIST, _sorted_by) for of in COMPARABLE
        ),
    ),
    Function("lists.range", (overload("lists_range", (INT,), list_of(INT), _range),)),
    Function("reverse", (member("list_reverse", (_LIST,), _LIST, lambda values: values[::-1]),)),
    Function("distinct", (member("list_distinct", (_LIST,), _LIST, _distinct),)),
    Function("sets.contains", (overload("list_sets_contains_list", (_LIST, _LIST), BOOL, _contains_all),)),
    Function("sets.equivalent", (overload("list_sets_equivalent_list", (_LIST, _LIST), BOOL, _equivalent),)),
    Function("sets.intersects", (overload("list_sets_intersects_list", (_LIST, _LIST), BOOL, _intersects),)),
)
