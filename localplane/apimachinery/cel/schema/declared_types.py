"""Types that a schema declares: what `self` is, and how large it may become.

Made as far as an expression asks, for a schema may be thousands of lines. Upstream: apiserver/pkg/cel/common,
SchemaDeclType, and pkg/cel/types.go, DeclType.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.cel.parser.field_names import RESERVED, escaped, unescaped
from localplane.apimachinery.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    Kind,
    Type,
    list_of,
    map_of,
)
from localplane.apimachinery.schema import NOTHING, Node

from .resource_roots import with_type_and_metadata

REQUEST_SIZE: Final = 3 * 1024 * 1024
_STRINGS: Final = {"byte": BYTES, "duration": DURATION, "date": TIMESTAMP, "date-time": TIMESTAMP}
_SMALLEST: Final = {"": 2, "byte": 2, "duration": 3, "date": 12, "date-time": 21}
_LONGEST: Final = {"duration": 32, "date": 12, "date-time": 32}
_SCALARS: Final = {"boolean": (BOOL, 4), "number": (DOUBLE, 1), "integer": (INT, 1)}


class DeclaredType:
    """`smallest` is the least number of bytes of JSON, `max_elements` the most elements, characters or entries."""

    __slots__ = ("_fields", "_node", "element", "key", "max_elements", "name", "smallest", "type")

    def __init__(self, type_: Type, *, smallest: int, max_elements: int = 0, name: str = "") -> None:
        self.type = type_
        self.smallest = smallest
        self.max_elements = max_elements
        self.name = name
        self.element: DeclaredType | None = None
        self.key: DeclaredType | None = None
        self._node: Node | None = None
        self._fields: dict[str, DeclaredType | None] = {}

    def field(self, name: str) -> DeclaredType | None:
        """By its escaped name; None if there is none, or none that expressions may see."""
        if name not in self._fields:
            self._fields[name] = self._made_field(name)
        return self._fields[name]

    def _made_field(self, name: str) -> DeclaredType | None:
        raw = unescaped(name)
        if self._node is None or raw is None or escaped(raw) != name:
            return None
        found = self._node.properties.get(raw)
        if found is None:
            return None
        node = found.node.load()
        return declared(node, is_root=node.embedded_resource, name=f"{self.name}.{name}")

    def field_type(self, name: str) -> Type | None:
        """A reserved word may be written as it is."""
        found = self.field(name)
        if found is None and name in RESERVED:
            found = self.field(f"__{name}__")
        return found.type if found is not None else None

    @classmethod
    def object(cls, node: Node, name: str) -> DeclaredType:
        made = cls(DYN, smallest=_smallest_object(node), name=name)
        made.type = Type(Kind.STRUCT, name, (), made)
        made._node = node
        return made


def declared(node: Node | None, *, is_root: bool = False, name: str = "selfType") -> DeclaredType | None:
    """None for what expressions may not see."""
    if node is None:
        return None
    node.load()
    if node.int_or_string:
        return DeclaredType(DYN, smallest=1, max_elements=_most_characters(node, default=REQUEST_SIZE - 2))
    if is_root:
        node = with_type_and_metadata(node)
    match node.type:
        case "array":
            return _list(node, name)
        case "object":
            return _map(node, name) if node.values is not None else DeclaredType.object(node, name)
        case "string":
            return _string(node)
    scalar = _SCALARS.get(node.type)
    return DeclaredType(scalar[0], smallest=scalar[1]) if scalar is not None else None


def _list(node: Node, name: str) -> DeclaredType | None:
    items = node.items.load() if node.items is not None else None
    element = declared(items, is_root=items.embedded_resource, name=f"{name}.@idx") if items is not None else None
    if element is None:
        return None
    most = node.limits.max_items
    if most is None:
        most = (REQUEST_SIZE - 2) // (element.smallest + 1)
    made = DeclaredType(list_of(element.type), smallest=2, max_elements=max(most, 0))
    made.element = element
    return made


def _map(node: Node, name: str) -> DeclaredType | None:
    values = node.values.load() if node.values is not None else None
    element = declared(values, is_root=values.embedded_resource, name=f"{name}.@elem") if values is not None else None
    if element is None:
        return None
    most = node.limits.max_properties
    if most is None:
        most = (REQUEST_SIZE - 2) // (element.smallest + 6)  # a key, its quotes, a colon and a comma
    made = DeclaredType(map_of(STRING, element.type), smallest=2, max_elements=max(most, 0))
    made.element = element
    made.key = DeclaredType(STRING, smallest=2)
    return made


def _string(node: Node) -> DeclaredType:
    form = node.format if node.format in _STRINGS else ""
    type_, smallest = _STRINGS.get(form, STRING), _SMALLEST[form]
    if form in _LONGEST:
        return DeclaredType(type_, smallest=smallest, max_elements=_LONGEST[form])
    if form == "byte":
        limit = node.limits.max_length
        most = REQUEST_SIZE - 2 if limit is None else max(limit, 0)
        return DeclaredType(type_, smallest=smallest, max_elements=most)
    longest = max((len(each.encode()) for each in node.limits.enum if isinstance(each, str)), default=0)
    default = longest if node.limits.enum else REQUEST_SIZE - 2
    return DeclaredType(type_, smallest=smallest, max_elements=_most_characters(node, default=default))


def _most_characters(node: Node, *, default: int) -> int:
    """maxLength counts characters, of which each may be four bytes."""
    limit = node.limits.max_length
    return default if limit is None else max(limit, 0) * 4


def _smallest_object(node: Node) -> int:
    """Braces, and every required field that is not defaulted: its name, quotes, colon, comma and value."""
    size = 2
    for name in dict.fromkeys(node.required):
        found = node.properties.get(name)
        if found is None or found.node.load().default is not NOTHING:
            continue
        field = declared(found.node, is_root=found.node.embedded_resource)
        if field is not None:
            size += len(name.encode()) + field.smallest + 4
    return size
