"""What a schema says about merging: which parts of an object are one thing, and which have fields of their own.

A `Type` is up to three answers: what a scalar, a list and a map in this place would be. Where the schema names a type
there is one of them; where it does not, the value decides. It is made from a schema's nodes when it is first needed.
Kubernetes: kube-openapi schemaconv, structured-merge-diff schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal

from localplane.apimachinery.golang.text import go_quote, json_string
from localplane.apimachinery.memoization import LONGEST_KEY
from localplane.apimachinery.schema import NOTHING, Node, Property, Schema
from localplane.apimachinery.schema.meta import type_meta

from .errors import Unmanageable
from .fieldset import key_element, value_element

Scalar = Literal["", "string", "numeric", "boolean", "untyped"]


@dataclass(slots=True, eq=False)
class Type:
    """`scalar` is empty where there can't be one."""

    scalar: Scalar = ""
    list: ListType | None = None
    map: MapType | None = None

    def parts(self, value: Any) -> Literal["map", "list", ""]:
        """Whether this value has fields or items of its own. What is empty, null, atomic or scalar has none."""
        if type(value) is dict:
            return "map" if value and self.map is not None and not self.map.atomic else ""
        if type(value) is list:
            return "list" if value and self.list is not None and not self.list.atomic else ""
        return ""


@dataclass(slots=True, eq=False)
class MapType:
    """An object or a map. `element` is what undeclared keys hold; None where there must be none."""

    declared: Mapping[str, Property] = field(default_factory=dict)
    element: Type | None = None
    atomic: bool = False
    preserves: bool = False
    _known: dict[str, Type] = field(default_factory=dict)

    def child(self, name: str) -> Type:
        """The type below a key. What nobody declared is one thing, whatever it holds."""
        found = self._known.get(name)
        if found is None:
            each = self.declared.get(name)
            if each is None:
                return self.element or UNTYPED
            self._known[name] = found = _type_of_property(each, preserves=self.preserves)
        return found

    @property
    def is_deduced(self) -> bool:
        """Nothing is declared, everything allowed: its fields follow from the values alone."""
        return self.element is not None and self.element.scalar == "untyped" and not self.declared


@dataclass(slots=True, eq=False)
class ListType:
    """A list: `atomic`, a map by its `keys`, or, with neither, a set."""

    element: Type
    atomic: bool = True
    keys: tuple[str, ...] = ()
    _defaults: dict[str, Any] | None = None

    def elements(self, items: Sequence[Any]) -> list[str]:
        """The path elements of the items. Raises Unmanageable when one has no key."""
        return [self.element_of(item, number) for number, item in enumerate(items)]

    def element_of(self, item: Any, number: int) -> str:
        if not self.keys:
            return _set_element(item, number)
        if type(item) is not dict:
            what = "a null element" if item is None else "non-map elements"
            raise Unmanageable(f"element {number}: associative list with keys may not have {what}")
        if len(self.keys) == 1:
            name = self.keys[0]
            value = item.get(name)
            if type(value) is str:
                return _element_named(name, value) if len(value) <= LONGEST_KEY else _new_element(name, value)
        return self._key(item, number)

    def _key(self, item: dict[str, Any], number: int) -> str:
        if self._defaults is None:
            self._defaults = self._key_defaults()
        pairs = []
        for name in self.keys:
            if name in item:
                pairs.append((name, item[name]))
            elif name in self._defaults:
                pairs.append((name, self._defaults[name]))
        if not pairs:
            names = " ".join(map(go_quote, self.keys))
            raise Unmanageable(
                f"element {number}: associative list with keys has an element that omits all key fields [{names}] "
                "(and doesn't have default values for any key fields)"
            )
        return key_element(pairs)

    def _key_defaults(self) -> dict[str, Any]:
        declared = self.element.map.declared if self.element.map is not None else {}
        defaults = {name: _default_of(declared[name]) for name in self.keys if name in declared}
        return {name: value for name, value in defaults.items() if value is not NOTHING and value is not None}


def _default_of(declared: Property) -> Any:
    """As OpenAPI documents tell it: that of a required text is the empty one."""
    default = declared.node.load().default
    return declared.notes.get("default") if default is NOTHING else default


def _new_element(name: str, value: str) -> str:
    return f"k:{{{json_string(name)}:{json_string(value)}}}"


# The same few names of containers, ports and conditions come again and again.
_element_named = lru_cache(maxsize=4096)(_new_element)


def _set_element(item: Any, number: int) -> str:
    if type(item) is dict:
        raise Unmanageable(f"element {number}: associative list without keys has an element that's a map type")
    if type(item) is list:
        raise Unmanageable(f"element {number}: not supported: associative list with lists as elements")
    if item is None:
        raise Unmanageable(f"element {number}: associative list without keys has an element that's an explicit null")
    return value_element(item)


def _untyped() -> tuple[Type, Type]:
    """What nothing is said of: one thing as a whole, or field by field as far as there are maps."""
    whole, by_field = Type(scalar="untyped"), Type(scalar="untyped")
    whole.list = by_field.list = ListType(whole)
    whole.map = MapType(element=whole, atomic=True)
    by_field.map = MapType(element=by_field)
    return whole, by_field


UNTYPED, DEDUCED = _untyped()

_CACHE: Final = "managedfields"


def root_type(schema: Schema | Node) -> Type:
    """The type of a kind: what the schema says, and the metadata that every object has."""
    node = schema.node if isinstance(schema, Schema) else schema
    known: Type | None = node.compiled.get(f"{_CACHE}.root")
    if known is None:
        root = node.load().changed(properties=_with_meta(node), type="object")
        node.compiled[f"{_CACHE}.root"] = known = type_of(root)
    return known


def _with_meta(node: Node) -> dict[str, Property]:
    meta = type_meta()
    return meta | {name: each for name, each in node.properties.items() if name not in meta or each.node.name}


def type_of(node: Node, *, preserves: bool = False) -> Type:
    """`preserves`: a schema around this one keeps unknown fields, and so does this one, unless it has a name."""
    node.load()
    preserves = (preserves and not node.name) or node.preserve_unknown_fields
    known: Type | None = node.compiled.get(key := f"{_CACHE}.{preserves}")
    if known is None:
        node.compiled[key] = known = Type()  # before it is filled: a type may contain itself
        _fill(known, node, preserves=preserves)
    return known


def _fill(found: Type, node: Node, *, preserves: bool) -> None:
    if node.codec is not None:
        if node.preserve_unknown_fields:  # raw JSON, and the schemas of a definition that may be something else
            found.scalar, found.list, found.map = UNTYPED.scalar, UNTYPED.list, UNTYPED.map
        else:
            found.scalar = "string" if node.codec.name == "duration" else "untyped"
        return
    found.scalar = _scalar(node)
    if node.type in ("", "array"):
        found.list = _list(node, node.list_type, node.list_map_keys, preserves=preserves)
    if node.type in ("", "object"):
        found.map = _map(node, preserves=preserves)


def _scalar(node: Node) -> Scalar:
    match node.type:
        case "object" | "array":
            return ""
        case "integer" | "number":
            return "numeric"
        case "boolean":
            return "boolean"
        case "string" if node.format in ("", "byte"):
            return "string"
    return "untyped"


def _list(node: Node, list_type: str, keys: tuple[str, ...], *, preserves: bool) -> ListType:
    element = type_of(node.items, preserves=preserves) if node.items is not None else UNTYPED
    is_keyed = list_type == "map" and bool(keys)
    return ListType(element, atomic=list_type != "set" and not is_keyed, keys=keys if is_keyed else ())


def _map(node: Node, *, preserves: bool) -> MapType:
    declared = node.properties
    if node.embedded_resource:
        declared = declared | type_meta()
    if node.values is not None:
        element: Type | None = type_of(node.values, preserves=preserves)
    elif node.values_allowed is None:
        element = DEDUCED if preserves or not declared else None
    else:
        element = DEDUCED if node.values_allowed else None
    return MapType(declared, element, atomic=node.map_type == "atomic", preserves=preserves)


def _type_of_property(each: Property, *, preserves: bool) -> Type:
    """Lists that say nothing of themselves merge as strategic merge patches do."""
    node = each.node.load()
    if node.type != "array" or node.list_type or each.patch_strategy not in ("merge", "merge,retainKeys"):
        return type_of(node, preserves=preserves)
    keys = (each.patch_merge_key,) if each.patch_merge_key else ()
    inner = (preserves and not node.name) or node.preserve_unknown_fields
    return Type(list=_list(node, "map" if keys else "set", keys, preserves=inner))
