"""An object, a list or an event as protobuf: what `representation` is for JSON.

An object's message is made once and kept in the stored object's memo, so a list joins messages and a watch event puts
an envelope around one. kind and apiVersion stand in the envelope alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import protobuf
from localplane.apimachinery.serializers.media_types import PROTOBUF
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.long_work import Here
from localplane.apiserver.registry.rest import Result, ResultList
from localplane.apiserver.request import Response
from localplane.apiserver.storage.interface import EventType, ObjectList
from localplane.apiserver.storage.objects import StoredObject

from . import table
from .joined_items import JoinedItems, joined, keep_list, kept_list, response
from .lists import written_in_slices
from .negotiation import Target
from .objects import versioned

_FIRST, _SECOND = b"\x0a", b"\x12"


def body_of(served: Served, result: Result, target: Target) -> bytes:
    """A whole answer with one object."""
    return protobuf.enveloped(_opening(served, target), _message_of(served, result, target))


def status_body(obj: JSONObject) -> bytes:
    return protobuf.enveloped(protobuf.head_of("v1", "Status"), protobuf.message_writer(protobuf.status())(obj))


async def list_of_messages(
    served: Served, listed: ObjectList | ResultList, meta: JSONObject, target: Target, work: Here
) -> Response:
    """A whole answer with a list. How long it is stands before it, so all messages are there when it begins."""
    kind, version = served.list_kind, served.api_version
    if target.transform:
        kind, version = target.transform, target.transform_version
    # The first release of PartialObjectMetadataList had the numbers of its two fields the other way round.
    is_old = bool(target.transform) and version.endswith("/v1beta1")
    metadata = protobuf.delimited(_SECOND if is_old else _FIRST, protobuf.message_writer(protobuf.list_meta())(meta))
    key, slices = ("protobuf", target.transform, version), work.slices()
    items = kept_list(listed, key, served.converter)
    if items is None:
        write = partial(_message_of, served, target=target)
        items = _joined(await written_in_slices(listed.items, write, work, slices), _FIRST if is_old else _SECOND)
        keep_list(listed, key, served.converter, items)
    opening = protobuf.head_of(version, kind) + protobuf.varint(len(metadata) + items.size)
    if is_old:
        return response(opening, items, metadata + protobuf.TAIL, PROTOBUF.name, slices)
    return response(opening + metadata, items, protobuf.TAIL, PROTOBUF.name, slices)


def _joined(messages: Sequence[bytes], head: bytes) -> JoinedItems:
    size = sum(map(len, messages)) + sum([_framing_bytes(len(message)) for message in messages])
    return joined(messages, lambda some: b"".join([protobuf.delimited(head, one) for one in some]), size=size)


def _framing_bytes(size: int) -> int:
    """The number of the field, and so many times seven bits."""
    return 1 + max(1, (size.bit_length() + 6) // 7)


def event_pieces(served: Served, kind: EventType, result: Result, target: Target) -> tuple[bytes, bytes, bytes]:
    """An event of a watch."""
    return protobuf.frame(kind, _opening(served, target), _message_of(served, result, target))


def bookmark_pieces(served: Served, obj: JSONObject, target: Target) -> tuple[bytes, bytes, bytes]:
    """A bookmark is of the version that is served already, and has nothing that could be converted."""
    return protobuf.frame(EventType.BOOKMARK, _opening(served, target), _written(served, obj, target))


def status_pieces(kind: EventType, obj: JSONObject) -> tuple[bytes, bytes, bytes]:
    return protobuf.frame(kind, protobuf.head_of("v1", "Status"), protobuf.message_writer(protobuf.status())(obj))


def _opening(served: Served, target: Target) -> bytes:
    if target.transform:
        return protobuf.head_of(target.transform_version, "PartialObjectMetadata")
    return protobuf.head_of(served.api_version, served.kind)


def _message_of(served: Served, result: Result, target: Target) -> bytes:
    if not isinstance(result, StoredObject):
        return _written(served, versioned(served, result), target)
    key = served.metadata_message_key if target.transform else served.message_key
    message: bytes | None = result.memo.get(key.full) if result.memo else None
    if message is None:
        message = _written(served, versioned(served, result), target)
        result.keep(key, message)
    return message


def _written(served: Served, obj: JSONObject, target: Target) -> bytes:
    if target.transform:
        return protobuf.message_writer(protobuf.partial_object_metadata())(table.partial(obj, target.transform_version))
    return protobuf.message_writer(protobuf.object_node(served.schema().node))(obj)
