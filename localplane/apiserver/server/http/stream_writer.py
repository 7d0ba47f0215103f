"""A StreamResponse on its way: each piece is a chunk, written straight to the transport.

A client that doesn't read fills the write buffer; then no more pieces are taken, so that whoever makes them notices (a
watch's queue overflows, and storage ends it), and after a while the connection is cut.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

from localplane.apiserver.request import StreamResponse

from .connection import ClientConnection
from .response_writer import HeadWriter, write_piece


class StreamMeter(Protocol):
    def sent(self, piece: bytes) -> None: ...


class StreamWriter:
    """Knows all open streams, so that a shutdown can end them."""

    def __init__(self, heads: HeadWriter) -> None:
        self._heads = heads
        self._open: set[asyncio.Timeout] = set()
        self._unfinished = 0  # open ones, and those whose source is being closed
        self._all_ended = asyncio.Event()
        self._all_ended.set()

    def __len__(self) -> int:
        return len(self._open)

    def end_all(self) -> None:
        """Every client sees the proper end of its stream, as if there was nothing more to say."""
        now = asyncio.get_running_loop().time()
        for scope in self._open:
            if not scope.expired():
                scope.reschedule(now)

    async def all_ended(self) -> None:
        await self._all_ended.wait()

    async def write(
        self,
        connection: ClientConnection,
        stream: StreamResponse,
        *,
        head_only: bool,
        chunked: bool,
        warnings: list[str],
        connection_header: str,
        meter: StreamMeter,
    ) -> bool:
        """True if the stream came to its own end; False if it was ended here. Either way the client sees an end."""
        scope = asyncio.timeout(None)
        self._all_ended.clear()
        self._unfinished += 1
        self._open.add(scope)
        try:
            framing = "Transfer-Encoding: chunked\r\n" if chunked else ""
            head = self._heads.head(
                stream.status,
                stream.content_type,
                stream.headers,
                framing=framing,
                warnings=warnings,
                connection=connection_header,
            )
            connection.answering = True
            connection.open_transport().write(head)
            own_end = head_only or await self._write_pieces(connection, stream, scope, meter, chunked=chunked)
            if chunked and not head_only:
                connection.open_transport().write(b"0\r\n\r\n")
            connection.answering = False
            return own_end
        finally:
            self._open.discard(scope)
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
