"""Connections to other servers, kept between requests: one pool for each way to verify one.

All show the front proxy's certificate, so that a server can tell us from anybody who sends the same headers.
"""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Collection
from typing import Final
from urllib.parse import quote, urlencode

import aiohttp
from aiohttp.connector import NEEDS_CLEANUP_CLOSED
from yarl import URL

from localplane.apiserver.outbound.failures import address
from localplane.apiserver.request import Query
from localplane.client.transport.aiohttp_transport import send
from localplane.tls.contexts import judging, trusting_anybody

from .front_proxy import FrontProxyFiles
from .headers import Pairs
from .remote import Trust

_CONNECT_SECONDS: Final = 30.0
_PATH: Final = "/:@!$&'()*+,;=~"
_NOTHING_OF_ITS_OWN: Final = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


Obstacle = Callable[[str, str], Awaitable[str]]
"""Why the server of this APIService, at this URL, can't be reached, in Go's words; empty if it can."""


class Connections:
    """`obstacle` is asked before each request."""

    def __init__(self, files: FrontProxyFiles | None, obstacle: Obstacle | None = None) -> None:
        self._files = files
        self._obstacle = obstacle
        self._sessions: dict[Trust, aiohttp.ClientSession] = {}

    async def request(
        self, trust: Trust, url: str, *, name: str = "", method: str = "GET", headers: Pairs, body: bytes = b""
    ) -> aiohttp.ClientResponse:
        """The answer's head; its body is the caller's to read or to close. Raises aiohttp.ClientError, and
        NoAuthorities if the caBundle holds no certificate. `name` is the APIService's."""
        if self._obstacle is not None and (reason := await self._obstacle(name, url)):
            raise aiohttp.ClientError(reason)
        return await send(
            self._session(trust),
            method,
            URL(url, encoded=True),
            headers=headers,
            data=body or None,
            allow_redirects=False,
            skip_auto_headers=_NOTHING_OF_ITS_OWN,
            server_hostname=trust.server_name,
        )

    async def keep(self, wanted: Collection[Trust]) -> None:
        """Close those that nobody will ask again."""
        for trust in [each for each in self._sessions if each not in wanted]:
            await self._sessions.pop(trust).close()

    async def close(self) -> None:
        await self.keep(())

    def _session(self, trust: Trust) -> aiohttp.ClientSession:
        found = self._sessions.get(trust)
        if found is None:
            context = self._context(trust)
            connector = aiohttp.TCPConnector(ssl=context, limit=0, enable_cleanup_closed=NEEDS_CLEANUP_CLOSED)
            found = self._sessions[trust] = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            )
        return found

    def _context(self, trust: Trust) -> ssl.SSLContext:
        context = trusting_anybody() if trust.insecure else judging(trust.authority)
        if self._files is not None:
            context.load_cert_chain(self._files.client, self._files.client_key)
        return context


def url_of(host: str, port: int, path: str, query: Query | None = None) -> str:
    pairs = [(name, value) for name in sorted(query) for value in query.all(name)] if query is not None else []
    asked = urlencode(pairs)
    whole = f"https://{address(host, port)}{quote(path, safe=_PATH)}"
    return f"{whole}?{asked}" if asked else whole
