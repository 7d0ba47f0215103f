"""What carries a request to a server and its answer back. `http_transport` does it over sockets; a server that wants
to call itself implements `Transport` without any.

A transport reports what the server said, errors included; `client.Client` makes sense of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from localplane.apimachinery import times
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.light_typing import TYPE_CHECKING, Protocol
from localplane.client.errors import ConnectionFailed
from localplane.client.urls import ServerURL, query_of, server_url, split

if TYPE_CHECKING:
    from datetime import timedelta

Pairs = Sequence[tuple[str, str]]
"""Query parameters, or headers; names may come several times. Headers are compared without regard to case."""


class Response(Protocol):
    """An answer whose status and headers have arrived. It holds a connection until it is read to its end or closed."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Pairs: ...

    async def read(self) -> bytes:
        """The whole body. Raises ConnectionFailed."""

    def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes, in pieces of any size. Raises ConnectionLost if it was cut before its end."""

    async def close(self) -> None:
        """Give up what has not been read. Doing it twice is fine."""


class Transport(Protocol):
    """How requests travel: over HTTPS, or to a server in this process. A Client needs nothing else."""

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> Response:
        """`path` is absolute and percent-encoded, without the query. Raises ConnectionFailed, CredentialsError."""

    async def close(self) -> None: ...


class BufferedResponse:
    """An answer that is all there, for transports that have it at once."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: Pairs, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    async def read(self) -> bytes:
        return self.body

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self.body

    async def close(self) -> None:
        """There is nothing to give up."""


def query_text(query: Pairs, timeout: timedelta | None) -> str:
    """With its question mark, sorted by name. The server hears how long we wait. Kubernetes: client-go/rest."""
    if timeout is not None:
        query = [*(pair for pair in query if pair[0] != "timeout"), ("timeout", times.format_duration(timeout))]
    return f"?{query_of(sorted(query, key=lambda pair: pair[0]))}" if query else ""


def header(headers: Pairs, name: str) -> str:
    """The first value, or the empty text."""
    return next(iter(header_values(headers, name)), "")


def header_values(headers: Pairs, name: str) -> list[str]:
    return [value for key, value in headers if key.lower() == name]


def server_parts(server: str) -> ServerURL:
    """Of a server's URL. Raises ConnectionFailed for what nobody can connect to."""
    plain = server_url(server)
    if plain is not None:
        return plain
    parts = split(server)
    if parts.scheme not in ("http", "https"):
        reason = f"unsupported protocol scheme {go_quote(parts.scheme)}"
        raise ConnectionFailed(f"{server}: {reason}", address=parts.netloc, reason=reason)
    try:
        port = parts.port
    except ValueError as error:
        host = parts.netloc.rpartition("@")[2].rpartition("]")[2]
        reason = f"invalid port {go_quote(host[host.index(':') :])} after host"
        raise ConnectionFailed(f"{server}: {reason}", address=host, reason=reason) from error
    return ServerURL(parts.scheme, parts.netloc.rpartition("@")[2], parts.hostname or "", port, parts.path)
