"""--overrides: a patch for an object that was made up. Kubernetes: kubectl/pkg/cmd/util/override_options.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.errors import KctlError
from kctl.flags import Flag

from .sending import Object

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

OVERRIDE_FLAGS = (
    Flag(
        "overrides",
        usage="An inline JSON override for the generated object. If this is non-empty, it is used to override the "
        "generated object. Requires that the object supply a valid apiVersion field.",
    ),
    Flag(
        "override-type",
        "text",
        "merge",
        "The method used to override the generated object: json, merge, or strategic.",
    ),
)


async def overridden(session: Session, given: Given, obj: Object) -> Object:
    text = given.text("overrides")
    if not text:
        return obj
    from localplane.apimachinery.patch import PatchError

    try:
        return await _patched(session, given.text("override-type") or "merge", text, obj)
    except PatchError as error:
        raise KctlError(str(error)) from error


async def _patched(session: Session, kind: str, text: str, obj: Object) -> Object:
    from localplane.apimachinery.patch import json_patch, merge_patch

    result: Object
    match kind:
        case "json":
            result = json_patch.apply(json_patch.decode_json_patch(text.encode()), obj)
        case "merge":
            result = merge_patch.apply(merge_patch.decode_merge_patch(text.encode()), obj)
        case "strategic":
            result = await _strategic(session, text, obj)
        case _:
            raise KctlError(f"invalid override type: {kind}")
    return result


async def _strategic(session: Session, text: str, obj: Object) -> Object:
    from kctl.apply.schemas import PatchSchemas
    from localplane.apimachinery.groups import GroupVersionKind
    from localplane.apimachinery.patch.merge_patch import decode_merge_patch
    from localplane.apimachinery.patch.strategic import merge

    group, _, version = str(obj["apiVersion"]).rpartition("/")
    node = await PatchSchemas(session).lookup(GroupVersionKind(group, version, str(obj["kind"])))
    patch = decode_merge_patch(text.encode())
    if node is None or not isinstance(patch, dict):
        raise KctlError("the server does not say how its objects merge")
    return merge(node, obj, patch)
