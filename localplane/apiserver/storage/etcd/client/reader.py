"""Bytes to frames. A header block that is spread over CONTINUATION frames comes out as one HEADERS frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .frames import (
    CONTINUATION,
    DEFAULT_FRAME_SIZE,
    END_HEADERS,
    ENHANCE_YOUR_CALM,
    FRAME_SIZE_ERROR,
    HEAD,
    HEAD_SIZE,
    HEADERS,
    LAST_STREAM_ID,
    PROTOCOL_ERROR,
    ProtocolError,
    unpadded,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST_BLOCK = 256 * 2**10


class FrameReader:
    """Cuts what arrives into frames and calls the handler of each type with (flags, stream, payload).

    Frames of types without a handler are skipped, as HTTP/2 asks for.
    """

    def __init__(self, handlers: Mapping[int, Callable[[int, int, bytes], None]]) -> None:
        self._handlers = handlers
        self._rest = b""
        self._block = bytearray()  # headers that are not complete yet, of `_block_stream`
        self._block_flags = 0
        self._block_stream = 0

    def feed(self, data: bytes) -> None:
        if self._rest:
            data = self._rest + data
        at, end = 0, len(data)
        while end - at >= HEAD_SIZE:
            high, low, kind, flags, stream = HEAD.unpack_from(data, at)
            start = at + HEAD_SIZE
            stop = start + (high << 8 | low)
            if stop > end:
                if stop - start > DEFAULT_FRAME_SIZE:
                    raise ProtocolError(FRAME_SIZE_ERROR, f"a frame of {stop - start} bytes")
                break
            at = stop
            self._frame(kind, flags, stream & LAST_STREAM_ID, data[start:stop])
        self._rest = data[at:]

    def _frame(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if self._block_stream or kind == CONTINUATION:
            self._continue(kind, flags, stream, payload)
            return
        handler = self._handlers.get(kind)
        if handler is None:
            return
        if kind == HEADERS:
            payload = unpadded(flags, payload)
            if not flags & END_HEADERS:
                self._block_stream, self._block_flags = stream, flags
                self._block += payload
                return
        handler(flags, stream, payload)

    def _continue(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind != CONTINUATION or stream != self._block_stream or not stream:
            raise ProtocolError(PROTOCOL_ERROR, "header blocks that are mixed with other frames")
        self._block += payload
        if len(self._block) > _LONGEST_BLOCK:
            raise ProtocolError(ENHANCE_YOUR_CALM, "headers without end")
        if flags & END_HEADERS:
            block, self._block, self._block_stream = bytes(self._block), bytearray(), 0
            self._handlers[HEADERS](self._block_flags, stream, block)
