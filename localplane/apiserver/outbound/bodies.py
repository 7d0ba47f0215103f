"""The body of an answer, read to its end: what is there now is not the whole, and half of a denial is none.

Bounded by what it is when it has been unpacked: a small answer may be a large one.
"""

from __future__ import annotations

import zlib
from typing import Final

import aiohttp

_GZIP: Final = zlib.MAX_WBITS | 16
_PIECE: Final = 1024 * 1024


class AnswerUnusable(Exception):
    """It ended too early, was packed in a way that nobody asked for, or is too large; the text says which."""


async def whole_body(answer: aiohttp.ClientResponse, *, limit: int) -> bytes:
    """Of an answer of a session that does not unpack by itself. Raises AnswerUnusable."""
    encoding = answer.headers.get("Content-Encoding", "").lower()
    unpacking = _Unpacking(limit) if encoding == "gzip" else None
    pieces, size = [], 0
    try:
        while piece := await answer.content.readany():
            content = unpacking.unpack(piece) if unpacking else piece
            pieces.append(content)
            size += len(content)
            if size > limit:
                raise AnswerUnusable(f"the answer is larger than {limit} bytes")
    except aiohttp.ClientPayloadError as error:
        raise AnswerUnusable("unexpected EOF") from error
    except (aiohttp.ClientError, OSError) as error:
        raise AnswerUnusable(f"read: {str(error).lower() or 'connection reset by peer'}") from error
    if unpacking:
        unpacking.finish()
    return b"".join(pieces)


class _Unpacking:
    """gzip, in as many members as it likes, and never more at once than there may be altogether."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._member = zlib.decompressobj(_GZIP)
        self._is_between = False

    def unpack(self, packed: bytes) -> bytes:
        content = bytearray()
        try:
            while packed and len(content) <= self._limit:
                if self._is_between:
                    self._member, self._is_between = zlib.decompressobj(_GZIP), False
                content += self._member.decompress(packed, _PIECE)
                packed = self._member.unconsumed_tail
                if self._member.eof:
                    packed, self._is_between = self._member.unused_data, True
        except zlib.error as error:
            raise AnswerUnusable("gzip: invalid header" if not content else "gzip: invalid checksum") from error
        return bytes(content)

    def finish(self) -> None:
        if not self._is_between:
            raise AnswerUnusable("unexpected EOF")
