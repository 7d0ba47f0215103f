"""Requests through `kctl proxy` that stop being HTTP: exec, attach, port-forward and WebSockets.

Kubernetes: apimachinery/pkg/util/proxy, UpgradeAwareHandler.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from aiohttp import web

from localplane.client.errors import ClientError

from .dialing import upgrade

if TYPE_CHECKING:
    from localplane.client.kubeconfig.connection import ClientConfig

    from .dialing import Wire

_OURS = ("host", "content-length", "transfer-encoding")
_PIECE = 65536


async def tunnel(config: ClientConfig, request: web.BaseRequest, path: str, *, keepalive: float) -> web.StreamResponse:
    """Until one of the two sides has enough."""
    query = request.rel_url.raw_query_string
    target = f"{path}?{query}" if query else path
    headers = [(name, value) for name, value in request.headers.items() if name.lower() not in _OURS]
    try:
        answer = await upgrade(config, request.method, target, headers)
    except ClientError as error:
        return web.Response(status=500, text=f"{error}\n")
    if answer.wire is None:
        kept = {name: value for name, value in answer.headers if name.lower() == "content-type"}
        return web.Response(status=answer.status, body=answer.body, headers=kept)
    transport = request.transport
    assert transport is not None  # somebody is asking
    _keep_alive(answer.wire, keepalive)
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    transport.set_protocol(protocol)
    protocol.connection_made(transport)
    writer = asyncio.StreamWriter(transport, protocol, reader, asyncio.get_running_loop())
    head = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
    writer.write(f"HTTP/1.1 101 Switching Protocols\r\n{head}\r\n".encode() + answer.wire.rest)
    await _both_ways((reader, writer), (answer.wire.reader, answer.wire.writer))
    return web.Response()  # which nobody is left to read


def _keep_alive(wire: Wire, seconds: float) -> None:
    """Ask the other side whether it is still there; by default as often as elsewhere."""
    import socket

    connected = wire.writer.get_extra_info("socket")
    if seconds < 0:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 0)
    elif seconds:
        for name in ("TCP_KEEPIDLE", "TCP_KEEPINTVL"):
            if (option := getattr(socket, name, None)) is not None:
                connected.setsockopt(socket.IPPROTO_TCP, option, max(1, round(seconds)))


Side = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _both_ways(one: Side, other: Side) -> None:
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(_pump(one[0], other[1])), loop.create_task(_pump(other[0], one[1]))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        one[1].close()
        other[1].close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_PIECE):
            writer.write(data)
            await writer.drain()
