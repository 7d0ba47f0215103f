"""The server's side of exec, attach and port-forward: channels over a WebSocket, or SPDY streams."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import struct
from typing import Protocol

from kctl.streaming.spdy import (
    DATA,
    FIN,
    PING,
    RST_STREAM,
    SYN_STREAM,
    FrameReader,
    HeaderReader,
    HeaderWriter,
    data_frame,
    ping_frame,
)
from tests.e2e.streaming.fake_http import Request

_TYPES = {"stdin": 0, "stdout": 1, "stderr": 2, "error": 3, "resize": 4}


class Channels(Protocol):
    """What `receive` gives is a channel and data; no data is that channel's end."""

    async def send(self, channel: int, data: bytes) -> None: ...
    async def receive(self) -> tuple[int, bytes] | None: ...
    async def close(self, code: int = 1000, reason: str = "") -> None: ...


class WebSocket:
    """`heard` are the messages as they came."""

    def __init__(self, request: Request) -> None:
        self._reader, self._writer = request.reader, request.writer
        self.heard: list[bytes] = []

    @classmethod
    async def accept(cls, request: Request, protocol: str) -> WebSocket:
        key = request.header("sec-websocket-key").encode()
        proof = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()).decode()
        chosen = [("Sec-WebSocket-Protocol", protocol)] if protocol else []
        await request.switch(("Upgrade", "websocket"), ("Sec-WebSocket-Accept", proof), *chosen)
        return cls(request)

    async def message(self) -> bytes | None:
        while True:
            try:
                first, second = await self._reader.readexactly(2)
                length = second & 0x7F
                if length >= 126:
                    size = 2 if length == 126 else 8
                    length = int.from_bytes(await self._reader.readexactly(size), "big")
                mask = await self._reader.readexactly(4)
                data = bytes(one ^ mask[at % 4] for at, one in enumerate(await self._reader.readexactly(length)))
            except (asyncio.IncompleteReadError, ConnectionError):
                return None
            if first & 0x0F == 8:
                return None
            if first & 0x0F == 9:
                await self._frame(10, data)
            elif first & 0x0F == 2:
                self.heard.append(data)
                return data

    async def say(self, data: bytes) -> None:
        await self._frame(2, data)

    async def send(self, channel: int, data: bytes) -> None:
        await self.say(bytes([channel]) + data)

    async def receive(self) -> tuple[int, bytes] | None:
        message = await self.message()
        if message is None:
            return None
        return (message[1], b"") if message[0] == 255 else (message[0], message[1:])

    async def close(self, code: int = 1000, reason: str = "") -> None:
        await self._frame(8, struct.pack("!H", code) + reason.encode())

    async def _frame(self, code: int, data: bytes) -> None:
        length = len(data)
        head = (
            struct.pack("!BB", 0x80 | code, length) if length < 126 else struct.pack("!BBQ", 0x80 | code, 127, length)
        )
        if 126 <= length < 1 << 16:
            head = struct.pack("!BBH", 0x80 | code, 126, length)
        self._writer.write(head + data)
        await self._writer.drain()


class SPDY:
    """Streams that the client opened, by number, with the headers it gave them."""

    def __init__(self, request: Request, tunnel: WebSocket | None = None) -> None:
        self._request = request
        self._tunnel = tunnel
        self._frames, self._headers, self._writer = FrameReader(), HeaderReader(), HeaderWriter()
        self.streams: dict[int, dict[str, str]] = {}
        self._heard: list[tuple[int, bytes]] = []
        self.pings = 0

    async def receive_any(self) -> tuple[int, bytes] | None:
        """A stream and data; without data it is new if it was not known, and ended otherwise."""
        while not self._heard:
            data = await (self._tunnel.message() if self._tunnel else self._read())
            if data is None:
                return None
            self._frames.feed(data)
            for frame in list(self._frames.frames()):
                await self._take(frame.type, frame.stream, frame.flags, frame.data)
        return self._heard.pop(0)

    async def write(self, stream: int, data: bytes, *, last: bool = False) -> None:
        await self._send(data_frame(stream, data, last=last))

    async def ping(self) -> None:
        await self._send(ping_frame(2))

    def hang_up(self) -> None:
        self._request.writer.close()

    async def _take(self, kind: int, stream: int, flags: int, data: bytes) -> None:
        if kind == SYN_STREAM:
            self.streams[stream] = self._headers.read(data[6:])
            await self._send(self._writer.syn_reply(stream, []))
            self._heard.append((stream, b""))
        elif kind == DATA:
            if data:
                self._heard.append((stream, data))
            if flags & FIN:
                self._heard.append((stream, b""))
        elif kind == PING:
            self.pings += 1
            if stream % 2:
                await self._send(ping_frame(stream))
        elif kind == RST_STREAM:
            self._heard.append((stream, b""))

    async def _read(self) -> bytes | None:
        try:
            return await self._request.reader.read(65536) or None
        except ConnectionError:
            return None

    async def _send(self, data: bytes) -> None:
        if self._tunnel is not None:
            await self._tunnel.say(data)
            return
        self._request.writer.write(data)
        await self._request.writer.drain()


class SPDYChannels:
    """The streams of a process, once all that were wanted are there."""

    def __init__(self, spdy: SPDY) -> None:
        self._spdy = spdy
        self._numbers: dict[int, int] = {}

    async def open(self, wanted: int) -> None:
        while len(self._numbers) < wanted:
            heard = await self._spdy.receive_any()
            assert heard is not None
            self._numbers[_TYPES[self._spdy.streams[heard[0]]["streamtype"]]] = heard[0]

    async def send(self, channel: int, data: bytes) -> None:
        await self._spdy.write(self._numbers[channel], data)

    async def receive(self) -> tuple[int, bytes] | None:
        heard = await self._spdy.receive_any()
        if heard is None:
            return None
        return next(channel for channel, number in self._numbers.items() if number == heard[0]), heard[1]

    async def close(self, code: int = 1000, reason: str = "") -> None:
        del code, reason
        for channel in (1, 2, 3):
            if channel in self._numbers:
                await self._spdy.write(self._numbers[channel], b"", last=True)
