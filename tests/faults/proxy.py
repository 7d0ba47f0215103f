"""A TCP proxy that can be told to misbehave: a link between a client and a server that somebody trips over.

Whatever it does it does to every connection that goes through it at that moment, and to new ones while it lasts.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Self, cast

_RESET = struct.pack("ii", 1, 0)
_DRIP_BYTES, _DRIP_EVERY = 256, 0.05


class Direction(StrEnum):
    REQUESTS = "requests"
    ANSWERS = "answers"


BOTH = (Direction.REQUESTS, Direction.ANSWERS)


@dataclass(frozen=True, slots=True)
class Manner:
    """How bytes get through. `held` ones wait until that is over."""

    held: bool = False
    delay: float = 0.0
    drips: bool = False


PASSING = Manner()


class Pipe:
    """One direction of one connection: bytes in, in their own time bytes out, never out of order."""

    def __init__(self, manner: Manner) -> None:
        self.sink: asyncio.Transport | None = None
        self._manner = manner
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._ending = False

    def feed(self, data: bytes) -> None:
        if self._manner is PASSING and self.sink is not None and not self._waiting:
            self._write(data)
            return
        self._waiting.append((asyncio.get_running_loop().time() + self._manner.delay, data))
        self._pump()

    def end(self) -> None:
        """The other side has closed; this one does when everything is through."""
        self._ending = True
        self._pump()

    def change(self, manner: Manner) -> None:
        self._manner = manner
        if manner is PASSING:
            self._waiting = deque((0.0, data) for _, data in self._waiting)
        self._pump()

    def connected(self, sink: asyncio.Transport) -> None:
        self.sink = sink
        self._pump()

    def swallow(self) -> None:
        """Nothing comes out any more, and nobody is told."""
        self.sink = None
        self.stop()

    def stop(self) -> None:
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pump(self) -> None:
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self.sink is not None and not self._manner.held and self._waiting:
            due, data = self._waiting[0]
            if due > loop.time():
                self._timer = loop.call_at(due, self._pump)
                return
            if self._manner.drips:
                self._drip(data)
                self._timer = loop.call_later(_DRIP_EVERY, self._pump)
                return
            self._waiting.popleft()
            self._write(data)
        if self._ending and self.sink is not None and not self._waiting and not self._manner.held:
            self.sink.close()

    def _write(self, data: bytes) -> None:
        """To nobody, if the other side has left and its end is still under way."""
        if self.sink is not None and not self.sink.is_closing():
            self.sink.write(data)

    def _drip(self, data: bytes) -> None:
        self._write(data[:_DRIP_BYTES])
        if len(data) > _DRIP_BYTES:
            self._waiting[0] = (0.0, data[_DRIP_BYTES:])
        else:
            self._waiting.popleft()


class _Side(asyncio.Protocol):
    """One of the two sockets of a connection: hands on what it receives."""

    def __init__(
        self, made: Callable[[asyncio.Transport], None], receive: Callable[[bytes], None], lost: Callable[[], None]
    ) -> None:
        self.transport: asyncio.Transport | None = None
        self._made = made
        self._receive = receive
        self._lost = lost

    @property
    def gone(self) -> bool:
        return self.transport is None or self.transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._made(self.transport)

    def data_received(self, data: bytes) -> None:
        self._receive(data)

    def connection_lost(self, _error: Exception | None) -> None:
        self._lost()

    def reset(self) -> None:
        """Not closed but gone: the peer gets an RST."""
        if self.transport is None or self.transport.is_closing():
            return
        raw = self.transport.get_extra_info("socket")
        with suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.transport.abort()


class Passage:
    """A connection through the proxy: the client's socket, the server's, and a pipe each way."""

    def __init__(self, link: Link) -> None:
        self.pipes = {direction: Pipe(link.manner(direction)) for direction in BOTH}
        self.client = _Side(self._accepted, self._requested, self._client_left)
        self.server = _Side(self._connected, self._answered, self._server_left)
        self.half_open = False
        self._link = link
        self._armed = self._asked = False

    def _accepted(self, transport: asyncio.Transport) -> None:
        """What the client sends before the server's side stands waits in the pipe."""
        self.pipes[Direction.ANSWERS].connected(transport)
        self._link.connect(self)

    def _connected(self, transport: asyncio.Transport) -> None:
        if self.client.gone:
            self.cut()
        else:
            self.pipes[Direction.REQUESTS].connected(transport)

    def arm(self) -> None:
        """Cut when the next request has been sent and its answer is there."""
        self._armed, self._asked = True, False

    def cut(self) -> None:
        for pipe in self.pipes.values():
            pipe.stop()
        self.client.reset()
        self.server.reset()
        self._link.forget(self)

    def lose(self, side: _Side) -> None:
        """One side ends, the other one does not hear of it."""
        self.half_open = True
        for pipe in self.pipes.values():
            pipe.swallow()
        side.reset()

    def _requested(self, data: bytes) -> None:
        self._asked = True
        self.pipes[Direction.REQUESTS].feed(data)

    def _answered(self, data: bytes) -> None:
        if self._armed and self._asked:
            self.cut()
        else:
            self.pipes[Direction.ANSWERS].feed(data)

    def _client_left(self) -> None:
        self.pipes[Direction.REQUESTS].end()
        if self.server.gone:
            self._link.forget(self)

    def _server_left(self) -> None:
        self.pipes[Direction.ANSWERS].end()
        if self.client.gone:
            self._link.forget(self)


class Link:
    """The proxy: where it listens is `port`."""

    def __init__(self, host: str, port: int) -> None:
        self.port = 0
        self._to = host, port
        self._manners = dict.fromkeys(BOTH, PASSING)
        self._passages: set[Passage] = set()
        self._connecting: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.get_running_loop().create_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in tuple(self._connecting):
            task.cancel()
        await asyncio.gather(*self._connecting, return_exceptions=True)

    @property
    def connections(self) -> int:
        return len(self._passages)

    def manner(self, direction: Direction) -> Manner:
        return self._manners[direction]

    def change(self, manner: Manner, directions: Iterable[Direction] = BOTH) -> None:
        for direction in directions:
            self._manners[direction] = manner
            for passage in tuple(self._passages):
                passage.pipes[direction].change(manner)

    def cut(self, *, half_open_only: bool = False) -> None:
        for passage in tuple(self._passages):
            if passage.half_open or not half_open_only:
                passage.cut()

    def arm(self) -> None:
        for passage in tuple(self._passages):
            passage.arm()

    def lose_clients(self) -> None:
        for passage in tuple(self._passages):
            passage.lose(passage.client)

    def lose_servers(self) -> None:
        for passage in tuple(self._passages):
            passage.lose(passage.server)

    def forget(self, passage: Passage) -> None:
        self._passages.discard(passage)

    def connect(self, passage: Passage) -> None:
        task = asyncio.get_running_loop().create_task(self._connect(passage))
        self._connecting.add(task)
        task.add_done_callback(self._connecting.discard)

    async def _connect(self, passage: Passage) -> None:
        try:
            await asyncio.get_running_loop().create_connection(lambda: passage.server, *self._to)
        except OSError:
            passage.cut()

    def _accept(self) -> _Side:
        passage = Passage(self)
        self._passages.add(passage)
        return passage.client
