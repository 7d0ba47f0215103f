"""An object in the version of a scope, as a dictionary and as JSON. What is stored in that version is sent as it is.

What had to be converted is kept in the stored object's memo, with the converter that made it: when a group is declared
anew it has new ones, and what the old ones made counts no more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, cast

from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apiserver.registry.rest import Result, ResultList
from localplane.apiserver.storage.interface import ObjectList
from localplane.apiserver.storage.objects import StoredObject

from .scope import Scope

JSONObject = dict[str, Any]

# A longer list is joined anew each time: keeping it would double what its objects take.
_MOST_KEPT_BYTES = 32 * 1024 * 1024


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
    memo = result.memo
    if memo is None:
        memo = result.memo = {}
    key = ("json", scope.group_version)
    made_for, data = memo.get(key, (None, b""))
    if made_for is not scope.converter:
        data = _encoded(scope, versioned(scope, result))
        if data == result.data:
            data = result.data  # once is enough
        memo[key] = (scope.converter, data)
    return bytes(data)


def _encoded(scope: Scope, obj: JSONObject) -> bytes:
    return to_json({"kind": scope.kind, "apiVersion": scope.api_version} | obj)


def kept_with(
    listed: ObjectList | ResultList, key: Hashable, made_by: object, join: Callable[[], Sequence[bytes]]
) -> Sequence[bytes]:
    """The items of a list, joined; kept for the next reader until one of them, or their declaration, changes."""
    memo = listed.memo if isinstance(listed, ObjectList) else None
    if memo is None:
        return join()
    made_for, kept = cast("tuple[object, Sequence[bytes]]", memo.get(key, (None, ())))
    if made_for is made_by:
        return kept
    joined = join()
    if sum(map(len, joined)) <= _MOST_KEPT_BYTES:
        memo[key] = (made_by, joined)
    return joined


def is_status(result: Result) -> bool:
    """A custom storage may answer with a Status, which is in no version but its own."""
    return isinstance(result, dict) and result.get("kind") == "Status" and result.get("apiVersion") == "v1"
