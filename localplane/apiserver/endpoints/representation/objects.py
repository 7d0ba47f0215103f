"""An object in the version that is served, as a dictionary and as JSON. What is stored in it is sent as it is.

What had to be converted is kept in the stored object's memo, under the mark of the converter that made it: when a group
is declared anew it has new ones, and what the old ones made counts no more.
"""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.registry.rest import Result
from localplane.apiserver.storage.objects import StoredObject


def versioned(served: Served, result: Result) -> JSONObject:
    """The object in the version that is served; the caller may change it."""
    version = served.group_version.version
    if isinstance(result, StoredObject):
        return served.converter.read(result, version)
    return served.converter.from_hub(result, version)


def json_of(served: Served, result: Result) -> bytes:
    """The object as JSON of the version that is served, which begins with its head."""
    if not isinstance(result, StoredObject):
        return _encoded(served, versioned(served, result))
    if served.stored_head is not None and result.data.startswith(served.stored_head):
        return result.data
    data: bytes | None = result.memo.get(served.json_key.full) if result.memo else None
    if data is None:
        data = _encoded(served, versioned(served, result))
        if data == result.data:
            data = result.data  # once is enough
        result.keep(served.json_key, data)
    return data


def _encoded(served: Served, obj: JSONObject) -> bytes:
    return to_json({"kind": served.kind, "apiVersion": served.api_version} | obj)


def partial_json(served: Served, result: Result, *, version: str) -> bytes:
    """The object's metadata alone, as PartialObjectMetadata. Where it need not be converted it is cut out of the stored
    bytes, and nothing is parsed."""
    opening = b'{"kind":"PartialObjectMetadata","apiVersion":"%b","metadata":' % version.encode()
    head = served.stored_head
    if head is not None and isinstance(result, StoredObject) and result.data.startswith(head):
        metadata = result.metadata
        if metadata is not None:
            return b"%b%b}" % (opening, metadata)
    return b"%b%b}" % (opening, to_json(versioned(served, result).get("metadata") or {}))


def is_status(result: Result) -> bool:
    """A custom storage may answer with a Status, which is in no version but its own."""
    return isinstance(result, dict) and result.get("kind") == "Status" and result.get("apiVersion") == "v1"
