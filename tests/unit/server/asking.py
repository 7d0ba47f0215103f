"""Requests made by hand."""

from __future__ import annotations

from localplane.apiserver.request import Query, Request, RequestInfo
from localplane.apiserver.server.http.http_server import parse_query


async def _no_body(_limit: int) -> bytes:
    return b""


def ask(path: str = "/", method: str = "GET", *, info: RequestInfo | None = None, **headers: str) -> Request:
    path, _, query = path.partition("?")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(method, path, parse_query(query) if query else Query({}), named, _no_body)
    if info is not None:
        request.info = info
    return request


def about(verb: str, resource: str, *, name: str = "", namespace: str = "", subresource: str = "") -> RequestInfo:
    return RequestInfo(
        is_resource=True,
        path="",
        verb=verb,
        version="v1",
        namespace=namespace,
        resource=resource,
        name=name,
        subresource=subresource,
    )
