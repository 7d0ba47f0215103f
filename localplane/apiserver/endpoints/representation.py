"""An object in the version of a scope, as a dictionary and as JSON. What is stored in that version is sent as it is.

What had to be converted is kept in the stored object's memo, under the mark of the converter that made it: when a group
is declared anew it has new ones, and what the old ones made counts no more.
"""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apiserver.registry.rest import Result
from localplane.apiserver.storage.objects import StoredObject

from .scope import Scope


def versioned(scope: Scope, result: Result) -> JSONObject:
    """The object in the scope's version; the caller may change it."""
    version = scope.group_version.version
    if isinstance(result, StoredObject):
        return scope.converter.read(result, version)
    return scope.converter.from_hub(result, version)


def json_of(scope: Scope, result: Result) -> bytes:
    """The object as JSON of the scope's version, which begins with the scope's head."""
    if not isinstance(result, StoredObject):
        return _encoded(scope, versioned(scope, result))
    if scope.typed and result.data.startswith(scope.head):
        return result.data
    data: bytes | None = result.memo.get(scope.json_key.full) if result.memo else None
    if data is None:
        data = _encoded(scope, versioned(scope, result))
        if data == result.data:
            data = result.data  # once is enough
        result.keep(scope.json_key, data)
    return data


def _encoded(scope: Scope, obj: JSONObject) -> bytes:
    return to_json({"kind": scope.kind, "apiVersion": scope.api_version} | obj)


def partial_json(scope: Scope, result: Result, *, version: str) -> bytes:
    """The object's metadata alone, as PartialObjectMetadata. Where it need not be converted it is cut out of the stored
    bytes, and nothing is parsed."""
    opening = b'{"kind":"PartialObjectMetadata","apiVersion":"%b","metadata":' % version.encode()
    if scope.typed and isinstance(result, StoredObject) and result.data.startswith(scope.head):
        metadata = result.metadata
        if metadata is not None:
            return b"%b%b}" % (opening, metadata)
    return b"%b%b}" % (opening, to_json(versioned(scope, result).get("metadata") or {}))


def is_status(result: Result) -> bool:
    """A custom storage may answer with a Status, which is in no version but its own."""
    return isinstance(result, dict) and result.get("kind") == "Status" and result.get("apiVersion") == "v1"
