"""A client that does as little as can be done: requests are sent as they are, answers are counted more than read."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar, cast

_LENGTH = b"\r\nContent-Length: "
_CHUNKED = b"\r\nTransfer-Encoding: chunked"
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_KEPT_BYTES = 1 << 16


class UnexpectedAnswer(Exception):
    """A benchmark of refusals is none."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens, and with what a client may come."""

    host: str
    port: int
    tls: ssl.SSLContext


class Connection(asyncio.Protocol):
    """HTTP/1.1, kept alive, one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._answered: asyncio.Future[bytes] | None = None
        self._keep = False
        self._begin()

    def _begin(self) -> None:
        self._head = b""
        self._missing = -1
        self._pieces: list[bytes] = []
        self._chunked = False
        self._end = b""
        self.size = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(UnexpectedAnswer(f"the server closed the connection: {exc}"))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def ask(self, request: bytes, *, keep: bool = False) -> asyncio.Future[bytes]:
        """The body of the answer. A large one is thrown away, and empty here, unless it shall be kept; `size` tells
        how large it was. Raises UnexpectedAnswer unless it is a success."""
        assert self._transport is not None
        self._begin()
        self._keep = keep
        self._answered = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answered

    def data_received(self, data: bytes) -> None:
        if self._missing < 0:
            data = self._head + data
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._head = data
                return
            self._head, data = data[:end], data[end + 4 :]
            self._chunked = _CHUNKED in self._head
            self._missing = self.size = 0 if self._chunked else _content_length(self._head)
            self._keep = self._keep or (self.size <= _KEPT_BYTES and not self._chunked)
        if self._chunked:
            self._chunk_arrived(data)
            return
        self._missing -= len(data)
        if self._keep:
            self._pieces.append(data)
        if not self._missing:
            self._complete()

    def _chunk_arrived(self, data: bytes) -> None:
        """Who asks for what comes in chunks only wants to know how much it was, and when it was over."""
        self.size += len(data)
        self._end = (self._end + data)[-len(_LAST_CHUNK) :]
        if self._end == _LAST_CHUNK:
            self._complete()

    def _complete(self) -> None:
        assert self._answered is not None
        body = b"".join(self._pieces)
        if self._head[9:10] == b"2":
            self._answered.set_result(body)
        else:
            self._answered.set_exception(UnexpectedAnswer(f"{self._head.decode()}\n\n{body.decode()}"))


def _content_length(head: bytes) -> int:
    at = head.find(_LENGTH)
    if at < 0:
        raise UnexpectedAnswer(f"no length in {head.decode()}")
    start = at + len(_LENGTH)
    end = head.find(b"\r", start)
    return int(head[start : end if end >= 0 else None])


Client = TypeVar("Client", bound=Connection)


@asynccontextmanager
async def connections(place: Place, number: int, kind: Callable[[], Client]) -> AsyncIterator[list[Client]]:
    """So many connections, opened a few at a time."""
    loop = asyncio.get_running_loop()
    opened: list[Client] = []
    try:
        while len(opened) < number:
            pairs = await asyncio.gather(
                *(
                    loop.create_connection(kind, place.host, place.port, ssl=place.tls)
                    for _ in range(min(20, number - len(opened)))
                )
            )
            opened += [protocol for _, protocol in pairs]
        yield opened
    finally:
        for connection in opened:
            connection.close()
