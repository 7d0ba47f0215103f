"""Files of a directory over HTTP, for `kctl proxy --www`. Nothing outside of the directory is read.

A server on this machine that passes on requests with our credentials. Kubernetes: kubectl/pkg/proxy.
"""

from __future__ import annotations

import html
import mimetypes
import pathlib
import posixpath
import re
from collections.abc import Callable, Sequence
from email.utils import formatdate
from typing import NamedTuple
from urllib.parse import quote, unquote

from aiohttp import web

from kctl.session.session import user_agent
from kctl.streaming import dial
from localplane.apimachinery.golang.regexps import Regexp, TooCostly, compiled
from localplane.client.errors import ClientError, ConnectionFailed
from localplane.client.kubeconfig.model import ClientConfig
from localplane.client.transport.aiohttp_transport import HTTPTransport

_INDEX = "index.html"
_PLAIN = "$&+,/:;=@!'()*~"


def serve_file(directory: pathlib.Path, name: str) -> web.StreamResponse:
    """`name` is below the directory, with a slash at its end where a directory is meant."""
    if name.endswith(f"/{_INDEX}") or name == _INDEX:
        return web.Response(status=301, headers={"Location": "./"})
    parts = [part for part in name.split("/") if part]
    file = directory.joinpath(*parts)
    if ".." in parts or not file.exists() or (file.is_file() and name.endswith("/")):
        headers = {"X-Content-Type-Options": "nosniff"}
        return web.Response(status=404, text="404 page not found\n", headers=headers)
    if file.is_dir():
        if name and not name.endswith("/"):
            return web.Response(status=301, headers={"Location": f"{parts[-1]}/"})
        if not (file / _INDEX).is_file():
            return _listing(file)
        file /= _INDEX
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    kind += "; charset=utf-8" if kind.startswith("text/") else ""
    return web.FileResponse(file, headers={"Content-Type": kind, "Last-Modified": formatdate(usegmt=True)})


def _listing(directory: pathlib.Path) -> web.Response:
    names = sorted(f"{one.name}/" if one.is_dir() else one.name for one in directory.iterdir())
    links = "".join(f'<a href="{quote(name, safe=_PLAIN)}">{html.escape(name)}</a>\n' for name in names)
    page = f'<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n{links}</pre>\n'
    return web.Response(text=page, content_type="text/html")


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
_NOSNIFF = {"X-Content-Type-Options": "nosniff"}


class Rules(NamedTuple):
    """Whose requests are passed on: all of the accepting ones must match, and none of the rejecting."""

    accept_paths: Sequence[Regexp]
    accept_hosts: Sequence[Regexp]
    reject_paths: Sequence[Regexp]
    reject_methods: Sequence[Regexp]

    def allow(self, method: str, host: str, path: str) -> bool:
        """What would take too long to tell is not."""
        try:
            return (
                not _matches(self.reject_paths, path)
                and not _matches(self.reject_methods, method)
                and _matches(self.accept_hosts, host)
                and _matches(self.accept_paths, path)
            )
        except TooCostly:
            return False


def patterns(text: str) -> list[Regexp]:
    """Of a list with commas. Raises ValueError, in Go's words."""
    return [compiled(part) for part in text.split(",")] if text else []


def _matches(expressions: Sequence[Regexp], text: str) -> bool:
    return any(expression.is_in(text) for expression in expressions)


class Static(NamedTuple):
    """Files that are served as well."""

    prefix: str
    directory: pathlib.Path


class Proxy:
    """`prefix` is below which paths the API is found here. Without `rules` everybody is let through."""

    def __init__(
        self,
        config: ClientConfig,
        prefix: str,
        rules: Rules | None,
        static: Static | None,
        *,
        keepalive: float,
        log: Callable[[str], None],
    ) -> None:
        self._config = config
        self._transport = HTTPTransport(config, agent=user_agent())
        self._keepalive = keepalive
        self._log = log
        self._prefix = prefix
        self._rules = rules
        self._static = static

    async def close(self) -> None:
        await self._transport.close()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = unquote(request.rel_url.raw_path)
        if (elsewhere := self._redirect(path)) is not None:
            query = f"?{request.rel_url.raw_query_string}" if request.rel_url.raw_query_string else ""
            location = quote(elsewhere) + query
            headers = {"Location": location}
            if request.method not in ("GET", "HEAD"):
                return web.Response(status=307, headers=headers)
            text = f'<a href="{location}">Temporary Redirect</a>.\n\n'
            return web.Response(status=307, text=text, content_type="text/html", headers=headers)
        if self._static is not None and _is_below(self._static.prefix, path, than=self._prefix):
            return serve_file(self._static.directory, path.removeprefix(self._static.prefix))
        if not path.startswith(self._prefix):
            return _refusal(404, "404 page not found")
        inner = self._inner(path)
        if self._rules is not None and not self._rules.allow(request.method, _host(request.host), inner):
            return _refusal(403, "Forbidden")
        target = self._inner(request.rel_url.raw_path) or "/"
        if "upgrade" in request.headers.get("Connection", "").lower():
            return await dial.tunnel(self._config, request, target, keepalive=self._keepalive)
        return await self._pass_on(request, target)

    def _redirect(self, path: str) -> str | None:
        """As Go's ServeMux: to the path without detours, and to a prefix with its slash."""
        clean = posixpath.normpath(f"/{path}").replace("//", "/")
        clean += "/" if path.endswith("/") and clean != "/" else ""
        prefixes = [self._prefix, *([self._static.prefix] if self._static else [])]
        if clean != path:
            return clean
        return f"{path}/" if f"{path}/" in prefixes else None

    def _inner(self, path: str) -> str:
        if self._prefix.startswith("/api"):
            return path
        rest = path.removeprefix(self._prefix)
        return f"/{rest}" if rest and not rest.startswith("/") else rest

    async def _pass_on(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        query = request.rel_url.raw_query_string
        try:
            answer = await self._transport.request(
                request.method,
                f"{path}?{query}" if query else path,
                headers=[
                    *_passed_on(list(request.headers.items()), also=("accept-encoding",)),
                    *([("X-Forwarded-For", request.remote)] if request.remote else []),
                ],
                body=await request.read() if request.can_read_body else None,
            )
        except ClientError as error:
            said = (error.reason if isinstance(error, ConnectionFailed) else "") or str(error)
            self._log(f"Error while proxying request: {said}")
            return _refusal(500, said)
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


def _is_below(prefix: str, path: str, *, than: str) -> bool:
    """The longer prefix has the word."""
    return path.startswith(prefix) and not (path.startswith(than) and len(than) > len(prefix))


def _host(header: str) -> str:
    """Without its port. Kubernetes: kubectl/pkg/proxy, extractHost."""
    found = re.fullmatch(r"(?:\[([^\]]*)\]|([^:\[\]]*)):[^:\]]*", header)
    return header if found is None else found[1] if found[1] is not None else found[2]


def _refusal(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=f"{text}\n", headers=_NOSNIFF)


def _passed_on(headers: list[tuple[str, str]], *, also: tuple[str, ...]) -> list[tuple[str, str]]:
    """Without what belongs to one connection only, and what the transport decides itself."""
    return [(name, value) for name, value in headers if name.lower() not in _HOP_BY_HOP and name.lower() not in also]
