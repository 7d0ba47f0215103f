"""A server that answers byte for byte as it is told to, in the pieces that it is told to."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.unit.tls.papers import Paper, issue

APART = 0.001
"""Seconds between two pieces: long enough for whoever reads what is there now."""

AUTHORITY = issue("authority", ca=True)
SERVER = issue("server", AUTHORITY, hosts=["localhost", "127.0.0.1", "hook.default.svc"])


@dataclass
class Answering:
    """`pieces` are sent to whoever asks, or what is chosen for the request; then the connection ends. `requests` are
    what came."""

    port: int = 0
    pieces: Sequence[bytes] = ()
    requests: list[bytes] = field(default_factory=list)
    choose: Callable[[bytes], Sequence[bytes]] | None = None

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            body = await reader.readexactly(int(lengths[0].split(b":")[1])) if lengths else b""
            self.requests.append(head + body)
            for piece in self.choose(head + body) if self.choose else self.pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(APART)
            if writer.can_write_eof():
                writer.write_eof()
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            return  # whoever asked has heard enough
        finally:
            writer.close()


@asynccontextmanager
async def answering(directory: Path, *, paper: Paper | None = SERVER) -> AsyncIterator[Answering]:
    """Over TLS, with the certificate; without one it is plain."""
    context = None
    if paper is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*paper.written(directory, "answering"))
    told = Answering()
    server = await asyncio.start_server(told.handle, "127.0.0.1", 0, ssl=context)
    told.port = server.sockets[0].getsockname()[1]
    async with server:
        yield told


def head(*headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", "Connection: close", *headers]
    return "\r\n".join((*lines, "", "")).encode()


def with_length(body: bytes, *headers: str) -> bytes:
    return head(f"Content-Length: {len(body)}", *headers) + body


def chunked(body: bytes, *headers: str, size: int = 7) -> bytes:
    size = max(size, len(body) // 100)
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    framed = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head("Transfer-Encoding: chunked", *headers) + framed + b"0\r\n\r\n"


def until_the_end(body: bytes, *headers: str) -> bytes:
    return head(*headers) + body


def packed(body: bytes) -> bytes:
    return with_length(gzip.compress(body, mtime=0), "Content-Encoding: gzip")


def packed_in_chunks(body: bytes) -> bytes:
    return chunked(gzip.compress(body, mtime=0), "Content-Encoding: gzip")


def whole(data: bytes) -> list[bytes]:
    return [data]


def halves(data: bytes) -> list[bytes]:
    return [data[: len(data) // 2], data[len(data) // 2 :]]


def head_first(data: bytes) -> list[bytes]:
    end = data.index(b"\r\n\r\n") + 4
    return [data[:end], data[end : end + 1], data[end + 1 :]]


def byte_by_byte(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]
