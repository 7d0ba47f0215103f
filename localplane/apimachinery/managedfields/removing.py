"""Taking fields out of an object.

What becomes empty stays as null, as it does in Kubernetes: whoever decodes or prunes the object next takes it out.
Kubernetes: structured-merge-diff typed.RemoveItems, fieldpath.Set.EnsureNamedFieldsAreMembers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fieldset import Fields, below, is_member, member_with
from .typed import ListType, MapType, Type


def remove(kind: Type, value: Any, fields: Fields) -> Any:
    """A copy of the value without these fields. Raises Unmanageable."""
    if type(value) is dict and kind.map is not None:
        return _remove_from_map(kind.map, value, fields) if kind.parts(value) else None
    if type(value) is list and kind.list is not None:
        return _remove_from_list(kind.list, value, fields) if kind.parts(value) else None
    return value


def _remove_from_map(kind: MapType, value: dict[str, Any], fields: Fields) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for name, item in value.items():
        node = fields.get(f"f:{name}")
        if node is None:
            found[name] = item
        elif not is_member(node):
            found[name] = remove(kind.child(name), item, node)
    return found or None


def _remove_from_list(kind: ListType, value: Sequence[Any], fields: Fields) -> list[Any] | None:
    found: list[Any] = []
    for element, item in zip(kind.elements(value), value, strict=True):
        node = fields.get(element)
        if node is None:
            found.append(item)
        elif not is_member(node):
            found.append(remove(kind.element, item, node))
    return found or None


def with_named_fields(kind: Type | None, fields: Fields) -> Fields:
    """The set, and in it the declared fields on the way to its members: they go when nothing is left in them."""
    return {element: _named(kind, element, node) if node else node for element, node in fields.items()}


def _named(kind: Type | None, element: str, node: Fields) -> Fields:
    inner, is_declared = _child(kind, element)
    found = with_named_fields(inner, node)
    return member_with(below({element: found}, element)) if is_declared and not is_member(found) else found


def _child(kind: Type | None, element: str) -> tuple[Type | None, bool]:
    """The type below an element, and whether it is a declared field."""
    if kind is None:
        return None, False
    if element[:2] == "f:" and kind.map is not None:
        name = element[2:]
        is_declared = name in kind.map.declared
        return (kind.map.child(name) if is_declared else kind.map.element), is_declared
    if element[:2] == "k:" and kind.list is not None:
        return kind.list.element, False
    return None, False
