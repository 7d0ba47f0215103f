"""HTTP/1.1 over TLS, one request at a time, with the one distinction that a client's next step depends on: whether
anything of the request had been sent when the connection turned out to be gone."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field

_LONGEST_LINE = 16 * 1024 * 1024


class NothingSent(Exception):
    """There was no connection, or it had ended before the first byte."""


class Broken(Exception):
    """The connection ended after something was sent, and before the answer had come whole."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server is met, and with what a client comes."""

    host: str
    port: int
    tls: ssl.SSLContext | None = None
    token: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: bytes = b""
    content_type: str = "application/json"

    def encoded(self, place: Place) -> bytes:
        head = (
            f"{self.method} {self.path} HTTP/1.1\r\nHost: {place.host}:{place.port}\r\n"
            f"Authorization: Bearer {place.token}\r\nAccept: application/json\r\nUser-Agent: faults\r\n"
        )
        if self.body:
            head += f"Content-Type: {self.content_type}\r\nContent-Length: {len(self.body)}\r\n"
        return head.encode() + b"\r\n" + self.body


@dataclass(frozen=True, slots=True)
class Answer:
    """A watch has no body here: its lines are read one by one."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


class Connection:
    """`used` says that it has carried an answer before."""

    def __init__(self, place: Place, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.used = False
        self._place = place
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, place: Place) -> Connection:
        try:
            reader, writer = await asyncio.open_connection(place.host, place.port, ssl=place.tls, limit=_LONGEST_LINE)
        except OSError as error:  # TLS errors and time-outs are such, too
            raise NothingSent(str(error)) from error
        return cls(place, reader, writer)

    @property
    def ended(self) -> bool:
        return self._reader.at_eof() or self._reader.exception() is not None or self._writer.is_closing()

    async def ask(self, request: Request) -> Answer:
        """The whole answer. Raises NothingSent, Broken."""
        answer = await self.begin(request)
        try:
            body = await self._body(answer.headers)
        except (OSError, EOFError, ValueError) as error:
            raise Broken(f"within an answer: {error}") from error
        self.used = True
        return Answer(answer.status, answer.headers, body)

    async def begin(self, request: Request) -> Answer:
        """The head of the answer alone. Raises NothingSent, Broken."""
        if self.ended:
            raise NothingSent("the connection had ended")
        try:
            self._writer.write(request.encoded(self._place))
            await self._writer.drain()
            head = await self._reader.readuntil(b"\r\n\r\n")
        except (OSError, EOFError) as error:
            raise Broken(f"before an answer: {error}") from error
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
        return Answer(int(first.split(" ", 2)[1]), headers)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The pieces of a chunked answer, to its end. Raises Broken."""
        try:
            while size := int(await self._reader.readuntil(b"\r\n"), 16):
                chunk = await self._reader.readexactly(size + 2)
                yield chunk[:-2]
            await self._reader.readexactly(2)
        except (OSError, EOFError, ValueError) as error:
            raise Broken(f"within a stream: {error}") from error

    async def _body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding") == "chunked":
            return b"".join([chunk async for chunk in self.chunks()])
        return await self._reader.readexactly(int(headers.get("content-length", "0")))

    def close(self) -> None:
        self._writer.close()
