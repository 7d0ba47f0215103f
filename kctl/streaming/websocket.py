"""WebSockets (RFC 6455) from the client's side, as far as the API needs them: binary messages, pings, a close.

It is ours because a server's refusal has to be shown whole, and HTTP libraries throw its body away.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Self

from kctl.session.session import Session
from kctl.streaming.dial import Wire, upgrade_for
from localplane.client.errors import ConnectionLost
from localplane.client.transport.interface import Pairs

_GUID: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10
_LARGEST: Final = 64 * 1024 * 1024
_NORMAL: Final = 1000
_REASONS: Final = {
    1001: " (going away)",
    1002: " (protocol error)",
    1003: " (unsupported data)",
    1005: " (no status)",
    1006: " (abnormal closure)",
    1007: " (invalid payload data)",
    1008: " (policy violation)",
    1009: " (message too big)",
    1010: " (mandatory extension missing)",
    1011: " (internal server error)",
    1015: " (TLS handshake error)",
}


class UpgradeRefused(Exception):
    """The server, or something in between, does not speak WebSockets here; SPDY may do."""


class WebSocket:
    """One task receives, any may send. A ping goes out every `ping_every` seconds; silence for too long is a loss."""

    def __init__(self, wire: Wire, protocol: str) -> None:
        self._reader, self._writer, self._rest = wire
        self._closing = False
        self._silence: float | None = None
        self._pinging: asyncio.Task[None] | None = None
        self.protocol = protocol
        """Which of those that were offered the server chose."""

    def keep_alive(self, *, ping_every: float, silence: float) -> None:
        """Kubernetes: client-go/tools/remotecommand, heartbeat."""
        self._silence = silence
        self._pinging = asyncio.get_running_loop().create_task(self._ping(ping_every))

    async def send(self, data: bytes) -> None:
        await self._frame(_BINARY, data)

    async def receive(self) -> bytes | None:
        """The next message; None when the server said goodbye. Raises ConnectionLost."""
        parts: list[bytes] = []
        while True:
            final, code, data = await self._next_frame()
            if code == _CLOSE:
                await self._answer_close(data)
                return None
            if code == _PING:
                await self._reply(_PONG, data)
            elif code in (_TEXT, _BINARY, _CONTINUATION):
                parts.append(data)
                if final:
                    return b"".join(parts)

    async def close(self) -> None:
        """Say goodbye and hang up, without waiting for an answer."""
        if self._pinging is not None:
            self._pinging.cancel()
        try:
            if not self._closing:
                self._closing = True
                await self._frame(_CLOSE, struct.pack("!H", _NORMAL))
        except ConnectionLost:
            pass
        self._writer.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _ping(self, every: float) -> None:
        try:
            while True:
                await asyncio.sleep(every)
                await self._frame(_PING, b"")
        except ConnectionLost:
            return  # whoever receives will hear of it

    async def _answer_close(self, data: bytes) -> None:
        code = struct.unpack("!H", data[:2])[0] if len(data) >= 2 else 1005
        if not self._closing:
            self._closing = True
            await self._reply(_CLOSE, data[:2])
        if code != _NORMAL:
            raise _closed(code, data[2:].decode("utf-8", "replace"))

    async def _reply(self, code: int, data: bytes) -> None:
        """To one who need not be there any more: what he has said before is heard all the same."""
        with suppress(ConnectionLost):
            await self._frame(code, data)

    async def _frame(self, code: int, data: bytes) -> None:
        length = len(data)
        if length < 126:
            head = struct.pack("!BB", 0x80 | code, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack("!BBH", 0x80 | code, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | code, 0x80 | 127, length)
        mask = os.urandom(4)
        try:
            self._writer.write(head + mask + _masked(data, mask))
            await self._writer.drain()
        except OSError as error:
            raise ConnectionLost(f"the connection was lost: {error}") from error

    async def _next_frame(self) -> tuple[bool, int, bytes]:
        try:
            async with asyncio.timeout(self._silence):
                return await self._read_frame()
        except TimeoutError:
            raise ConnectionLost("i/o timeout") from None

    async def _read_frame(self) -> tuple[bool, int, bytes]:
        first, second = await self._exactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", await self._exactly(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", await self._exactly(8))
        if length > _LARGEST:
            raise ConnectionLost(f"a message of {length} bytes")
        mask = await self._exactly(4) if second & 0x80 else b""
        data = await self._exactly(length)
        return bool(first & 0x80), first & 0x0F, _masked(data, mask) if mask else data

    async def _exactly(self, count: int) -> bytes:
        taken, self._rest = self._rest[:count], self._rest[count:]
        if len(taken) == count:
            return taken
        try:
            return taken + await self._reader.readexactly(count - len(taken))
        except (asyncio.IncompleteReadError, OSError) as error:
            raise _closed(1006, "unexpected EOF") from error


def _closed(code: int, text: str) -> ConnectionLost:
    """In the words of the library that kubectl uses."""
    return ConnectionLost(f"websocket: close {code}{_REASONS.get(code, '')}" + (f": {text}" if text else ""))


def _masked(data: bytes, mask: bytes) -> bytes:
    """All bytes at once, as one long number: byte by byte Python would be the bottleneck."""
    length = len(data)
    if not length:
        return b""
    pattern = (mask * (length // 4 + 1))[:length]
    return (int.from_bytes(data, "big") ^ int.from_bytes(pattern, "big")).to_bytes(length, "big")


async def connect(session: Session, path: str, query: Pairs, protocols: Sequence[str]) -> WebSocket:
    """Raises UpgradeRefused, ConnectionFailed."""
    key = base64.b64encode(os.urandom(16))
    headers = [
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Key", key.decode()),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Protocol", ", ".join(protocols)),
    ]
    answer = await upgrade_for(session, "GET", path, query, headers)
    if answer.wire is None:
        raise UpgradeRefused(f"status {answer.status}")
    expected = base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode()  # noqa: S324 - what the protocol says
    chosen = answer.header("sec-websocket-protocol")
    if answer.header("sec-websocket-accept") != expected or chosen not in protocols:
        answer.wire.writer.close()
        raise UpgradeRefused(f'invalid protocol, expected one of {protocols}, got "{chosen}"')
    return WebSocket(answer.wire, chosen)
