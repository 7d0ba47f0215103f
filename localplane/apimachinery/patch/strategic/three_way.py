"""What somebody applied before, what they apply now, and what is there: the patch that brings their changes and leaves
everybody else's alone. Kubernetes: strategicpatch.CreateThreeWayMergePatch.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.errors import PatchError
from localplane.apimachinery.patch.values import copied, same
from localplane.apimachinery.schema import Node

from .diff import DiffOptions, diff_maps
from .directives import MERGE, PATCH, REPLACE, RETAIN_KEYS
from .items import element_type, key_of
from .list_diff import sorted_scalars
from .lookup import Field, list_field, map_field
from .maps import Mode, merge

# Whether two patches say different things about the same field. Kubernetes: MergingMapsHaveConflicts.


def have_conflicts(node: Node, left: JSONObject, right: JSONObject) -> bool:
    """Raises PatchFailed for what the schema does not know."""
    for key, value in left.items():
        if key in (PATCH, RETAIN_KEYS) or key not in right:
            continue
        if isinstance(value, dict):
            field = map_field(node, key)
        elif isinstance(value, list):
            field = list_field(node, key)
        else:
            field = Field(node)
        if _conflict(field, value, right[key]):
            return True
    return False


def _conflict(field: Field, left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        if not isinstance(right, dict) or left.get(PATCH) != right.get(PATCH):
            return True
        return field.strategy != REPLACE and have_conflicts(field.below, left, right)
    if isinstance(left, list):
        return not isinstance(right, list) or _lists_conflict(field, left, right)
    return not same(left, right)


def _lists_conflict(field: Field, left: list[Any], right: list[Any]) -> bool:
    kind = element_type(left, right)
    if field.strategy == MERGE:
        if kind is not dict:
            return False
        others = {key_of(item, field.merge_key): item for item in right}
        shared = [(item, others[key]) for item in left if (key := key_of(item, field.merge_key)) in others]
        return any(_conflict(Field(field.below), one, other) for one, other in shared)
    if len(left) != len(right):
        return True
    if kind is not dict:
        left, right = sorted_scalars(left), sorted_scalars(right)
    return any(_conflict(Field(field.below), one, other) for one, other in zip(left, right, strict=True))


class Conflicting(PatchError):
    """Others have changed what the patch would change: `patch` and `changes`."""

    def __init__(self, patch: JSONObject, changes: JSONObject) -> None:
        super().__init__("conflict between the patch and the changes that others made")
        self.patch = patch
        self.changes = changes


def three_way_patch(
    node: Node, original: JSONObject, modified: JSONObject, current: JSONObject, *, overwrite: bool = True
) -> JSONObject:
    """Additions and changes are against what is there, deletions against what was applied before.

    Without `overwrite`, raises Conflicting if others have changed since what the patch changes; PatchFailed for what
    the schema does not know.
    """
    changes = diff_maps(node, current, modified, DiffOptions(deletions=False))
    deletions = diff_maps(node, original, modified, DiffOptions(additions=False))
    patch = merge(node, copied(deletions), copied(changes), Mode.COMBINE)
    if not overwrite:
        made = diff_maps(node, original, current, DiffOptions(orders=False))
        if have_conflicts(node, patch, made):
            raise Conflicting(patch, made)
    return patch
