"""Merging a patch into a map, field by field. Kubernetes: strategicpatch mergeMap and what it calls."""

from __future__ import annotations

from enum import Enum
from typing import Any

from localplane.apimachinery.golang.text import json_type
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.errors import InvalidPatch, PatchFailed
from localplane.apimachinery.schema import Node

from .directives import (
    DELETE,
    DELETE_FROM_LIST,
    ELEMENT_ORDER,
    MERGE,
    PATCH,
    REPLACE,
    RETAIN_KEYS,
    drop_nulls,
    field_of,
    is_directive,
    is_dropped,
    unknown_directive,
    without_directives,
)
from .items import as_list, element_type, identity
from .list_order import check_order, woven
from .lists import MergeMap, delete_items, merge_lists, order_after
from .lookup import list_field, map_field


class Mode(Enum):
    """`APPLY` makes a document of a document and a patch; `COMBINE` makes a patch of two, which keeps its directives
    and the nulls that delete."""

    APPLY = "apply"
    COMBINE = "combine"


def merge(node: Node, document: JSONObject, patch: JSONObject, mode: Mode = Mode.APPLY) -> JSONObject:
    """The document with the patch in it; both are used up. Raises InvalidPatch or PatchFailed, and RecursionError for
    what is nested beyond all measure."""
    if PATCH in patch:
        return _directed(patch)
    _retain_keys(document, patch, mode)
    _merge_ordered(node, document, patch, mode)
    for key, value in patch.items():
        is_deletion = key.startswith(DELETE_FROM_LIST)
        if is_deletion and mode is Mode.COMBINE:
            document[key] = value
        elif is_deletion:
            _delete_items(node, document, field_of(key, DELETE_FROM_LIST), value)
        else:
            _merge_field(node, document, key, value, mode)
    return document


def _merging(mode: Mode) -> MergeMap:
    return lambda node, document, patch: merge(node, document, patch, mode)


def _directed(patch: JSONObject) -> JSONObject:
    directive = patch[PATCH]
    if directive == REPLACE:
        del patch[PATCH]
        return patch
    if directive == DELETE:
        return {}
    raise unknown_directive(directive, patch)


def _merge_field(node: Node, document: JSONObject, key: str, value: Any, mode: Mode) -> None:
    if value is None:
        document.pop(key, None)
        if mode is Mode.APPLY:
            return
    current = document.get(key)
    if key not in document or json_type(current) != json_type(value):
        if mode is Mode.APPLY:
            drop_nulls(value)
        _put(document, key, value)
    elif isinstance(value, dict):
        field = map_field(node, key)
        document[key] = value if field.strategy == REPLACE else merge(field.below, document[key], value, mode)
    elif isinstance(value, list):
        document[key] = merge_lists(list_field(node, key), document[key], value, _merging(mode))
    else:
        document[key] = value


def _put(document: JSONObject, key: str, value: Any) -> None:
    if is_dropped(value):
        document.pop(key, None)
    else:
        document[key] = without_directives(value)


def _delete_items(node: Node, document: JSONObject, name: str, value: Any) -> None:
    """`$deleteFromPrimitiveList/x`: what it lists goes from the list x. About anything else it says nothing."""
    if value is None:
        document.pop(name, None)
    if not isinstance(value, list) or not isinstance(document.get(name), list):
        if name in document and json_type(value) == json_type(document[name]):
            _merge_field(node, document, name, value, Mode.APPLY)
        return
    document[name] = delete_items(list_field(node, name), document[name], value, _merging(Mode.APPLY))


def _retain_keys(document: JSONObject, patch: JSONObject, mode: Mode) -> None:
    """`$retainKeys`: what it does not name goes, and the patch may not name anything else."""
    if RETAIN_KEYS not in patch:
        return
    retained = patch.pop(RETAIN_KEYS)
    if mode is Mode.COMBINE:
        if document.setdefault(RETAIN_KEYS, retained) != retained:
            raise PatchFailed("$retainKeys of two patches differ")
        return
    if not isinstance(retained, list):
        raise InvalidPatch("invalid patch format of retainKeys")
    known = {identity(name) for name in retained}
    for key, value in patch.items():
        if value is not None and not is_directive(key) and identity(key) not in known:
            raise InvalidPatch("invalid patch format of retainKeys")
    for key in [key for key in document if identity(key) not in known]:
        del document[key]


def _merge_ordered(node: Node, document: JSONObject, patch: JSONObject, mode: Mode) -> None:
    """`$setElementOrder/x`: merge x, then bring it into this order. Both are done with then, and leave the patch."""
    for key in [key for key in patch if key.startswith(ELEMENT_ORDER)]:
        given = patch.pop(key)
        if mode is Mode.COMBINE and document.setdefault(key, given) != given:
            raise InvalidPatch("invalid patch format of setElementOrder list")
        order = as_list(given)
        name = field_of(key, ELEMENT_ORDER)
        current = as_list(document[name]) if name in document else []
        change = as_list(patch[name]) if name in patch else []
        field = list_field(node, name)
        check_order(change, order, field.merge_key)
        before = current
        if name in patch and name in document:
            merged = merge_lists(field, current, change, _merging(mode))
            before = order_after(current, change, field.merge_key) if field.strategy == MERGE else current
        elif name in patch:
            merged = without_directives(change)
        elif name in document:
            merged = current
        else:
            continue
        element_type(current, change)
        document[name] = woven(merged, order, before, field.merge_key)
        patch.pop(name, None)
