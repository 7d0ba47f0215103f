"""One POST to a webhook. Connections are kept between calls, one pool for each place and each set of authorities.

Failures are told as Go's HTTP client tells them, since users know them so.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from localplane.apimachinery.gotext import go_quote

_LARGEST_ANSWER: Final = 64 * 1024 * 1024
_KEEP_IDLE: Final = 60.0


class WebhookFailed(Exception):
    """It could not be called, or did not answer with success."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a webhook is. `host` and `port` are what is connected to if that is not what the URL says: a Service's
    name means nothing outside of its cluster's network. `authorities` is PEM; without any, the system's count."""

    url: str
    host: str = ""
    port: int = 0
    authorities: bytes = b""


class WebhookClient:
    """Close it when done; several calls may run at once."""

    def __init__(self) -> None:
        self._sessions: dict[Place, aiohttp.ClientSession] = {}

    async def post(self, place: Place, body: bytes, *, within: timedelta) -> bytes:
        """The body of the answer. Raises WebhookFailed."""
        shown = f"{place.url}?timeout={_seconds(within)}"
        calling = f"Post {go_quote(shown)}"
        try:
            session = self._session(place)
        except (ssl.SSLError, UnicodeDecodeError, ValueError) as error:
            raise WebhookFailed("unable to load root certificates: unable to parse bytes as PEM block") from error
        try:
            async with asyncio.timeout(within.total_seconds()):
                async with session.post(
                    URL(shown, encoded=True),
                    data=body,
                    headers={"Content-Type": "application/json", "Accept": "application/json, */*"},
                    allow_redirects=False,
                ) as answer:
                    content = await answer.content.read(_LARGEST_ANSWER)
        except TimeoutError as error:
            raise WebhookFailed(f"{calling}: context deadline exceeded") from error
        except aiohttp.ClientError as error:
            raise WebhookFailed(f"{calling}: {_why(error, place)}") from error
        if not 200 <= answer.status < 300:
            raise WebhookFailed(_refusal(answer.status, content))
        return content

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

    def _session(self, place: Place) -> aiohttp.ClientSession:
        found = self._sessions.get(place)
        if found is None:
            context = ssl.create_default_context(cadata=place.authorities.decode("ascii") or None)
            # Newer Pythons refuse authorities without some extensions, which Go and so every cluster lives with.
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
            resolver = _Fixed(place) if place.host else None
            connector = aiohttp.TCPConnector(ssl=context, keepalive_timeout=_KEEP_IDLE, resolver=resolver)
            found = self._sessions[place] = aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), timeout=aiohttp.ClientTimeout(total=None)
            )
        return found


class _Fixed(aiohttp.abc.AbstractResolver):
    """Any name is the one place; TLS still asks for the name."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - part of what a resolver is
    ) -> list[aiohttp.abc.ResolveResult]:
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
        pass


def _seconds(timeout: timedelta) -> str:
    return f"{int(timeout.total_seconds())}s"


def _why(error: aiohttp.ClientError, place: Place) -> str:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"tls: failed to verify certificate: x509: {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        host = urlsplit(place.url).hostname
        return f"dial tcp: lookup {host}: no such host"
    if isinstance(error, aiohttp.ClientConnectorError):
        parts = urlsplit(place.url)
        address = f"{place.host or parts.hostname}:{place.port or parts.port or 443}"
        reason = os.strerror(error.os_error.errno).lower() if error.os_error.errno else str(error.os_error)
        return f"dial tcp {address}: connect: {reason}"
    return "EOF" if isinstance(error, aiohttp.ServerDisconnectedError) else str(error)


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
