"""An object, a list or an event as protobuf: what `representation` is for JSON.

An object's message is made once and kept in the stored object's memo, so a list joins messages and a watch event puts
an envelope around one. kind and apiVersion stand in the envelope alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.serializers.protobuf import (
    enveloped,
    frame,
    head_of,
    list_meta,
    message_writer,
    object_node,
    partial_object_metadata,
    status,
)
from localplane.apimachinery.serializers.protobuf.envelope import TAIL
from localplane.apimachinery.serializers.protobuf.wire import delimited, varint
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
    return enveloped(_opening(scope, target), _message_of(scope, result, target))


def status_body(obj: JSONObject) -> bytes:
    return enveloped(head_of("v1", "Status"), message_writer(status())(obj))


def list_body(scope: Scope, listed: ObjectList | ResultList, meta: JSONObject, target: Target) -> Sequence[bytes]:
    """A whole answer with a list, in pieces: the items are megabytes, and not copied again."""
    kind, version = scope.list_kind, scope.api_version
    if target.transform:
        kind, version = target.transform, target.transform_version
    # The first release of PartialObjectMetadataList had the numbers of its two fields the other way round.
    is_old = bool(target.transform) and version.endswith("/v1beta1")
    metadata = delimited(_SECOND if is_old else _FIRST, message_writer(list_meta())(meta))
    items = kept_with(
        listed,
        ("protobuf", target.transform, version),
        scope.converter,
        lambda: (_joined(scope, listed, target, _FIRST if is_old else _SECOND),),
    )
    size = len(metadata) + sum(map(len, items))
    opening = head_of(version, kind) + varint(size)
    return (opening, *items, metadata, TAIL) if is_old else (opening, metadata, *items, TAIL)


def event_pieces(scope: Scope, kind: EventType, result: Result, target: Target) -> tuple[bytes, bytes, bytes]:
    """An event of a watch. A bookmark is an object that has hardly anything."""
    return frame(kind, _opening(scope, target), _message_of(scope, result, target))


def status_pieces(kind: EventType, obj: JSONObject) -> tuple[bytes, bytes, bytes]:
    return frame(kind, head_of("v1", "Status"), message_writer(status())(obj))


def _opening(scope: Scope, target: Target) -> bytes:
    if target.transform:
        return head_of(target.transform_version, "PartialObjectMetadata")
    return head_of(scope.api_version, scope.kind)


def _joined(scope: Scope, listed: ObjectList | ResultList, target: Target, head: bytes) -> bytes:
    return b"".join([delimited(head, _message_of(scope, item, target)) for item in listed.items])


def _message_of(scope: Scope, result: Result, target: Target) -> bytes:
    if not isinstance(result, StoredObject):
        return _written(scope, result, target)
    memo = result.memo
    if memo is None:
        memo = result.memo = {}
    key = ("protobuf", scope.group_version, bool(target.transform))
    made_for, message = memo.get(key, (None, b""))
    if made_for is not scope.converter:
        message = _written(scope, result, target)
        memo[key] = (scope.converter, message)
    return bytes(message)


def _written(scope: Scope, result: Result, target: Target) -> bytes:
    obj = versioned(scope, result)
    if target.transform:
        return message_writer(partial_object_metadata())(table.partial(obj, target.transform_version))
    return message_writer(object_node(scope.schema().node))(obj)
