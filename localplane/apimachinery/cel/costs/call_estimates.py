"""The most that a call may cost. Upstream: checker/cost.go, functionCost."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from localplane.apimachinery.cel.types import FORMAT, QUANTITY, SEMVER, URL, Kind

from .actual import NOMINAL
from .numbers import LIST_COST, MOST, REGEX_FACTOR, STRING_FACTOR, Size, fixed, plus, scaled, times
from .operands import Entries, Estimate, Operand, text_cost

# The most that a function of a library may cost.
#
# Upstream: pkg/cel/library/cost.go, EstimateCallCost; ext/lists.go and ext/sets.go.

Extension = Callable[[Operand | None, Sequence[Operand]], Estimate | None]


def library_estimate(function: str, overload: str, target: Operand | None, args: Sequence[Operand]) -> Estimate | None:
    by_overload = _OVERLOADS.get(overload)
    if by_overload is None and overload.endswith(("_sort", "_sortByAssociatedKeys")):
        by_overload = _sorted(overload)
    if by_overload is not None:
        return by_overload(target, args)
    if function == "_==_":
        return _equality(args)
    by_function = _FUNCTIONS.get(function)
    return by_function(target, args) if by_function is not None else None


def _nominal(_: Operand | None, __: Sequence[Operand]) -> Estimate:
    return Estimate(1)


def _check(_: Operand | None, __: Sequence[Operand]) -> Estimate:
    return Estimate(350000)


def _selector(_: Operand | None, args: Sequence[Operand]) -> Estimate:
    size = args[0].declared.most
    requirements = scaled(scaled(size, 0.5), 50.0)
    return Estimate(plus(plus(LIST_COST, scaled(size, STRING_FACTOR)), requirements))


def _search(target: Operand | None, _: Sequence[Operand], *, is_includes: bool = False) -> Estimate | None:
    if target is None:
        return None
    element = target.element()
    if element is not None:
        each = 1
        if element[0].kind in (Kind.STRING, Kind.BYTES):
            each = plus(each, text_cost(element[1]))
        return Estimate(times(target.declared.most, each))
    return Estimate(target.declared.most if is_includes else text_cost(target.declared))


def _includes(target: Operand | None, args: Sequence[Operand]) -> Estimate | None:
    return _search(target, args, is_includes=True)


def _read(_: Operand | None, args: Sequence[Operand]) -> Estimate | None:
    return Estimate(text_cost(args[0].declared)) if args else None


def _url(_: Operand | None, args: Sequence[Operand]) -> Estimate:
    return Estimate(text_cost(args[0].declared), args[0].declared)


def _canonical(_: Operand | None, args: Sequence[Operand]) -> Estimate:
    return Estimate(scaled(args[0].declared.most, 2 * STRING_FACTOR))


def _transformed(target: Operand | None, _: Sequence[Operand]) -> Estimate | None:
    return Estimate(text_cost(target.declared), target.declared) if target is not None else None


def _replaced(target: Operand | None, args: Sequence[Operand]) -> Estimate | None:
    if target is None or len(args) < 2:
        return None
    size, old, new = target.declared, args[0].declared, args[1].declared
    if old.least == 0:
        most_times, kept = plus(size.most, 1), size.most
    elif new.most <= old.least:
        most_times, kept = 0, size.most
    else:
        most_times, kept = math.ceil(float(size.most) / float(old.least)), 0
    if old.most == 0:
        least_times, least_kept = plus(size.least, 1), size.least
    elif old.most <= new.least:
        least_times, least_kept = 0, size.least
    else:
        least_times, least_kept = math.ceil(float(size.least) / float(old.most)), 0
    result = Size(least_times, min(most_times, MOST)) * new + Size(least_kept, kept)
    return Estimate(scaled(size.most, 2 * STRING_FACTOR), result)


def _split(target: Operand | None, args: Sequence[Operand]) -> Estimate | None:
    if target is None:
        return None
    size = target.declared
    most = args[1].number(size.most) if len(args) > 1 else size.most
    return Estimate(scaled(size.most, 2 * STRING_FACTOR), Size(0, most))


def _joined(target: Operand | None, args: Sequence[Operand]) -> Estimate | None:
    if target is None:
        return None
    count, element = target.declared, target.element()
    size = count * element[1] if element is not None else fixed(0)
    if args:
        size += args[0].declared * Size(max(count.least - 1, 0), max(count.most - 1, 0))
    return Estimate(text_cost(size), size)


def _found(target: Operand | None, args: Sequence[Operand]) -> Estimate | None:
    if target is None or not args:
        return None
    size = target.declared
    text = scaled(plus(size.most, 1), STRING_FACTOR)
    return Estimate(times(text, scaled(args[0].declared.most, REGEX_FACTOR)), Size(0, size.most))


_ADDRESS: Final = 16
_MASKING: Final = scaled(_ADDRESS, STRING_FACTOR) + 1


def _contains_address(extra: int, *, reads: bool = False) -> Extension:
    """A network against an address or a network of up to sixteen bytes; a text is read first."""

    def estimate(_: Operand | None, args: Sequence[Operand]) -> Estimate:
        cost = scaled(2 * _ADDRESS, STRING_FACTOR) + extra
        return Estimate(plus(cost, text_cost(args[0].declared)) if reads else cost)

    return estimate


def _validated(_: Operand | None, args: Sequence[Operand]) -> Estimate:
    return Estimate(scaled(text_cost(args[0].declared), 128 * REGEX_FACTOR))


def _equality(args: Sequence[Operand]) -> Estimate | None:
    one, other = args
    if not one.type.is_exactly(other.type):
        return None
    name = one.type.name
    if one.type.kind is Kind.OPAQUE and name in ("net.IP", "net.CIDR"):
        return Estimate(1)
    if one.type.kind is not Kind.STRUCT or one.type.declared is not None:
        return None
    if name in (QUANTITY.name, SEMVER.name) or name.startswith("kubernetes.authorization."):
        return Estimate(1)
    if name == FORMAT.name:
        return Estimate(scaled(64, STRING_FACTOR))
    if name == URL.name:
        return Estimate(text_cost(other.computed or fixed(1)))
    return None


def _allocated(factor: float, size: Size) -> Estimate:
    return Estimate(plus(scaled(size.most, factor), 1 + LIST_COST), size)


def _sliced(target: Operand | None, args: Sequence[Operand]) -> Estimate | None:
    if target is None:
        return None
    most = args[1].number(target.declared.most) - args[0].number(0)
    return _allocated(1, fixed(most % 2**64))


def _ranged(_: Operand | None, args: Sequence[Operand]) -> Estimate:
    return _allocated(1, fixed(args[0].number(MOST)))


def _reversed(target: Operand | None, _: Sequence[Operand]) -> Estimate | None:
    return _allocated(1, target.declared) if target is not None else None


def _flattened(target: Operand | None, args: Sequence[Operand]) -> Estimate | None:
    if target is None:
        return None
    return _allocated(float(args[0].number(MOST) if args else 1), target.declared)


def _distinct(target: Operand | None, _: Sequence[Operand]) -> Estimate | None:
    return _allocated(2.0, target.declared * target.declared) if target is not None else None


def _sorted(overload: str) -> Extension:
    factor = 2.0 + (STRING_FACTOR if overload.startswith(("list_string_", "list_bytes_")) else 0.0)

    def estimate(target: Operand | None, args: Sequence[Operand]) -> Estimate | None:
        keys = args[0] if args else target
        return _allocated(factor, keys.declared * keys.declared) if keys is not None else None

    return estimate


def _sets(factor: float) -> Extension:
    def estimate(_: Operand | None, args: Sequence[Operand]) -> Estimate:
        pairs = args[0].declared * args[1].declared
        return Estimate(plus(scaled(pairs.most, factor), 1))

    return estimate


_OVERLOADS: Final[dict[str, Extension]] = {
    "list_slice": _sliced,
    "list_flatten": _flattened,
    "list_flatten_int": _flattened,
    "lists_range": _ranged,
    "list_reverse": _reversed,
    "list_distinct": _distinct,
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
    "cidr_ip": _nominal,
    "cidr_contains_ip_ip": _contains_address(0),
    "cidr_contains_ip_string": _contains_address(0, reads=True),
    "cidr_contains_cidr": _contains_address(_MASKING),
    "cidr_contains_cidr_string": _contains_address(_MASKING, reads=True),
}
_FUNCTIONS: Final[dict[str, Extension]] = {
    **dict.fromkeys(NOMINAL, _nominal),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _search),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _transformed),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"), _read),
    **dict.fromkeys(("find", "findAll"), _found),
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    "check": _check,
    "includes": _includes,
    "url": _url,
    "ip.isCanonical": _canonical,
    "replace": _replaced,
    "split": _split,
    "join": _joined,
    "validate": _validated,
}


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
