"""Paths to a field that a schema has: `.spec.size`, `['a.b'].c`.

Kubernetes: pkg/apiserver/schema/cel/validation.go, ValidFieldPath.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.fieldpath import Path

Schema = Mapping[str, Any]

_TOKEN: Final = re.compile(r"'(?:[^']|(?<=\\)')*'?|[.\[\]]|[^.\[\]]+", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = dict(zip("abfnrtv'\\", "\a\b\f\n\r\t\v'\\", strict=True))
_NO_FIELD: Final = "does not refer to a valid field"
_TOO_SHORT: Final = "unexpected end of JSON path"


class InvalidFieldPath(ValueError):
    """Why a text is no path to a field."""


@dataclass(frozen=True, slots=True)
class FoundField:
    """`root` is the first name on the way, `schema` that of the field; None where nothing is said of it."""

    path: Path
    root: str
    schema: Schema | None


def field_at(text: str, schema: Schema, *, brackets: bool = True) -> FoundField:
    """Raises InvalidFieldPath. `brackets` says whether they may be used."""
    found = FoundField(Path(), "", schema)
    parts = iter(_TOKEN.findall(text))
    for part in parts:
        if part == ".":
            found = _step(found, _next(parts))
        elif part == "[":
            if not brackets:
                raise InvalidFieldPath("array notation is not allowed")
            found = _step(found, _unquoted(_next(parts)))
            closing = _next(parts)
            if closing != "]":
                raise InvalidFieldPath(f"expected ] but got {closing}")
        else:
            raise InvalidFieldPath(f"expected [ or . but got: {part}")
    return found


def _next(parts: Iterator[str]) -> str:
    part = next(parts, None)
    if part is None:
        raise InvalidFieldPath(_TOO_SHORT)
    return part


def _unquoted(part: str) -> str:
    if len(part) < 2 or part[0] != "'" or part[-1] != "'":
        raise InvalidFieldPath(f"expected single quoted string but got {part}")
    for match in _ESCAPE.finditer(part[1:-1]):
        if match[1] not in _ESCAPES:
            raise InvalidFieldPath(f"invalid string literal: invalid escape char {match[0]}")
    return _ESCAPE.sub(lambda match: _ESCAPES[match[1]], part[1:-1])


def _step(found: FoundField, name: str) -> FoundField:
    schema = found.schema or {}
    properties = schema.get("properties")
    if properties:
        if name not in properties:
            raise InvalidFieldPath(_NO_FIELD)
        return FoundField(found.path / name, found.root or name, properties[name])
    values = schema.get("additionalProperties")
    if values is None:
        raise InvalidFieldPath(_NO_FIELD)
    return FoundField(found.path[name], found.root or name, values if isinstance(values, dict) else None)
