"""The fields that a configuration mentions, which are those that who applies it will own.

Unlike a change, a configuration does not own the objects on the way to its fields: `{"data": {"a": "1"}}` owns .data.a,
and .data only when it is empty. Keys of maps and items of lists are owned, for they are something that somebody added.
Kubernetes: structured-merge-diff typed.ToFieldSet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fieldset import MEMBER, Fields, member_with
from .typed import ListType, MapType, Type


def fields_of(kind: Type, value: dict[str, Any]) -> Fields:
    """The set of a whole object. Raises Unmanageable."""
    return _of_map(kind.map, value) if kind.map is not None else {}


def _of_map(kind: MapType, value: dict[str, Any]) -> Fields:
    found: Fields = {}
    for name, item in value.items():
        if type(item) is str:
            found[f"f:{name}"] = MEMBER
            continue
        node = _node(kind.child(name), item)
        if item is None or item == {} or name not in kind.declared:
            node = member_with(node or MEMBER)
        if node is not None:
            found[f"f:{name}"] = node
    return found


def _node(kind: Type, value: Any) -> Fields | None:
    """MEMBER for what is one thing, what is below for the rest; None when it is neither."""
    parts = kind.parts(value)
    if parts == "map" and kind.map is not None:
        return _of_map(kind.map, value) or None
    if parts == "list" and kind.list is not None:
        return _of_list(kind.list, value)
    return None if _is_vacant(kind, value) else MEMBER


def _is_vacant(kind: Type, value: Any) -> bool:
    """Null, or empty, in a place for fields or items of their own."""
    if type(value) is list:
        return kind.list is not None and not kind.list.atomic
    if type(value) is dict or value is None:
        if kind.map is not None:
            return not kind.map.atomic
        return value is None and kind.list is not None and not kind.list.atomic and not kind.scalar
    return False


def _of_list(kind: ListType, value: Sequence[Any]) -> Fields:
    found: Fields = {}
    elements = kind.elements(value)
    for element, item in zip(elements, value, strict=True):
        is_repeated = element in found
        found[element] = MEMBER if is_repeated else member_with(_node(kind.element, item) or MEMBER)
    return found
