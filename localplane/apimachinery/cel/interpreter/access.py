"""Fields, keys and indexes. Upstream: interpreter/attributes.go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.library import value_text
from localplane.apimachinery.cel.schema.objects import CONTAINERS, SchemaObject
from localplane.apimachinery.cel.values import MISSING, NONE, Mapper, Optional, Unsigned, type_of_value


def _no_such_key(key: Any) -> EvaluationError:
    return EvaluationError(f"no such key: {value_text.shown(key)}")


def found(container: Any, key: Any) -> Any:
    """What is there, or MISSING. Raises EvaluationError for what has no keys of this type."""
    if isinstance(container, list):
        index = _index(key)
        return container[index] if 0 <= index < len(container) else MISSING
    if isinstance(container, Mapper):
        return container.find(key)
    return MISSING


def _index(key: Any) -> int:
    if type(key) is int or type(key) is Unsigned or (type(key) is float and key.is_integer()):
        return int(key)
    if isinstance(key, float):
        raise EvaluationError(f"unsupported index value {key:g} in list")
    raise EvaluationError(f"unsupported index type '{type_of_value(key).name}' in list")


def get(container: Any, key: Any) -> Any:
    if type(container) is Optional:
        return get_optional(container, key)
    value = found(container, key)
    if value is not MISSING:
        return value
    if isinstance(container, list):
        raise EvaluationError(f"index out of bounds: {key}")
    raise _no_such_key(key)


def get_optional(container: Any, key: Any) -> Optional:
    if type(container) is Optional:
        if container.value is MISSING:
            return NONE
        container = container.value
    value = found(container, key)
    return NONE if value is MISSING else Optional(value)


def has_field(container: Any, name: str) -> bool:
    if type(container) is Optional:
        return container.value is not MISSING and has_field(container.value, name)
    if type(container) is SchemaObject:
        field = container.shape.field(name)
        return field is not None and container.raw.get(field[0]) is not None
    return found(container, name) is not MISSING


def select_field(run: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    """The field of what `run` answers. Objects of custom resources are what it nearly always answers."""

    def select(frame: Any) -> Any:
        container = run(frame)
        if type(container) is SchemaObject:
            field = container.shape.field(name)
            if field is not None:
                value = container.raw.get(field[0])
                if type(value) in CONTAINERS:
                    return container.kept(*field)
                if value is not None:
                    return field[1](value)
        return get(container, name)

    return select
