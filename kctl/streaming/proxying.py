"""A server on this machine that passes on requests with our credentials. Kubernetes: kubectl/pkg/proxy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aiohttp import web

from localplane.client.errors import ClientError
from localplane.client.http_transport import HTTPTransport

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOP_BY_HOP = {
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}


class Rules(NamedTuple):
    """Whose requests are passed on: all of the accepting ones must match, and none of the rejecting."""

    accept_paths: Sequence[str]
    accept_hosts: Sequence[str]
    reject_paths: Sequence[str]
    reject_methods: Sequence[str]

    def allow(self, method: str, host: str, path: str, inner: str) -> bool:
        """`inner` is the API's own path, which a prefix must not hide from those who reject it."""
        return (
            not _matches(self.reject_paths, path)
            and not _matches(self.reject_paths, inner)
            and not _matches(self.reject_methods, method)
            and _matches(self.accept_hosts, host)
            and _matches(self.accept_paths, path)
        )


def _matches(patterns: Sequence[str], text: str) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)


class Proxy:
    """`prefix` is below which paths the API is found here. Without `rules` everybody is let through."""

    def __init__(self, transport: HTTPTransport, prefix: str, rules: Rules | None) -> None:
        self._transport = transport
        self._prefix = prefix
        self._rules = rules

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        host = re.sub(r":\d+$", "", request.host)
        path = request.rel_url.raw_path
        inner = "/" + path.removeprefix(self._prefix).lstrip("/")
        if self._rules is not None and not self._rules.allow(request.method, host, path, inner):
            return web.Response(status=403, text="Forbidden\n")
        if not path.startswith(self._prefix):
            return web.Response(status=404, text="404 page not found\n")
        try:
            answer = await self._transport.request(
                request.method,
                inner,
                query=list(request.rel_url.query.items()),
                headers=_passed_on(
                    list(request.headers.items()), also=("accept-encoding", "authorization", "user-agent")
                ),
                body=await request.read() if request.can_read_body else None,
            )
        except ClientError as error:
            return web.Response(status=502, text=f"{error}\n")
        response = web.StreamResponse(status=answer.status)
        for name, value in _passed_on(list(answer.headers), also=("content-encoding",)):
            response.headers.add(name, value)
        await response.prepare(request)
        try:
            async for chunk in answer.chunks():
                await response.write(chunk)
        finally:
            await answer.close()
        return response


def _passed_on(headers: list[tuple[str, str]], *, also: tuple[str, ...]) -> list[tuple[str, str]]:
    """Without what belongs to one connection only, and what the transport decides itself."""
    return [(name, value) for name, value in headers if name.lower() not in _HOP_BY_HOP and name.lower() not in also]
