"""Lists that are sets or maps: equal whatever the order, and added to without repeating.

Upstream: apiserver/pkg/cel/common/valuesunstructured.go, unstructuredSetList and unstructuredMapList.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from localplane.apimachinery.cel.errors import no_such_overload
from localplane.apimachinery.cel.interpreter.equality import equal, hashable
from localplane.apimachinery.cel.values import MISSING, Mapper


class SetList(list[Any]):
    """x-kubernetes-list-type=set: order does not matter, and nothing is added twice."""

    __slots__ = ()

    def equals(self, other: Any) -> bool:
        if not isinstance(other, list):
            raise no_such_overload()
        if len(self) != len(other):
            return False
        has = self._membership()
        return all(map(has, other))

    def merged(self, other: list[Any]) -> list[Any]:
        has = self._membership()
        return [*self, *(each for each in other if not has(each))]

    def _membership(self) -> Callable[[Any], bool]:
        """Whether a value is one of these. Most sets are of texts, and there may be many thousands."""
        known = {hashable(each) for each in self}
        others = [each for each in self if hashable(each) is MISSING]

        def has(value: Any) -> bool:
            key = hashable(value)
            if key is MISSING:
                return any(equal(value, each) for each in self)
            return key in known or any(equal(value, each) for each in others)

        return has


class MapList(list[Any]):
    """x-kubernetes-list-type=map: elements are known by their keys."""

    __slots__ = ("_keys",)

    def __init__(self, elements: Iterator[Any], keys: tuple[str, ...]) -> None:
        super().__init__(elements)
        self._keys = keys

    def _key(self, element: Any) -> Any:
        found = [element.find(key) if isinstance(element, Mapper) else MISSING for key in self._keys]
        return tuple([(type(each), each) for each in found])

    def equals(self, other: Any) -> bool:
        if not isinstance(other, list):
            raise no_such_overload()
        if len(self) != len(other):
            return False
        mine = {self._key(each): each for each in self}
        seen = set()
        for each in other:
            key = self._key(each)
            if key not in mine or not equal(mine[key], each):
                return False
            seen.add(key)
        return len(seen) == len(mine)

    def merged(self, other: list[Any]) -> list[Any]:
        result = {self._key(each): each for each in self}
        result.update((self._key(each), each) for each in other)
        return list(result.values())
