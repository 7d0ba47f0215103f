"""A connection to the API server that stops being HTTP: dialled, perhaps through a proxy, and upgraded.

WebSockets and SPDY both begin here. Kubernetes: client-go/transport/websocket and transport/spdy.

Requests through `kctl proxy` that stop being HTTP: exec, attach, port-forward and WebSockets.

Kubernetes: apimachinery/pkg/util/proxy, UpgradeAwareHandler.
"""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote, urlencode, urlsplit

from aiohttp import web

from kctl.session.session import Session, user_agent
from localplane.client.authentication.credentials import ClientCertificate, credentials_for
from localplane.client.authentication.tls import handshake_failure, ssl_context
from localplane.client.errors import (
    ClientError,
    ConfigError,
    ConnectionFailed,
    ConnectionLost,
    ConnectionRefused,
    TLSFailed,
)
from localplane.client.kubeconfig.model import ClientConfig
from localplane.client.transport.headers import impersonation_headers
from localplane.client.transport.http1 import Incoming, request_bytes
from localplane.client.transport.interface import Pairs, header
from localplane.client.transport.proxies import proxy_for
from localplane.client.transport.sockets import dial

_PORTS = {"http": 80, "https": 443}
_CONNECT_TIMEOUT = 30.0
_PIECE = 65536
_LONGEST_REFUSAL = 64 * 1024


class Wire(NamedTuple):
    """Bytes both ways; `rest` has already come."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    rest: bytes


class Answer(NamedTuple):
    """`wire` is there if the server changed protocols; otherwise it said why not in `body`."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes
    wire: Wire | None

    def header(self, name: str) -> str:
        return header(self.headers, name)


async def upgrade_for(session: Session, method: str, path: str, query: Pairs, headers: Pairs) -> Answer:
    """In the name of a verb. Raises ConnectionFailed, ConfigError."""
    named = [("User-Agent", user_agent()), *headers, *session.request_headers]
    target = f"{path}?{urlencode(sorted(query, key=lambda pair: pair[0]))}" if query else path
    return await upgrade(session.client_config, method, target, named)


async def upgrade(config: ClientConfig, method: str, target: str, headers: Pairs) -> Answer:
    """`target` may have a query. Raises ConnectionFailed, ConfigError."""
    credentials = credentials_for(config)
    certificate, authorization = await credentials.certificate(), await credentials.authorization()
    parts = urlsplit(config.server)
    sent = [
        ("Host", parts.netloc.rpartition("@")[2]),
        *headers,
        *impersonation_headers(config.impersonate),
    ]
    if authorization and not header(headers, "authorization"):
        sent.append(("Authorization", authorization))
    reader, writer = await _dialled(config, certificate)
    writer.write(request_bytes(method, f"{parts.path}{target}", sent, None))
    return await _answer(reader, writer, method)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, method: str) -> Answer:
    incoming, body = Incoming(method), b""
    while incoming.head is None or (incoming.head.status != 101 and not incoming.complete):
        data = await reader.read(_PIECE)
        if not data or len(body) > _LONGEST_REFUSAL:
            break
        incoming.feed(data)
        body += incoming.body()
    head = incoming.head
    if head is None:
        writer.close()
        raise ConnectionLost("the server hung up before it answered")
    if head.status != 101:
        writer.close()
        return Answer(head.status, head.headers, body, None)
    return Answer(head.status, head.headers, b"", Wire(reader, writer, body + incoming.body()))


async def _dialled(
    config: ClientConfig, certificate: ClientCertificate | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(config.server)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    is_secure = parts.scheme == "https"
    name = (config.tls_server_name or host) if is_secure else None
    proxy = proxy_for(config.server, configured=config.proxy_url)
    address = parts.netloc.rpartition("@")[2]

    async def opened(*, judging: bool) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        secure = ssl_context(config, certificate, judging=judging) if is_secure else None
        connected = await asyncio.to_thread(_through, proxy, host, port) if proxy else await _direct(host, port)
        return await asyncio.open_connection(sock=connected, ssl=secure, server_hostname=name)

    try:
        try:
            return await opened(judging=False)
        except ssl.SSLCertVerificationError:
            return await opened(judging=True)  # by Go's rules, since OpenSSL does not believe the server
    except ConnectionRefusedError as error:
        message = f"the connection to the server {config.server} was refused"
        raise ConnectionRefused(message, address=address) from error
    except OSError as error:
        reason = handshake_failure(error, name or host)
        raise TLSFailed(f"unable to connect to the server: {reason}", address=address, reason=reason) from error


async def _direct(host: str, port: int) -> socket.socket:
    connected = await asyncio.to_thread(dial, host, port, within=_CONNECT_TIMEOUT)
    connected.settimeout(0)
    return connected


def _through(proxy: str, host: str, port: int) -> socket.socket:
    """A tunnel that a proxy makes. Raises ConnectionFailed, ConfigError, OSError."""
    parts = urlsplit(proxy)
    if parts.scheme != "http":
        raise ConfigError(f'streams can\'t go through the proxy "{proxy}": use one that speaks plain http')
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    headers = [("Host", target)]
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        headers.append(("Proxy-Authorization", f"Basic {base64.b64encode(pair).decode()}"))
    connected = dial(parts.hostname or "", parts.port or _PORTS[parts.scheme], within=_CONNECT_TIMEOUT)
    connected.sendall(request_bytes("CONNECT", target, headers, None))
    incoming = Incoming("HEAD")  # whose answer has no body either
    while incoming.head is None:
        data = connected.recv(1)  # what comes after the head is the server's, and not ours to read here
        if not data:
            raise ConnectionLost(f"the proxy {proxy} hung up before it answered")
        incoming.feed(data)
    if incoming.head.status != 200:
        connected.close()
        reason = f"proxyconnect tcp: status {incoming.head.status}"
        raise ConnectionFailed(f"{proxy}: {reason}", address=target, reason=reason)
    connected.settimeout(0)
    return connected


_OURS = ("host", "content-length", "transfer-encoding")
_TUNNEL_PIECE = 65536


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
        while data := await reader.read(_TUNNEL_PIECE):
            writer.write(data)
            await writer.drain()
