"""What somebody applied before, what they apply now, and what is there: the patch that brings their changes and leaves
everybody else's alone. Kubernetes: strategicpatch.CreateThreeWayMergePatch.
"""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.errors import PatchError
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import Node

from .conflicts import have_conflicts
from .diffing import DiffOptions, diff_maps
from .maps import Mode, merge


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
