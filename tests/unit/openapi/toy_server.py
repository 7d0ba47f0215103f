"""A server with nothing but discovery and OpenAPI, for clients of others to look at.

What they create it accepts and forgets, so that a test can see how they asked.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from localplane.apimachinery.errors import APIError
from localplane.apiserver.endpoints.discovery import DiscoveryHandler, InstalledGroup
from localplane.apiserver.endpoints.openapi import OpenAPI
from localplane.apiserver.request import Query, Request, Response


@dataclass(slots=True)
class ToyServer:
    """`seen` holds the method, path and query of each request."""

    url: str = ""
    seen: list[str] = field(default_factory=list)

    def paths(self) -> list[str]:
        return [each.partition("?")[0] for each in self.seen]


@asynccontextmanager
async def toy_server(groups: Sequence[InstalledGroup]) -> AsyncIterator[ToyServer]:
    server, discovery, openapi = ToyServer(), DiscoveryHandler(lambda: groups), OpenAPI(lambda: groups)

    async def handle(asked: web.Request) -> web.Response:
        server.seen.append(f"{asked.method} {asked.path_qs}")
        request = _request(asked)
        try:
            answer = await discovery.handle(request) or await openapi.handle(request)
        except APIError as error:
            answer = Response(error.code, json.dumps(error.status()).encode())
        if answer is None:
            answer = _accepted(await asked.read()) if asked.method in ("POST", "PATCH") else _not_found()
        assert isinstance(answer, Response)
        assert isinstance(answer.body, bytes)
        headers = dict(answer.headers)
        if answer.content_type:
            headers["Content-Type"] = answer.content_type
        return web.Response(status=answer.status, body=answer.body, headers=headers)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield server
    finally:
        await runner.cleanup()


def _request(asked: web.Request) -> Request:
    query: dict[str, list[str]] = {}
    for name, value in asked.query.items():
        query.setdefault(name, []).append(value)
    headers = {name.lower(): value for name, value in asked.headers.items()}
    return Request(asked.method, asked.path, Query(query), headers, _no_body)


async def _no_body(_: int) -> bytes:
    return b""


def _accepted(body: bytes) -> Response:
    stored = json.loads(body)
    stored["metadata"] |= {"resourceVersion": "1", "uid": "00000000-0000-0000-0000-000000000001"}
    return Response(201, json.dumps(stored).encode())


def _not_found() -> Response:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
    return Response(404, json.dumps(status).encode())
