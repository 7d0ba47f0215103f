"""Walking the schemas of a definition, as JSON. Kubernetes: pkg/apis/apiextensions/validation, SchemaHas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_LISTS: Final = ("allOf", "anyOf", "oneOf")
_MAPS: Final = ("properties", "patternProperties", "definitions", "dependencies")
_ALTERNATIVES: Final = ("items", "additionalProperties", "additionalItems", "not")
_PARENTS: Final = frozenset((*_LISTS, *_MAPS, *_ALTERNATIVES))


def walk(schema: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    """A schema and all that is within it, parents first."""
    waiting = [schema] if schema is not None else []
    while waiting:
        current = waiting.pop()
        yield current
        for key in current.keys() & _PARENTS:
            waiting += children(current, key)


def children(schema: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = schema[key]
    if key in _MAPS:
        return [each for each in value.values() if isinstance(each, dict)]
    if isinstance(value, list):
        return [each for each in value if isinstance(each, dict)]
    return [value] if isinstance(value, dict) else []


def has_defaults(schema: Mapping[str, Any] | None) -> bool:
    return any("default" in each for each in walk(schema))
