"""Operators as functions. What computes them is in `compiling`, by their name. Upstream: common/stdlib/standard.go."""

from __future__ import annotations

from localplane.apimachinery.cel.declarations import Function, Overload, overload
from localplane.apimachinery.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    UINT,
    Type,
    list_of,
    map_of,
    optional_of,
    parameter,
)

_A, _B = parameter("A"), parameter("B")
_LIST, _MAP = list_of(_A), map_of(_A, _B)

_ORDERED: tuple[tuple[str, Type, Type], ...] = (
    ("bool", BOOL, BOOL),
    ("int64", INT, INT),
    ("int64_double", INT, DOUBLE),
    ("int64_uint64", INT, UINT),
    ("uint64", UINT, UINT),
    ("uint64_double", UINT, DOUBLE),
    ("uint64_int64", UINT, INT),
    ("double", DOUBLE, DOUBLE),
    ("double_int64", DOUBLE, INT),
    ("double_uint64", DOUBLE, UINT),
    ("string", STRING, STRING),
    ("bytes", BYTES, BYTES),
    ("timestamp", TIMESTAMP, TIMESTAMP),
    ("duration", DURATION, DURATION),
)


def _relation(name: str, prefix: str) -> Function:
    return Function(name, tuple(overload(f"{prefix}_{kind}", (a, b), BOOL) for kind, a, b in _ORDERED))


def _arithmetic(name: str, *overloads: tuple[str, Type, Type, Type]) -> Function:
    return Function(name, tuple(overload(key, (a, b), result) for key, a, b, result in overloads))


def _function(name: str, *overloads: Overload) -> Function:
    return Function(name, overloads)


_OPTIONAL_LIST, _OPTIONAL_MAP = optional_of(_LIST), optional_of(_MAP)

OPERATORS: tuple[Function, ...] = (
    _function("_?_:_", overload("conditional", (BOOL, _A, _A), _A)),
    _function("_&&_", overload("logical_and", (BOOL, BOOL), BOOL)),
    _function("_||_", overload("logical_or", (BOOL, BOOL), BOOL)),
    _function("!_", overload("logical_not", (BOOL,), BOOL)),
    _function("@not_strictly_false", overload("not_strictly_false", (BOOL,), BOOL)),
    _function("_==_", overload("equals", (_A, _A), BOOL)),
    _function("_!=_", overload("not_equals", (_A, _A), BOOL)),
    _arithmetic(
        "_+_",
        ("add_bytes", BYTES, BYTES, BYTES),
        ("add_double", DOUBLE, DOUBLE, DOUBLE),
        ("add_duration_duration", DURATION, DURATION, DURATION),
        ("add_duration_timestamp", DURATION, TIMESTAMP, TIMESTAMP),
        ("add_timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP),
        ("add_int64", INT, INT, INT),
        ("add_list", _LIST, _LIST, _LIST),
        ("add_string", STRING, STRING, STRING),
        ("add_uint64", UINT, UINT, UINT),
    ),
    _arithmetic(
        "_-_",
        ("subtract_double", DOUBLE, DOUBLE, DOUBLE),
        ("subtract_duration_duration", DURATION, DURATION, DURATION),
        ("subtract_int64", INT, INT, INT),
        ("subtract_timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP),
        ("subtract_timestamp_timestamp", TIMESTAMP, TIMESTAMP, DURATION),
        ("subtract_uint64", UINT, UINT, UINT),
    ),
    _arithmetic(
        "_*_",
        ("multiply_double", DOUBLE, DOUBLE, DOUBLE),
        ("multiply_int64", INT, INT, INT),
        ("multiply_uint64", UINT, UINT, UINT),
    ),
    _arithmetic(
        "_/_",
        ("divide_double", DOUBLE, DOUBLE, DOUBLE),
        ("divide_int64", INT, INT, INT),
        ("divide_uint64", UINT, UINT, UINT),
    ),
    _arithmetic("_%_", ("modulo_int64", INT, INT, INT), ("modulo_uint64", UINT, UINT, UINT)),
    _function("-_", overload("negate_double", (DOUBLE,), DOUBLE), overload("negate_int64", (INT,), INT)),
    _relation("_<_", "less"),
    _relation("_<=_", "less_equals"),
    _relation("_>_", "greater"),
    _relation("_>=_", "greater_equals"),
    _function(
        "_[_]",
        overload("index_list", (_LIST, INT), _A),
        overload("index_map", (_MAP, _A), _B),
        overload("optional_list_index_int", (_OPTIONAL_LIST, INT), optional_of(_A)),
        overload("optional_map_index_value", (_OPTIONAL_MAP, _A), optional_of(_B)),
    ),
    _function(
        "_[?_]",
        overload("list_optindex_optional_int", (_LIST, INT), optional_of(_A)),
        overload("optional_list_optindex_optional_int", (_OPTIONAL_LIST, INT), optional_of(_A)),
        overload("map_optindex_optional_value", (_MAP, _A), optional_of(_B)),
        overload("optional_map_optindex_optional_value", (_OPTIONAL_MAP, _A), optional_of(_B)),
    ),
    _function("_?._", overload("select_optional_field", (DYN, STRING), optional_of(_A))),
    _function("@in", overload("in_list", (_A, _LIST), BOOL), overload("in_map", (_A, _MAP), BOOL)),
)
