"""What stands around an object on the wire: four magic bytes and runtime.Unknown, which says what the object is.

Only here is its kind told: a message has no field for it. Kubernetes: apimachinery/pkg/runtime/serializer/protobuf,
and types_proto.go of apimachinery/pkg/runtime.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.serializers.errors import ProtobufError

from .wire import delimited, fields, varint

MAGIC: Final = b"k8s\x00"
TAIL: Final = b"\x1a\x00\x22\x00"
"""The encoding and the type of the content: both are written, and both are empty."""

_TYPE_META, _RAW, _FIRST, _SECOND = b"\x0a", b"\x12", b"\x0a", b"\x12"


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a body says of itself, and the message in it."""

    api_version: str
    kind: str
    message: bytes


def head(api_version: str, kind: str) -> bytes:
    """All that comes before an object's message, but for its length: the same for all of a kind."""
    said = delimited(_FIRST, api_version.encode()) + delimited(_SECOND, kind.encode())
    return MAGIC + delimited(_TYPE_META, said) + _RAW


def enveloped(opening: bytes, message: bytes) -> bytes:
    """A whole body. `opening` is what `head` made."""
    return b"".join((opening, varint(len(message)), message, TAIL))


def opened(body: bytes) -> Envelope:
    """Raises ProtobufError."""
    if not body:
        raise ProtobufError("empty data")
    if not body.startswith(MAGIC):
        prefix = " ".join(map(str, MAGIC))
        raise ProtobufError(f"provided data does not appear to be a protobuf message, expected prefix [{prefix}]")
    if len(body) == len(MAGIC):
        raise ProtobufError("empty body")
    told = {1: "", 2: ""}
    message = b""
    for number, payload in fields(body[len(MAGIC) :]):
        if number == 1 and isinstance(payload, bytes):
            told |= {each: _text(value) for each, value in fields(payload) if each in told}
        elif number == 2 and isinstance(payload, bytes):
            message = payload
    return Envelope(told[1], told[2], message)


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def frame(event_type: str, opening: bytes, message: bytes) -> tuple[bytes, bytes, bytes]:
    """A watch event as pieces of the stream. The message is not copied: it may be large, and shared by many watchers.

    The frame's length comes first, as four bytes; then the event {1 type, 2 object {1 raw}}, and in it the envelope.
    """
    size = varint(len(message))
    envelope = len(opening) + len(size) + len(message) + len(TAIL)
    raw = b"\x0a" + varint(envelope)
    kind = delimited(_FIRST, event_type.encode()) + _SECOND + varint(len(raw) + envelope) + raw
    length = (len(kind) + envelope).to_bytes(4, "big")
    return length + kind + opening + size, message, TAIL


def unframed(stream: bytes) -> tuple[bytes, bytes]:
    """The first frame of a stream, and the rest; raises ProtobufError if it is not all there."""
    end = 4 + int.from_bytes(stream[:4], "big")
    if len(stream) < max(end, 4):
        raise ProtobufError("unexpected EOF")
    return stream[4:end], stream[end:]
