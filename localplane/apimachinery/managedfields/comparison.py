"""Which fields differ between two objects. Kubernetes: structured-merge-diff typed.Compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .fieldset import MEMBER, Fields, member_with, recursive_difference
from .typed import ListType, MapType, Type
from .values import same, surely_same


@dataclass(slots=True)
class Comparison:
    """No field is in two of the three sets, but for an item of a list whose key others took or gave up."""

    added: Fields = field(default_factory=dict)
    removed: Fields = field(default_factory=dict)
    modified: Fields = field(default_factory=dict)

    def without(self, fields: Fields | None) -> Comparison:
        """The same, without some fields and all below them."""
        if not fields:
            return self
        return Comparison(*(recursive_difference(each, fields) for each in (self.added, self.removed, self.modified)))

    def put_below(self, element: str, found: Comparison) -> None:
        if found.added:
            self.added[element] = found.added
        if found.removed:
            self.removed[element] = found.removed
        if found.modified:
            self.modified[element] = found.modified


def compare(kind: Type, old: dict[str, Any], new: dict[str, Any]) -> Comparison:
    """What a change from the old object to the new one adds, removes and modifies. Raises Unmanageable."""
    found = Comparison()
    if kind.map is not None and not surely_same(old, new):
        _compare_maps(kind.map, old, new, found)
    return found


def _compare_maps(kind: MapType, old: dict[str, Any], new: dict[str, Any], found: Comparison) -> None:
    for name, value in new.items():
        if name not in old:
            found.added[f"f:{name}"] = everything(kind.child(name), value)
        elif old[name] is not value:
            _compare_both(kind.child(name), f"f:{name}", old[name], value, found)
    for name, value in old.items():
        if name not in new:
            found.removed[f"f:{name}"] = everything(kind.child(name), value)


def _compare_both(kind: Type, element: str, old: Any, new: Any, found: Comparison) -> None:
    if type(new) is str and type(old) is str:
        if old != new:
            found.modified[element] = MEMBER
        return
    if surely_same(old, new):
        return
    old_parts, new_parts = kind.parts(old), kind.parts(new)
    if not old_parts and not new_parts:
        if not same(old, new):
            found.modified[element] = MEMBER
        return
    inner = Comparison()
    if old_parts != new_parts:
        inner.removed, inner.added = _below(kind, old), _below(kind, new)
    elif new_parts == "map" and kind.map is not None:
        _compare_maps(kind.map, old, new, inner)
    elif kind.list is not None:
        _compare_lists(kind.list, old, new, inner)
    found.put_below(element, inner)
    if (not old_parts and not _is_vacant(old, new)) or (not new_parts and not _is_vacant(new, old)):
        found.modified[element] = MEMBER


def _is_vacant(value: Any, other: Any) -> bool:
    """Nothing became a list or a map, or the other way: its parts say it all, the field itself did not change."""
    return value is None or (type(value) is type(other) and not value)


def _compare_lists(kind: ListType, old: Sequence[Any], new: Sequence[Any], found: Comparison) -> None:
    """Items that share a key are one thing as long as they do so."""
    old_items, new_items = _by_element(kind, old), _by_element(kind, new)
    for element, after in new_items.items():
        before = old_items.get(element, ())
        if len(before) > 1 and len(after) > 1:
            if not same(list(before), list(after)):
                found.modified[element] = MEMBER
        elif len(before) > 1:
            found.added[element] = everything(kind.element, after[0])
            found.removed[element] = MEMBER
        elif len(after) > 1:
            if before:
                found.removed[element] = everything(kind.element, before[0])
            found.added[element] = MEMBER
        elif before:
            _compare_both(kind.element, element, before[0], after[0], found)
        else:
            found.added[element] = everything(kind.element, after[0])
    for element, before in old_items.items():
        if element not in new_items:
            found.removed[element] = everything(kind.element, before[0]) if len(before) == 1 else MEMBER


def _by_element(kind: ListType, items: Sequence[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for element, item in zip(kind.elements(items), items, strict=True):
        found.setdefault(element, []).append(item)
    return found


def everything(kind: Type, value: Any) -> Fields:
    """The node of a value that is there or gone as a whole: it is a member, and so is all below it."""
    return member_with(_below(kind, value)) if value else MEMBER


def _below(kind: Type, value: Any) -> Fields:
    parts = kind.parts(value)
    if parts == "map" and kind.map is not None:
        child = kind.map.child
        return {
            f"f:{name}": MEMBER if type(item) is str else everything(child(name), item) for name, item in value.items()
        }
    if parts == "list" and kind.list is not None:
        return {
            element: everything(kind.list.element, items[0]) if len(items) == 1 else MEMBER
            for element, items in _by_element(kind.list, value).items()
        }
    return MEMBER


# The fields that a configuration mentions, which are those that who applies it will own.
#
# Unlike a change, a configuration does not own the objects on the way to its fields: `{"data": {"a": "1"}}` owns
# .data.a, and .data only when it is empty. Keys of maps and items of lists are owned, for they are something that
# somebody added. Kubernetes: structured-merge-diff typed.ToFieldSet.


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
    return None if _is_vacant_value(kind, value) else MEMBER


def _is_vacant_value(kind: Type, value: Any) -> bool:
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
