"""What has come over a WebSocket is heard, whatever has become of the way back."""

from __future__ import annotations

import asyncio
import socket
import struct

import pytest

from kctl.streaming.dial import Wire
from kctl.streaming.websocket import WebSocket
from localplane.client.errors import ConnectionLost

BINARY, CLOSE, PING = 2, 8, 9


def frame(code: int, data: bytes) -> bytes:
    return struct.pack("!BB", 0x80 | code, len(data)) + data


async def said_by_one_who_left(*frames: bytes) -> WebSocket:
    """All of it has come before anything could be answered, and nothing can be answered any more."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    theirs.sendall(b"".join(frames))
    rest = await reader.readexactly(sum(map(len, frames)))
    theirs.close()
    writer.transport.abort()
    await asyncio.sleep(0)
    return WebSocket(Wire(reader, writer, rest), "v5.channel.k8s.io")


async def test_one_who_says_goodbye_need_not_wait_for_ours() -> None:
    websocket = await said_by_one_who_left(
        frame(BINARY, b"all"), frame(PING, b""), frame(CLOSE, struct.pack("!H", 1000))
    )
    assert await websocket.receive() == b"all"
    assert await websocket.receive() is None


async def test_why_one_has_left_is_told() -> None:
    websocket = await said_by_one_who_left(frame(CLOSE, struct.pack("!H", 1011) + b"sorry"))
    with pytest.raises(ConnectionLost, match=r"websocket: close 1011 \(internal server error\): sorry"):
        await websocket.receive()


async def test_what_is_sent_to_one_who_left_is_lost() -> None:
    websocket = await said_by_one_who_left()
    with pytest.raises(ConnectionLost, match="the connection was lost"):
        await websocket.send(b"hello")
