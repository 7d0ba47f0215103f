"""The one compiled form of a schema: a tree of nodes, whatever it was declared as.

A node is what OpenAPI calls a schema; a property is the edge from an object to one of its fields, and carries what Go's
struct tags say of it. Nodes with a name may be shared and may contain themselves; one with a loader is filled when it
is first needed, so that a thousand built-in types cost nothing until someone asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, Final, Literal

from .structs.codecs import Codec


class _Nothing(Enum):
    NOTHING = "NOTHING"


NOTHING: Final = _Nothing.NOTHING
"""As a default or an old value: there is none. Null is a value."""

Shape = Literal[
    "any", "string", "bytes", "integer", "number", "boolean", "int-or-string", "list", "map", "struct", "codec"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The values that a node takes, beyond their type. `pattern` is RE2's (`apimachinery/golang/regexps`)."""

    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str = ""
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    min_properties: int | None = None
    max_properties: int | None = None
    enum: tuple[Any, ...] = ()


NO_LIMITS: Final = Limits()


@dataclass(slots=True, kw_only=True, eq=False)
class Property:
    """A field of an object.

    `pointer` fields are told apart from their zero value; others are left out when they hold it, unless `emit` says
    otherwise ("always": written even when zero, "null": written as null). `inline` is the Go name of the embedded
    struct that the field comes from, which Go's messages show.
    """

    node: Node
    pointer: bool = False
    emit: Literal["", "always", "null"] = ""
    inline: str = ""
    patch_strategy: str = ""
    patch_merge_key: str = ""
    protobuf: Mapping[str, Any] | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def keeps_zero(self) -> bool:
        """An empty value of this field stays in the object: a struct always does, for Go writes it as {}."""
        return bool(self.pointer or self.emit) or self.node.shape in ("struct", "any", "codec")


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """One schema.

    `values` is additionalProperties as a schema, `values_allowed` as a boolean (None: not said). `notes` keep what only
    documents show (description, title, example and extensions of no meaning here, x-kubernetes-validations among
    them). `name` is that of the definition which documents refer to. `compiled` is the operations' own.
    """

    type: str = ""
    format: str = ""
    properties: dict[str, Property] = field(default_factory=dict)
    values: Node | None = None
    values_allowed: bool | None = None
    items: Node | None = None
    required: tuple[str, ...] = ()
    nullable: bool = False
    default: Any = NOTHING
    limits: Limits = NO_LIMITS
    all_of: tuple[Node, ...] = ()
    any_of: tuple[Node, ...] = ()
    one_of: tuple[Node, ...] = ()
    not_: Node | None = None
    int_or_string: bool = False
    preserve_unknown_fields: bool = False
    embedded_resource: bool = False
    list_type: str = ""
    list_map_keys: tuple[str, ...] = ()
    map_type: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    go_type: str = ""
    codec: Codec | None = None
    loader: Callable[[Node], None] | None = field(default=None, repr=False)
    compiled: dict[str, Any] = field(default_factory=dict, repr=False)

    def load(self) -> Node:
        """This node, filled in. A loader sets the fields of the node that it gets."""
        loader = self.loader
        if loader is not None:
            self.loader = None
            loader(self)
        return self

    @property
    def shape(self) -> Shape:
        """What Go would decode this into."""
        self.load()
        if self.codec is not None:
            return "codec"
        if self.int_or_string:
            return "int-or-string"
        if self.type == "object" or (not self.type and (self.properties or self.values)):
            is_map = not self.properties and (self.values is not None or self.values_allowed)
            return "map" if is_map else "struct"
        return _SHAPES.get(self.type, "any") if self.format != "byte" or self.type != "string" else "bytes"

    def changed(self, **changes: Any) -> Node:
        """A copy that differs, compiled anew."""
        self.load()
        kept = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "compiled"}
        return Node(**(kept | changes))

    def child(self, key: str | int) -> Node | None:
        """The schema of a field, of a map's value or of a list's item; None where nothing is said."""
        self.load()
        if isinstance(key, int):
            return self.items
        found = self.properties.get(key)
        return found.node if found is not None else self.values

    def children(self) -> Iterator[Node]:
        """What this node's values may contain. The alternatives of allOf and its like are no children."""
        self.load()
        for each in self.properties.values():
            yield each.node
        if self.values is not None:
            yield self.values
        if self.items is not None:
            yield self.items


_SHAPES: Final[dict[str, Shape]] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "array": "list",
}


def walk(node: Node) -> Iterator[Node]:
    """Every node that can be reached, each once, parents first. Loads all of them."""
    seen: set[int] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        waiting.extend(reversed(list(current.children())))


def go_type(node: Node) -> str:
    """The name of the type in Go's messages."""
    if node.go_type:
        return node.go_type
    match node.shape:
        case "integer":
            return node.format if node.format in ("int32", "int64") else "int64"
        case "number":
            return "float32" if node.format == "float" else "float64"
        case "list":
            return f"[]{go_type(node.items) if node.items else 'interface {}'}"
        case "map":
            return f"map[string]{go_type(node.values) if node.values else 'interface {}'}"
        case "struct":
            return "map[string]interface {}"
        case "codec" if node.codec:
            return node.codec.go_type
        case shape:
            return _GO_TYPES.get(shape, "interface {}")


_GO_TYPES: Final = {"string": "string", "bytes": "[]uint8", "boolean": "bool", "int-or-string": "intstr.IntOrString"}
