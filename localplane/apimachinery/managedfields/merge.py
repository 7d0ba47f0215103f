"""Laying a configuration over an object: what it mentions wins, the rest stays.

Kubernetes: structured-merge-diff typed.Merge.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from .fieldset import MEMBER, SELF, Fields
from .typed import ListType, MapType, Type
from .values import surely_same

_NOTHING: Final = object()
_WITH_PARTS: Final = frozenset({dict, list, type(None)})
"""What has parts, or may leave alone what has: anything else takes the place of what was there."""


def merge(kind: Type, live: Any, applied: Any) -> Any:
    """The merged value; it shares with both what did not need merging, and is the live one itself where that has all
    of the configuration already. Raises Unmanageable."""
    parts = kind.parts(live)
    if parts and (applied is None or (type(applied) is type(live) and not applied)):
        return live  # to mention a map or a list without anything in it takes nothing away
    if parts == "map" and kind.map is not None and kind.parts(applied) == "map":
        return _merge_maps(kind.map, live, applied)
    if surely_same(live, applied):
        return live
    if parts == "list" and kind.list is not None and kind.parts(applied) == "list":
        return _merge_lists(kind.list, live, applied)
    return applied


def _merge_maps(kind: MapType, live: dict[str, Any], applied: dict[str, Any]) -> dict[str, Any]:
    found = live
    for name, value in applied.items():
        before = live.get(name, _NOTHING)
        if before is not _NOTHING and type(value) in _WITH_PARTS:
            value = merge(kind.child(name), before, value)  # noqa: PLW2901 - what it becomes
        if value is before or (type(value) is type(before) and type(value) not in _WITH_PARTS and value == before):
            continue
        found = dict(live) if found is live else found
        found[name] = value
    return found


def _merge_lists(kind: ListType, live: list[Any], applied: list[Any]) -> list[Any]:
    """Items that only one side has keep their place among its items, as far as the other side lets them; items that
    both have come in the order of the configuration.

    What repeats in the live list has no one item to merge with: the configuration's replaces all of them.
    """
    ours, theirs = kind.elements(live), kind.elements(applied)
    if ours == theirs and len(set(ours)) == len(ours):
        found = [merge(kind.element, left, right) for left, right in zip(live, applied, strict=True)]
    else:
        found = _woven(kind, dict(zip(theirs, applied, strict=True)), live, _Weave(ours, theirs))
    is_same = len(found) == len(live) and all(map(operator.is_, found, live))
    return live if is_same else found


def _woven(kind: ListType, by_theirs: dict[str, Any], live: list[Any], weave: _Weave) -> list[Any]:
    times = Counter(weave.ours)
    by_ours = {element: item for element, item in zip(weave.ours, live, strict=True) if times[element] == 1}
    return [
        live[place.ours]
        if place.is_ours_alone
        else merge(kind.element, by_ours[place.element], by_theirs[place.element])
        if place.element in by_ours
        else by_theirs[place.element]
        for place in weave.places()
    ]


class _Place:
    """One item of the merged list: which element it is, and where it was in the live list if only that has it."""

    __slots__ = ("element", "is_ours_alone", "ours")

    def __init__(self, element: str, ours: int = -1) -> None:
        self.element = element
        self.ours = ours
        self.is_ours_alone = ours >= 0


class _Weave:
    """Two cursors, one in each list. `shared` are the elements of both, in the order of the configuration."""

    def __init__(self, ours: Sequence[str], theirs: Sequence[str]) -> None:
        self.ours, self._theirs = ours, theirs
        known = frozenset(ours)
        self._in_theirs = frozenset(theirs)
        self._shared = [element for element in theirs if element in known]
        self._next_shared = 0
        self._done: set[str] = set()

    def places(self) -> list[_Place]:
        found: list[_Place] = []
        here, there = 0, 0
        while here < len(self.ours) or there < len(self._theirs):
            if here < len(self.ours):
                element = self.ours[here]
                if there < len(self._theirs):
                    if element == self._theirs[there]:
                        found.append(self._take(element))
                        here, there = here + 1, there + 1
                        continue
                    if element in self._in_theirs and self._awaited not in (None, element):
                        here += 1  # both have it, but another one comes first: it will be taken from the other side
                        continue
                if element not in self._in_theirs:
                    found.append(_Place(element, here))
                    here += 1
                    continue
                if element in self._done:
                    here += 1
            if there < len(self._theirs):
                found.append(self._take(self._theirs[there]))
                there += 1
        return found

    @property
    def _awaited(self) -> str | None:
        return self._shared[self._next_shared] if self._next_shared < len(self._shared) else None

    def _take(self, element: str) -> _Place:
        self._done.add(element)
        if element == self._awaited:
            self._next_shared += 1
        return _Place(element)


# Sets that were written under another schema.
#
# Where a list or a map has become atomic since, its parts can't be owned any more: who owned one owns the whole. The
# other way round, nothing needs doing. Kubernetes: structured-merge-diff typed.ReconcileFieldSetWithSchema.


def reconcile(kind: Type, fields: Fields) -> Fields:
    """The set under the schema of today: the very same one if nothing changed."""
    changed: Fields = {}
    for element, node in fields.items():
        if node and element != SELF:
            inner = _child(kind, element)
            found = _reconciled(inner, node) if inner is not None else node
            if found is not node:
                changed[element] = found
    return {**fields, **changed} if changed else fields


def _child(kind: Type, element: str) -> Type | None:
    if kind.map is not None:
        if element[:2] != "f:":
            return kind.map.element
        name = element[2:]
        return kind.map.child(name) if name in kind.map.declared else kind.map.element
    return kind.list.element if kind.list is not None else None


def _reconciled(kind: Type, node: Fields) -> Fields:
    if kind.map is not None:
        if kind.map.is_deduced:
            return node
        return MEMBER if kind.map.atomic else reconcile(kind, node)
    if kind.scalar or kind.list is None:
        return node
    return MEMBER if kind.list.atomic else reconcile(kind, node)
