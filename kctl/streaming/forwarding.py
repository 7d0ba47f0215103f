"""Local ports that lead into a pod: a WebSocket for each connection, with two channels, data and error.

The first message of each channel is the port, which says that the other side is there. Kubernetes:
kubelet/pkg/cri/streaming/portforward/websocket.go; kubectl itself tunnels SPDY, which every server understands as well.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from kctl.errors import KctlError
from localplane.apimachinery.errors import APIError
from localplane.client.errors import ClientError

from .channels import V4, open_channels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kctl.session import Session

    from .ports import Pair
    from .websocket import WebSocket

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
_DATA, _ERROR = 0, 1
_PIECE = 32 * 1024


class Forwarder:
    def __init__(self, session: Session, path: str) -> None:
        self._session = session
        self._path = path
        self._servers: list[asyncio.Server] = []

    async def listen(self, addresses: Sequence[str], pairs: Sequence[Pair]) -> None:
        """Raises KctlError if a port is not free on any of the addresses."""
        for pair in pairs:
            local, opened = pair.local, 0
            for address in _expanded(addresses):
                try:
                    server = await asyncio.start_server(self._handler(pair), address, local)
                except OSError as error:
                    self._session.say(f"Unable to listen on port {local}: {error.strerror or error}\n")
                    continue
                opened += 1
                self._servers.append(server)
                local = server.sockets[0].getsockname()[1]  # the same on every address
                shown = f"[{address}]" if ":" in address else address
                self._session.write(f"Forwarding from {shown}:{local} -> {pair.remote}\n")
            if not opened:
                listed = f"[{pair.local} {pair.remote}]"
                raise KctlError(f"unable to listen on any of the requested ports: {listed}")

    def close(self) -> None:
        for server in self._servers:
            server.close()

    def _handler(self, pair: Pair) -> Handle:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._session.write(f"Handling connection for {writer.get_extra_info('sockname')[1]}\n")
            self._flush()
            try:
                await self._carry(reader, writer, pair)
            except (APIError, ClientError, OSError) as error:
                self._session.say(f"error: an error occurred forwarding {pair.local} -> {pair.remote}: {error}\n")
            finally:
                writer.close()

        return handle

    @staticmethod
    def _flush() -> None:
        import sys

        sys.stdout.flush()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pair: Pair) -> None:
        query = [("ports", str(pair.remote))]
        async with await open_channels(self._session, self._path, query, V4) as websocket, asyncio.TaskGroup() as group:
            sending = group.create_task(_send(reader, websocket))
            await self._receive(websocket, writer, pair)
            sending.cancel()

    async def _receive(self, websocket: WebSocket, writer: asyncio.StreamWriter, pair: Pair) -> None:
        expected = {_DATA: struct.pack("<H", pair.remote), _ERROR: struct.pack("<H", pair.remote)}
        while (message := await websocket.receive()) is not None:
            channel, data = message[0], message[1:]
            if expected.pop(channel, None) == data:
                continue
            if channel == _ERROR:
                said = data.decode("utf-8", "replace")
                self._session.say(f"error: an error occurred forwarding {pair.local} -> {pair.remote}: {said}\n")
                return
            writer.write(data)
            await writer.drain()


async def _send(reader: asyncio.StreamReader, websocket: WebSocket) -> None:
    while data := await reader.read(_PIECE):
        await websocket.send(bytes([_DATA]) + data)


def _expanded(addresses: Sequence[str]) -> list[str]:
    found = []
    for address in addresses:
        found += ["127.0.0.1", "::1"] if address == "localhost" else [address]
    return list(dict.fromkeys(found))
