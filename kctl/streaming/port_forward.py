"""`8080`, `8888:http`, `:5000`: which local port leads to which port of a pod.

Kubernetes: kubectl/pkg/cmd/portforward (translateServicePortToTargetPort, convertPodNamedPortToNumber, checkUDPPorts),
client-go/tools/portforward, parsePorts.

Local ports that lead into a pod: one connection to the API server, and two streams on it for each local connection.

Kubernetes: client-go/tools/portforward.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.streaming.channels import is_disabled, spdy_connection
from kctl.streaming.spdy import SPDYConnection, Stream
from kctl.streaming.websocket import UpgradeRefused, connect
from localplane.apimachinery.golang import sources
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConnectionLost

_is_number = re.compile(r"[+-]?[0-9]+", re.ASCII).fullmatch
_LARGEST = 65535


class Pair(NamedTuple):
    """`local` 0 is any port that is free."""

    local: int
    remote: int


def in_pod(words: list[str], obj: JSONObject, pod: JSONObject) -> list[str]:
    """The words with the pod's own numbers. `obj` is what was named: of a service, ports are the service's.

    Raises KctlError.
    """
    if obj.get("kind") == "Service":
        _refuse_udp(words, [(port.get("port"), port) for port in _of_service(obj)], lambda name: _by_name(obj, name))
        return [_through_service(word, obj, pod) for word in words]
    ports = [(port.get("containerPort"), port) for port in _of_containers(pod)]
    _refuse_udp(words, ports, lambda name: _container_port(pod, name))
    return [_into_pod(word, pod) for word in words]


def _split(word: str) -> tuple[str, str]:
    parts = word.split(":")
    return (parts[0], parts[1]) if len(parts) == 2 else (parts[0], parts[0])


def _joined(local: str, remote: str) -> str:
    return remote if local == remote else f"{local}:{remote}"


def _into_pod(word: str, pod: JSONObject) -> str:
    local, remote = _split(word)
    if not remote:
        raise KctlError("remote port cannot be empty")
    number = remote if _is_number(remote) else str(_container_port(pod, remote))
    return f"{local}:{number}" if local != remote else number


def _through_service(word: str, service: JSONObject, pod: JSONObject) -> str:
    local, remote = _split(word)
    if not _is_number(remote):
        number = _by_name(service, remote)
        local = str(number) if local == remote else local
    else:
        number = int(remote)
    return _joined(local, str(_target(service, number, pod)))


def _refuse_udp(words: list[str], ports: Iterable[tuple[Any, JSONObject]], lookup: Any) -> None:
    protocols: dict[Any, set[str]] = {}
    for number, port in ports:
        protocols.setdefault(number, set()).add(port.get("protocol", "TCP"))
    for word in words:
        remote = _split(word)[1]
        number = int(remote) if _is_number(remote) else lookup(remote)
        if "UDP" in protocols.get(number, ()) and "TCP" not in protocols[number]:
            raise KctlError(f"UDP protocol is not supported for {remote}")


def pair_of(word: str) -> Pair:
    """Raises KctlError."""
    parts = word.split(":")
    if len(parts) > 2:
        raise KctlError(f"invalid port format '{word}'")
    local, remote = (parts[0] or "0", parts[1]) if len(parts) == 2 else (parts[0], parts[0])
    pair = Pair(_number("local", local), _number("remote", remote))
    if pair.remote == 0:
        raise KctlError("remote port must be > 0")
    return pair


def _number(which: str, text: str) -> int:
    """As strconv.ParseUint, of 16 bits."""
    problem = ""
    if not re.fullmatch(r"[0-9]+", text, re.ASCII):
        problem = "invalid syntax"
    elif len(text.lstrip("0")) > 5 or int(text) > _LARGEST:
        problem = "value out of range"
    if problem:
        raise KctlError(f"error parsing {which} port '{text}': strconv.ParseUint: parsing {go_quote(text)}: {problem}")
    return int(text)


def _of_service(service: JSONObject) -> list[JSONObject]:
    return (service.get("spec") or {}).get("ports") or []


def _of_containers(pod: JSONObject, part: str = "containers") -> list[JSONObject]:
    spec = pod.get("spec") or {}
    return [port for container in spec.get(part) or () for port in container.get("ports") or ()]


def _by_name(service: JSONObject, name: str) -> int:
    for port in _of_service(service):
        if port.get("name", "") == name:
            return int(port["port"])
    raise KctlError(f"Service '{_name(service)}' does not have a named port '{name}'")


def _target(service: JSONObject, number: int, pod: JSONObject) -> int:
    """Kubernetes: kubectl/pkg/util, LookupContainerPortNumberByServicePort."""
    for port in _of_service(service):
        if port.get("port") != number:
            continue
        if (service.get("spec") or {}).get("clusterIP") == "None":
            return number
        target = port.get("targetPort") or 0
        if isinstance(target, int):
            return target or number
        return _container_port(pod, target)
    raise KctlError(f"Service {_name(service)} does not have a service port {number}")


def _container_port(pod: JSONObject, name: str) -> int:
    for port in (*_of_containers(pod), *_of_containers(pod, "initContainers")):
        if port.get("name", "") == name:
            return int(port["containerPort"])
    raise KctlError(f"Pod '{_name(pod)}' does not have a named port '{name}'")


def _name(obj: JSONObject) -> str:
    return str((obj.get("metadata") or {}).get("name", ""))


if TYPE_CHECKING:
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
            self._session.log_error(told, place=sources.FORWARDING)
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
    return (os.strerror(error.errno) if error.errno else str(error)).lower()
