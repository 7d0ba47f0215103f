"""Expressions that select devices: what they may speak of, and why one can't be compiled.

Kubernetes: dynamic-resource-allocation/cel.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from localplane.apimachinery.cel import CompilationFailed, InstantiationFailed, base_environment, checked
from localplane.apimachinery.cel.declarations import Environment, struct
from localplane.apimachinery.cel.types import BOOL, DYN, QUANTITY, STRING, map_of
from localplane.apimachinery.fieldpath import FieldError, Path, internal, invalid


def compile_errors(expression: str, path: Path) -> Iterator[FieldError]:
    """Kubernetes: dynamic-resource-allocation/cel, CompileCELExpression."""
    environment = device_environment()
    try:
        compiled = checked(expression, environment, binds=True)
    except CompilationFailed as error:
        yield invalid(path, expression, f"compilation failed: {error}")
        return
    if not any(compiled.type.is_exactly(each) for each in (BOOL, DYN)):
        yield invalid(path, expression, f"must evaluate to bool or the unknown type, not {compiled.type}")
        return
    try:
        compiled.program(environment)
    except InstantiationFailed as error:
        yield internal(path, f"program instantiation failed: {error}")


@lru_cache(maxsize=1)
def device_environment() -> Environment:
    """Made when the first selector comes. Attributes and capacities are found by domain and then by name."""
    device = struct(
        "kubernetes.DRADevice",
        driver=STRING,
        attributes=map_of(STRING, map_of(STRING, DYN)),
        capacity=map_of(STRING, map_of(STRING, QUANTITY)),
        allowMultipleAllocations=BOOL,
    )
    return base_environment().with_variables({"device": device})
