"""JSON Merge Patch (RFC 7386), as kube-apiserver's library applies it.

Where it departs from the RFC, so do we: in a list that the patch brings, objects lose their null members (the RFC keeps
them), unless the list takes the place of an object.

Kubernetes: gopkg.in/evanphx/json-patch.v4, and jsonPatcher in apiserver/pkg/endpoints/handlers/patch.go.
"""

from __future__ import annotations

from typing import Any

import orjson

from localplane.apimachinery.golang.text import json_type
from localplane.apimachinery.objects import JSONObject

from .errors import InvalidPatch
from .values import copied, same


def decode_merge_patch(body: bytes, *, strict: bool = True) -> JSONObject | list[Any]:
    """The patch of a request's body. `strict` is any field validation but Ignore."""
    try:
        decoded = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidPatch("invalid JSON patch") from None
    return merge_patch_of(decoded, strict=strict)


def merge_patch_of(decoded: Any, *, strict: bool = True) -> JSONObject | list[Any]:
    """A patch that is decoded already. A list passes only if nobody validates fields: then it becomes the document."""
    if isinstance(decoded, dict) or (isinstance(decoded, list) and not strict):
        return decoded
    if decoded is None or not strict:
        raise InvalidPatch("Invalid JSON Patch")
    problem = f"cannot unmarshal {json_type(decoded)} into Go value of type map[string]interface {{}}"
    raise InvalidPatch(f"error decoding patch: json: {problem}")


def apply(patch: JSONObject | list[Any], document: JSONObject) -> Any:
    """The document with the patch merged in."""
    if isinstance(patch, list):
        return _without_nulls(patch)
    merged: JSONObject = copied(document)
    pending = [(merged, patch)]
    while pending:
        target, changes = pending.pop()
        for key, change in changes.items():
            if change is None:
                target.pop(key, None)
                continue
            current = target.get(key)
            if not isinstance(current, dict):
                target[key] = _without_nulls(change)
            elif isinstance(change, dict):
                pending.append((current, change))
            else:
                target[key] = copied(change)
    return merged


def _without_nulls(value: Any) -> Any:
    """A copy in which no object has a null member, lists of objects included."""
    root = copied([value])
    pending: list[Any] = [root]
    while pending:
        container = pending.pop()
        if isinstance(container, dict):
            for key in [key for key, member in container.items() if member is None]:
                del container[key]
        children = container.values() if isinstance(container, dict) else container
        pending += [child for child in children if isinstance(child, (dict, list))]
    return root[0]


def diff(original: JSONObject, modified: JSONObject) -> JSONObject:
    """The merge patch that leads from one document to another; `apply` gives the other back if it has no nulls."""
    patch: JSONObject = {}
    pending = [(patch, original, modified)]
    opened: list[tuple[JSONObject, str]] = []
    while pending:
        changes, old, new = pending.pop()
        for key, value in new.items():
            before = old.get(key)
            if key in old and isinstance(before, dict) and isinstance(value, dict):
                changes[key] = {}
                opened.append((changes, key))
                pending.append((changes[key], before, value))
            elif key not in old or not same(before, value, exact_numbers=False):
                changes[key] = copied(value)
        changes.update((key, None) for key in old if key not in new)
    for changes, key in reversed(opened):  # from the inside out: what was opened for nothing goes again
        if not changes[key]:
            del changes[key]
    return patch
