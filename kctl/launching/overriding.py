"""--overrides: a patch for an object that was made up. Kubernetes: kubectl/pkg/cmd/util/override_options.go."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kctl.errors import KctlError
from kctl.flags import Flag
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_NO_OBJECT = (
    "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { "
    'APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)

OVERRIDE_FLAGS = (
    Flag(
        "overrides",
        usage="A patch in JSON for the object before it is sent, for all that has no flag. See --override-type.",
    ),
    Flag(
        "override-type",
        "text",
        "merge",
        "How --overrides is meant: json (a list of operations), merge or strategic (lists are merged by name).",
    ),
)


async def overridden(session: Session, given: Given, obj: JSONObject) -> JSONObject:
    """Raises KctlError."""
    del session
    text = given.text("overrides")
    if not text:
        return obj
    from localplane.apimachinery.patch import PatchError

    kind = given.text("override-type")
    change = {"json": _by_operations, "merge": _merged, "strategic": _strategic}.get(kind)
    if change is None:
        raise KctlError(f"invalid override type: {kind}")
    try:
        result = change(text, obj)
    except PatchError as error:
        raise KctlError(str(error)) from error
    return _decoded(result)


def _by_operations(text: str, obj: JSONObject) -> JSONObject:
    from localplane.apimachinery.patch import json_patch

    patch = _read(text, "Invalid JSON Patch")
    if isinstance(patch, dict):
        raise KctlError("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    result: JSONObject = json_patch.apply(json_patch.decode_json_patch(text.encode()), obj)
    return result


def _merged(text: str, obj: JSONObject) -> JSONObject:
    from localplane.apimachinery.patch import merge_patch

    patch = _read(text, "Invalid JSON Patch")
    if isinstance(patch, list):
        raise KctlError(_NO_OBJECT)
    if not isinstance(patch, dict):
        raise KctlError("Invalid JSON Patch")
    result: JSONObject = merge_patch.apply(patch, obj)
    return result


def _strategic(text: str, obj: JSONObject) -> JSONObject:
    from kctl.structs import patch_node
    from localplane.apimachinery.patch.strategic import merge

    patch = _read(text, "invalid JSON document")
    node = patch_node(obj)
    if node is None or not isinstance(patch, dict):
        raise KctlError("invalid JSON document")
    return merge(node, obj, patch)


def _read(text: str, fault: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise KctlError(fault) from None


def _decoded(obj: JSONObject) -> JSONObject:
    """A struct again: what it does not have is gone, and it has to be one that kubectl knows."""
    from kctl.structs import encoded
    from kctl.structs.scheme import not_registered

    found = encoded(obj)
    if found is obj:
        raise KctlError(not_registered(str(obj.get("apiVersion", "")), str(obj.get("kind", ""))))
    return found
