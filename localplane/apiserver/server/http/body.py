"""Reading the body of a request, as far as a handler allows."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp.http import HttpVersion11
from aiohttp.streams import EMPTY_PAYLOAD
from aiohttp.web_protocol import RequestPayloadError

from localplane.apimachinery.errors import BadRequest
from localplane.apiserver.request import BodyTooLarge, ReadBody

from .connection import Incoming

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def body_reader(raw: Incoming, headers: Mapping[str, str]) -> ReadBody:
    """What `Request.read_body` is. The body is not decompressed, whatever its headers say; one that breaks off or is
    malformed is a BadRequest."""
    payload = raw.content
    if payload is EMPTY_PAYLOAD:
        return _nothing

    async def read_body(limit: int) -> bytes:
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > limit:
            raise BodyTooLarge
        if _waits_for_leave(raw, headers):
            raw.connection.open_transport().write(_CONTINUE)
        pieces: list[bytes] = []
        size = 0
        try:
            while piece := await payload.readany():
                size += len(piece)
                if size > limit:
                    raise BodyTooLarge
                pieces.append(piece)
        except (ConnectionError, RequestPayloadError) as error:
            raise BadRequest(f"the body of the request can't be read: {error}") from error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    return read_body


def _waits_for_leave(raw: Incoming, headers: Mapping[str, str]) -> bool:
    """The client sends no body before it has heard that it will be read."""
    expected = headers.get("expect", "").lower() == "100-continue"
    return expected and raw.parsed.version >= HttpVersion11 and not raw.content.total_bytes


async def _nothing(_limit: int) -> bytes:
    return b""
