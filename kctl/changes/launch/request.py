"""--overrides: a patch for an object that was made up. Kubernetes: kubectl/pkg/cmd/util/override_options.go.

What these verbs share: flags that have to be there, metadata, the request.
"""

from __future__ import annotations

import json
from typing import Any

from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery import patch
from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import json_patch, merge_patch, strategic
from localplane.apis import encoding, patch_nodes, scheme
from localplane.client.rest.names import GroupVersionResource

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


async def overridden(session: Session, flags: FlagSet, obj: JSONObject) -> JSONObject:
    """Raises KctlError."""
    del session
    text = flags.text("overrides")
    if not text:
        return obj
    kind = flags.text("override-type")
    change = {"json": _by_operations, "merge": _merged, "strategic": _strategic}.get(kind)
    if change is None:
        raise KctlError(f"invalid override type: {kind}")
    try:
        result = change(text, obj)
    except patch.PatchError as error:
        raise KctlError(str(error)) from error
    return _decoded(result)


def _by_operations(text: str, obj: JSONObject) -> JSONObject:
    patch = _read(text, "Invalid JSON Patch")
    if isinstance(patch, dict):
        raise KctlError("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    result: JSONObject = json_patch.apply(json_patch.decode_json_patch(text.encode()), obj)
    return result


def _merged(text: str, obj: JSONObject) -> JSONObject:
    patch = _read(text, "Invalid JSON Patch")
    if isinstance(patch, list):
        raise KctlError(_NO_OBJECT)
    if not isinstance(patch, dict):
        raise KctlError("Invalid JSON Patch")
    result: JSONObject = merge_patch.apply(patch, obj)
    return result


def _strategic(text: str, obj: JSONObject) -> JSONObject:
    patch = _read(text, "invalid JSON document")
    node = patch_nodes.patch_node(obj)
    if node is None or not isinstance(patch, dict):
        raise KctlError("invalid JSON document")
    return strategic.merge(node, obj, patch)


def _read(text: str, fault: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise KctlError(fault) from None


def _decoded(obj: JSONObject) -> JSONObject:
    """A struct again: what it does not have is gone, and it has to be one that kubectl knows."""
    found = encoding.encoded(obj)
    if found is obj:
        raise KctlError(scheme.not_registered(str(obj.get("apiVersion", "")), str(obj.get("kind", ""))))
    return found


LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def require(flags: FlagSet, *names: str) -> None:
    """Flags that have to be there are complained about before anything else, as cobra does."""
    if missing := [f'"{name}"' for name in sorted(names) if not flags.changed(name)]:
        raise KctlError(f"required flag(s) {', '.join(missing)} not set")


def metadata(session: Session, name: str) -> JSONObject:
    """The namespace is only said where the user said it."""
    return {"name": name, "namespace": session.namespace} if session.namespace_is_explicit else {"name": name}


def save_configuration(obj: JSONObject, *, asked: bool) -> None:
    """Remember the object in its own annotation, for a later apply, if that is asked for or it does so already.
    Kubernetes: util.CreateOrUpdateAnnotation."""
    described = obj["metadata"]
    annotations = dict(described.get("annotations") or {})
    if annotations.pop(LAST_APPLIED, None) is None and not asked:
        return
    bare = {**obj, "metadata": {**described, "annotations": annotations}}
    annotations[LAST_APPLIED] = go_json(encoding.encoded(bare)) + "\n"
    described["annotations"] = dict(sorted(annotations.items()))


async def send(session: Session, flags: FlagSet, obj: JSONObject, resource: str, *, dry_run: bool) -> JSONObject:
    """Create it on the server, in the namespace that we are in. Raises APIError."""
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    client = session.client.resource(GroupVersionResource(group, version, resource), session.namespace)
    return await client.create(obj, dry_run=dry_run, field_manager=flags.text("field-manager"))
