"""Merging a patch's list into a document's: by key where items are maps, as a set where they are not.

Kubernetes: strategicpatch mergeSlice and what it calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.errors import PatchFailed
from localplane.apimachinery.schema import Node

from .directives import MERGE, PATCH, unknown_directive
from .items import element_type, identity, key_of
from .list_order import woven
from .lookup import Field, kind

MergeMap = Callable[[Node, JSONObject, JSONObject], JSONObject]


def merge_lists(field: Field, current: list[Any], change: list[Any], merge_map: MergeMap) -> list[Any]:
    """A list that does not merge is replaced."""
    return _merged(field, current, change, merge_map) if field.strategy == MERGE else change


def delete_items(field: Field, current: list[Any], gone: list[Any], merge_map: MergeMap) -> list[Any]:
    """Whatever the strategy of the field: a list of scalars without some of them."""
    if (current or gone) and element_type(current, gone) is dict:
        return _merged(field, current, gone, merge_map)
    dropped = {identity(item) for item in gone}
    return [item for item in current if identity(item) not in dropped]


def _merged(field: Field, current: list[Any], change: list[Any], merge_map: MergeMap) -> list[Any]:
    if not current and not change:
        return current
    if element_type(current, change) is not dict:
        either = {identity(item): item for item in (*current, *change)}
        return woven(list(either.values()), change, current, "")
    if not field.merge_key:
        raise PatchFailed(f"cannot merge lists without merge key for {kind(field.below)}")
    current, change = _directed(current, change, field.merge_key)
    merged = _merged_maps(field, current, change, merge_map)
    return woven(merged, change, current, field.merge_key)


def order_after(current: list[Any], change: list[Any], key: str) -> list[Any]:
    """The order that `$setElementOrder` takes for the old one, once the change is merged.

    Kubernetes takes items out of the list in place, and the first new ones fill the room that is left, as if they had
    been there before.
    """
    if not key or not any(PATCH in item for item in change):
        return current
    kept, plain = _directed(current, change, key)
    if kept is not current and len(kept) < len(current):
        known = {key_of(item, key) for item in kept}
        new = [item for item in plain if key_of(item, key) not in known]
        return kept + new[: len(current) - len(kept)]
    return kept


def _directed(current: list[Any], change: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """Both lists after the directives among the items: what they delete is gone, what they replace is all there is."""
    plain: list[Any] = []
    gone: set[Any] = set()
    replaces = False
    for item in change:
        if PATCH not in item:
            plain.append(item)
            continue
        match item[PATCH]:
            case "delete":
                gone.add(key_of(item, key))
            case "replace":
                replaces = True
            case "merge":
                raise PatchFailed("merging lists cannot yet be specified in the patch")
            case directive:
                raise unknown_directive(directive, item)
    if replaces:
        return plain, []
    kept = [item for item in current if key not in item or identity(item[key]) not in gone] if gone else current
    return kept, plain


def _merged_maps(field: Field, current: list[Any], change: list[Any], merge_map: MergeMap) -> list[Any]:
    merged = list(current)
    places: dict[Any, int] = {}
    for number, item in enumerate(merged):
        if field.merge_key in item:
            places.setdefault(identity(item[field.merge_key]), number)
    for item in change:
        key = key_of(item, field.merge_key)
        place = places.get(key)
        if place is None:
            places[key] = len(merged)
            merged.append(item)
        else:
            merged[place] = merge_map(field.below, merged[place], item)
    return merged
