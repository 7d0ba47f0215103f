"""The values of a custom resource, read by its schema as far as an expression looks.

Upstream: apiserver/pkg/cel/common/valuesunstructured.go. A schema decides what a text is (a timestamp, bytes), which
fields can be seen, and when lists are equal: sets and maps by their elements, whatever the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from localplane.apimachinery.cel.errors import EvaluationError, no_such_overload
from localplane.apimachinery.cel.interpreter.equality import equal
from localplane.apimachinery.cel.parser.field_names import escaped, unescaped
from localplane.apimachinery.cel.values import MISSING, Mapper
from localplane.apimachinery.golang.text import go_type_name
from localplane.apimachinery.schema import Node

from .keyed_lists import MapList, SetList
from .resource_roots import with_type_and_metadata
from .text_formats import TEXT_FORMATS

Reader = Callable[[Any], Any]
_COMPILED: Final = "cel.reader"
CONTAINERS: Final = frozenset({list, dict})


def reader(node: Node, *, is_root: bool = False) -> Reader:
    """What turns JSON of this schema into a value."""
    node.load()
    if is_root:
        node = with_type_and_metadata(node)
    known: Reader | None = node.compiled.get(_COMPILED)
    if known is None:
        known = node.compiled[_COMPILED] = _made(node)
    return known


def _made(node: Node) -> Reader:
    read = _int_or_string if node.int_or_string else _READERS.get(node.type, _untyped)(node)
    nullable = node.nullable

    def answer(raw: Any) -> Any:
        if raw is not None:
            return read(raw)
        if nullable:
            return None
        raise EvaluationError("invalid data, got null for schema with nullable=false")

    return answer


def dynamic(raw: Any) -> Any:
    """JSON without a schema."""
    if isinstance(raw, dict):
        return DynamicObject(raw)
    return [dynamic(each) for each in raw] if isinstance(raw, list) else raw


def _int_or_string(raw: Any) -> Any:
    if type(raw) in (int, str):
        return raw
    raise EvaluationError("invalid data, expected XIntOrString value to be either a string or integer")


def _untyped(node: Node) -> Reader:
    if node.preserve_unknown_fields:
        return dynamic
    words = "invalid type, expected object, array, number, integer, boolean or string, or no type with"
    message = f"{words} x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {node.type}"

    def answer(_: Any) -> Any:
        raise EvaluationError(message)

    return answer


def _scalar(name: str, *types: type) -> Callable[[Node], Reader]:
    def answer(raw: Any) -> Any:
        if type(raw) in types:
            return raw
        raise EvaluationError(f"invalid data, expected {name}, got {go_type_name(raw)}")

    return lambda _: answer


def _number(_: Node) -> Reader:
    def answer(raw: Any) -> float:
        if type(raw) in (int, float):
            return float(raw)
        raise EvaluationError(f"invalid data, expected float, got {go_type_name(raw)}")

    return answer


def _string(node: Node) -> Reader:
    read = TEXT_FORMATS.get(node.format)
    if read is None:
        return _scalar("string", str)(node)

    def answer(raw: Any) -> Any:
        if not isinstance(raw, str):
            raise EvaluationError(f"invalid data, expected string, got {go_type_name(raw)}")
        return read(raw)

    return answer


def _array(node: Node) -> Reader:
    if node.items is None:
        return _failing("invalid array type, expected Items with a non-empty Schema")
    items = reader(node.items)
    keys = tuple(escaped(key) or key for key in node.list_map_keys)
    kind = node.list_type

    def answer(raw: Any) -> list[Any]:
        if not isinstance(raw, list):
            raise EvaluationError("invalid data, expected an array for the provided schema with type=array")
        if kind == "set":
            return SetList(map(items, raw))
        if kind == "map":
            return MapList(map(items, raw), keys)
        return [items(each) for each in raw]

    return answer


def _failing(message: str) -> Reader:
    def answer(_: Any) -> Any:
        raise EvaluationError(message)

    return answer


def _object(node: Node) -> Reader:
    if node.embedded_resource:
        node = with_type_and_metadata(node)
    if node.properties or node.embedded_resource:
        shape = Shape(node)

        def read(raw: dict[str, Any]) -> Any:
            return SchemaObject(raw, shape)
    elif node.values is not None:
        values = reader(node.values)

        def read(raw: dict[str, Any]) -> Any:
            return SchemaMap(raw, values)
    else:
        empty = Shape(node)

        def read(raw: dict[str, Any]) -> Any:
            return SchemaObject(raw, empty)

    def answer(raw: Any) -> Any:
        if not isinstance(raw, dict):
            raise EvaluationError("invalid data, expected a map for the provided schema with type=object")
        return read(raw)

    return answer


class Shape:
    """The fields of a kind of object: by the name that expressions use, the name in JSON and how it is read."""

    __slots__ = ("_known", "_node")

    def __init__(self, node: Node) -> None:
        self._node = node
        self._known: dict[str, tuple[str, Reader] | None] = {}

    def field(self, name: str) -> tuple[str, Reader] | None:
        try:
            return self._known[name]
        except KeyError:
            raw = unescaped(name)
            found = self._node.properties.get(raw) if raw is not None else None
            made = (raw, reader(found.node)) if found is not None and raw is not None else None
            self._known[name] = made
            return made

    def declares(self, raw: str) -> bool:
        return raw in self._node.properties


class _Object(Mapper):
    """What is within is read when it is first asked for, and then kept: a rule may ask for the same list once for every
    element of another one, and reading it takes as long as it is."""

    __slots__ = ("_kept", "raw")

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self._kept: dict[str, Any] | None = None

    def value(self, name: str, read: Reader) -> Any:
        """What stands under this name in JSON."""
        raw = self.raw[name]
        return self.kept(name, read) if type(raw) in CONTAINERS else read(raw)

    def kept(self, name: str, read: Reader) -> Any:
        """The list or object under this name."""
        if self._kept is None:
            self._kept = {}
        elif name in self._kept:
            return self._kept[name]
        value = self._kept[name] = read(self.raw[name])
        return value


class SchemaObject(_Object):
    """An object with declared fields. A field that is null is as good as absent."""

    __slots__ = ("shape",)

    def __init__(self, raw: dict[str, Any], shape: Shape) -> None:
        super().__init__(raw)
        self.shape = shape

    def find(self, key: Any) -> Any:
        if type(key) is not str:
            raise no_such_overload()
        field = self.shape.field(key)
        if field is None:
            return MISSING
        return MISSING if self.raw.get(field[0]) is None else self.value(*field)

    def each_key(self) -> Iterator[Any]:
        return (escaped(name) or name for name in self.raw if self.shape.declares(name))

    def __len__(self) -> int:
        return len(self.raw)

    def equals(self, other: Any) -> bool:
        if not isinstance(other, Mapper):
            raise no_such_overload()
        if len(self) != len(other):
            return False
        return all(self._field_equals(name, other) for name in self.raw)

    def _field_equals(self, name: str, other: Mapper) -> bool:
        if self.shape.declares(name):
            key = escaped(name) or name
            mine, theirs = self.find(key), other.find(key)
            if mine is MISSING or theirs is MISSING:
                return mine is theirs
            return equal(mine, theirs)
        if not isinstance(other, SchemaObject):
            raise no_such_overload()
        return name not in other.raw or bool(other.raw[name] == self.raw[name])


class SchemaMap(_Object):
    """An object with keys of its own and values of one schema."""

    __slots__ = ("_read",)

    def __init__(self, raw: dict[str, Any], read: Reader) -> None:
        super().__init__(raw)
        self._read = read

    def find(self, key: Any) -> Any:
        if type(key) is not str:
            raise no_such_overload()
        return self.value(key, self._read) if key in self.raw else MISSING

    def each_key(self) -> Iterator[Any]:
        return iter(self.raw)

    def __len__(self) -> int:
        return len(self.raw)


class DynamicObject(SchemaMap):
    __slots__ = ()

    def __init__(self, raw: dict[str, Any]) -> None:
        super().__init__(raw, dynamic)

    def find(self, key: Any) -> Any:
        return self.value(key, dynamic) if type(key) is str and key in self.raw else MISSING


_READERS: Final[dict[str, Callable[[Node], Reader]]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _number,
    "integer": _scalar("int", int),
    "boolean": _scalar("bool", bool),
}
