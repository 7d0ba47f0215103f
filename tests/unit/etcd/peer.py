"""A server that speaks HTTP/2 frame by frame, as a test tells it to, and no better than that."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import hpack

from localplane.apiserver.storage.etcd.client import frames
from localplane.apiserver.storage.etcd.client.streams import PREFIX

PATIENCE_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Frame:
    kind: int
    flags: int
    stream: int
    payload: bytes

    @property
    def ends_stream(self) -> bool:
        return bool(self.flags & frames.END_STREAM)


@dataclass(frozen=True, slots=True)
class Request:
    """A call that has come whole."""

    stream: int
    headers: dict[str, str]
    message: bytes


def header_block(fields: dict[str, str]) -> bytes:
    encoder = hpack.Encoder()
    encoder.header_table_size = 0
    return encoder.encode(fields.items())


def grpc_message(message: bytes) -> bytes:
    return PREFIX.pack(0, len(message)) + message


def headers(stream: int) -> bytes:
    block = header_block({":status": "200", "content-type": "application/grpc"})
    return frames.frame(frames.HEADERS, frames.END_HEADERS, stream, block)


def trailers(stream: int, status: int = 0, message: str = "") -> bytes:
    fields = {"grpc-status": str(status), "grpc-message": message}
    return frames.frame(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, stream, header_block(fields))


def data(stream: int, payload: bytes, *, flags: int = 0) -> bytes:
    pieces = [payload[at : at + 16_384] for at in range(0, len(payload), 16_384)]
    return b"".join(frames.frame(frames.DATA, flags, stream, piece) for piece in pieces)


def answer(stream: int, message: bytes) -> bytes:
    return headers(stream) + data(stream, grpc_message(message)) + trailers(stream)


def refusal(stream: int, status: int, message: str) -> bytes:
    """A response that is nothing but trailers."""
    fields = {":status": "200", "content-type": "application/grpc", "grpc-status": str(status), "grpc-message": message}
    return frames.frame(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, stream, header_block(fields))


class PeerConnection:
    """The server's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._decoder = hpack.Decoder()

    def send(self, *parts: bytes) -> None:
        self._writer.write(b"".join(parts))

    def abort(self) -> None:
        """Vanish, as a killed process does."""
        self._writer.transport.abort()

    async def closed(self) -> None:
        """Wait until the client has closed the connection."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await self._reader.read(65_536):
                pass

    async def preface(self) -> None:
        assert await self._reader.readexactly(len(frames.PREFACE)) == frames.PREFACE

    async def any_frame(self) -> Frame:
        async with asyncio.timeout(PATIENCE_SECONDS):
            high, low, kind, flags, stream = frames.HEAD.unpack(await self._reader.readexactly(frames.HEAD_SIZE))
            return Frame(kind, flags, stream, await self._reader.readexactly(high << 8 | low))

    async def frame(self, *kinds: int) -> Frame:
        """The next frame of one of these kinds; others are passed over."""
        while True:
            frame = await self.any_frame()
            if frame.kind in kinds:
                return frame

    async def request(self) -> Request:
        """The next call whose end has come."""
        opening = await self.frame(frames.HEADERS)
        body = b""
        while True:
            part = await self.frame(frames.DATA)
            assert part.stream == opening.stream
            body += part.payload
            if part.ends_stream:
                break
        fields = {str(name): str(value) for name, value in self._decoder.decode(opening.payload)}
        return Request(opening.stream, fields, body[PREFIX.size :])

    async def message(self) -> bytes:
        """The next message of a stream, which has come in one frame."""
        return (await self.frame(frames.DATA)).payload[PREFIX.size :]

    async def acknowledged(self) -> None:
        """Everything that was sent before has been read by the client, and it had nothing to send in return: the
        next thing it says is the answer to a ping that was sent after it."""
        self.send(frames.frame(frames.PING, 0, 0, b"sentinel"))
        while True:
            frame = await self.any_frame()
            if frame.kind != frames.SETTINGS:
                assert frame == Frame(frames.PING, frames.ACK, 0, b"sentinel")
                return


class FakePeer:
    """Listens on a port of its own; `accept` hands over connections in the order they came."""

    def __init__(self) -> None:
        self._connections: asyncio.Queue[PeerConnection] = asyncio.Queue()
        self._writers: list[asyncio.StreamWriter] = []
        self.accepted = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._server.close()
        await self._server.wait_closed()

    async def stop_listening(self) -> None:
        self._server.close()

    async def accept_silently(self) -> PeerConnection:
        """A connection on which the server has not said a word."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            connection = await self._connections.get()
            await connection.preface()
            return connection

    async def accept(self, settings: dict[int, int] | None = None) -> PeerConnection:
        connection = await self.accept_silently()
        connection.send(frames.settings(settings or {}), frames.frame(frames.SETTINGS, frames.ACK, 0))
        return connection

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        self._writers.append(writer)
        self._connections.put_nowait(PeerConnection(reader, writer))
