"""A document of a file, read as kubectl reads it before it knows what it is.

Kubernetes: apimachinery/pkg/apis/meta/v1/unstructured (UnstructuredJSONScheme), cli-runtime/pkg/resource
(metadataValidatingDecoder).
"""

from __future__ import annotations

import copy
from typing import Any

from kctl.errors import KctlError
from localplane.apimachinery.golang.text import go_json, go_quote, json_type
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.apimachinery.schema.meta import type_meta
from localplane.apimachinery.schema.nodes import Node
from localplane.apimachinery.schema.structs.decoder import DecodeError, decode
from localplane.apis.scheme import is_registered, not_registered

_TEXTS = ("name", "namespace", "generateName", "resourceVersion", "uid")
_MAPS = ("labels", "annotations")


class Undecodable(KctlError):
    """Not an object, or one whose metadata makes no sense."""


def decoded(value: Any, source: str, text: str = "") -> JSONObject:
    """An object or a list, with a kind; `text` is how it was written. Raises Undecodable."""
    if not isinstance(value, dict):
        raise _cannot(source, f"json: cannot unmarshal {json_type(value)} into Go value of type unstructured.detector")
    if "items" in value:
        _check_items(value["items"], source)
    if not group_version_kind(value)[2]:
        raise _cannot(source, f"Object 'Kind' is missing in '{text or go_json(sorted_keys(value))}'")
    _check_metadata(value, source)
    return value


def group_version_kind(obj: JSONObject) -> tuple[str, str, str]:
    """All empty if the version can't be one. Kubernetes: Unstructured.GroupVersionKind."""
    version, kind = obj.get("apiVersion"), obj.get("kind")
    version = version if isinstance(version, str) else ""
    if version.count("/") > 1:
        return "", "", ""
    group, _, bare = version.rpartition("/")
    return group, bare, kind if isinstance(kind, str) else ""


def items(value: JSONObject) -> list[JSONObject]:
    """What a list has; those that don't say what they are are what the list's name says. Raises KctlError.

    A list among them is one that Kubernetes can't take apart.
    """
    named = {"apiVersion": value.get("apiVersion"), "kind": str(value["kind"]).removesuffix("List")}
    found = []
    for item in value["items"] or ():
        one = dict(item or {})
        if not any(isinstance(one.get(name), str) and one[name] for name in named):
            one |= named
        if isinstance(one.get("items"), list):
            raise KctlError("*unstructured.Unstructured is not a list: no Items field in this object")
        found.append(one)
    return found


def check_type(item: JSONObject) -> None:
    """Of an object in a list. Raises KctlError. Kubernetes: unstructuredObjectTyper.ObjectKinds."""
    _, version, kind = group_version_kind(item)
    missing = ""
    if not kind:
        missing = "Object 'Kind' is missing in 'object has no kind field '"
    elif not version:
        missing = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
    if missing:
        raise KctlError(f'unable to get type info from the object "*unstructured.Unstructured": {missing}')


def _check_items(value: Any, source: str) -> None:
    if value is not None and not isinstance(value, list):
        what = json_type(value)
        raise _cannot(
            source, f"json: cannot unmarshal {what} into Go struct field decodeList.items of type []json.RawMessage"
        )
    for item in value or ():
        if item is not None and not isinstance(item, dict):
            what = json_type(item)
            raise _cannot(source, f"json: cannot unmarshal {what} into Go value of type map[string]interface {{}}")


def _check_metadata(value: JSONObject, source: str) -> None:
    if isinstance(value.get("apiVersion"), str | None) and _is_plain(value.get("metadata")):
        return
    properties = type_meta()
    about = {name: value[name] for name in sorted(properties) if name in value}
    try:
        decode(Node(type="object", properties=properties), copy.deepcopy(about), kind="metadataOnlyObject")
    except DecodeError as error:
        raise _cannot(source, str(error)) from error


def _is_plain(metadata: Any) -> bool:
    """Whether there is nothing in it that Go could mind. It is what saves most commands the rules of Go's decoder."""
    if not isinstance(metadata, dict):
        return metadata is None
    for name, value in metadata.items():
        if name in _MAPS:
            if value is not None and not _is_map(value):
                return False
        elif name not in _TEXTS or not isinstance(value, str | None):
            return False
    return True


def _is_map(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str | None) for item in value.values())


def _cannot(source: str, why: str) -> Undecodable:
    return Undecodable(f"unable to decode {go_quote(source)}: {why}")


def check_registered(api_version: str, kind: str, source: str = "") -> None:
    """Raises KctlError for a kind that kubectl has no Go type for."""
    if not is_registered(api_version):
        where = f"unable to decode {go_quote(source)}: " if source else ""
        raise KctlError(where + not_registered(api_version, kind))
