"""A StreamResponse on its way: each piece is a chunk, written straight to the transport.

A client that doesn't read fills the write buffer; then no more pieces are taken, so that whoever makes them notices (a
watch's queue overflows, and storage ends it), and after a while the connection is cut.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

from localplane.apiserver.request import Request, StreamResponse

from .connection import ClientConnection
from .response_writer import HeadWriter, write_piece


class StreamMeter(Protocol):
    def sent(self, piece: bytes) -> None: ...


class OpenStream:
    """An answer that is being written. Whoever ends it from outside may have the last word, in the stream's form."""

    def __init__(
        self, request: Request, content_type: str, *, connection: ClientConnection, scope: asyncio.Timeout
    ) -> None:
        self.request = request
        self.content_type = content_type
        self._connection = connection
        self._scope = scope
        self.last_word = b""

    def end(self, last_word: bytes = b"") -> None:
        """Its client sees the proper end of it, as if there was nothing more to say."""
        if not self._scope.expired():
            self.last_word = last_word
            self._scope.reschedule(asyncio.get_running_loop().time())

    def sever(self) -> None:
        self._connection.sever()


class StreamWriter:
    """Knows all open streams, so that a shutdown can end them."""

    def __init__(self, heads: HeadWriter) -> None:
        self._heads = heads
        self._open: dict[OpenStream, None] = {}
        self._unfinished = 0  # open ones, and those whose source is being closed
        self._all_ended = asyncio.Event()
        self._all_ended.set()

    def __len__(self) -> int:
        return len(self._open)

    def end_all(self) -> None:
        for stream in self._open:
            stream.end()

    def all_open(self) -> list[OpenStream]:
        """In the order in which they began."""
        return list(self._open)

    async def all_ended(self) -> None:
        await self._all_ended.wait()

    async def write(
        self,
        connection: ClientConnection,
        stream: StreamResponse,
        request: Request,
        *,
        head_only: bool,
        chunked: bool,
        connection_header: str,
        meter: StreamMeter,
    ) -> bool:
        """True if the stream came to its own end; False if it was ended here. Either way the client sees an end."""
        scope = asyncio.timeout(None)
        self._all_ended.clear()
        self._unfinished += 1
        opened = OpenStream(request, stream.content_type, connection=connection, scope=scope)
        self._open[opened] = None
        try:
            framing = "Transfer-Encoding: chunked\r\n" if chunked else ""
            head = self._heads.head(
                stream.status,
                stream.content_type,
                stream.headers,
                framing=framing,
                warnings=request.warnings,
                connection=connection_header,
            )
            connection.answering = True
            connection.open_transport().write(head)
            own_end = head_only or await self._write_pieces(connection, stream, scope, meter, chunked=chunked)
            if opened.last_word and not own_end:
                write_piece(connection.open_transport(), opened.last_word, chunked=chunked)
            if chunked and not head_only:
                connection.open_transport().write(b"0\r\n\r\n")
            connection.answering = False
            return own_end
        finally:
            del self._open[opened]
            try:
                await _close(stream)
            finally:
                self._unfinished -= 1
                if not self._unfinished:
                    self._all_ended.set()

    async def _write_pieces(
        self,
        connection: ClientConnection,
        stream: StreamResponse,
        scope: asyncio.Timeout,
        meter: StreamMeter,
        *,
        chunked: bool,
    ) -> bool:
        try:
            async with scope:
                async for piece in stream.pieces:
                    if not piece:
                        continue
                    write_piece(connection.open_transport(), piece, chunked=chunked)
                    meter.sent(piece)
                    stream.sent += len(piece)
                    if connection.writing_paused:
                        await connection.drained()
        except TimeoutError:
            if not scope.expired():
                raise
            return False
        return True


async def _close(stream: StreamResponse) -> None:
    """A generator that was left early is closed before its source, so that its own cleaning up still finds it."""
    pieces: AsyncIterator[bytes] = stream.pieces
    try:
        if (aclose := getattr(pieces, "aclose", None)) is not None:
            await aclose()
    finally:
        await stream.close()
