"""A Response on its way to the client: head and body in one write if it is small, in slices if it is large, and piece
by piece if it is made while it is sent.

The bytes are put together here and not by aiohttp: its headers cost more than the rest of a small answer, and it copies
large bodies. Kubernetes: endpoints/handlers/responsewriters (gzip above 128 KiB, at the fastest level).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from email.utils import formatdate
from http import HTTPStatus
from typing import Any

from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.endpoints.filters.warning_headers import warning_headers
from localplane.apiserver.request import Response

from .connection import ClientConnection
from .limits import ConnectionLimits

_ONE_WRITE_BYTES = 64 * 1024
_SLICE_BYTES = 1 << 20
_NO_BODY = frozenset({204, 304})
_CHUNKED = "Transfer-Encoding: chunked\r\n"
_LAST_CHUNK = b"0\r\n\r\n"


class HeadWriter:
    """Status line and headers. The date is made once a second."""

    def __init__(self) -> None:
        self._status_lines = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}
        self._second = 0
        self._date = ""

    def head(
        self,
        status: int,
        content_type: str,
        headers: Mapping[str, str],
        *,
        framing: str,
        warnings: Sequence[str] = (),
        connection: str = "",
    ) -> bytes:
        """`framing` is the header that says where the body ends. Raises ValueError rather than let a value break out
        of its line."""
        second = int(time.time())
        if second != self._second:
            self._second, self._date = second, f"Date: {formatdate(second, usegmt=True)}\r\n"
        lines = [self._status_lines.get(status) or f"HTTP/1.1 {status} status code {status}\r\n", self._date, framing]
        if content_type:
            lines.append(f"Content-Type: {content_type}\r\n")
        lines += [f"{name}: {value}\r\n" for name, value in headers.items()]
        if "X-Content-Type-Options" not in headers:
            lines.append("X-Content-Type-Options: nosniff\r\n")
        if warnings:
            lines += [f"Warning: {value}\r\n" for value in warning_headers(warnings)]
        if connection:
            lines.append(f"Connection: {connection}\r\n")
        lines.append("\r\n")
        text = "".join(lines)
        wanted = len(lines) - (0 if framing else 1)
        if text.count("\n") != wanted or text.count("\r") != wanted or "\0" in text:
            raise ValueError("a header of the answer holds a line break")
        return text.encode("utf-8", "replace")


class ResponseWriter:
    def __init__(self, heads: HeadWriter, limits: ConnectionLimits) -> None:
        self._heads = heads
        self._gzip_above = limits.gzip_above_bytes

    async def write(
        self,
        connection: ClientConnection,
        response: Response,
        *,
        head_only: bool,
        may_chunk: bool,
        accept_encoding: str,
        warnings: Sequence[str],
        connection_header: str,
    ) -> int:
        """How many bytes of a body were sent. `may_chunk`: the client knows chunks. One that doesn't sees the end of a
        body of unknown size when the connection ends."""
        body = response.body
        if not isinstance(body, bytes) and not isinstance(body, Sequence):
            return await self._write_made(
                connection,
                response,
                body,
                head_only=head_only,
                may_chunk=may_chunk,
                accept_encoding=accept_encoding,
                warnings=warnings,
                connection_header=connection_header,
            )
        size = len(body) if isinstance(body, bytes) else sum(map(len, body))
        headers: Mapping[str, str] = response.headers
        if size > self._gzip_above and not head_only and _accepts_gzip(accept_encoding, headers):
            body = await asyncio.to_thread(_gzipped, body)
            size = sum(map(len, body))
            headers = {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        empty = response.status in _NO_BODY
        head = self._heads.head(
            response.status,
            "" if empty else response.content_type,
            headers,
            framing="" if empty else f"Content-Length: {size}\r\n",
            warnings=warnings,
            connection=connection_header,
        )
        transport = connection.open_transport()
        if head_only or empty:
            size = 0
            transport.write(head)
        elif size <= _ONE_WRITE_BYTES:
            transport.write(head + (body if isinstance(body, bytes) else b"".join(body)))
        else:
            await _write_large(connection, head, body)
        if connection.writing_paused:
            await connection.drained()
        return size

    async def _write_made(
        self,
        connection: ClientConnection,
        response: Response,
        pieces: AsyncIterator[bytes],
        *,
        head_only: bool,
        may_chunk: bool,
        accept_encoding: str,
        warnings: Sequence[str],
        connection_header: str,
    ) -> int:
        size, headers = response.size, response.headers
        if (size is None or size > self._gzip_above) and _accepts_gzip(accept_encoding, headers):
            pieces, size = _gzipped_pieces(pieces), None
            headers = {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        chunked = size is None and may_chunk
        head = self._heads.head(
            response.status,
            response.content_type,
            headers,
            framing=_CHUNKED if chunked else "" if size is None else f"Content-Length: {size}\r\n",
            warnings=warnings,
            connection=connection_header,
        )
        connection.answering = True
        connection.open_transport().write(head)
        sent = 0
        try:
            if not head_only:
                sent = await _write_pieces(connection, pieces, chunked=chunked)
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()
        connection.answering = False
        return sent


async def _write_pieces(connection: ClientConnection, pieces: AsyncIterator[bytes], *, chunked: bool) -> int:
    sent = 0
    async for piece in pieces:
        if piece:
            sent += len(piece)
            write_piece(connection.open_transport(), piece, chunked=chunked)
        if connection.writing_paused:
            await connection.drained()
    if chunked:
        connection.open_transport().write(_LAST_CHUNK)
    if connection.writing_paused:
        await connection.drained()
    return sent


def write_piece(transport: asyncio.Transport, piece: bytes, *, chunked: bool) -> None:
    if not chunked:
        transport.write(piece)
    elif len(piece) <= _ONE_WRITE_BYTES:
        transport.write(b"%x\r\n%b\r\n" % (len(piece), piece))
    else:
        transport.write(b"%x\r\n" % len(piece))
        transport.write(piece)
        transport.write(b"\r\n")


async def _write_large(connection: ClientConnection, head: bytes, body: bytes | Sequence[bytes]) -> None:
    connection.answering = True
    slices = TimeSlices()
    for piece in _slices((head, body) if isinstance(body, bytes) else (head, *body)):
        connection.open_transport().write(piece)
        if connection.writing_paused:
            await connection.drained()
        elif slices.is_over:  # a client that reads as fast as we write never lets us wait
            await slices.next()
    connection.answering = False


def _slices(parts: Sequence[bytes]) -> Iterator[bytes | memoryview]:
    """Large pieces are cut without copying; small ones are gathered, since each write is a TLS record and a call."""
    gathered: list[bytes] = []
    size = 0
    for piece in parts:
        if len(piece) <= _ONE_WRITE_BYTES:
            gathered.append(piece)
            size += len(piece)
            if size < _SLICE_BYTES:
                continue
        if gathered:
            yield b"".join(gathered)
            gathered, size = [], 0
        if len(piece) > _ONE_WRITE_BYTES:
            view = memoryview(piece)
            yield from (view[start : start + _SLICE_BYTES] for start in range(0, len(view), _SLICE_BYTES))
    if gathered:
        yield b"".join(gathered)


def _accepts_gzip(accept_encoding: str, headers: Mapping[str, str]) -> bool:
    if "Content-Encoding" in headers or "gzip" not in accept_encoding:
        return False
    return any(token.strip() == "gzip" for token in accept_encoding.split(","))


def _gzipped(body: bytes | Sequence[bytes]) -> list[bytes]:
    """It lets go of the interpreter while it works, so this belongs in a thread; it takes a tenth of zlib's time."""
    compressor = _compressor()
    pieces = [compressor.compress(piece) for piece in ((body,) if isinstance(body, bytes) else body)]
    pieces.append(compressor.flush())
    return [piece for piece in pieces if piece]


async def _gzipped_pieces(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same for a body that is made while it is sent: small pieces wait for others, since each is taken to the
    thread and back."""
    compressor = _compressor()
    gathered: list[bytes] = []
    size = 0
    async for piece in pieces:
        gathered.append(piece)
        size += len(piece)
        if size >= _SLICE_BYTES:
            joined, gathered, size = b"".join(gathered), [], 0
            yield await asyncio.to_thread(compressor.compress, joined)
    yield await asyncio.to_thread(compressor.compress, b"".join(gathered))
    yield compressor.flush()


def _compressor() -> Any:
    from isal import isal_zlib

    return isal_zlib.compressobj(level=1, wbits=31)
