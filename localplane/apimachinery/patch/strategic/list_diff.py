"""What has become of a list that merges: which items are new or differ, which are gone, and in which order they are.

Kubernetes: strategicpatch diffLists, diffListsOfMaps, diffListsOfScalars.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same

from .directives import DELETE, PATCH
from .items import as_map, element_type, identity, key_of
from .list_order import in_order, ranks_of

if TYPE_CHECKING:
    from .diff import DiffOptions

DiffItems = Callable[[JSONObject, JSONObject], JSONObject]


@dataclass(slots=True)
class ListChange:
    """`deleted` is of scalars; maps are deleted by `items` that say so."""

    items: list[Any] = field(default_factory=list)
    deleted: list[Any] = field(default_factory=list)
    order: list[Any] = field(default_factory=list)


def diff_lists(
    original: list[Any], modified: list[Any], *, key: str, options: DiffOptions, diff_items: DiffItems
) -> ListChange:
    """`key` is what tells the items apart if they are maps. Raises PatchFailed."""
    if not original:
        return ListChange(items=modified if options.additions else [])
    if element_type(original, modified) is dict:
        return _diff_maps(original, modified, key, options, diff_items)
    return _diff_scalars(original, modified, options)


def _diff_maps(
    original: list[Any], modified: list[Any], key: str, options: DiffOptions, diff_items: DiffItems
) -> ListChange:
    changed: list[Any] = []
    gone: list[Any] = []
    for before, after in _paired(original, modified, lambda item: _key_text(item, key)):
        if before is None:
            changed += [after] if options.additions else []
        elif after is None:
            gone += [{key: before[key], PATCH: DELETE}] if options.deletions else []
        elif inner := diff_items(before, after):
            inner[key] = after[key]
            changed.append(inner)
    items = in_order(changed, ranks_of(modified, key), key) + gone
    is_moved = [key_of(item, key) for item in original] != [key_of(item, key) for item in modified]
    is_ordered = (options.additions and (items or is_moved)) or (options.deletions and items)
    order = [{key: item[key]} for item in modified] if options.orders and is_ordered else []
    return ListChange(items=items, order=order)


def _key_text(item: Any, key: str) -> str:
    key_of(item, key)  # which says what is wrong with it
    return go_plain(as_map(item)[key])


def _diff_scalars(original: list[Any], modified: list[Any], options: DiffOptions) -> ListChange:
    added: list[Any] = []
    gone: list[Any] = []
    for before, after in _paired(original, modified, go_plain):
        if before is None and options.additions:
            added.append(after)
        elif after is None and options.deletions:
            gone.append(before)
    deleted = list({identity(item): item for item in gone}.values())
    # Kubernetes has sorted the old list by now, so one that was not in order is always ordered anew.
    is_moved = not same(sorted_scalars(original), modified)
    is_ordered = (options.deletions and deleted) or (options.additions and is_moved)
    return ListChange(
        items=in_order(added, ranks_of(modified, ""), ""),
        deleted=deleted,
        order=modified if options.orders and is_ordered else [],
    )


def _paired(original: list[Any], modified: list[Any], text: Callable[[Any], str]) -> list[tuple[Any, Any]]:
    """Items of both lists that belong together, by their text; None where the other list has none."""
    before = [(text(item), item) for item in original]
    after = [(text(item), item) for item in modified]
    before.sort(key=lambda pair: pair[0])
    after.sort(key=lambda pair: pair[0])
    pairs: list[tuple[Any, Any]] = []
    left = right = 0
    while left < len(before) or right < len(after):
        is_new = left == len(before) or (right < len(after) and before[left][0] > after[right][0])
        is_gone = right == len(after) or (left < len(before) and before[left][0] < after[right][0])
        pairs.append((None if is_new else before[left][1], None if is_gone else after[right][1]))
        left += not is_new
        right += not is_gone
    return pairs


def sorted_scalars(items: list[Any]) -> list[Any]:
    return sorted(items, key=go_plain)
