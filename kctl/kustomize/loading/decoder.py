"""Values into the shapes that kustomize's files have, refused in the words of Go's JSON decoder.

A shape says which fields there are; a value that fits comes back as dictionaries and lists without what was null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from kctl.kustomize.errors import KustomizeError
from localplane.apimachinery.golang.text import go_quote, json_float, json_type
from localplane.apimachinery.serializers import errors, yaml

Shape: TypeAlias = "str | ListOf | MapOf | Struct"
"""A text names a type of Go's: string, bool, int, int64, any."""


@dataclass(frozen=True)
class ListOf:
    items: Shape


@dataclass(frozen=True)
class MapOf:
    values: Shape


@dataclass(frozen=True)
class Struct:
    """`embedded` are structs whose fields are its own; Go names them in its messages."""

    name: str
    fields: Mapping[str, Shape]
    embedded: tuple[Struct, ...] = ()

    @cached_property
    def found(self) -> dict[str, tuple[str, Shape, tuple[str, ...]]]:
        """By the name in lower case: the name, the shape, and the structs on the way."""
        table = {
            key: (name, shape, (inner.name, *way))
            for inner in self.embedded
            for key, (name, shape, way) in inner.found.items()
        }
        return table | {name.lower(): (name, shape, ()) for name, shape in self.fields.items()}


def decode(value: Any, shape: Shape, *, strict: bool) -> Any:
    """`strict` refuses fields that the shape does not have. Raises KustomizeError."""
    return _Decoder(strict=strict).decode(value, shape, "", ())


def parsed_yaml(data: bytes | str) -> Any:
    """What sigs.k8s.io/yaml makes of a file. Raises KustomizeError, in its words."""
    try:
        return yaml.parse_yaml(data).value
    except errors.SerializationError as error:
        raise KustomizeError(str(error)) from error


def decode_yaml_strictly(data: bytes | str, shape: Shape) -> Any:
    """As UnmarshalStrict does. Raises KustomizeError."""
    try:
        parsed = yaml.parse_yaml(data, find_duplicates=True)
    except errors.SerializationError as error:
        raise KustomizeError(f"error converting YAML to JSON: {error}") from error
    if parsed.strict:
        raise KustomizeError(f"error converting YAML to JSON: {parsed.strict[0]}")
    try:
        return decode(parsed.value, shape, strict=True) or {}
    except KustomizeError as error:
        raise error.within("error unmarshaling JSON: while decoding JSON") from error


class _Decoder:
    def __init__(self, *, strict: bool) -> None:
        self._strict = strict

    def decode(self, value: Any, shape: Shape, struct: str, path: tuple[str, ...]) -> Any:
        if value is None or shape == "any":
            return value
        if isinstance(shape, Struct):
            return self._struct(value, shape, struct, path)
        if isinstance(shape, ListOf):
            if not isinstance(value, list):
                raise _mismatch(value, shape, struct, path)
            empty = _zero(shape.items)
            return [empty if item is None else self.decode(item, shape.items, struct, path) for item in value]
        if isinstance(shape, MapOf):
            if not isinstance(value, dict):
                raise _mismatch(value, shape, struct, path)
            empty = _zero(shape.values)
            return {
                key: empty if value[key] is None else self.decode(value[key], shape.values, struct, path)
                for key in sorted(value)
            }
        return _scalar(value, shape, struct, path)

    def _struct(self, value: Any, shape: Struct, struct: str, path: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _mismatch(value, shape, struct, path)
        result: dict[str, Any] = {}
        for key in sorted(value):
            found = shape.found.get(key.lower())
            if found is None:
                if self._strict:
                    raise KustomizeError(f"json: unknown field {go_quote(key)}")
                continue
            name, inner, way = found
            decoded = self.decode(value[key], inner, shape.name, (*path, *way, name))
            if decoded is not None:
                result[name] = decoded
        return result


def _scalar(value: Any, shape: str, struct: str, path: tuple[str, ...]) -> Any:
    if shape == "string" and isinstance(value, str):
        return value
    if shape == "bool" and isinstance(value, bool):
        return value
    if shape in ("int", "int64") and isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _mismatch(value, shape, struct, path)


def _zero(shape: Shape) -> Any:
    if isinstance(shape, str):
        return {"string": "", "bool": False, "int": 0, "int64": 0}.get(shape)
    return [] if isinstance(shape, ListOf) else {}


def _mismatch(value: Any, shape: Shape, struct: str, path: tuple[str, ...]) -> KustomizeError:
    found = json_type(value)
    if shape in ("int", "int64") and isinstance(value, float):
        found = f"number {json_float(value)}"
    where = f"Go struct field {struct}.{'.'.join(path)}" if struct else "Go value"
    return KustomizeError(f"json: cannot unmarshal {found} into {where} of type {_go_type(shape)}")


def _go_type(shape: Shape) -> str:
    if isinstance(shape, str):
        return "interface {}" if shape == "any" else shape
    if isinstance(shape, ListOf):
        return f"[]{_go_type(shape.items)}"
    if isinstance(shape, MapOf):
        return f"map[string]{_go_type(shape.values)}"
    return f"types.{shape.name}"
