"""The patch that makes an object what a file says: strategic where the server merges so, JSON merge everywhere else.

Kubernetes: Patcher.patchSimple, and apimachinery/pkg/util/jsonmergepatch.
"""

from __future__ import annotations

from typing import NamedTuple

from kctl.changes.apply import last_applied
from kctl.errors import KctlError
from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.apimachinery.patch import PatchError, merge_patch
from localplane.apimachinery.patch.strategic import Conflicting, three_way_patch
from localplane.apimachinery.schema import Node
from localplane.apimachinery.serializers import to_yaml
from localplane.client.rest.resources import PatchType


class MergeFailed(KctlError):
    """`reason` alone, without all that was to be merged."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class Patch(NamedTuple):
    value: JSONObject
    type: PatchType

    @property
    def text(self) -> str:
        """As Go writes it."""
        return go_json(sorted_keys(self.value))


def three_way(current: JSONObject, modified: str, node: Node | None, *, overwrite: bool) -> Patch:
    """`modified` is what is applied, annotation and all. Raises KctlError."""
    original = last_applied.original(current) or ""
    try:
        before, after = _document(original or "{}"), _document(modified)
        if node is None:
            return Patch(_json_merge(before, after, current), PatchType.MERGE)
        return Patch(_strategic(node, before, after, current, overwrite=overwrite), PatchType.STRATEGIC)
    except PatchError as error:
        shown = f"original:\n{original}\nmodified:\n{modified}\ncurrent:\n{last_applied.encoded(current)}"
        raise MergeFailed(f"creating patch with:\n{shown}\nfor: {error}", str(error)) from error


def _document(text: str) -> JSONObject:
    import orjson

    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise PatchError("invalid JSON document")
    return found


def _strategic(
    node: Node, original: JSONObject, modified: JSONObject, current: JSONObject, *, overwrite: bool
) -> JSONObject:
    try:
        return three_way_patch(node, original, modified, current, overwrite=overwrite)
    except Conflicting as error:
        raise PatchError(_conflict(error.patch, error.changes)) from error


def _conflict(patch: JSONObject, changes: JSONObject) -> str:
    """Kubernetes: mergepatch.NewErrConflict."""
    first, second = to_yaml(patch).decode(), to_yaml(changes).decode()
    return f"patch:\n{first}\nconflicts with changes made from original to current:\n{second}\n"


def _json_merge(original: JSONObject, modified: JSONObject, current: JSONObject) -> JSONObject:
    added = _kept(merge_patch.diff(current, modified), nulls=False)
    gone = _kept(merge_patch.diff(original, modified), nulls=True)
    patch = _combined(gone, added)
    metadata = patch.get("metadata")
    if "apiVersion" in patch or "kind" in patch or (isinstance(metadata, dict) and "name" in metadata):
        raise PatchError("At least one of apiVersion, kind and name was changed")
    return patch


def _kept(patch: JSONObject, *, nulls: bool) -> JSONObject:
    """A patch's deletions alone, or everything else. Kubernetes: keepOrDeleteNullInObj."""
    found: JSONObject = {}
    for key, value in patch.items():
        if value is None or not isinstance(value, dict):
            if (value is None) == nulls:
                found[key] = value
        elif not value:
            if not nulls:
                found[key] = value
        elif inner := _kept(value, nulls=nulls):
            found[key] = inner
    return found


def _combined(gone: JSONObject, added: JSONObject) -> JSONObject:
    """Both in one. They can't be about the same field."""
    combined = dict(gone)
    for key, value in added.items():
        inner = combined.get(key)
        combined[key] = _combined(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return combined
