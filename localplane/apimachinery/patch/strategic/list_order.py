"""The order of a merged list: as `$setElementOrder` says, then as the patch has it, then as it was.

Kubernetes: strategicpatch normalizeElementOrder, mergeSortedSlice and validatePatchWithSetOrderList.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.patch.errors import PatchFailed

from .directives import DELETE, ELEMENT_ORDER, PATCH
from .items import as_map, key_of


def check_order(change: list[Any], order: list[Any], key: str) -> None:
    """All that a patch brings must be in the order that it gives, and in that order. Raises PatchFailed."""
    if not order or not change:
        return
    waiting = [item for item in change if not (key and as_map(item).get(PATCH) == DELETE)]
    place = 0
    for wanted in order:
        while place < len(waiting) and isinstance(waiting[place], dict) and PATCH in waiting[place]:
            place += 1
        if place == len(waiting):
            return
        if key_of(waiting[place], key) == key_of(wanted, key):
            place += 1
    if place < len(waiting):
        lists = f"{go_plain(change)}\n doesn't match {ELEMENT_ORDER} list:\n{go_plain(order)}\n"
        raise PatchFailed(f"The order in patch list:\n{lists}")


def woven(merged: list[Any], order: list[Any], current: list[Any], key: str) -> list[Any]:
    """What `order` names comes in its order; the rest is put in between, where it was in the current list."""
    ranks, places = ranks_of(order, key), ranks_of(current, key)
    named = in_order([item for item in merged if key_of(item, key) in ranks], ranks, key)
    others = in_order([item for item in merged if key_of(item, key) not in ranks], places, key)
    found: list[Any] = []
    next_other = 0
    for item in named:
        place = places.get(key_of(item, key))
        while place is not None and next_other < len(others):
            other = places.get(key_of(others[next_other], key))
            if other is None or other >= place:
                break
            found.append(others[next_other])
            next_other += 1
        found.append(item)
    return found + others[next_other:]


def ranks_of(order: list[Any], key: str) -> dict[Any, int]:
    """Where each item is, by what identifies it."""
    ranks: dict[Any, int] = {}
    for number, item in enumerate(order):
        ranks.setdefault(key_of(item, key), number)
    return ranks


def in_order(items: list[Any], ranks: dict[Any, int], key: str) -> list[Any]:
    """By rank, and deletions last, which only a patch for a patch still has."""
    gone = [item for item in items if key and item.get(PATCH) == DELETE]
    kept = [item for item in items if not (key and item.get(PATCH) == DELETE)]
    known = [ranks.get(key_of(item, key)) for item in kept]
    if None in known:
        return _inserted(list(zip(known, kept, strict=True))) + gone
    by_rank = sorted(zip(known, range(len(kept)), strict=True), key=lambda pair: pair[0] or 0)
    return [kept[place] for _, place in by_rank] + gone


def _inserted(ranked: list[tuple[int | None, Any]]) -> list[Any]:
    """One without a rank goes before those that it follows, for Kubernetes' comparison says so of both."""
    found: list[tuple[int | None, Any]] = []
    for rank, item in ranked:
        place = len(found)
        while place and (rank is None or (before := found[place - 1][0]) is None or rank < before):
            place -= 1
        found.insert(place, (rank, item))
    return [item for _, item in found]
