"""Local ports that lead into a pod: one connection to the API server, and two streams on it for each local connection.

Kubernetes: client-go/tools/portforward.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, NamedTuple

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote
from localplane.client.errors import ConnectionLost

from .channels import is_disabled, spdy_connection
from .spdy import SPDYConnection
from .websocket import UpgradeRefused, connect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kctl.session import Session

    from .ports import Pair
    from .spdy import Stream

    Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]

PROTOCOL: Final = "portforward.k8s.io"
_TUNNELLED: Final = f"SPDY/3.1+{PROTOCOL}"
_PING_EVERY: Final = 10.0
_PIECE: Final = 32 * 1024


class Address(NamedTuple):
    """One that was not `required` may be busy, as long as another that was not is free."""

    text: str
    required: bool

    @property
    def shown(self) -> str:
        return f"[{self.text}]" if ":" in self.text else self.text


def addresses_of(words: Sequence[str]) -> list[Address]:
    """Raises KctlError."""
    found: dict[str, Address] = {}
    for word in words:
        if word == "localhost":
            for local in ("127.0.0.1", "::1"):
                found.setdefault(local, Address(local, required=False))
            continue
        try:
            ip_address(word)
        except ValueError:
            raise KctlError(f"{word} is not a valid IP") from None
        found[word] = Address(word, required=True)
    if not found:
        raise KctlError("you must specify at least 1 address")
    return sorted(found.values())


async def open_forwarding(session: Session, path: str) -> SPDYConnection:
    """Inside of a WebSocket where the server lets us, on the bare connection otherwise. Raises KctlError."""
    try:
        if not is_disabled("KUBECTL_PORT_FORWARD_WEBSOCKETS"):
            try:
                return SPDYConnection(await connect(session, path, [], (_TUNNELLED,)), ping_every=_PING_EVERY)
            except UpgradeRefused:
                pass
        connection, protocol = await spdy_connection(session, path, [], (PROTOCOL,))
    except KctlError as error:
        raise KctlError(f"error upgrading connection: {error}") from error
    if protocol != PROTOCOL:
        raise KctlError(
            f'unable to negotiate protocol: client supports "{PROTOCOL}", server returned "{protocol}"',
        )
    return connection


class Forwarder:
    def __init__(self, session: Session, connection: SPDYConnection) -> None:
        self._session = session
        self._connection = connection
        self._servers: list[asyncio.Server] = []
        self._requests = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self, addresses: Sequence[Address], pairs: Sequence[Pair]) -> None:
        """Raises KctlError if none of the ports is free."""
        opened = False
        for pair in pairs:
            local, problem = await self._listen_on(addresses, pair)
            if problem:
                self._session.say(f"Unable to listen on port {local}: {problem}\n")
            opened = opened or not problem
        if not opened:
            listed = " ".join(f"{{{pair.local} {pair.remote}}}" for pair in pairs)
            raise KctlError(f"unable to listen on any of the requested ports: [{listed}]")

    async def _listen_on(self, addresses: Sequence[Address], pair: Pair) -> tuple[int, str]:
        """The local port, and what is wrong with it."""
        local, problems, failed, free = pair.local, [], False, False
        for address in addresses:
            try:
                local = await self._serve(address, local, pair.remote)
                free = free or not address.required
            except OSError as error:
                family = "tcp6" if ":" in address.text else "tcp4"
                why = _go_words(error)
                problems.append(
                    f"unable to create listener: Error listen {family} {address.shown}:{local}: bind: {why}"
                )
                failed = failed or address.required
        if failed or (problems and not free):
            return local, f"Listeners failed to create with the following errors: [{' '.join(problems)}]"
        return local, ""

    async def _serve(self, address: Address, local: int, remote: int) -> int:
        server = await asyncio.start_server(self._handler(remote), address.text, local)
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]  # the same on every address
        self._session.write(f"Forwarding from {address.shown}:{port} -> {remote}\n")
        return port

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _handler(self, remote: int) -> Handle:
        def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.get_running_loop().create_task(self._connected(reader, writer, remote))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        return handle

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, remote: int) -> None:
        local = writer.get_extra_info("sockname")[1]
        self._session.write(f"Handling connection for {local}\n")
        self._session.flush()
        number, self._requests = self._requests, self._requests + 1
        try:
            said = await self._carry(reader, writer, [("port", str(remote)), ("requestid", str(number))])
        except (KctlError, ConnectionLost, OSError) as error:
            said = str(error)
        finally:
            writer.close()
        if said:
            told = f'"An error occurred forwarding" err={go_quote(said)} localPort={local} remotePort={remote}'
            self._session.log_error(told, place="portforward.go:549")
            self._connection.lost.set()

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, headers: list[tuple[str, str]]
    ) -> str:
        """What the other side said was wrong."""
        errors = await self._connection.open([("streamtype", "error"), *headers])
        await errors.finish()
        data = await self._connection.open([("streamtype", "data"), *headers])
        sending = asyncio.get_running_loop().create_task(_send(reader, data))
        try:
            await _receive(data, writer)
        finally:
            sending.cancel()
            with suppress(ConnectionLost):
                await data.reset()
        said = await errors.read_all()
        self._connection.forget(errors, data)
        return said.decode("utf-8", "replace")


async def _send(reader: asyncio.StreamReader, stream: Stream) -> None:
    with suppress(ConnectionLost, OSError):
        while data := await reader.read(_PIECE):
            await stream.write(data)
        await stream.finish()


async def _receive(stream: Stream, writer: asyncio.StreamWriter) -> None:
    """Until the other side ends, or nobody is left here to hear it."""
    with suppress(OSError):
        while data := await stream.read():
            writer.write(data)
            await writer.drain()


def _go_words(error: OSError) -> str:
    import os

    return (os.strerror(error.errno) if error.errno else str(error)).lower()
