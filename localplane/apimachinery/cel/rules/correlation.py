"""Which part of the stored object a part of the new one corresponds to, and whether it changed.

What did not change may go on being wrong: rules that are broken by it only warn. Upstream: apiserver/pkg/cel/common,
CorrelatedObject and MapList.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from localplane.apimachinery.schema import Node
from localplane.apimachinery.schema.values import identity

_SCALARS = (bool, float, int, str)


def old_items(node: Node, old: Any) -> Callable[[Any], Any]:
    """What finds the old element of a list by the keys of a new one. Only lists of type map can tell."""
    keys = node.list_map_keys
    if node.type != "array" or node.list_type != "map" or not keys or not isinstance(old, list):
        return lambda _: None
    known: dict[Any, Any] = {}
    for each in old:
        key = _key(keys, each)
        if key is not None:
            known.setdefault(key, each)

    def find(new: Any) -> Any:
        key = _key(keys, new)
        return known.get(key) if key is not None else None

    return find


def _key(keys: tuple[str, ...], element: Any) -> tuple[Any, ...] | None:
    if not isinstance(element, dict):
        return None
    found = [element.get(key) for key in keys]
    return tuple([(type(each), each) for each in found]) if all(isinstance(each, _SCALARS) for each in found) else None


class Correlated:
    """A value and the old one that it corresponds to."""

    __slots__ = ("_items", "_node", "_same", "new", "old")

    def __init__(self, new: Any, old: Any, node: Node | None) -> None:
        self.new = new
        self.old = old
        self._node = node.load() if node is not None else None
        self._same: bool | None = None
        self._items: Callable[[Any], Any] | None = None

    def key(self, name: str) -> Correlated | None:
        if self._node is None or not isinstance(self.new, dict) or not isinstance(self.old, dict):
            return None
        if name not in self.new or name not in self.old:
            return None
        found = self._node.properties.get(name)
        node = found.node if found is not None else self._node.values
        return Correlated(self.new[name], self.old[name], node) if node is not None else None

    def index(self, number: int) -> Correlated | None:
        if self._node is None or not isinstance(self.new, list) or not isinstance(self.old, list):
            return None
        if self._items is None:
            self._items = old_items(self._node, self.old)
        old = self._items(self.new[number])
        return Correlated(self.new[number], old, self._node.items) if old is not None else None

    def is_unchanged(self) -> bool:
        if self._same is None:
            self._same = self._compared()
        return self._same

    def _compared(self) -> bool:
        if isinstance(self.new, dict) and isinstance(self.old, dict):
            if len(self.new) != len(self.old):
                return False
            children = (self.key(name) for name in self.new)
            return all(child is not None and child.is_unchanged() for child in children)
        if isinstance(self.new, list) and isinstance(self.old, list):
            return self._lists_compared(self.new, self.old)
        return type(self.new) is type(self.old) and bool(self.new == self.old)

    def _lists_compared(self, new: list[Any], old: list[Any]) -> bool:
        if len(new) != len(old):
            return False
        if self._node is None or self._node.list_type != "map":
            return _identical(new, old)
        children = (self.index(number) for number in range(len(new)))
        return all(child is not None and child.is_unchanged() for child in children)


def _identical(one: Any, other: Any) -> bool:
    """Go's reflect.DeepEqual of JSON: 1 and true differ."""
    return bool(identity(one) == identity(other))
