"""HPACK, as little of it as gRPC needs.

We announce a dynamic table of size 0. So a response's header block means the same wherever it stands, and since etcd's
blocks are nearly always the same few byte strings, each is decoded once and remembered. Request blocks are
written by hand, without compression: one per method, built when the method is first called.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

import hpack

from .frames import COMPRESSION_ERROR, ProtocolError

_METHOD_POST, _SCHEME_HTTP, _SCHEME_HTTPS = b"\x83", b"\x86", b"\x87"  # indexes into HPACK's static table
_PATH, _AUTHORITY, _NEW_NAME = b"\x04", b"\x01", b"\x00"  # literals that are not to be indexed
_NEVER_INDEXED = b"\x10"  # a new name too, for what nobody on the way may keep
_REMEMBERED_BLOCKS = 128


@dataclass(frozen=True, slots=True)
class Reply:
    """What headers or trailers say; None for what they do not mention."""

    http_status: int | None
    grpc_status: int | None
    message: str


def request_block(path: str, *, authority: str, secure: bool, token: str = "") -> bytes:
    """The header block of a call. `hasleader` makes etcd refuse at once when the member it reaches has no leader,
    and end watches there: rather an error than silence (etcd's client calls this WithRequireLeader). `token` says who
    we are, where etcd asks for users."""
    return b"".join(
        (
            _METHOD_POST,
            _SCHEME_HTTPS if secure else _SCHEME_HTTP,
            _PATH + _string(path),
            _AUTHORITY + _string(authority),
            _NEW_NAME + _string("te") + _string("trailers"),
            _NEW_NAME + _string("content-type") + _string("application/grpc"),
            _NEW_NAME + _string("hasleader") + _string("true"),
            _NEVER_INDEXED + _string("token") + _string(token) if token else b"",
        )
    )


def _string(text: str) -> bytes:
    """A string that is not Huffman-coded, its length as an HPACK integer with a 7-bit prefix."""
    raw = text.encode("ascii")
    length = len(raw)
    if length < 0x7F:
        return bytes((length,)) + raw
    head, length = bytearray((0x7F,)), length - 0x7F
    while length >= 0x80:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    head.append(length)
    return bytes(head) + raw


class ReplyDecoder:
    """Decodes response header blocks and remembers them."""

    def __init__(self) -> None:
        self._known: dict[bytes, Reply] = {}

    def decode(self, block: bytes) -> Reply:
        reply = self._known.get(block)
        if reply is None:
            reply = _decode(block)
            if len(self._known) < _REMEMBERED_BLOCKS:
                self._known[block] = reply
        return reply


def _decode(block: bytes) -> Reply:
    decoder = hpack.Decoder()
    decoder.header_table_size = 0
    decoder.max_allowed_table_size = 0
    try:
        fields = dict(decoder.decode(block, raw=True))
        http_status = fields.get(b":status")
        grpc_status = fields.get(b"grpc-status")
        return Reply(
            http_status=None if http_status is None else int(http_status),
            grpc_status=None if grpc_status is None else int(grpc_status),
            message=unquote(fields.get(b"grpc-message", b"").decode("utf-8", "replace")),
        )
    except (hpack.HPACKError, ValueError) as error:
        raise ProtocolError(COMPRESSION_ERROR, f"headers that can't be decoded: {error}") from error
