"""A request here, asked again there; the answer comes back as it is, piece by piece if it has no end of its own.

Kubernetes: kube-aggregator pkg/apiserver/handler_proxy.go, apimachinery/pkg/util/proxy.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import aiohttp

from localplane.apiserver.endpoints.filters.plain_text import plain_text
from localplane.apiserver.endpoints.writes import body
from localplane.apiserver.outbound.failures import why
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import Answer, Request, Response, StreamResponse
from localplane.catalog.service_addresses import NoAddress, service_address
from localplane.tls.authorities import NoAuthorities

from .connections import Connections, url_of
from .headers import incoming, outgoing, wants_upgrade
from .remote import Remote

_DISCOVERY_SECONDS: Final = 5.0
_READ_WHOLE: Final = 1024 * 1024
_UNAVAILABLE: Final = "service unavailable"
_REDIRECTED: Final = b"the backend attempted to redirect this request, which is not permitted"
_NO_UPGRADES: Final = "requests to upgrade the connection are not passed on to other servers"


class Proxy:
    def __init__(self, objects: Lookup, connections: Connections) -> None:
        self._objects = objects
        self._connections = connections

    async def pass_on(self, request: Request, remote: Remote) -> Answer:
        """Only a body of the size that any API server takes is passed on."""
        if not remote.available:
            return plain_text(503, _UNAVAILABLE)
        if wants_upgrade(request):
            return plain_text(501, _NO_UPGRADES)
        try:
            place = await service_address(self._objects, remote.namespace, remote.service, remote.port)
        except NoAddress:
            return plain_text(503, _UNAVAILABLE)
        content = await body.read(request)
        try:
            async with asyncio.timeout(_DISCOVERY_SECONDS if request.path.strip("/") == remote.path[1:] else None):
                answer = await self._ask(request, remote, place, content)
        except NoAuthorities as error:
            return plain_text(500, str(error))
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = why(error, *place, name=remote.trust.server_name)
            return plain_text(503, f"error trying to reach service: {reason}")
        if 300 <= answer.status < 400 and "Location" in answer.headers and request.path.startswith("/apis/"):
            answer.close()
            return Response(502, _REDIRECTED, content_type="text/plain; charset=utf-8")
        return await _answered(answer)

    async def _ask(
        self, request: Request, remote: Remote, place: tuple[str, int], content: bytes
    ) -> aiohttp.ClientResponse:
        assert request.user is not None, "authentication comes first"
        return await self._connections.request(
            remote.trust,
            url_of(*place, request.path, request.query),
            name=remote.name,
            method=request.method,
            headers=outgoing(request, request.user),
            body=content,
        )


async def _answered(answer: aiohttp.ClientResponse) -> Answer:
    """A short one whose length is known is read to its end; anything else is long, or may be a watch."""
    headers = incoming(answer.headers, answer.headers.items())
    content_type = answer.headers.get("Content-Type", "")
    is_long = answer.content_length is None or answer.content_length > _READ_WHOLE
    if is_long and answer.status not in (204, 304) and answer.method != "HEAD":

        async def close() -> None:
            answer.close()

        return StreamResponse(_pieces(answer), close, answer.status, content_type, headers)
    try:
        content = await answer.read()
    except aiohttp.ClientError:
        return plain_text(503, "error trying to reach service: unexpected EOF")
    return Response(answer.status, content, content_type, headers)


async def _pieces(answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """A stream that breaks off there breaks off here: its end would be a lie."""
    try:
        async for piece in answer.content.iter_any():
            yield piece
    except aiohttp.ClientError as error:
        raise ConnectionResetError("the other server hung up") from error
