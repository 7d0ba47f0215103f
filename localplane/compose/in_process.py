"""The loopback client's transport: from a client to the server's handlers without a socket.

Requests through it come from the server itself, so they pass no authentication and no limits. Kubernetes' own server
has such a client too (apiserver/pkg/server/config_selfclient).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import unquote

from localplane.apiserver.endpoints.filters import recover, request_info
from localplane.apiserver.request import Handler, Query, Request, Response, StreamResponse, User
from localplane.apiserver.server.chain import wrapped
from localplane.client.transport import BufferedResponse, Pairs, header, header_values
from localplane.client.transport import Response as ClientResponse

SELF = User("system:apiserver", groups=("system:masters", "system:authenticated"))


class InProcessTransport:
    def __init__(self, handler: Handler) -> None:
        self._handler = wrapped((recover(), request_info()), handler)

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> ClientResponse:
        answer = await self._handler(_request(method, path, query, headers, body or b""))
        if isinstance(answer, StreamResponse):
            return _Stream(answer)
        return BufferedResponse(answer.status, _headers(answer), _whole(answer))

    async def close(self) -> None:
        """There is nothing to close."""


def _request(method: str, path: str, query: Pairs, headers: Pairs, body: bytes) -> Request:
    values: dict[str, list[str]] = {}
    for name, value in query:
        values.setdefault(name, []).append(value)
    lower = {name.lower(): value for name, value in headers}

    async def read_body(limit: int) -> bytes:  # noqa: ARG001 - we don't send ourselves too much
        return body

    return Request(method, unquote(path), Query(values), lower, read_body, user=_user(headers))


def _user(headers: Pairs) -> User:
    """Whom the caller acts as. A server may be anybody to itself, so nobody is asked."""
    name = header(headers, "impersonate-user")
    return User(name, groups=tuple(header_values(headers, "impersonate-group"))) if name else SELF


def _headers(answer: Response | StreamResponse) -> Pairs:
    return [("Content-Type", answer.content_type), *answer.headers.items()]


def _whole(answer: Response) -> bytes:
    return answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)


class _Stream:
    """A watch: its pieces go from the handler to the reader as they are."""

    def __init__(self, answer: StreamResponse) -> None:
        self.status = answer.status
        self.headers = _headers(answer)
        self._answer = answer
        self._closed = False

    async def read(self) -> bytes:
        return b"".join([piece async for piece in self.chunks()])

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._answer.pieces:
                yield piece
        finally:
            await self.close()

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._answer.close()
