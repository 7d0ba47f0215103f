"""A server of toys: each path does one thing that a server must get right."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import orjson

from localplane.apimachinery.errors import RequestEntityTooLarge
from localplane.apiserver.endpoints.filters import Shutdown, recover, request_info, shutdown, transport
from localplane.apiserver.request import MAX_BODY_BYTES, Answer, BodyTooLarge, Request, Response, StreamResponse
from localplane.apiserver.server.config import ServerConfig
from localplane.apiserver.server.http.limits import ConnectionLimits
from localplane.apiserver.server.lifecycle import GenericServer
from localplane.apiserver.server.tls import ServingTLS

_TEXT = "text/plain; charset=utf-8"


class Stream:
    """One open stream, to be fed by the test."""

    def __init__(self) -> None:
        self.pieces: asyncio.Queue[bytes | BaseException | None] = asyncio.Queue()
        self.taken = 0
        self.closed = 0
        self.left = asyncio.Event()

    async def read(self) -> AsyncIterator[bytes]:
        while (piece := await self.pieces.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            self.taken += 1
            yield piece

    async def close(self) -> None:
        self.closed += 1
        self.left.set()


class Toys:
    def __init__(self) -> None:
        self.streams: list[Stream] = []
        self.opened = asyncio.Condition()
        self.waiting = 0
        self.arrived = asyncio.Condition()
        self.release = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.bodies: list[bytes] = []
        self.seen: list[Request] = []

    async def route(self, request: Request) -> Answer | None:
        self.seen.append(request)
        match request.path.split("/")[1:]:
            case ["small"]:
                return Response(200, b'{"small":true}', headers={"Audit-Id": "1"})
            case ["large", size]:
                return Response(200, b"x" * int(size), _TEXT)
            case ["pieces", number]:
                return Response(200, [f"{index:06d};".encode() for index in range(int(number))], _TEXT)
            case ["warned"]:
                request.warnings += ["first", 'second "quoted"']
                return Response(200, b"ok", _TEXT)
            case ["boom"]:
                raise ZeroDivisionError("toy")
            case ["stream"]:
                return await self._stream()
            case ["wait"]:
                return await self._wait()
            case ["sleep", seconds]:
                await asyncio.sleep(float(seconds))
                return Response(200, b"rested", _TEXT)
            case ["echo"]:
                return await self._echo(request)
            case ["about"]:
                return _about(request)
        return self._odd(request.path)

    @staticmethod
    def _odd(path: str) -> Answer | None:
        match path.split("/")[1:]:
            case ["made", number]:
                return Response(200, _made(int(number)), _TEXT)
            case ["made-to-measure", number]:
                return Response(200, _made(int(number)), _TEXT, size=7 * int(number))
            case ["half-made", number]:
                return Response(200, _made(int(number), fails=True), _TEXT)
            case ["unchanged"]:
                return Response(304, headers={"ETag": '"1"'})
            case ["broken-header"]:
                return Response(200, b"ok", headers={"X-Odd": "a\r\nSet-Cookie: b"})
        return None

    async def stream(self, number: int = 1) -> Stream:
        """The newest stream, as soon as there are so many."""
        async with self.opened:
            await asyncio.wait_for(self.opened.wait_for(lambda: len(self.streams) >= number), 30)
        return self.streams[number - 1]

    async def waiting_requests(self, number: int) -> None:
        async with self.arrived:
            await asyncio.wait_for(self.arrived.wait_for(lambda: self.waiting >= number), 30)

    async def _stream(self) -> Answer:
        stream = Stream()
        async with self.opened:
            self.streams.append(stream)
            self.opened.notify_all()
        return StreamResponse(stream.read(), stream.close)

    async def _wait(self) -> Answer:
        async with self.arrived:
            self.waiting += 1
            self.arrived.notify_all()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return Response(200, b"released", _TEXT)

    async def _echo(self, request: Request) -> Answer:
        try:
            body = await request.read_body(MAX_BODY_BYTES)
        except BodyTooLarge:
            raise RequestEntityTooLarge.of(f"limit is {MAX_BODY_BYTES}") from None
        self.bodies.append(body)
        return Response(200, body, "application/octet-stream")


async def _made(number: int, *, fails: bool = False) -> AsyncIterator[bytes]:
    """Numbers in pieces of a thousand, which are made while they are sent."""
    for start in range(0, number, 1000):
        yield b"".join(f"{index:06d};".encode() for index in range(start, min(start + 1000, number)))
        await asyncio.sleep(0)
    if fails:
        raise ZeroDivisionError("toy")


def _about(request: Request) -> Response:
    return Response(
        200,
        orjson.dumps(
            {
                "headers": dict(request.headers),
                "values": list(request.header_values("x-many")),
                "query": {name: list(request.query.all(name)) for name in request.query},
                "remote": request.remote,
                "certificate": bool(request.peer_certificates),
            }
        ),
    )


def toy_server(
    toys: Toys,
    *,
    tls: ServingTLS | None = None,
    limits: ConnectionLimits | None = None,
    shutdown_delay: timedelta = timedelta(0),
    shutdown_timeout: timedelta = timedelta(seconds=5),
    port: int = 0,
) -> GenericServer:
    config = ServerConfig(
        tls=tls,
        port=port,
        limits=limits or ConnectionLimits(),
        shutdown_delay=shutdown_delay,
        shutdown_timeout=shutdown_timeout,
    )
    stopping = Shutdown()
    filters = [transport(), shutdown(stopping), recover(), request_info()]
    return GenericServer(config, filters=filters, routers=[toys.route], shutdown=stopping)
