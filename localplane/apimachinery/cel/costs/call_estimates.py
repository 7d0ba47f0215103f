"""The most that a call may cost. Upstream: checker/cost.go, functionCost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from .library_estimates import library_estimate
from .numbers import REGEX_FACTOR, STRING_FACTOR, Size, plus, scaled, times
from .operands import Entries, Estimate, Operand, text_cost


def call_estimate(
    function: str, overload: str, target: Operand | None, args: Sequence[Operand], costs: Sequence[int]
) -> Estimate:
    paid = 0
    for cost in costs:
        paid = plus(paid, cost)
    found = library_estimate(function, overload, target, args)
    if found is not None:
        return Estimate(plus(found.cost, paid), found.size)
    standard = _STANDARD.get(overload)
    if standard is not None:
        return standard(target, args, costs, paid)
    return Estimate(plus(1, paid))


_Standard = Callable[[Operand | None, Sequence[Operand], Sequence[int], int], Estimate]


def _formatted(target: Operand | None, _: Sequence[Operand], __: Sequence[int], paid: int) -> Estimate:
    return Estimate(plus(text_cost(target.size) if target is not None else 1, paid))


def _resized(change: Callable[[Size], Size]) -> _Standard:
    def estimate(_: Operand | None, args: Sequence[Operand], __: Sequence[int], paid: int) -> Estimate:
        return Estimate(plus(text_cost(args[0].size), paid), change(args[0].size))

    return estimate


def _affixed(_: Operand | None, args: Sequence[Operand], __: Sequence[int], paid: int) -> Estimate:
    return Estimate(plus(text_cost(args[0].size), paid))


def _in_list(_: Operand | None, args: Sequence[Operand], __: Sequence[int], paid: int) -> Estimate:
    return Estimate(plus(args[1].size.most, paid))


def _matched(target: Operand | None, args: Sequence[Operand], _: Sequence[int], paid: int) -> Estimate:
    text, regex = (target, args[0]) if target is not None else (args[0], args[1])
    cost = times(scaled(plus(text.size.most, 1), STRING_FACTOR), scaled(regex.size.most, REGEX_FACTOR))
    return Estimate(plus(cost, paid))


def _part(target: Operand | None, args: Sequence[Operand], _: Sequence[int], paid: int) -> Estimate:
    assert target is not None
    return Estimate(plus(times(text_cost(target.size), text_cost(args[0].size)), paid))


def _logical(_: Operand | None, __: Sequence[Operand], costs: Sequence[int], ___: int) -> Estimate:
    return Estimate(plus(costs[0], costs[1]))


def _conditional(_: Operand | None, args: Sequence[Operand], costs: Sequence[int], __: int) -> Estimate:
    then, otherwise = args[1], args[2]
    cost = plus(costs[0], max(costs[1], costs[2]))
    return Estimate(cost, then.size | otherwise.size, _united(then.entries, otherwise.entries))


def _united(one: Entries | None, other: Entries | None) -> Entries | None:
    if one is None or other is None:
        return None
    return Entries(one.kind, one.key | other.key, one.value | other.value)


def _concatenated(*, is_list: bool) -> _Standard:
    def estimate(_: Operand | None, args: Sequence[Operand], __: Sequence[int], paid: int) -> Estimate:
        size = args[0].size + args[1].size
        cost = 1 if is_list else text_cost(size)
        return Estimate(plus(cost, paid), size, _united(args[0].entries, args[1].entries))

    return estimate


def _compared(_: Operand | None, args: Sequence[Operand], __: Sequence[int], paid: int) -> Estimate:
    shorter = min(args[0].size.most, args[1].size.most)
    return Estimate(plus(scaled(shorter, STRING_FACTOR), paid))


_STANDARD: Final[dict[str, _Standard]] = {
    "string_format": _formatted,
    "string_to_bytes": _resized(lambda size: Size(size.least, size.most * 4 % 2**64)),
    "bytes_to_string": _resized(lambda size: Size(size.least // 4, size.most)),
    "strings_quote": _resized(lambda size: Size(size.least + 2, (size.most * 2 + 2) % 2**64)),
    "starts_with_string": _affixed,
    "ends_with_string": _affixed,
    "in_list": _in_list,
    "matches": _matched,
    "matches_string": _matched,
    "contains_string": _part,
    "logical_or": _logical,
    "logical_and": _logical,
    "conditional": _conditional,
    "add_string": _concatenated(is_list=False),
    "add_bytes": _concatenated(is_list=False),
    "add_list": _concatenated(is_list=True),
    **dict.fromkeys(
        (f"{name}_{of}" for name in ("less", "greater", "less_equals", "greater_equals") for of in ("string", "bytes")),
        _compared,
    ),
    "equals": _compared,
    "not_equals": _compared,
}
