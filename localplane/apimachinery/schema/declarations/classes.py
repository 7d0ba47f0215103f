"""From classes with annotations to nodes. Plain classes, dataclasses and TypedDicts are all the same here.

A class stands for a Go struct: each annotation is a field, one without a default is required. `X | None` is a pointer,
so a zero is told apart from nothing. What a class inherits, it has. A class may say of itself, by `__definition__`,
`__go_type__` and `__map_type__`, how documents and messages call it, and that it is atomic; one with `__node__` has its
node elsewhere.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Final, cast

from localplane.apimachinery.schema.nodes import NO_LIMITS, NOTHING, Limits, Node, Property
from localplane.apimachinery.schema.structs.codecs import DURATION, INT_OR_STRING, TIME, Codec

from .annotations import DeclarationError, Field

_NOT_SAID: Final = Field()
_SCALARS: Final[dict[Any, Mapping[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer", "format": "int64"},
    float: {"type": "number", "format": "double"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "format": "byte"},
    datetime: {"type": "string", "format": "date-time", "codec": TIME},
    timedelta: {"type": "string", "codec": DURATION},
    Any: {"preserve_unknown_fields": True},
    object: {"preserve_unknown_fields": True},
    dict: {"type": "object", "preserve_unknown_fields": True, "go_type": "map[string]interface {}"},
    list: {"type": "array", "items": Node(preserve_unknown_fields=True)},
}
_CODECS: Final[dict[str, Mapping[str, Any]]] = {
    "time": {"type": "string", "format": "date-time"},
    "microTime": {"type": "string", "format": "date-time"},
    "duration": {"type": "string"},
    "quantity": {"type": "", "format": "", "one_of": (Node(type="string"), Node(type="number"))},
    "intOrString": {"type": "", "format": "int-or-string", "int_or_string": True},
    "rawJSON": {"type": "object", "preserve_unknown_fields": True},
}


def node_of_class(declared: type, *, package: str = "v1") -> Node:
    """The node of a class and, below it, of every class that it mentions. `package` is the one in Go's messages."""
    return _Compiler(package).struct(declared)


class _Compiler:
    """One run: a class that is mentioned twice, or in itself, is one node."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._structs: dict[type, Node] = {}

    def struct(self, declared: type) -> Node:
        known = self._structs.get(declared)
        if known is not None:
            return known
        if "__node__" in vars(declared):
            return cast("Node", vars(declared)["__node__"]())
        name = declared.__name__
        if any(other.__name__ == name for other in self._structs):
            raise DeclarationError(f"two classes in one schema are called {name}")
        node = Node(
            type="object",
            name=vars(declared).get("__definition__", name),
            go_type=vars(declared).get("__go_type__", f"{self._package}.{name}"),
            map_type=vars(declared).get("__map_type__", ""),
        )
        description = _description(declared)
        node.notes = {"description": description} if description else {}
        self._structs[declared] = node
        required = []
        for attribute, annotation in _annotations(declared).items():
            field, base, is_optional = _unwrapped(annotation)
            field = _with_class_default(declared, attribute, field)
            name = field.name or attribute
            is_required = not is_optional and _is_required(declared, attribute, field)
            node.properties[name] = self._property(base, field, is_required=is_required)
            if is_required:
                required.append(name)
        node.required = tuple(required)
        return node

    def _property(self, annotation: Any, field: Field, *, is_required: bool) -> Property:
        inner, is_pointer = _without_none(annotation)
        if is_pointer:
            outer, (field, inner, _) = field, _unwrapped(inner)
            field = field if outer is _NOT_SAID else outer
        node = self._node(inner, field)
        return Property(
            node=node,
            pointer=is_pointer and node.shape not in ("list", "map", "bytes"),
            emit="always" if is_required else "",
            inline=field.inline,
            patch_strategy=field.patch_strategy,
            patch_merge_key=field.patch_merge_key,
            protobuf=field.protobuf,
            notes={"description": field.description} if field.description else {},
        )

    def _node(self, annotation: Any, field: Field) -> Node:
        inner, is_null = _without_none(annotation)
        more, inner, _ = _unwrapped(inner)
        if more is not _NOT_SAID:
            field = more if field is _NOT_SAID else field
        node = self._plain(inner)
        changes = _changes(field, node)
        if is_null:
            changes["nullable"] = True
        return node.changed(**changes) if changes else node

    def _plain(self, annotation: Any) -> Node:
        codec = _codec_of(annotation)
        if codec is not None:
            return Node(codec=codec, go_type="" if codec.name != "rawJSON" else codec.go_type, **_CODECS[codec.name])
        if _is_hashable(annotation) and annotation in _SCALARS:
            return Node(**_SCALARS[annotation])
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Literal:
            return _enumeration(arguments)
        if origin in (list, tuple, Sequence) or (isinstance(origin, type) and issubclass(origin, Sequence)):
            return Node(type="array", items=self._node(arguments[0], _NOT_SAID))
        if origin is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
            return self._map(arguments)
        if origin in (typing.Union, types.UnionType) and set(arguments) == {int, str}:
            return Node(codec=INT_OR_STRING, **_CODECS["intOrString"])
        if isinstance(annotation, type) and issubclass(annotation, Enum):
            return _enumeration(tuple(member.value for member in annotation))
        if isinstance(annotation, type) and origin is None and annotation.__module__ != "builtins":
            return self.struct(annotation)
        raise DeclarationError(f"{annotation!r} is no type that a field can have")

    def _map(self, arguments: tuple[Any, ...]) -> Node:
        if arguments[0] is not str:
            raise DeclarationError(f"a map's keys are str, not {arguments[0]!r}")
        if arguments[1] in (Any, object):
            return Node(**_SCALARS[dict])
        return Node(type="object", values=self._node(arguments[1], _NOT_SAID))


def _is_hashable(annotation: Any) -> bool:
    try:
        hash(annotation)
    except TypeError:  # Literal[[...]] and its like
        return False
    return True


def _annotations(declared: type) -> dict[str, Any]:
    try:
        hints = typing.get_type_hints(declared, include_extras=True)
    except NameError as error:
        raise DeclarationError(f"{declared.__name__}: {error}; declare it at the top of a module") from None
    return {
        name: hint
        for name, hint in hints.items()
        if not name.startswith("_") and typing.get_origin(hint) is not typing.ClassVar and hint is not typing.ClassVar
    }


def _unwrapped(annotation: Any) -> tuple[Field, Any, bool]:
    """What Field says, the type without it (a codec stays), and whether a TypedDict says NotRequired."""
    field, is_optional, codec = _NOT_SAID, False, None
    while True:
        origin = typing.get_origin(annotation)
        if origin in (typing.NotRequired, typing.Required):
            is_optional = origin is typing.NotRequired
            annotation = typing.get_args(annotation)[0]
        elif origin is typing.Annotated:
            for extra in annotation.__metadata__:
                field = extra if isinstance(extra, Field) else field
                codec = extra if isinstance(extra, Codec) else codec
            annotation = annotation.__origin__
        else:
            return field, typing.Annotated[annotation, codec] if codec else annotation, is_optional


def _codec_of(annotation: Any) -> Codec | None:
    if typing.get_origin(annotation) is not typing.Annotated:
        return None
    return next((extra for extra in annotation.__metadata__ if isinstance(extra, Codec)), None)


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return annotation, False
    rest = tuple(each for each in typing.get_args(annotation) if each is not type(None))
    if len(rest) == len(typing.get_args(annotation)):
        return annotation, False
    return (rest[0] if len(rest) == 1 else typing.Union[rest]), True  # noqa: UP007 - made of a tuple


def _is_required(declared: type, attribute: str, field: Field) -> bool:
    if field.default is not NOTHING:
        return False
    keys = getattr(declared, "__required_keys__", None)
    if keys is not None:
        return attribute in keys
    if dataclasses.is_dataclass(declared):
        for each in dataclasses.fields(declared):
            if each.name == attribute:
                return each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
    return not hasattr(declared, attribute)


def _with_class_default(declared: type, attribute: str, field: Field) -> Field:
    """`replicas: int = 1` says that a field left out is 1. An empty value says no more than that it may be left out."""
    value = vars(declared).get(attribute, getattr(declared, attribute, None))
    if field.default is not NOTHING or not value or not isinstance(value, (bool, int, float, str, list, dict)):
        return field
    return dataclasses.replace(field, default=value)


def _description(declared: type) -> str:
    """The class's own docstring; dataclasses and TypedDicts without one have made one up, or inherited it."""
    text = vars(declared).get("__doc__")
    if not text or (dataclasses.is_dataclass(declared) and text.startswith(f"{declared.__name__}(")):
        return ""
    return inspect.cleandoc(text)


def _enumeration(values: tuple[Any, ...]) -> Node:
    kinds = {type(value) for value in values}
    if len(kinds) != 1 or (kind := kinds.pop()) not in (str, int):
        raise DeclarationError(f"an enumeration holds texts or numbers, not {values!r}")
    return Node(limits=Limits(enum=values), **_SCALARS[kind])


def _changes(field: Field, node: Node) -> dict[str, Any]:
    """What a field says about its node, beyond what the type says."""
    said = {
        "format": field.format,
        "list_type": field.list_type,
        "list_map_keys": tuple(field.list_map_keys),
        "map_type": field.map_type,
        "go_type": field.go_type,
        "embedded_resource": field.embedded_resource,
        "preserve_unknown_fields": field.preserve_unknown_fields,
    }
    changes: dict[str, Any] = {name: value for name, value in said.items() if value}
    limits = field.limits()
    if limits != NO_LIMITS:
        changes["limits"] = dataclasses.replace(limits, enum=limits.enum or node.limits.enum)
    if field.default is not NOTHING:
        changes["default"] = field.default
    if field.extensions:
        changes["notes"] = {**node.notes, **field.extensions}
    return changes
