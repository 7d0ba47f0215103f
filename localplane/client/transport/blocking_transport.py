"""Requests over a blocking socket, for a program that does one thing at a time and has to start fast.

It is a Transport like the others, but its coroutines never suspend: `driving.drive` runs whoever awaits them without an
event loop, and nothing here imports asyncio or an HTTP library. One connection is kept and used again.
"""

from __future__ import annotations

import base64
import pathlib
import select
import time
import urllib.parse
from collections.abc import Awaitable, Callable, Sequence

from localplane.apimachinery.light_typing import TYPE_CHECKING, Final, TypeVar
from localplane.client.authentication import tls as client_tls
from localplane.client.authentication.credentials import ClientCertificate, Credentials, credentials_for
from localplane.client.errors import (
    ClientError,
    ConfigError,
    ConnectionFailed,
    ConnectionLost,
    ConnectionRefused,
    InvalidAnswer,
    RequestTimedOut,
    TLSFailed,
)
from localplane.client.kubeconfig.model import ClientConfig
from localplane.client.transport import socks
from localplane.client.transport.proxies import proxy_for
from localplane.client.urls import split
from localplane.tls import contexts

from .driver import drive
from .headers import impersonation_headers
from .http1 import Head, Incoming, IncompleteAnswer, request_bytes
from .interface import Pairs, header, query_text, server_parts
from .sockets import AddressUnknown, Wire, dial, secured

if TYPE_CHECKING:
    import socket

T = TypeVar("T")

_CONNECT_TIMEOUT: Final = 30.0
_PIECE: Final = 65536
_REPEATABLE: Final = ("GET", "HEAD", "OPTIONS", "TRACE")
_PORTS: Final = {"http": 80, "https": 443}
_SOCKS_PORT: Final = 1080
_HEADERS_LATE = "net/http: request canceled (Client.Timeout exceeded while awaiting headers)"
_OVER = "context deadline exceeded"
_AT_ONCE = 1e-6
"""Seconds of a limit that is over before anything can be sent."""
_BODY_LATE = "context deadline exceeded (Client.Timeout or context cancellation while reading body)"


class BlockingTransport:
    """`extra` are headers of every request."""

    def __init__(
        self,
        config: ClientConfig,
        *,
        agent: str,
        extra: Pairs = (),
        credentials: Credentials | None = None,
    ) -> None:
        self._parts = server_parts(config.server)
        self._config = config
        self._address = self._parts.address
        self._credentials = credentials if credentials is not None else credentials_for(config)
        encoding = "identity" if config.disable_compression else "gzip"
        self._headers = [("User-Agent", agent), ("Accept-Encoding", encoding), *extra]
        self._headers += impersonation_headers(config.impersonate)
        self._idle: _Connection | None = None
        self._certificate: ClientCertificate | None = None

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> BlockingResponse:
        certificate = _settled(self._credentials.certificate)
        authorization = _settled(self._credentials.authorization)
        target = f"{self._parts.path}{path}{query_text(query, self._config.timeout)}"
        sent = [("Host", self._address), *self._headers, *headers]
        if authorization:
            sent.append(("Authorization", authorization))
        limit = self._config.timeout
        if limit is not None and limit.total_seconds() <= _AT_ONCE:
            raise RequestTimedOut(f"{self._config.server}: {_OVER}", address=self._address, reason=_OVER)
        deadline = None if limit is None else time.monotonic() + limit.total_seconds()
        message = request_bytes(method, target, sent, body)
        response = self._exchange(message, method, certificate, deadline)
        if response.status == 401 and authorization:
            self._credentials.rejected(authorization)
        return response

    async def close(self) -> None:
        idle, self._idle = self._idle, None
        if idle is not None:
            idle.close()

    def _exchange(
        self, message: bytes, method: str, certificate: ClientCertificate | None, deadline: float | None
    ) -> BlockingResponse:
        """On the kept connection, if it is still open. One that breaks all the same, before a byte has come back, may
        have carried the request: only what changes nothing is sent again on a new one, as Go's client has it."""
        idle, self._idle = self._idle, None
        if idle is not None and certificate == self._certificate and idle.is_quiet():
            try:
                return self._answer(idle, message, method, deadline)
            except ConnectionLost as error:
                if not error.unanswered or method not in _REPEATABLE:
                    raise
        elif idle is not None:
            idle.close()
        self._certificate = certificate
        return self._answer(self._connect(certificate, deadline), message, method, deadline)

    def _answer(self, connection: _Connection, message: bytes, method: str, deadline: float | None) -> BlockingResponse:
        connection.send(message, deadline)
        incoming = Incoming(method)
        try:
            while incoming.head is None:
                incoming.feed(connection.receive(deadline, late=_HEADERS_LATE, answered=incoming.started))
        except InvalidAnswer:
            connection.close()
            raise
        return BlockingResponse(incoming.head, incoming, connection, deadline, self._keep)

    def _keep(self, connection: _Connection) -> None:
        self._idle = connection

    def _connect(self, certificate: ClientCertificate | None, deadline: float | None) -> _Connection:
        plain = self._plain(deadline)
        if self._parts.scheme != "https":
            return _Connection(plain, self._address)
        return _Connection(self._handshake(plain, certificate, deadline), self._address)

    def _plain(self, deadline: float | None) -> socket.socket:
        """To the server, before anything is said."""
        proxy = proxy_for(self._config.server, configured=self._config.proxy_url)
        host, port = self._parts.host, self._parts.port or _PORTS[self._parts.scheme]
        if not proxy:
            return self._dial(host, port, deadline)
        if proxy.startswith("socks5"):
            return self._by_socks(proxy, host, port, deadline)
        return self._through(proxy, host, port, deadline)

    def _by_socks(self, proxy: str, host: str, port: int, deadline: float | None) -> socket.socket:
        parts = split(proxy)
        plain = self._dial(parts.hostname or "", parts.port or _SOCKS_PORT, deadline)
        try:
            socks.connect(plain, parts, host, port)
        except OSError as error:
            plain.close()
            reason = f"socks connect tcp {parts.hostname}:{parts.port or _SOCKS_PORT}->{host}:{port}: {error}"
            raise ConnectionFailed(f"{proxy}: {reason}", address=self._address, reason=reason) from error
        return plain

    def _through(self, proxy: str, host: str, port: int, deadline: float | None) -> socket.socket:
        """A tunnel. Servers without TLS get one as well: then proxies need not understand what goes through."""
        parts = split(proxy)
        plain = self._dial(parts.hostname or "", parts.port or _PORTS[parts.scheme], deadline)
        connected = plain
        if parts.scheme == "https":
            connected = contexts.verifying().wrap_socket(plain, server_hostname=parts.hostname)
        target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        headers = [("Host", target)]
        if parts.username is not None:
            pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}".encode()
            headers.append(("Proxy-Authorization", f"Basic {base64.b64encode(pair).decode()}"))
        tunnel = _Connection(connected, parts.netloc.rpartition("@")[2])
        tunnel.send(request_bytes("CONNECT", target, headers, None), deadline)
        incoming = Incoming("HEAD")  # whose answer has no body either
        while incoming.head is None:
            incoming.feed(tunnel.receive(deadline, late=_HEADERS_LATE, answered=incoming.started))
        if incoming.head.status != 200:
            tunnel.close()
            reason = f"proxyconnect tcp: status {incoming.head.status}"
            raise ConnectionFailed(f"{proxy}: {reason}", address=self._address, reason=reason)
        return connected

    def _dial(self, host: str, port: int, deadline: float | None) -> socket.socket:
        limit = _CONNECT_TIMEOUT if deadline is None else min(_CONNECT_TIMEOUT, max(0.001, deadline - time.monotonic()))
        try:
            return dial(host, port, within=limit)
        except ConnectionRefusedError as error:
            raise ConnectionRefused(
                f"the connection to the server {self._config.server} was refused",
                address=self._address,
                reason=f"dial tcp {host}:{port}: connect: connection refused",
            ) from error
        except TimeoutError as error:
            raise RequestTimedOut(
                f"{self._config.server}: {_HEADERS_LATE}", address=self._address, reason=_HEADERS_LATE
            ) from error
        except AddressUnknown as error:
            reason = f"dial tcp: lookup {host}{_asked()}: no such host"
            raise ConnectionFailed(f"{self._config.server}: {error}", address=self._address, reason=reason) from error
        except OSError as error:
            reason = f"dial tcp {host}:{port}: connect: {(error.strerror or str(error)).lower()}"
            raise ConnectionFailed(f"{self._config.server}: {error}", address=self._address, reason=reason) from error

    def _handshake(
        self, plain: socket.socket, certificate: ClientCertificate | None, deadline: float | None
    ) -> socket.socket:
        """Once more, and judged by Go's rules, if OpenSSL does not believe the server."""
        name = self._config.tls_server_name or self._parts.host or ""
        try:
            try:
                return secured(plain, self._config, certificate, name)
            except OSError as error:
                plain.close()
                if not _is_distrust(error):
                    raise
                plain = self._plain(deadline)
                return secured(plain, self._config, certificate, name, judging=True)
        except ConfigError:
            plain.close()
            raise
        except OSError as error:  # an SSLError is one
            plain.close()
            reason = client_tls.handshake_failure(error, name, shown=lambda: self._shown(deadline))
            raise TLSFailed(f"{self._config.server}: {error}", address=self._address, reason=reason) from error

    def _shown(self, deadline: float | None) -> bytes:
        """The server's certificate, to say what is wrong with it; nothing if it shows none now."""
        try:
            with contexts.trusting_anybody().wrap_socket(self._plain(deadline)) as looked:
                return looked.getpeercert(binary_form=True) or b""
        except (OSError, ClientError):
            return b""


class _Connection:
    def __init__(self, connected: Wire, address: str) -> None:
        self._socket = connected
        self._address = address

    def send(self, message: bytes, deadline: float | None) -> None:
        try:
            self._limit(deadline)
            self._socket.sendall(message)
        except OSError as error:
            self.close()
            raise ConnectionLost(
                f"the connection to the server {self._address} was lost: {error}",
                address=self._address,
                unanswered=True,
            ) from error

    def is_quiet(self) -> bool:
        """Whether nothing has come since the last answer: what comes unasked is the connection's end."""
        readable, _, _ = select.select([self._socket], [], [], 0)
        return not readable

    def receive(self, deadline: float | None, *, late: str, answered: bool) -> bytes:
        """At least a byte. Raises ConnectionLost at the end of the stream."""
        try:
            self._limit(deadline)
            data = self._socket.recv(_PIECE)
        except TimeoutError as error:
            self.close()
            raise RequestTimedOut(f"{self._address}: {late}", address=self._address, reason=late) from error
        except OSError as error:
            self.close()
            raise self._lost(str(error), answered=answered) from error
        if not data:
            self.close()
            raise self._lost("EOF", answered=answered)
        return data

    def _lost(self, why: str, *, answered: bool) -> ConnectionLost:
        return ConnectionLost(
            f"the connection to the server {self._address} was lost: {why}",
            address=self._address,
            reason=why,
            unanswered=not answered,
        )

    def _limit(self, deadline: float | None) -> None:
        self._socket.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))

    def close(self) -> None:
        self._socket.close()


class BlockingResponse:
    def __init__(
        self,
        head: Head,
        incoming: Incoming,
        connection: _Connection,
        deadline: float | None,
        keep: Callable[[_Connection], None],
    ) -> None:
        self.status = head.status
        self.headers: Sequence[tuple[str, str]] = head.headers
        self._incoming = incoming
        self._connection: _Connection | None = connection
        self._deadline = deadline
        self._keep = keep

    async def read(self) -> bytes:
        pieces = []
        while (piece := self._next()) is not None:
            pieces.append(piece)
        return b"".join(pieces)

    def chunks(self) -> BlockingResponse:
        return self

    def __aiter__(self) -> BlockingResponse:
        return self

    async def __anext__(self) -> bytes:
        while (piece := self._next()) is not None:
            if piece:
                return piece
        raise StopAsyncIteration

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _next(self) -> bytes | None:
        """The next piece of the body; None at its end, where the connection is free for the next request."""
        body = self._incoming.body()
        if body or self._connection is None:
            return body or None
        if self._incoming.complete:
            self._finish()
            return None
        try:
            self._incoming.feed(self._connection.receive(self._deadline, late=_BODY_LATE, answered=True))
        except InvalidAnswer:
            self._connection.close()
            self._connection = None
            raise
        except ConnectionLost:
            self._connection = None
            try:
                self._incoming.end()
            except IncompleteAnswer as error:
                raise ConnectionLost(str(error), reason="unexpected EOF") from error
        return self._incoming.body()

    def _finish(self) -> None:
        connection, self._connection = self._connection, None
        assert connection is not None  # the caller has looked
        if header(self.headers, "connection").lower() == "close":
            connection.close()
        else:
            self._keep(connection)


def _is_distrust(error: OSError) -> bool:
    import ssl

    return isinstance(error, ssl.SSLCertVerificationError)


def _settled(ask: Callable[[], Awaitable[T]]) -> T:
    """Most credentials are at hand; those that run a program get an event loop for it."""
    return drive(ask, loop_if_needed=True)


def _asked() -> str:
    """Which name server did not know, as Go says it."""
    try:
        lines = pathlib.Path("/etc/resolv.conf").read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    servers = [line.split()[1] for line in lines if line.startswith("nameserver") and len(line.split()) > 1]
    return f" on {servers[0]}:53" if servers else ""
