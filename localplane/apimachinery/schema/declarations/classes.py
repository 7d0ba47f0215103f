"""From classes with annotations to nodes. Plain classes, dataclasses, TypedDicts and pydantic's models are all the same
here: `members` has read them.

A class stands for a Go struct: each annotation is a field, one without a default is required. `X | None` is a pointer,
so a zero is told apart from nothing. What a class inherits, it has. A class may say of itself, by `__definition__`,
`__go_type__` and `__map_type__`, how documents and messages call it, and that it is atomic; one with `__node__` has its
node elsewhere.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Final, cast

from localplane.apimachinery.schema.nodes import NO_LIMITS, NOTHING, Limits, Node, Property
from localplane.apimachinery.schema.structs.codecs import DURATION, INT_OR_STRING, TIME, Codec

from .annotations import DeclarationError, named
from .checks import changes_of, check_default
from .constraints import Words, merged, words_of
from .members import (
    Member,
    config_of,
    description_of,
    is_empty,
    is_model,
    json_value,
    members_of,
    model_notes,
    root_of,
    text_limits,
)
from .unions import union_of

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
    compiler = _Compiler(package)
    node = compiler.struct(declared)
    compiler.check_defaults()
    return node


class _Compiler:
    """One run: a class that is mentioned twice, or in itself, is one node."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._structs: dict[type, Node] = {}
        self._defaults: list[tuple[str, Node]] = []

    def check_defaults(self) -> None:
        """Once everything is known: a class may stand in itself."""
        for place, node in self._defaults:
            with named(place):
                check_default(node)

    def struct(self, declared: type) -> Node:
        known = self._structs.get(declared)
        if known is not None:
            return known
        if "__node__" in vars(declared):
            return cast("Node", vars(declared)["__node__"]())
        root = root_of(declared)
        if root is not None:
            return self._property(root, {}).node
        name = _NO_NAME.sub("_", declared.__name__)
        if any(other.__name__ == declared.__name__ for other in self._structs):
            raise DeclarationError(f"two classes in one schema are called {name}")
        description = description_of(declared)
        node = Node(
            type="object",
            name=vars(declared).get("__definition__", name),
            go_type=vars(declared).get("__go_type__", f"{self._package}.{name}"),
            map_type=vars(declared).get("__map_type__", ""),
            preserve_unknown_fields=config_of(declared).get("extra") == "allow",
            notes=({"description": description} if description else {}) | model_notes(declared),
        )
        self._structs[declared] = node
        required = []
        for member in members_of(declared):
            with named(f"{declared.__name__}.{member.name}"):
                name, is_required = self._add(node, member, text_limits(declared))
                if is_required:
                    required.append(name)
                if node.properties[name].node.default is not NOTHING:
                    self._defaults.append((f"{declared.__name__}.{member.name}", node.properties[name].node))
        node.required = tuple(required)
        return node

    def _add(self, node: Node, member: Member, text_limits: Words) -> tuple[str, bool]:
        """Returns the name on the wire, and whether it must be there."""
        unwrapped = _unwrapped(member.annotation)
        words = merged(unwrapped.words, member.words)
        name = words.get("name") or member.name
        if name in node.properties:
            raise DeclarationError(f"two fields are called {name!r}")
        is_required = member.is_required and not unwrapped.is_optional and "default" not in words
        member = dataclasses.replace(member, words={**words, "is_required": is_required})
        node.properties[name] = self._property(member, text_limits)
        return name, is_required

    def _property(self, member: Member, text_limits: Words) -> Property:
        unwrapped = _unwrapped(member.annotation)
        inner, is_pointer = _without_none(unwrapped.annotation)
        words = merged(unwrapped.words, member.words)
        if is_pointer:
            nested = _unwrapped(inner)
            inner, words = nested.annotation, merged(nested.words, words)
        words = _with_default(words, member, is_pointer=is_pointer)
        if inner is str and text_limits:
            words = merged(text_limits, words)
        node = self._node(inner, words)
        notes = {"description": words["description"]} if words.get("description") else {}
        return Property(
            node=node,
            pointer=_judges_zero(node) or (is_pointer and node.shape not in ("list", "map", "bytes")),
            emit="always" if words.get("is_required") else "",
            inline=words.get("inline", ""),
            patch_strategy=words.get("patch_strategy", ""),
            patch_merge_key=words.get("patch_merge_key", ""),
            protobuf=words.get("protobuf"),
            notes=notes,
        )

    def _node(self, annotation: Any, words: Words) -> Node:
        inner, is_null = _without_none(annotation)
        unwrapped = _unwrapped(inner)
        words = merged(unwrapped.words, words)
        if "discriminator" in words:
            node = self._union(unwrapped.annotation, words["discriminator"])
        else:
            node = self._plain(unwrapped.annotation)
        changes = changes_of(words, node)
        if is_null:
            changes["nullable"] = True
        return node.changed(**changes) if changes else node

    def _items(self, annotation: Any) -> Node:
        """Of a list or a map: what is said of them is said in the annotation alone."""
        node = self._node(annotation, {})
        if node.default is not NOTHING:
            raise DeclarationError("what stands in a list or a map has no default")
        return node

    def _plain(self, annotation: Any) -> Node:
        codec = _codec_of(annotation)
        if codec is not None:
            return Node(codec=codec, go_type="" if codec.name != "rawJSON" else codec.go_type, **_CODECS[codec.name])
        if _is_hashable(annotation) and annotation in _SCALARS:
            return Node(**_SCALARS[annotation])
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Literal:
            return _enumeration(arguments)
        if origin is tuple and (len(arguments) != 2 or arguments[1] is not Ellipsis):
            raise DeclarationError(f"{_shown(annotation)} has items of several types: a list has one, list[...]")
        if origin in (list, tuple, Sequence) or (isinstance(origin, type) and issubclass(origin, Sequence)):
            return Node(type="array", items=self._items(arguments[0]))
        if origin is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
            return self._map(arguments)
        if origin in (typing.Union, types.UnionType):
            return _int_or_string(annotation)
        if isinstance(annotation, type) and issubclass(annotation, Enum):
            return _enumeration(tuple(member.value for member in annotation))
        if _is_struct(annotation) and origin is None:
            return self.struct(annotation)
        raise DeclarationError(f"{_shown(annotation)} is no type that a field can have{_advice(annotation)}")

    def _map(self, arguments: tuple[Any, ...]) -> Node:
        if arguments[0] is not str:
            raise DeclarationError(f"a map's keys are str, not {_shown(arguments[0])}")
        if arguments[1] in (Any, object):
            return Node(**_SCALARS[dict])
        return Node(type="object", values=self._items(arguments[1]))

    def _union(self, annotation: Any, discriminator: str) -> Node:
        if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
            raise DeclarationError(f"a discriminator tells classes of a union apart, and {_shown(annotation)} is none")
        structs = []
        for each in typing.get_args(annotation):
            if not _is_struct(each) or issubclass(each, Enum):
                raise DeclarationError(f"a discriminator tells classes apart, and {_shown(each)} is none")
            structs.append(self.struct(each))
        return union_of(structs, discriminator)


_NO_NAME: Final = re.compile("[^A-Za-z0-9_.]+")


@dataclasses.dataclass(frozen=True, slots=True)
class _Unwrapped:
    """What is said beside a type, the type without it (a codec stays), and whether a TypedDict says NotRequired."""

    words: Words
    annotation: Any
    is_optional: bool


def _unwrapped(annotation: Any) -> _Unwrapped:
    said: list[Words] = []
    is_optional, codec = False, None
    while True:
        origin = typing.get_origin(annotation)
        if origin in (typing.NotRequired, typing.Required):
            is_optional = origin is typing.NotRequired
            annotation = typing.get_args(annotation)[0]
        elif origin is typing.Annotated:
            extras = [extra for extra in annotation.__metadata__ if not isinstance(extra, Codec)]
            codec = next((extra for extra in annotation.__metadata__ if isinstance(extra, Codec)), codec)
            said[:0] = [words_of(extra) for extra in extras]
            annotation = annotation.__origin__
        else:
            return _Unwrapped(merged(*said), typing.Annotated[annotation, codec] if codec else annotation, is_optional)


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


def _with_default(words: Words, member: Member, *, is_pointer: bool) -> Words:
    """`replicas: int = 1` says that a field left out is 1. An empty value says no more than that it may be left out,
    but for a pointer, where a zero is told apart from nothing."""
    if "default" in words:
        return {**words, "default": json_value(words["default"])}
    value = member.default
    if (
        value is NOTHING
        or value is None
        or (is_empty(value) and not (is_pointer and not isinstance(value, (list, dict))))
    ):
        return words
    return {**words, "default": value}


def _judges_zero(node: Node) -> bool:
    """Whether a zero that a client sent must not pass for nothing: it would become the default, or escape a limit. An
    empty text passes, as it does for Kubernetes' own kinds."""
    has_zero = node.shape in ("integer", "number", "boolean")
    return has_zero and (node.default is not NOTHING or node.limits != NO_LIMITS)


def _is_hashable(annotation: Any) -> bool:
    try:
        hash(annotation)
    except TypeError:  # Literal[[...]] and its like
        return False
    return True


def _is_struct(annotation: Any) -> bool:
    """Whether its annotations are fields: Python's own classes have none, and pydantic's types are read by pydantic."""
    if not isinstance(annotation, type):
        return False
    if is_model(annotation) or issubclass(annotation, dict):
        return not issubclass(annotation, dict) or typing.is_typeddict(annotation)
    package = annotation.__module__.partition(".")[0]
    is_library = (package in sys.stdlib_module_names and package != "__main__") or package in (
        "pydantic",
        "pydantic_core",
    )
    return not is_library and not hasattr(annotation, "__get_pydantic_core_schema__")


def _shown(annotation: Any) -> str:
    return (
        annotation.__qualname__ if isinstance(annotation, type) and not typing.get_args(annotation) else str(annotation)
    )


def _advice(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin in (set, frozenset):
        items = _shown(arguments[0]) if arguments else "str"
        return f': Annotated[list[{items}], Field(list_type="set")] is a list without repetitions'
    name = getattr(annotation, "__name__", "")
    return f': Annotated[str, Field(format="{_FORMATS[name]}")] is its text' if name in _FORMATS else ""


_FORMATS: Final = {
    "UUID": "uuid",
    "date": "date",
    "IPv4Address": "ipv4",
    "IPv6Address": "ipv6",
    "HttpUrl": "uri",
    "AnyUrl": "uri",
    "AnyHttpUrl": "uri",
    "EmailStr": "email",
}


def _int_or_string(annotation: Any) -> Node:
    if set(typing.get_args(annotation)) == {int, str}:
        return Node(codec=INT_OR_STRING, **_CODECS["intOrString"])
    raise DeclarationError(
        f"{_shown(annotation)} is a union: a field has one type, int | str, or classes and Field(discriminator=...)"
    )


def _enumeration(values: tuple[Any, ...]) -> Node:
    values = tuple(value.value if isinstance(value, Enum) else value for value in values)
    kinds = {type(value) for value in values}
    if len(kinds) != 1 or (kind := kinds.pop()) not in (str, int):
        raise DeclarationError(f"an enumeration holds texts or numbers, not {values!r}")
    return Node(limits=Limits(enum=values), **_SCALARS[kind])
