"""One POST to a webhook. Connections are kept between calls, one pool for each place and each set of authorities.

Paths are cleaned as client-go's requests clean them, redirects followed as Go's client follows them, and failures told
in its words, since users know them so.
"""

from __future__ import annotations

import asyncio
import posixpath
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote, unquote_to_bytes, urlsplit

import aiohttp
from yarl import URL

from localplane.apimachinery.golang.text import go_quote
from localplane.tls.authorities import NoAuthorities
from localplane.tls.contexts import judging

from .bodies import AnswerUnusable, whole_body
from .failures import why

_LARGEST_ANSWER: Final = 64 * 1024 * 1024
_LONGEST_REFUSAL: Final = 2048
_KEEP_IDLE: Final = 60.0
_MOST_REDIRECTS: Final = 10
_PATH: Final = "/$&+,:;=@~"
"""What Go leaves as it is in a path."""
_HEADERS: Final = {"Accept": "application/json, */*", "Accept-Encoding": "gzip"}
_WITH_BODY: Final = {**_HEADERS, "Content-Type": "application/json"}
_CHANGING: Final = (301, 302, 303)
_REPEATING: Final = (307, 308)


class WebhookFailed(Exception):
    """It could not be called, or did not answer with success."""


@dataclass(frozen=True, slots=True)
class WebhookLocation:
    """Where a webhook is. `host` and `port` are what is connected to if that is not what the URL says: a Service's
    name means nothing outside of its cluster's network. `authorities` is PEM; without any, the system's count."""

    url: str
    host: str = ""
    port: int = 0
    authorities: bytes = b""


Obstacle = Callable[[str, str], Awaitable[str]]
"""Why the webhook of this name, at this URL, can't be called, in Go's words; empty if it can."""


class WebhookClient:
    """Close it when done; several calls may run at once. `obstacle` is asked before each of them."""

    def __init__(self, obstacle: Obstacle | None = None) -> None:
        self._sessions: dict[WebhookLocation, aiohttp.ClientSession] = {}
        self._obstacle = obstacle

    async def post(self, place: WebhookLocation, body: bytes, *, within: timedelta, name: str = "") -> bytes:
        """The body of the answer. Raises WebhookFailed."""
        if self._obstacle is not None and (reason := await self._obstacle(name, place.url)):
            raise WebhookFailed(f"Post {go_quote(f'{cleaned(place.url)}?timeout={_seconds(within)}')}: {reason}")
        try:
            session = self._session(place)
        except NoAuthorities as error:
            raise WebhookFailed(str(error)) from error
        exchange = _Exchange(session, place, body)
        try:
            async with asyncio.timeout(within.total_seconds()):
                return await exchange.run(f"{cleaned(place.url)}?timeout={_seconds(within)}")
        except TimeoutError as error:
            late = "context deadline exceeded"
            raise WebhookFailed(_unread(late) if exchange.is_answered else exchange.failed(late)) from error

    async def close(self) -> None:
        sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            await session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _session(self, place: WebhookLocation) -> aiohttp.ClientSession:
        found = self._sessions.get(place)
        if found is None:
            connector = aiohttp.TCPConnector(
                ssl=judging(place.authorities),
                keepalive_timeout=_KEEP_IDLE,
                resolver=_Fixed(place) if place.host else None,
            )
            found = self._sessions[place] = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=None),
            )
        return found


class _Exchange:
    """A question and its answer, through as many redirects as it takes. Go: net/http (Client.do)."""

    def __init__(self, session: aiohttp.ClientSession, place: WebhookLocation, body: bytes) -> None:
        self._session = session
        self._place = place
        self._body = body
        self._url = ""
        self.is_answered = False

    def failed(self, reason: str) -> str:
        """Go names the first method and the last URL."""
        return f"Post {go_quote(self._url)}: {reason}"

    async def run(self, url: str) -> bytes:
        """Raises WebhookFailed."""
        self._url, method, referrer = url, "POST", ""
        for _ in range(_MOST_REDIRECTS):
            async with await self._ask(method, referrer) as answer:
                location = answer.headers.get("Location", "")
                if answer.status not in (*_CHANGING, *_REPEATING) or not location:
                    return await self._answer(answer)
                if answer.status in _CHANGING:
                    method = "GET"
                referrer, self._url = self._url, self._next(location)
        self._url = location
        raise WebhookFailed(self.failed(f"stopped after {_MOST_REDIRECTS} redirects"))

    async def _ask(self, method: str, referrer: str) -> aiohttp.ClientResponse:
        headers = dict(_WITH_BODY if method == "POST" else _HEADERS)
        if referrer and not (referrer.startswith("https:") and self._url.startswith("http:")):
            headers["Referer"] = referrer
        parts = urlsplit(self._url)
        host, port = self._connected(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
        name = urlsplit(self._place.url).hostname if self._place.host else None
        try:
            return await self._session.request(
                method,
                URL(self._url, encoded=True),
                data=self._body if method == "POST" else None,
                headers=headers,
                allow_redirects=False,
                server_hostname=name,
            )
        except aiohttp.ClientError as error:
            raise WebhookFailed(self.failed(why(error, host, port, name=name or ""))) from error
        except ValueError as error:
            raise WebhookFailed(self.failed(str(error))) from error

    def _connected(self, host: str, port: int) -> tuple[str, int]:
        """Of a Service only its own name is looked up here; whoever it redirects to is where it says."""
        place = self._place
        return (place.host, place.port or port) if place.host and _is_at(place, host, port) else (host, port)

    def _next(self, location: str) -> str:
        try:
            url = URL(self._url, encoded=True).join(URL(location, encoded=True))
            if url.scheme not in ("http", "https") or not url.host:
                raise WebhookFailed(f"Post {go_quote(location)}: unsupported protocol scheme {go_quote(url.scheme)}")
        except ValueError as error:
            raise WebhookFailed(
                self.failed(f"failed to parse Location header {go_quote(location)}: {error}")
            ) from error
        return str(url)

    async def _answer(self, answer: aiohttp.ClientResponse) -> bytes:
        self.is_answered = True
        try:
            content = await whole_body(answer, limit=_LARGEST_ANSWER)
        except AnswerUnusable as error:
            raise WebhookFailed(_unread(str(error))) from error
        if not 200 <= answer.status <= 206:
            raise WebhookFailed(_refusal(answer.status, content[:_LONGEST_REFUSAL]))
        return content


class _Fixed(aiohttp.abc.AbstractResolver):
    """A Service's name is the one place; TLS still asks for the name. All other names are looked up as ever."""

    def __init__(self, place: WebhookLocation) -> None:
        self._place = place
        self._others = aiohttp.ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[aiohttp.abc.ResolveResult]:
        if not _is_at(self._place, host, port):
            return await self._others.resolve(host, port, family)
        kind = socket.AF_INET6 if ":" in self._place.host else socket.AF_INET
        return [
            aiohttp.abc.ResolveResult(
                hostname=host,
                host=self._place.host,
                port=self._place.port or port,
                family=kind,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        await self._others.close()


def cleaned(url: str) -> str:
    """Without a query, and with a path as client-go sends it: unescaped, cleaned and escaped again."""
    parts = urlsplit(url)
    path = unquote_to_bytes(parts.path).decode("utf-8", "surrogateescape")
    path = posixpath.normpath("/" + path.lstrip("/"))
    return f"{parts.scheme}://{parts.netloc}{quote(path, safe=_PATH, errors='surrogateescape')}"


def _is_at(place: WebhookLocation, host: str, port: int) -> bool:
    parts = urlsplit(place.url)
    return (host, port) == (parts.hostname, parts.port or 443)


def _seconds(timeout: timedelta) -> str:
    return f"{int(timeout.total_seconds())}s"


def _unread(reason: str) -> str:
    """Kubernetes: client-go/rest (Request.transformResponse)."""
    return f"unexpected error when reading response body. Please retry. Original error: {reason}"


def _refusal(status: int, content: bytes) -> str:
    """An answer that is no success, as client-go makes an error of it."""
    if status == 404:
        return "the server could not find the requested resource"
    if status >= 500 and not content.strip():
        return 'an error on the server ("unknown") has prevented the request from succeeding'
    text = content.decode("utf-8", "replace").strip()
    if status >= 500:
        return f"an error on the server ({go_quote(text)}) has prevented the request from succeeding"
    return text or f"the server responded with the status code {status} but did not return more information"
