"""What a call costs when it is evaluated.

Upstream: interpreter/runtimecost.go and pkg/cel/library/cost.go, CallCost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from localplane.apimachinery.cel.values import Mapper, size_of

from .numbers import LIST_COST, STRING_FACTOR, matched, times, traversed

CallCost = int | Callable[[Sequence[Any], Any], int]
"""The same for all values, or computed from the arguments and the result."""

NOMINAL: Final = (
    "serviceAccount",
    "path",
    "group",
    "resource",
    "subresource",
    "namespace",
    "name",
    "allowed",
    "reason",
    "error",
    "errored",
    "masked",
    "prefixLength",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "format.named",
    "sign",
    "asInteger",
    "isInteger",
    "asApproximateFloat",
    "isGreaterThan",
    "isLessThan",
    "compareTo",
    "add",
    "sub",
    "major",
    "minor",
    "patch",
    "getScheme",
    "getHostname",
    "getHost",
    "getPort",
    "getEscapedPath",
    "getQuery",
)
"""Functions that only look something up: they cost one."""


def _first(args: Sequence[Any], _: Any) -> int:
    return traversed(size_of(args[0]))


def _first_twice(args: Sequence[Any], _: Any) -> int:
    return math.ceil(size_of(args[0]) * 2 * STRING_FACTOR)


def _second(args: Sequence[Any], _: Any) -> int:
    return traversed(size_of(args[1]))


def _traversal(value: Any) -> int:
    """A whole tree of data, once."""
    if isinstance(value, (str, bytes)):
        length = len(value) if isinstance(value, bytes) else len(value.encode("utf-8", "surrogatepass"))
        return int(length * STRING_FACTOR)
    if isinstance(value, (int, float)):
        return 1
    if isinstance(value, list):
        return sum(_traversal(each) for each in value)
    if isinstance(value, Mapper):
        return sum([_traversal(key) + _traversal(value.find(key)) for key in value.each_key()])
    return 1


def _whole(args: Sequence[Any], _: Any) -> int:
    return _traversal(args[0])


def _joined(_: Sequence[Any], result: Any) -> int:
    return math.ceil(size_of(result) * 2 * STRING_FACTOR)


def _regex(args: Sequence[Any], _: Any) -> int:
    return matched(size_of(args[0]), size_of(args[1]))


def _validate(args: Sequence[Any], _: Any) -> int:
    return matched(size_of(args[1]), int(args[0].regex_size))


def _contains_ip(args: Sequence[Any], _: Any) -> int:
    cost = traversed(size_of(args[0]) * 2)
    return cost + traversed(len(args[1])) if isinstance(args[1], str) else cost


def _contains_cidr(args: Sequence[Any], _: Any) -> int:
    size = size_of(args[0])
    cost = traversed(size * 2) + traversed(size) + 1
    return cost + traversed(len(args[1])) if isinstance(args[1], str) else cost


def _selector(args: Sequence[Any], _: Any) -> int:
    size = size_of(args[1])
    return LIST_COST + traversed(size) + math.ceil(math.ceil(size * 0.5) * 50.0)


def compared(args: Sequence[Any], _: Any = None) -> int:
    return traversed(min(size_of(args[0]), size_of(args[1])))


def _concatenated(args: Sequence[Any], _: Any) -> int:
    return traversed(size_of(args[0]) + size_of(args[1]))


def _part(args: Sequence[Any], _: Any) -> int:
    return traversed(size_of(args[0])) * traversed(size_of(args[1]))


def _allocated(args: Sequence[Any], result: Any) -> int:
    del args
    return size_of(result) + 1 + LIST_COST


def _flattened(args: Sequence[Any], _: Any) -> int:
    depth = float(args[1]) if len(args) == 2 else 1.0
    return int(size_of(args[0]) * (depth if depth >= 0 else 1.0)) + 1 + LIST_COST


def _against_itself(position: int) -> Callable[[Sequence[Any], Any], int]:
    def answer(args: Sequence[Any], _: Any) -> int:
        values = args[position]
        size = len(values)
        factor = 2.0 + (STRING_FACTOR if size and isinstance(values[0], (str, bytes)) else 0.0)
        return int(float(times(size, size)) * factor) + 1 + LIST_COST

    return answer


def _set_operation(factor: float) -> Callable[[Sequence[Any], Any], int]:
    return lambda args, _: 1 + int(float(size_of(args[0]) * size_of(args[1])) * factor)


_BY_OVERLOAD: Final[dict[str, CallCost]] = {
    "list_slice": _allocated,
    "list_flatten": _flattened,
    "list_flatten_int": _flattened,
    "lists_range": _allocated,
    "list_reverse": _allocated,
    "list_distinct": _against_itself(0),
    "list_sets_contains_list": _set_operation(1),
    "list_sets_intersects_list": _set_operation(1),
    "list_sets_equivalent_list": _set_operation(2),
    "cidr_ip": 1,
}
_BY_FUNCTION: Final[dict[str, CallCost]] = {
    **dict.fromkeys(NOMINAL, 1),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"), _whole),
    **dict.fromkeys(("url", "lowerAscii", "upperAscii", "substring", "trim"), _first),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"), _first),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), _first_twice),
    **dict.fromkeys(("find", "findAll"), _regex),
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    "check": 350000,
    "join": _joined,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
}
_ORDERED: Final = frozenset(
    f"{name}_{kind}" for name in ("less", "greater", "less_equals", "greater_equals") for kind in ("string", "bytes")
)
_STANDARD: Final[dict[str, CallCost]] = {
    **dict.fromkeys(("starts_with_string", "ends_with_string"), _second),
    **dict.fromkeys(("string_to_bytes", "bytes_to_string", "strings_quote", "string_format"), _first),
    **dict.fromkeys(("matches", "matches_string"), _regex),
    **dict.fromkeys(("add_string", "add_bytes"), _concatenated),
    **dict.fromkeys(_ORDERED, compared),
    "in_list": lambda args, _: size_of(args[1]),
    "contains_string": _part,
}


AMPLIFIERS: Final = frozenset({"replace", "join", "format", "flatten", "_+_"})
"""Functions whose result may be far larger than what they cost: upstream charges what is put in, and joins lists
without copying them."""


def call_cost(function: str, overloads: Sequence[str]) -> CallCost:
    """Of a call that the checker resolved; where types are dynamic there are several overloads, or none is known."""
    overload = overloads[0] if len(overloads) == 1 else ""
    found = _BY_OVERLOAD.get(overload)
    if found is None and overload.endswith("_sort"):
        return _against_itself(0)
    if found is None and overload.endswith("_sortByAssociatedKeys"):
        return _against_itself(1)
    if found is None:
        found = _BY_FUNCTION.get(function)
    if found is None:
        found = _STANDARD.get(overload)
    return 1 if found is None else found
