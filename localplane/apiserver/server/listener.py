"""Sockets that accept: several addresses, one port, and TLS told from plain HTTP before the handshake.

Connections are accepted here rather than by the event loop for two reasons: a client that speaks HTTP to the TLS port
gets a sentence instead of a broken handshake (as Go's net/http does), and running out of file descriptors pauses the
accepting instead of spinning.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import ssl
from collections.abc import Callable, Sequence
from datetime import timedelta

_log = logging.getLogger(__name__)

_BACKLOG = 1024
_ACCEPT_AT_ONCE = 64  # then let others have a turn
_REST_SECONDS = 0.2
_OUT_OF_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_NO_SUCH_ADDRESS = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT})
_TLS_HANDSHAKE = 0x16
_HTTP_ON_TLS = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
_PORT_ATTEMPTS = 20


class CannotListen(Exception):
    """The address or port can't be had; the text says which and why."""


def open_sockets(addresses: Sequence[str], port: int) -> list[socket.socket]:
    """One listening socket for each address, all with the same port number; port 0 takes a free one.

    An IPv6 address that this machine lacks is left out as long as another address is served.
    """
    for _ in range(_PORT_ATTEMPTS):
        opened: list[socket.socket] = []
        try:
            for address in addresses:
                if bound := _bind(address, opened[0].getsockname()[1] if opened else port, optional=bool(opened)):
                    opened.append(bound)
        except OSError as error:
            for bound in opened:
                bound.close()
            if port == 0 and opened and error.errno == errno.EADDRINUSE:
                continue  # free on the first address, taken on another: ask for a new number
            where = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
            raise CannotListen(f"cannot listen on {where}: {error.strerror or error}") from error
        return opened
    raise CannotListen(f"found no port that is free on all of {', '.join(addresses)}")


def _bind(address: str, port: int, *, optional: bool) -> socket.socket | None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        bound = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        if optional and error.errno in _NO_SUCH_ADDRESS:
            return None
        raise
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind((address, port))
        bound.listen(_BACKLOG)
        bound.settimeout(0)
    except OSError as error:
        bound.close()
        if optional and family == socket.AF_INET6 and error.errno in _NO_SUCH_ADDRESS:
            return None
        raise
    return bound


class Listener:
    """Accepts on `sockets`, which it owns, and gives each connection a protocol of its own."""

    def __init__(
        self,
        sockets: Sequence[socket.socket],
        protocol: Callable[[], asyncio.Protocol],
        *,
        tls: ssl.SSLContext | None,
        handshake_timeout: timedelta,
    ) -> None:
        self._sockets = list(sockets)
        self._protocol = protocol
        self._tls = tls
        self._handshake_seconds = handshake_timeout.total_seconds()
        self._loop = asyncio.get_running_loop()
        self._opening: set[asyncio.Task[None]] = set()
        self._resting: set[asyncio.TimerHandle] = set()

    def start(self) -> None:
        for listening in self._sockets:
            self._loop.add_reader(listening, self._accept, listening)

    def close(self) -> None:
        """Stop listening: from now on connections are refused. Open ones are not touched."""
        for resting in self._resting:
            resting.cancel()
        for listening in self._sockets:
            self._loop.remove_reader(listening)
            listening.close()
        self._sockets.clear()

    async def abandon(self) -> None:
        """Give up on connections that are still in their handshake."""
        opening = list(self._opening)
        for task in opening:
            task.cancel()
        if opening:
            await asyncio.wait(opening)

    def _accept(self, listening: socket.socket) -> None:
        for _ in range(_ACCEPT_AT_ONCE):
            try:
                accepted, _ = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _OUT_OF_RESOURCES:
                    raise
                self._rest(listening, error)
                return
            accepted.settimeout(0)
            task = self._loop.create_task(self._open(accepted))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    def _rest(self, listening: socket.socket, error: OSError) -> None:
        """Clients wait in the backlog until there is room again."""
        _log.warning("cannot accept connections for the moment: %s", error.strerror)
        self._loop.remove_reader(listening)

        def resume() -> None:
            self._resting.discard(timer)
            self._loop.add_reader(listening, self._accept, listening)

        timer = self._loop.call_later(_REST_SECONDS, resume)
        self._resting.add(timer)

    async def _open(self, accepted: socket.socket) -> None:
        try:
            if self._tls is None or await self._speaks_tls(accepted):
                await self._hand_over(accepted)
        except asyncio.CancelledError:
            accepted.close()
            raise

    async def _hand_over(self, accepted: socket.socket) -> None:
        try:
            if self._tls is None:
                await self._loop.connect_accepted_socket(self._protocol, accepted)
            else:
                await self._loop.connect_accepted_socket(
                    self._protocol, accepted, ssl=self._tls, ssl_handshake_timeout=self._handshake_seconds
                )
        except OSError as error:  # whoever gave up during the handshake is not news
            _log.debug("no connection was made: %s", error)

    async def _speaks_tls(self, accepted: socket.socket) -> bool:
        """Look at the first bytes without taking them. Whoever doesn't speak TLS is answered and sent away here."""
        try:
            async with asyncio.timeout(self._handshake_seconds):
                first = await self._peek(accepted)
                if first[:1] == bytes([_TLS_HANDSHAKE]):
                    return True
                if first[:1].isupper():
                    await self._say_that_this_is_tls(accepted)
        except (OSError, TimeoutError) as error:
            _log.debug("no connection was made: %s", error)
        accepted.close()
        return False

    async def _peek(self, accepted: socket.socket) -> bytes:
        while True:
            try:
                return accepted.recv(8, socket.MSG_PEEK)
            except (BlockingIOError, InterruptedError):
                await self._readable(accepted)

    async def _readable(self, accepted: socket.socket) -> None:
        ready = asyncio.Event()
        self._loop.add_reader(accepted, ready.set)
        try:
            await ready.wait()
        finally:
            self._loop.remove_reader(accepted)

    async def _say_that_this_is_tls(self, accepted: socket.socket) -> None:
        accepted.recv(65536)  # unread bytes would turn the close into a reset, which can overtake the answer
        accepted.send(_HTTP_ON_TLS)
        accepted.shutdown(socket.SHUT_WR)
        try:
            async with asyncio.timeout(0.5):
                await self._readable(accepted)
        except TimeoutError:
            return
