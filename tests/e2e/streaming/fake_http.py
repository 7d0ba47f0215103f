"""Just enough of an HTTP/1.1 server for one that changes protocols in the middle of a connection."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def path(self) -> str:
        return unquote(urlsplit(self.target).path)

    @property
    def query(self) -> list[tuple[str, str]]:
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True)

    def value(self, name: str) -> str:
        """Of the query."""
        return dict(self.query).get(name, "")

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.query if key == name]

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    def all_headers(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name]

    async def answer(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        given = {"Content-Type": "text/plain", **dict(headers), "Content-Length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        self.writer.write(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body)
        await self.writer.drain()

    async def answer_json(self, status: int, document: Any, kind: str = "application/json") -> None:
        await self.answer(status, json.dumps(document).encode(), ("Content-Type", kind))

    async def refuse(self, code: int, reason: str, message: str) -> None:
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": reason}
        await self.answer_json(code, {**status, "code": code})

    async def switch(self, *headers: tuple[str, str]) -> None:
        head = "".join(f"{name}: {value}\r\n" for name, value in headers)
        self.writer.write(f"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n{head}\r\n".encode())
        await self.writer.drain()

    async def begin(self, kind: str) -> None:
        """An answer that comes in pieces."""
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.writer.write(head.encode())
        await self.writer.drain()

    async def piece(self, data: bytes) -> None:
        """An empty one is the last."""
        self.writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self.writer.drain()


async def read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, target, _ = first.split(" ")
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    return Request(method, target, headers, await reader.readexactly(length), reader, writer)
