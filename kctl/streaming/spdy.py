"""Several streams over one connection, by SPDY/3.1: over the bare connection, or inside of a WebSocket.

Kubernetes: streaming/pkg/httpstream/spdy; frames are in `spdy_frames`.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, Self

from kctl.errors import KctlError
from localplane.client.errors import ConnectionLost

from .spdy_frames import (
    DATA,
    FIN,
    GOAWAY,
    HEADERS,
    PING,
    RST_STREAM,
    SYN_REPLY,
    SYN_STREAM,
    Frame,
    FrameReader,
    HeaderReader,
    HeaderWriter,
    data_frame,
    go_away_frame,
    ping_frame,
    reset_frame,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .dialing import Wire

_REPLY_WITHIN: Final = 30.0
_HELD: Final = 64
"""Pieces of a stream that wait to be read; then the sender has to."""
_PIECE: Final = 65536


class Pipe(Protocol):
    """What frames travel over."""

    async def send(self, data: bytes) -> None:
        """Raises ConnectionLost."""

    async def receive(self) -> bytes | None:
        """None at the end. Raises ConnectionLost."""

    async def close(self) -> None: ...


class WirePipe:
    """A connection that the server has upgraded to SPDY."""

    def __init__(self, wire: Wire) -> None:
        self._reader, self._writer, self._rest = wire

    async def send(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise ConnectionLost(f"the connection was lost: {error}") from error

    async def receive(self) -> bytes | None:
        rest, self._rest = self._rest, b""
        try:
            return rest or await self._reader.read(_PIECE) or None
        except OSError as error:
            raise ConnectionLost(f"the connection was lost: {error}") from error

    async def close(self) -> None:
        self._writer.close()


class Stream:
    def __init__(self, connection: SPDYConnection, number: int) -> None:
        self.number = number
        self._connection = connection
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = asyncio.Semaphore(_HELD)
        self._ended = False
        self._finished = False
        self.answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def read(self) -> bytes:
        """The next piece; nothing at its end."""
        if self._ended:
            return b""
        piece = await self._pieces.get()
        self._room.release()
        self._ended = not piece
        return piece

    async def read_all(self) -> bytes:
        pieces = []
        while piece := await self.read():
            pieces.append(piece)
        return b"".join(pieces)

    async def write(self, data: bytes) -> None:
        """Raises ConnectionLost."""
        if not self._finished:
            await self._connection.send(data_frame(self.number, data))

    async def finish(self) -> None:
        """We say no more on it."""
        if not self._finished:
            self._finished = True
            await self._connection.send(data_frame(self.number, b"", last=True))

    async def reset(self) -> None:
        """Neither side says more."""
        self._finished = True
        self._connection.forget(self)
        await self._connection.send(reset_frame(self.number))

    async def hear(self, data: bytes) -> None:
        await self._room.acquire()
        self._pieces.put_nowait(data)

    def lose(self) -> None:
        """There will be no more, whoever waits for it."""
        if not self.answered.done():
            self.answered.set_result(None)
        self._pieces.put_nowait(b"")


class SPDYConnection:
    """Use it in `async with`. `lost` is set when the other side is gone."""

    def __init__(self, pipe: Pipe, *, ping_every: float) -> None:
        self.lost = asyncio.Event()
        self._pipe = pipe
        self._ping_every = ping_every
        self._sending = asyncio.Lock()
        self._writer, self._reader = HeaderWriter(), HeaderReader()
        self._streams: dict[int, Stream] = {}
        self._next, self._ping = 1, 1
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._listen()), loop.create_task(self._send_pings())]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        with suppress(ConnectionLost):
            for stream in list(self._streams.values()):
                await stream.reset()
            await self.send(go_away_frame())
        await self._pipe.close()

    async def send(self, frame: bytes) -> None:
        """Raises ConnectionLost."""
        async with self._sending:
            await self._pipe.send(frame)

    async def open(self, headers: Sequence[tuple[str, str]]) -> Stream:
        """Once the other side has agreed. Raises KctlError and ConnectionLost."""
        async with self._sending:  # the numbers and the compressed headers have to travel in order
            stream = Stream(self, self._next)
            self._next += 2
            self._streams[stream.number] = stream
            await self._pipe.send(self._writer.syn_stream(stream.number, headers))
        try:
            async with asyncio.timeout(_REPLY_WITHIN):
                await stream.answered
        except TimeoutError:
            raise KctlError("timeout waiting for reply") from None
        if stream.number not in self._streams:
            raise KctlError("stream was refused or the connection was lost")
        return stream

    def forget(self, *streams: Stream) -> None:
        for stream in streams:
            self._streams.pop(stream.number, None)

    async def _send_pings(self) -> None:
        with suppress(ConnectionLost):
            while not self.lost.is_set():
                await asyncio.sleep(self._ping_every)
                await self.send(ping_frame(self._ping))
                self._ping += 2

    async def _listen(self) -> None:
        frames = FrameReader()
        try:
            while (data := await self._pipe.receive()) is not None:
                frames.feed(data)
                for frame in frames.frames():
                    await self._take(frame)
        except (ConnectionLost, zlib.error, struct.error):
            pass
        finally:
            self.lost.set()
            streams, self._streams = self._streams, {}
            for stream in streams.values():
                stream.lose()

    async def _take(self, frame: Frame) -> None:
        stream = self._streams.get(frame.stream)
        if frame.type == DATA:
            if stream is not None and frame.data:
                await stream.hear(frame.data)
            if stream is not None and frame.flags & FIN:
                await stream.hear(b"")
        elif frame.type in (SYN_REPLY, HEADERS, SYN_STREAM):
            self._reader.read(frame.data[6:] if frame.type == SYN_STREAM else frame.data)
            if frame.type == SYN_STREAM:
                await self.send(reset_frame(frame.stream))  # nobody here expects one
            elif stream is not None and not stream.answered.done():
                stream.answered.set_result(None)
                if frame.flags & FIN:
                    await stream.hear(b"")
        elif frame.type == RST_STREAM and stream is not None:
            self.forget(stream)
            stream.lose()
        elif frame.type == PING and not frame.stream % 2:
            await self.send(ping_frame(frame.stream))
        elif frame.type == GOAWAY:
            return  # it will hang up when the streams have ended
