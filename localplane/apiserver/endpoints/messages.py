"""An object, a list or an event as protobuf: what `representation` is for JSON.

An object's message is made once and kept in the stored object's memo, so a list joins messages and a watch event puts
an envelope around one. kind and apiVersion stand in the envelope alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.serializers import protobuf
from localplane.apiserver.registry.rest import Result, ResultList
from localplane.apiserver.storage.interface import EventType, ObjectList
from localplane.apiserver.storage.objects import StoredObject

from . import table
from .negotiation import Target
from .representation import kept_with, versioned
from .scope import Scope

JSONObject = dict[str, Any]

_FIRST, _SECOND = b"\x0a", b"\x12"


def body_of(scope: Scope, result: Result, target: Target) -> bytes:
    """A whole answer with one object."""
    return protobuf.enveloped(_opening(scope, target), _message_of(scope, result, target))


def status_body(obj: JSONObject) -> bytes:
    return protobuf.enveloped(protobuf.head_of("v1", "Status"), protobuf.message_writer(protobuf.status())(obj))


def list_body(scope: Scope, listed: ObjectList | ResultList, meta: JSONObject, target: Target) -> Sequence[bytes]:
    """A whole answer with a list, in pieces: the items are megabytes, and not copied again."""
    kind, version = scope.list_kind, scope.api_version
    if target.transform:
        kind, version = target.transform, target.transform_version
    # The first release of PartialObjectMetadataList had the numbers of its two fields the other way round.
    is_old = bool(target.transform) and version.endswith("/v1beta1")
    metadata = protobuf.delimited(_SECOND if is_old else _FIRST, protobuf.message_writer(protobuf.list_meta())(meta))
    items = kept_with(
        listed,
        ("protobuf", target.transform, version),
        scope.converter,
        lambda: (_joined(scope, listed, target, _FIRST if is_old else _SECOND),),
    )
    size = len(metadata) + sum(map(len, items))
    opening = protobuf.head_of(version, kind) + protobuf.varint(size)
    return (opening, *items, metadata, protobuf.TAIL) if is_old else (opening, metadata, *items, protobuf.TAIL)


def event_pieces(scope: Scope, kind: EventType, result: Result, target: Target) -> tuple[bytes, bytes, bytes]:
    """An event of a watch."""
    return protobuf.frame(kind, _opening(scope, target), _message_of(scope, result, target))


def bookmark_pieces(scope: Scope, obj: JSONObject, target: Target) -> tuple[bytes, bytes, bytes]:
    """A bookmark is of the scope's version already, and has nothing that could be converted."""
    return protobuf.frame(EventType.BOOKMARK, _opening(scope, target), _written(scope, obj, target))


def status_pieces(kind: EventType, obj: JSONObject) -> tuple[bytes, bytes, bytes]:
    return protobuf.frame(kind, protobuf.head_of("v1", "Status"), protobuf.message_writer(protobuf.status())(obj))


def _opening(scope: Scope, target: Target) -> bytes:
    if target.transform:
        return protobuf.head_of(target.transform_version, "PartialObjectMetadata")
    return protobuf.head_of(scope.api_version, scope.kind)


def _joined(scope: Scope, listed: ObjectList | ResultList, target: Target, head: bytes) -> bytes:
    return b"".join([protobuf.delimited(head, _message_of(scope, item, target)) for item in listed.items])


def _message_of(scope: Scope, result: Result, target: Target) -> bytes:
    if not isinstance(result, StoredObject):
        return _written(scope, versioned(scope, result), target)
    memo = result.memo
    if memo is None:
        memo = result.memo = {}
    key = ("protobuf", scope.group_version, bool(target.transform))
    made_for, message = memo.get(key, (None, b""))
    if made_for is not scope.converter:
        message = _written(scope, versioned(scope, result), target)
        memo[key] = (scope.converter, message)
    return bytes(message)


def _written(scope: Scope, obj: JSONObject, target: Target) -> bytes:
    if target.transform:
        return protobuf.message_writer(protobuf.partial_object_metadata())(table.partial(obj, target.transform_version))
    return protobuf.message_writer(protobuf.object_node(scope.schema().node))(obj)
