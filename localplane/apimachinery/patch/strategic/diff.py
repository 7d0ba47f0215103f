"""The patch that leads from one document to another. Kubernetes: strategicpatch diffMaps and what it calls.

What is alike needs no schema: a field that nobody knows is an error only if it differs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from localplane.apimachinery.golang.text import json_type
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.errors import PatchFailed
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.schema import Node

from .directives import DELETE_FROM_LIST, ELEMENT_ORDER, MERGE, PATCH, REPLACE, RETAIN_KEYS
from .list_diff import ListChange, diff_lists, sorted_scalars
from .lookup import Field, list_field, map_field


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """What goes into a patch. `orders` says how lists that merge are ordered afterwards."""

    orders: bool = True
    additions: bool = True
    deletions: bool = True
    retains_keys: bool = False


def two_way_patch(node: Node, original: JSONObject, modified: JSONObject) -> JSONObject:
    """Raises PatchFailed for what the schema does not know or can't merge."""
    return diff_maps(node, original, modified, DiffOptions())


def diff_maps(node: Node, original: JSONObject, modified: JSONObject, options: DiffOptions) -> JSONObject:
    patch: JSONObject = {}
    for key, value in modified.items():
        if key not in original or not _is_alike(original[key], value):
            if options.additions:
                patch[key] = value
        elif key == PATCH:
            _diff_directive(original[key], value, patch)
        elif isinstance(value, dict):
            field = _field(node, key, original[key], value)
            _diff_map(field, key, original[key], value, patch=patch, options=options)
        elif isinstance(value, list):
            field = _field(node, key, original[key], value)
            _diff_list(field, key, original[key], value, patch=patch, options=options)
        elif options.additions and original[key] != value:
            patch[key] = value
    if options.deletions:
        patch.update((key, None) for key in original if key not in modified)
    if options.retains_keys:
        _retain_keys(original, modified, patch)
    return patch


def _is_alike(one: Any, other: Any) -> bool:
    """Of the same type in Go, where 1 and 1.0 are not."""
    return json_type(one) == json_type(other) and (json_type(one) != "number" or type(one) is type(other))


def _diff_directive(original: Any, modified: Any, patch: JSONObject) -> None:
    if not isinstance(original, str):
        raise PatchFailed(f"invalid value for special key: {PATCH}")
    if original != modified:
        patch[PATCH] = modified


def _retain_keys(original: JSONObject, modified: JSONObject, patch: JSONObject) -> None:
    kept = [key for key, value in modified.items() if value is not None]
    goes = any(value is not None and key not in modified for key, value in original.items())
    if kept and (patch or goes):
        patch[RETAIN_KEYS] = sorted_scalars(kept)


def _field(node: Node, key: str, original: Any, modified: Any) -> Field | None:
    """None for one that is unknown and does not differ."""
    try:
        return map_field(node, key) if isinstance(modified, dict) else list_field(node, key)
    except PatchFailed:
        if same(original, modified):
            return None
        raise


def _diff_map(
    field: Field | None,
    key: str,
    original: JSONObject,
    modified: JSONObject,
    *,
    patch: JSONObject,
    options: DiffOptions,
) -> None:
    if field is None:
        return
    if field.strategy == REPLACE:
        if options.additions:
            patch[key] = modified
        return
    inner = diff_maps(field.below, original, modified, replace(options, retains_keys=field.retains_keys))
    if inner:
        patch[key] = inner


def _diff_list(
    field: Field | None, key: str, original: list[Any], modified: list[Any], *, patch: JSONObject, options: DiffOptions
) -> None:
    if field is None:
        return
    if field.strategy != MERGE:
        if options.additions and not same(original, modified):
            patch[key] = modified
        return
    inner = replace(options, retains_keys=field.retains_keys)
    change = diff_lists(
        original,
        modified,
        key=field.merge_key,
        options=inner,
        diff_items=lambda one, other: diff_maps(field.below, one, other, inner),
    )
    _put(key, change, patch)


def _put(key: str, change: ListChange, patch: JSONObject) -> None:
    if change.items:
        patch[key] = change.items
    if change.deleted:
        patch[f"{DELETE_FROM_LIST}/{key}"] = change.deleted
    if change.order:
        patch[f"{ELEMENT_ORDER}/{key}"] = change.order
