"""Frames of SPDY/3.1, as far as streams between kubectl and a kubelet need them: bytes in, frames out, and back.

Header blocks are compressed with one dictionary that both sides know, and one state per direction: they must be made
and read in the order in which they travel. Nobody here does flow control: moby/spdystream, which is what all the
others use, doesn't either.

Several streams over one connection, by SPDY/3.1: over the bare connection, or inside of a WebSocket.

Kubernetes: streaming/pkg/httpstream/spdy; frames are in `spdy_frames`.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, Protocol, Self

from kctl.errors import KctlError
from kctl.streaming import dial
from localplane.client.errors import ConnectionLost

SYN_STREAM, SYN_REPLY, RST_STREAM, SETTINGS, PING, GOAWAY, HEADERS, WINDOW_UPDATE = 1, 2, 3, 4, 6, 7, 8, 9
DATA: Final = 0
"""Our own number: data frames have none."""
FIN: Final = 1
CANCEL: Final = 5
LONGEST: Final = (1 << 24) - 1
_VERSION: Final = 3

_WORDS: Final = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow "
    "authorization cache-control connection content-base content-encoding content-language content-length "
    "content-location content-md5 content-range content-type date etag expect expires from host if-match "
    "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma "
    "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade "
    "user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie "
    "keep-alive origin"
)
_TEXT: Final = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative "
    "Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 "
    "Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec "
    "00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,"
    "application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8"
    "charset=iso-8859-1,utf-,*,enq=0."
)


def _dictionary() -> bytes:
    words = (word.replace("_", " ").encode() for word in _WORDS.split())
    return b"".join(struct.pack("!I", len(word)) + word for word in words) + _TEXT.encode()


class Frame(NamedTuple):
    """`stream` is 0 where none is meant; of a ping it is the ping's own number."""

    type: int
    stream: int
    flags: int
    data: bytes


def data_frame(stream: int, data: bytes, *, last: bool = False) -> bytes:
    return struct.pack("!II", stream, (FIN if last else 0) << 24 | len(data)) + data


def control_frame(kind: int, body: bytes, *, flags: int = 0) -> bytes:
    return struct.pack("!HHI", 0x8000 | _VERSION, kind, flags << 24 | len(body)) + body


def reset_frame(stream: int) -> bytes:
    return control_frame(RST_STREAM, struct.pack("!II", stream, CANCEL))


def ping_frame(number: int) -> bytes:
    return control_frame(PING, struct.pack("!I", number))


def go_away_frame() -> bytes:
    return control_frame(GOAWAY, struct.pack("!II", 0, 0))


class HeaderWriter:
    def __init__(self) -> None:
        self._compressor = zlib.compressobj(zdict=_dictionary())

    def syn_stream(self, stream: int, headers: Sequence[tuple[str, str]]) -> bytes:
        return control_frame(SYN_STREAM, struct.pack("!IIH", stream, 0, 0) + self._block(headers))

    def syn_reply(self, stream: int, headers: Sequence[tuple[str, str]]) -> bytes:
        return control_frame(SYN_REPLY, struct.pack("!I", stream) + self._block(headers))

    def _block(self, headers: Sequence[tuple[str, str]]) -> bytes:
        plain = struct.pack("!I", len(headers))
        for pair in headers:
            name, value = pair[0].lower().encode(), pair[1].encode()
            plain += struct.pack("!I", len(name)) + name + struct.pack("!I", len(value)) + value
        return self._compressor.compress(plain) + self._compressor.flush(zlib.Z_SYNC_FLUSH)


class HeaderReader:
    def __init__(self) -> None:
        self._decompressor = zlib.decompressobj(zdict=_dictionary())

    def read(self, block: bytes) -> dict[str, str]:
        """Raises zlib.error and struct.error for what is none."""
        plain, found = self._decompressor.decompress(block), {}
        (count,), position = struct.unpack_from("!I", plain), 4
        for _ in range(count):
            pair = []
            for _ in range(2):
                (length,) = struct.unpack_from("!I", plain, position)
                pair.append(plain[position + 4 : position + 4 + length].decode("utf-8", "replace"))
                position += 4 + length
            found[pair[0]] = pair[1]
        return found


class FrameReader:
    """Feed it; `frames` gives those that are whole."""

    def __init__(self) -> None:
        self._raw = bytearray()

    def feed(self, data: bytes) -> None:
        self._raw += data

    def frames(self) -> Iterator[Frame]:
        while len(self._raw) >= 8:
            first, second = struct.unpack_from("!II", self._raw)
            flags, length = second >> 24, second & LONGEST
            if len(self._raw) < 8 + length:
                return
            body = bytes(self._raw[8 : 8 + length])
            del self._raw[: 8 + length]
            if not first >> 31:
                yield Frame(DATA, first, flags, body)
                continue
            stream = struct.unpack_from("!I", body)[0] & 0x7FFFFFFF if length >= 4 else 0
            yield Frame(first & 0xFFFF, stream, flags, body[4:])


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

    def __init__(self, wire: dial.Wire) -> None:
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
