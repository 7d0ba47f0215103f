"""Optional values, and maps that comprehensions build. Upstream: cel/library.go, ext/comprehensions.go."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.cel.declarations import Function, member, overload
from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.types import BOOL, list_of, map_of, optional_of, parameter
from localplane.apimachinery.cel.values import MISSING, NONE, Duration, Map, Mapper, Optional, Timestamp

from .value_text import shown

_K, _V = parameter("K"), parameter("V")
_OPTIONAL, _LIST, _MAP = optional_of(_V), list_of(_V), map_of(_K, _V)
_YEAR_ONE = -62135596800 * 1_000_000_000


def _is_zero(value: Any) -> bool:
    match value:
        case None:
            return True
        case bool() | int() | float():
            return not value
        case str() | bytes() | list() | Mapper():
            return len(value) == 0
        case Duration():
            return value.nanoseconds == 0
        case Timestamp():
            return value.nanoseconds == _YEAR_ONE
    return False


def _unwrapped(values: list[Any]) -> list[Any]:
    for each in values:
        if not isinstance(each, Optional):
            raise EvaluationError(f"value {shown(each)} is not optional")
    return [each.value for each in values if each.value is not MISSING]


def inserted(into: Map, key: Any, value: Any) -> Map:
    if into.find(key) is not MISSING:
        raise EvaluationError(f"insert failed: key {shown(key)} already exists")
    return Map.of([*((each, into.find(each)) for each in into.each_key()), (key, value)])


def _inserted_all(into: Map, more: Mapper) -> Map:
    for key in more.each_key():
        into = inserted(into, key, more.find(key))
    return into


OPTIONALS: tuple[Function, ...] = (
    Function("optional.of", (overload("optional_of", (_V,), _OPTIONAL, Optional),)),
    Function(
        "optional.ofNonZeroValue",
        (
            overload(
                "optional_ofNonZeroValue", (_V,), _OPTIONAL, lambda value: NONE if _is_zero(value) else Optional(value)
            ),
        ),
    ),
    Function("optional.none", (overload("optional_none", (), _OPTIONAL, lambda: NONE),)),
    Function("value", (member("optional_value", (_OPTIONAL,), _V, lambda optional: optional.get()),)),
    Function(
        "hasValue",
        (member("optional_hasValue", (_OPTIONAL,), BOOL, lambda optional: optional.value is not MISSING),),
    ),
    Function("or", (member("optional_or_optional", (_OPTIONAL, _OPTIONAL), _OPTIONAL),)),
    Function("orValue", (member("optional_orValue_value", (_OPTIONAL, _V), _V),)),
    Function(
        "last",
        (member("list_last", (_LIST,), _OPTIONAL, lambda values: Optional(values[-1]) if values else NONE),),
    ),
    Function(
        "first",
        (member("list_first", (_LIST,), _OPTIONAL, lambda values: Optional(values[0]) if values else NONE),),
    ),
    Function("optional.unwrap", (overload("optional_unwrap", (list_of(_OPTIONAL),), _LIST, _unwrapped),)),
    Function("unwrapOpt", (member("optional_unwrapOpt", (list_of(_OPTIONAL),), _LIST, _unwrapped),)),
    Function(
        "cel.@mapInsert",
        (
            overload("@mapInsert_map_key_value", (_MAP, _K, _V), _MAP, inserted),
            overload("@mapInsert_map_map", (_MAP, _MAP), _MAP, _inserted_all),
        ),
    ),
)
