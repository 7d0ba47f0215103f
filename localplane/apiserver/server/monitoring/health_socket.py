"""Health and storage facts over HTTP on a unix socket that only its owner can open.

GET /livez /readyz /healthz    with ?verbose, ?exclude=NAME, and /readyz/NAME for one check
GET /storage                   what is stored where, or a Status that says why nobody can tell
GET /bad-objects               what is stored and can't be used
DELETE /bad-objects?key=KEY    removes one of them
GET /join                      how another server of the same cluster is started
POST /keys/renew /keys/retire  new keys beside the old ones; an end to the old ones
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
from aiohttp.web_request import BaseRequest
from aiohttp.web_response import Response, StreamResponse
from aiohttp.web_server import Server

from localplane.apimachinery.errors import APIError, NotFound

from .health import HealthCheck, report

Facts = Callable[[], Awaitable[dict[str, Any]]]
Remove = Callable[[str], Awaitable[None]]

_ENDPOINTS = ("livez", "readyz", "healthz")
_LAST_ANSWERS_WITHIN = timedelta(seconds=1)


class HealthHandler:
    """`live` is what makes the process worth keeping, `ready` what makes it worth asking. `bad_objects` tells what
    can't be used, and `remove_bad` removes it by its key; `change_keys` is told `renew` or `retire`. All of them raise
    APIErrors. `join` tells how another server of the cluster is started."""

    def __init__(
        self,
        *,
        live: Sequence[HealthCheck],
        ready: Sequence[HealthCheck],
        facts: Facts,
        bad_objects: Facts | None = None,
        remove_bad: Remove | None = None,
        change_keys: Remove | None = None,
        join: Facts | None = None,
    ) -> None:
        self._checks = {"livez": tuple(live), "readyz": tuple(ready), "healthz": tuple(ready)}
        self._facts = facts
        self._bad_objects = bad_objects
        self._remove_bad = remove_bad
        self._change_keys = change_keys
        self._join = join

    async def __call__(self, request: BaseRequest) -> StreamResponse:
        endpoint, _, name = request.path.strip("/").partition("/")
        try:
            if request.method == "GET" and endpoint in _ENDPOINTS:
                return await self._health(request, endpoint, name)
            if request.method == "GET" and request.path == "/storage":
                return _json(200, await self._facts())
            if request.path == "/bad-objects":
                return await self._doctor(request)
            if request.method == "GET" and request.path == "/join" and self._join is not None:
                return _json(200, await self._join())
            if request.method == "POST" and endpoint == "keys" and self._change_keys is not None:
                await self._change_keys(name)
                return _json(200, {})
            raise NotFound("the server could not find the requested resource")
        except APIError as error:
            headers = {"Retry-After": str(error.retry_after_seconds)} if error.retry_after_seconds else None
            return _json(error.code, error.status(), headers=headers)

    async def _doctor(self, request: BaseRequest) -> Response:
        if request.method == "GET" and self._bad_objects is not None:
            return _json(200, await self._bad_objects())
        if request.method == "DELETE" and self._remove_bad is not None:
            await self._remove_bad(request.query.get("key", ""))
            return _json(200, {})
        raise NotFound("the server could not find the requested resource")

    async def _health(self, request: BaseRequest, endpoint: str, name: str) -> Response:
        checks = [check for check in self._checks[endpoint] if not name or check.name == name]
        if not checks:
            raise NotFound("the server could not find the requested resource")
        answer = await report(
            endpoint,
            checks,
            verbose="verbose" in request.query,
            exclude=request.query.getall("exclude", []),
            with_reasons=True,
        )
        return Response(
            text=answer.text,
            status=200 if answer.ok else 500,
            headers={"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache, private"},
        )


def _json(status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    return Response(body=orjson.dumps(body), status=status, content_type="application/json", headers=headers)


@contextlib.asynccontextmanager
async def listening(path: Path, handler: HealthHandler) -> AsyncIterator[None]:
    """Serve on a socket in a directory that the caller owns and keeps private."""
    path.unlink(missing_ok=True)  # the left-over of a killed process; the directory's lock says that it is dead
    server = Server(handler, access_log=None)
    socket = await asyncio.get_running_loop().create_unix_server(server, path)
    try:
        path.chmod(0o600)
        yield
    finally:
        socket.close()
        server.pre_shutdown()
        await server.shutdown(_LAST_ANSWERS_WITHIN.total_seconds())
        path.unlink(missing_ok=True)
