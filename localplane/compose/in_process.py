"""The loopback client's transport: from a client to the server's handlers without a socket.

Requests through it come from the server itself, so they pass no authentication and no limits. Kubernetes' own server
has such a client too (apiserver/pkg/server/config_selfclient).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from time import perf_counter
from urllib.parse import unquote

from localplane import __version__
from localplane.apiserver.endpoints.filters import recover, request_info
from localplane.apiserver.endpoints.filters.warning_headers import warning_headers
from localplane.apiserver.long_work import Here
from localplane.apiserver.request import Handler, Query, Request, Response, Severed, StreamResponse, User, whole_body
from localplane.apiserver.request_log import Ring
from localplane.apiserver.server.chain import wrapped
from localplane.client.errors import ConnectionLost
from localplane.client.transport.interface import BufferedResponse, Pairs, header, header_values
from localplane.client.transport.interface import Response as ClientResponse

_AGENT = f"kube-apiserver/{__version__}"
"""Who writes what a fresh cluster has, as its field managers say."""

SELF = User("system:apiserver", groups=("system:masters", "system:authenticated"))


class InProcessTransport:
    """`work` is where the server does what takes long, and `ring` where it is noted what was asked. With
    `only_readable`, lists and watches pass over what can't be read: for those who must go on whatever somebody has
    stored."""

    def __init__(self, handler: Handler, work: Here, ring: Ring, *, only_readable: bool = False) -> None:
        self._ring = ring
        self._only_readable = only_readable
        self._handler = wrapped((recover(), request_info()), handler)
        self._work = work

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> ClientResponse:
        request = self._request(method, path, query, headers, body or b"")
        request.only_readable = self._only_readable
        began = perf_counter()
        try:
            answer = await self._handler(request)
            if isinstance(answer, StreamResponse):
                return self._stream(request, answer, began)
            body = await whole_body(answer.body)
        except Severed as error:
            self._ring.note(request, None, 0, began, perf_counter() - began)
            raise ConnectionLost("EOF", reason="EOF", unanswered=True) from error
        self._ring.note(request, answer, len(body), began, perf_counter() - began)
        told = [("Warning", value) for value in warning_headers(request.warnings)] if request.warnings else []
        return BufferedResponse(answer.status, [*_headers(answer), *told], body)

    def _stream(self, request: Request, answer: StreamResponse, began: float) -> _Stream:
        self._ring.note(request, answer, 0, began, None)
        return _Stream(answer, lambda: self._ring.note(request, answer, answer.sent, began, perf_counter() - began))

    async def close(self) -> None:
        """There is nothing to close."""

    def _request(self, method: str, path: str, query: Pairs, headers: Pairs, body: bytes) -> Request:
        values: dict[str, list[str]] = {}
        for name, value in query:
            values.setdefault(name, []).append(value)
        lower = {"user-agent": _AGENT, **{name.lower(): value for name, value in headers}}

        async def read_body(limit: int) -> bytes:  # noqa: ARG001 - we don't send ourselves too much
            return body

        return Request(method, unquote(path), Query(values), lower, read_body, user=_user(headers), work=self._work)


def _user(headers: Pairs) -> User:
    """Whom the caller acts as. A server may be anybody to itself, so nobody is asked."""
    name = header(headers, "impersonate-user")
    return User(name, groups=tuple(header_values(headers, "impersonate-group"))) if name else SELF


def _headers(answer: Response | StreamResponse) -> Pairs:
    return [("Content-Type", answer.content_type), *answer.headers.items()]


class _Stream:
    """A watch: its pieces go from the handler to the reader as they are. `ended` is called once."""

    def __init__(self, answer: StreamResponse, ended: Callable[[], None]) -> None:
        self._ended = ended
        self.status = answer.status
        self.headers = _headers(answer)
        self._answer = answer
        self._closed = False

    async def read(self) -> bytes:
        return b"".join([piece async for piece in self.chunks()])

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._answer.pieces:
                self._answer.sent += len(piece)
                yield piece
        except Severed as error:
            raise ConnectionLost("unexpected EOF", reason="unexpected EOF") from error
        finally:
            await self.close()

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            try:
                await self._answer.close()
            finally:
                self._ended()
