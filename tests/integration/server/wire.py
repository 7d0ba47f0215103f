"""Speaking HTTP by hand: tests of an HTTP server should see its bytes, not a client's opinion of them."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes
    raw_head: bytes

    def all(self, name: str) -> list[str]:
        lines = self.raw_head.decode().split("\r\n")[1:]
        pairs = (line.partition(": ") for line in lines)
        return [value for key, _, value in pairs if key.lower() == name]


class Wire:
    """One connection. Everything that waits gives up after a few seconds."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def connect(cls, port: int, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Self:
        name = "localhost" if tls else None
        return cls(*await asyncio.open_connection(host, port, ssl=tls, server_hostname=name, limit=1 << 24))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.writer.transport.abort()

    def send(self, method: str, path: str, *, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        fields = {"Host": "localhost"} | (headers or {})
        if body:
            fields["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)

    def send_raw(self, data: bytes) -> None:
        self.writer.write(data)

    async def get(self, path: str, *, method: str = "GET", headers: dict[str, str] | None = None) -> Reply:
        self.send(method, path, headers=headers)
        return await self.reply(head_only=method == "HEAD")

    async def post(self, path: str, body: bytes, *, headers: dict[str, str] | None = None) -> Reply:
        self.send("POST", path, body=body, headers=headers)
        return await self.reply()

    async def reply(self, *, head_only: bool = False) -> Reply:
        head = await self.head()
        async with asyncio.timeout(30):
            if head_only or head.status in (204, 304):
                return head
            if head.headers.get("transfer-encoding") == "chunked":
                pieces = []
                while piece := await self.chunk():
                    pieces.append(piece)
                return Reply(head.status, head.headers, b"".join(pieces), head.raw_head)
            if "content-length" in head.headers:
                body = await self.reader.readexactly(int(head.headers["content-length"]))
            else:
                body = await self.reader.read()
        return Reply(head.status, head.headers, body, head.raw_head)

    async def head(self) -> Reply:
        async with asyncio.timeout(30):
            raw = await self.reader.readuntil(b"\r\n\r\n")
        status_line, *lines = raw.decode().strip().split("\r\n")
        pairs = (line.partition(": ") for line in lines)
        return Reply(int(status_line.split()[1]), {name.lower(): value for name, _, value in pairs}, b"", raw)

    async def chunk(self) -> bytes:
        """The next chunk of a stream; empty at its proper end. Raises IncompleteReadError if it just breaks off."""
        async with asyncio.timeout(30):
            size = int((await self.reader.readuntil(b"\r\n")).strip(), 16)
            data = await self.reader.readexactly(size + 2)
        return data[:-2]

    async def rest(self) -> bytes:
        """Everything until the server closes."""
        async with asyncio.timeout(30):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""


async def eventually(claim: Callable[[], bool]) -> None:
    """For what the server does on its own time, and tells nobody."""
    async with asyncio.timeout(30):
        while True:
            if claim():
                return
            await asyncio.sleep(0.002)


async def ask_raw(port: int, data: bytes) -> bytes:
    """All that a server says to these bytes before it closes."""
    async with await Wire.connect(port) as wire:
        wire.send_raw(data)
        return await wire.rest()
