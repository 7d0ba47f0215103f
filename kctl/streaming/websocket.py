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
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlencode, urlsplit

from localplane.client.errors import ConfigError, ConnectionLost, ConnectionRefused, TLSFailed
from localplane.client.http1 import Incoming, request_bytes
from localplane.client.statuses import Subject, from_answer
from localplane.client.transport import header

if TYPE_CHECKING:
    from localplane.client.kubeconfig.connection import ClientConfig
    from localplane.client.transport import Pairs

_GUID: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10
_LARGEST: Final = 64 * 1024 * 1024


class WebSocket:
    """One task receives, any may send."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: str, rest: bytes) -> None:
        self._reader = reader
        self._writer = writer
        self._rest = rest
        self._closing = False
        self.protocol = protocol
        """Which of those that were offered the server chose."""

    async def send(self, data: bytes) -> None:
        await self._frame(_BINARY, data)

    async def receive(self) -> bytes | None:
        """The next message; None when there will be no more. Raises ConnectionLost."""
        parts: list[bytes] = []
        while True:
            final, code, data = await self._read_frame()
            if code == _CLOSE:
                await self._answer_close(data)
                return None
            if code == _PING:
                await self._frame(_PONG, data)
            elif code in (_TEXT, _BINARY, _CONTINUATION):
                parts.append(data)
                if final:
                    return b"".join(parts)

    async def close(self) -> None:
        """Say goodbye and hang up, without waiting for an answer."""
        try:
            if not self._closing:
                self._closing = True
                await self._frame(_CLOSE, struct.pack("!H", 1000))
        except ConnectionLost:
            pass
        self._writer.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _answer_close(self, data: bytes) -> None:
        if not self._closing:
            self._closing = True
            await self._frame(_CLOSE, data[:2])

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
            raise ConnectionLost("error reading from error stream: next reader: websocket: close 1006") from error


def _masked(data: bytes, mask: bytes) -> bytes:
    """All bytes at once, as one long number: byte by byte Python would be the bottleneck."""
    length = len(data)
    if not length:
        return b""
    pattern = (mask * (length // 4 + 1))[:length]
    return (int.from_bytes(data, "big") ^ int.from_bytes(pattern, "big")).to_bytes(length, "big")


async def connect(
    config: ClientConfig, path: str, query: Pairs, protocols: Sequence[str], *, headers: Pairs = ()
) -> WebSocket:
    """Raises the server's refusal as an APIError, and ConnectionFailed."""
    from localplane.client.credentials import credentials_for
    from localplane.client.impersonation import impersonation_headers
    from localplane.client.proxies import proxy_for
    from localplane.client.tls import ssl_context

    credentials = credentials_for(config)
    certificate, authorization = await credentials.certificate(), await credentials.authorization()
    if proxy_for(config.server, configured=config.proxy_url) is not None:
        raise ConfigError("streams through a proxy are not supported")
    parts = urlsplit(config.server)
    secure = ssl_context(config, certificate) if parts.scheme == "https" else None
    port = parts.port or (443 if secure else 80)
    name = (config.tls_server_name or parts.hostname) if secure else None
    address = parts.netloc.rpartition("@")[2]
    try:
        reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=secure, server_hostname=name)
    except ConnectionRefusedError as error:
        message = f"the connection to the server {config.server} was refused"
        raise ConnectionRefused(message, address=address) from error
    except OSError as error:
        raise TLSFailed(f"unable to connect to the server: {error}", address=address) from error
    key = base64.b64encode(os.urandom(16))
    ordered = sorted(query, key=lambda pair: pair[0])  # as Go sends them
    sent = [
        ("Host", address),
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Key", key.decode()),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Protocol", ", ".join(protocols)),
        *headers,
        *impersonation_headers(config.impersonate),
    ]
    if authorization:
        sent.append(("Authorization", authorization))
    writer.write(request_bytes("GET", f"{parts.path}{path}?{urlencode(ordered)}", sent, None))
    return await _upgraded(reader, writer, key)


async def _upgraded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes) -> WebSocket:
    incoming = Incoming("GET")
    while incoming.head is None or (incoming.head.status != 101 and not incoming.complete):
        data = await reader.read(65536)
        if not data:
            break
        incoming.feed(data)
    head = incoming.head
    if head is None:
        writer.close()
        raise ConnectionLost("the server hung up before it answered")
    expected = base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode()  # noqa: S324 - what the protocol says
    if head.status != 101 or header(head.headers, "sec-websocket-accept") != expected:
        writer.close()
        content_type = header(head.headers, "content-type")
        subject = Subject("GET")
        raise from_answer(head.status, incoming.body(), content_type=content_type, retry_after=0, subject=subject)
    return WebSocket(reader, writer, header(head.headers, "sec-websocket-protocol"), incoming.body())
