"""The part of metadata that the server writes: a client's values for it are dropped or kept out.

Kubernetes: apiserver/pkg/registry/rest/{meta,create,update}.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.names import generate_uid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now

_SERVER_FIELDS = (
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "uid",
    "selfLink",
)


def metadata_of(obj: JSONObject) -> JSONObject:
    """The object's metadata, made if it is missing."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        metadata = obj["metadata"] = {}
    return metadata


def wipe_server_fields(metadata: JSONObject) -> None:
    for name in _SERVER_FIELDS:
        metadata.pop(name, None)


def fill_server_fields(metadata: JSONObject) -> None:
    metadata["creationTimestamp"] = now()
    metadata["uid"] = generate_uid()


def ensure_namespace(metadata: JSONObject, *, expected: str) -> None:
    """The namespace of the URL is the object's; one that says otherwise is refused. "" is a cluster-scoped object."""
    namespace = metadata.get("namespace") or ""
    if not expected:
        # A namespace on something that has none is dropped without a word, as Kubernetes does.
        metadata.pop("namespace", None)
    elif namespace in ("", expected):
        metadata["namespace"] = expected
    else:
        raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")


def keep_server_fields(metadata: JSONObject, old: JSONObject) -> None:
    """On update: what only the server may change stays as it was."""
    if not metadata.get("uid"):
        _copy(metadata, old, "uid")
    if old.get("creationTimestamp"):
        metadata["creationTimestamp"] = old["creationTimestamp"]
    if old.get("deletionTimestamp"):
        metadata["deletionTimestamp"] = old["deletionTimestamp"]
    if old.get("deletionGracePeriodSeconds") is not None and metadata.get("deletionGracePeriodSeconds") is None:
        metadata["deletionGracePeriodSeconds"] = old["deletionGracePeriodSeconds"]


def keep_generation(metadata: JSONObject, old: JSONObject) -> None:
    metadata.pop("generation", None)
    _copy(metadata, old, "generation")


def _copy(metadata: JSONObject, old: JSONObject, name: str) -> None:
    if name in old:
        metadata[name] = old[name]


def set_or_drop(metadata: JSONObject, name: str, value: Any) -> None:
    if value:
        metadata[name] = value
    else:
        metadata.pop(name, None)


def content_differs(obj: JSONObject, old: JSONObject, *, has_status: bool) -> bool:
    """Whether anything but type, metadata and a status of its own differs: what a generation counts."""
    ignored = ("apiVersion", "kind", "metadata", "status" if has_status else "")
    names = {name for name in (*obj, *old) if name not in ignored}
    return any(obj.get(name) != old.get(name) for name in names)


def finalizers_of(obj: JSONObject) -> list[str]:
    return (obj.get("metadata") or {}).get("finalizers") or []
