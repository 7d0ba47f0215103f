"""The sending half of flow control: what the peer has room for goes out at once, the rest waits in order."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from .frames import (
    DATA,
    DEFAULT_FRAME_SIZE,
    DEFAULT_WINDOW,
    END_HEADERS,
    END_STREAM,
    FLOW_CONTROL_ERROR,
    HEAD,
    HEADERS,
    LARGEST_WINDOW,
    PROTOCOL_ERROR,
    ProtocolError,
    frame,
)
from .streams import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .streams import Stream

_DATA_HEAD = struct.Struct(HEAD.format + PREFIX.format.lstrip(">"))


class Outbox:
    """Requests on their way out of one connection. `write` takes bytes to the transport."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._window = DEFAULT_WINDOW
        self._stream_window = DEFAULT_WINDOW
        self._frame_size = DEFAULT_FRAME_SIZE
        self._waiting: dict[int, Stream] = {}

    def open_unary(self, stream: Stream, block: bytes, message: bytes) -> None:
        """Send a whole call; in one write if there is room for it."""
        size = len(message) + PREFIX.size
        head = HEAD.pack(len(block) >> 8, len(block) & 0xFF, HEADERS, END_HEADERS, stream.id) + block
        stream.window = self._stream_window
        if self._waiting or size > min(self._frame_size, self._window, self._stream_window):
            self._write(head)
            self.append(stream, PREFIX.pack(0, len(message)) + message)
            return
        self._window -= size
        stream.window -= size
        stream.sent = True
        data_head = _DATA_HEAD.pack(size >> 8, size & 0xFF, DATA, END_STREAM, stream.id, 0, len(message))
        self._write(head + data_head + message)

    def open_stream(self, stream: Stream, block: bytes) -> None:
        stream.window = self._stream_window
        self._write(frame(HEADERS, END_HEADERS, stream.id, block))

    def append(self, stream: Stream, data: bytes) -> None:
        """Send more bytes on an open stream, after those that wait already."""
        stream.unsent = memoryview(bytes(stream.unsent) + data) if stream.unsent else memoryview(data)
        self._waiting[stream.id] = stream
        self._pump()

    def forget(self, stream: Stream) -> None:
        self._waiting.pop(stream.id, None)

    def widen(self, stream: Stream | None, increment: int) -> None:
        """The peer has room for `increment` more bytes, on one stream or (None) on the whole connection."""
        if increment == 0:
            raise ProtocolError(PROTOCOL_ERROR, "a window update of nothing")
        window = (self._window if stream is None else stream.window) + increment
        if window > LARGEST_WINDOW:
            raise ProtocolError(FLOW_CONTROL_ERROR, "a window beyond all bounds")
        if stream is None:
            self._window = window
        else:
            stream.window = window
        self._pump()

    def resize(self, streams: Iterable[Stream], *, stream_window: int | None, frame_size: int | None) -> None:
        """The peer's settings have changed; open streams' windows move with them, even below zero."""
        if stream_window is not None:
            if stream_window > LARGEST_WINDOW:
                raise ProtocolError(FLOW_CONTROL_ERROR, "an initial window beyond all bounds")
            for stream in streams:
                stream.window += stream_window - self._stream_window
            self._stream_window = stream_window
        if frame_size is not None:
            if not DEFAULT_FRAME_SIZE <= frame_size < 2**24:
                raise ProtocolError(PROTOCOL_ERROR, "a maximum frame size that is not allowed")
            self._frame_size = frame_size
        self._pump()

    def _pump(self) -> None:
        frames: list[bytes | memoryview] = []
        for stream in tuple(self._waiting.values()):
            if self._window <= 0:
                break
            self._fill(frames, stream)
            if not stream.unsent:
                stream.sent = stream.ends_after_sending
                del self._waiting[stream.id]
        if frames:
            self._write(b"".join(frames))

    def _fill(self, frames: list[bytes | memoryview], stream: Stream) -> None:
        while stream.unsent:
            size = min(len(stream.unsent), self._frame_size, self._window, stream.window)
            if size <= 0:
                return
            last = size == len(stream.unsent) and stream.ends_after_sending
            frames.append(HEAD.pack(size >> 8, size & 0xFF, DATA, END_STREAM if last else 0, stream.id))
            frames.append(stream.unsent[:size])
            stream.unsent = stream.unsent[size:]
            stream.window -= size
            self._window -= size
