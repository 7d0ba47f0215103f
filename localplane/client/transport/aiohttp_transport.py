"""Requests over HTTP/1.1 with kept-alive connections."""

from __future__ import annotations

import platform
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import aiohttp
from yarl import URL

from localplane import __version__
from localplane.client.authentication.credentials import ClientCertificate, Credentials, credentials_for
from localplane.client.authentication.tls import handshake_failure, ssl_context
from localplane.client.errors import (
    ClientError,
    ConfigError,
    ConnectionFailed,
    ConnectionLost,
    ConnectionRefused,
    RequestTimedOut,
    TLSFailed,
)
from localplane.client.kubeconfig.model import ClientConfig

from .headers import impersonation_headers
from .http1 import Unpacking
from .interface import Pairs, query_text, server_parts
from .proxies import proxy_for

_CONNECT_TIMEOUT: Final = 30.0
_KEEP_IDLE: Final = 90.0
_REPEATABLE: Final = ("GET", "HEAD", "OPTIONS", "TRACE")


def user_agent(program: str = f"localplane/{__version__}") -> str:
    return f"{program} ({platform.system().lower()}/{platform.machine()})"


class HTTPTransport:
    """One server, one identity. Close it when done; several requests may run at once."""

    def __init__(
        self, config: ClientConfig, *, credentials: Credentials | None = None, agent: str | None = None
    ) -> None:
        server_parts(config.server)
        self._config = config
        self._credentials = credentials if credentials is not None else credentials_for(config)
        self._proxy = proxy_for(config.server, configured=config.proxy_url)
        if self._proxy is not None and self._proxy.startswith("socks5"):
            raise ConfigError(f'unsupported proxy "{self._proxy}": what streams needs one of http or https')
        encoding = "identity" if config.disable_compression else "gzip"
        self._headers = [("User-Agent", agent or user_agent()), ("Accept-Encoding", encoding)]
        self._headers += impersonation_headers(config.impersonate)
        self._session: aiohttp.ClientSession | None = None
        self._certificate: ClientCertificate | None = None
        self._judging = False

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> HTTPResponse:
        url = f"{self._config.server}{path}{query_text(query, self._config.timeout)}"
        authorization = await self._credentials.authorization()
        named = {name.lower() for name, _ in headers}
        sent = [*(pair for pair in self._headers if pair[0].lower() not in named), *headers]
        if authorization and "authorization" not in named:
            sent.append(("Authorization", authorization))
        with _translated(self._config.server):
            judging = self._judging
            try:
                response = await self._sent(method, url, sent, body)
            except aiohttp.ClientConnectorCertificateError:
                if judging:
                    raise
                if not self._judging:  # unless another request was here first
                    self._judging = True  # by Go's rules, since OpenSSL does not believe the server
                    await self.close()
                response = await self._sent(method, url, sent, body)
        if response.status == 401 and authorization:
            self._credentials.rejected(authorization)
        return HTTPResponse(response, self._config.server)

    async def _sent(self, method: str, url: str, headers: Pairs, body: bytes | None) -> aiohttp.ClientResponse:
        return await send(
            await self._current_session(),
            method,
            URL(url, encoded=True),
            headers=headers,
            data=body,
            proxy=self._proxy,
            # A redirect could carry our credentials to a server that nobody configured.
            allow_redirects=False,
            server_hostname=self._config.tls_server_name or None,
        )

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _current_session(self) -> aiohttp.ClientSession:
        """A certificate belongs to a connection, so a new one needs new connections."""
        certificate = await self._credentials.certificate()
        if self._session is not None and certificate != self._certificate:
            await self.close()
        if self._session is None:
            self._certificate = certificate
            self._session = self._new_session(certificate)
        return self._session

    def _new_session(self, certificate: ClientCertificate | None) -> aiohttp.ClientSession:
        secure = self._config.server.startswith("https://")
        connector = aiohttp.TCPConnector(
            limit=0,  # every watch holds a connection for as long as it lasts
            ssl=ssl_context(self._config, certificate, judging=self._judging) if secure else True,
            keepalive_timeout=_KEEP_IDLE,
            socket_factory=_kept_alive_socket,
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,  # aiohttp does not notice where gzip was cut
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT),
            skip_auto_headers=("Content-Type", "Accept"),
        )


async def send(session: aiohttp.ClientSession, method: str, url: URL, **options: Any) -> aiohttp.ClientResponse:
    """The session's request, sent a second time only if it changes nothing and its kept connection turned out to be
    closed: that a PUT or a DELETE can be repeated does not mean that the second answer tells what the first one did."""
    session._retry_connection = False  # noqa: SLF001 - aiohttp repeats those too, and has no other way to say no
    try:
        return await session.request(method, url, **options)
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
        if method not in _REPEATABLE:
            raise
    return await session.request(method, url, **options)


class HTTPResponse:
    def __init__(self, response: aiohttp.ClientResponse, server: str) -> None:
        self._response = response
        self._server = server
        self.status = response.status
        self.headers: Pairs = list(response.headers.items())
        is_packed = response.headers.get("Content-Encoding", "").lower() == "gzip"
        self._unpacking = Unpacking() if is_packed else None

    async def read(self) -> bytes:
        return b"".join([chunk async for chunk in self])

    def chunks(self) -> HTTPResponse:
        return self

    def __aiter__(self) -> HTTPResponse:
        return self

    async def __anext__(self) -> bytes:
        try:
            chunk = await self._next()
        except ClientError:
            self._response.close()
            raise
        if not chunk:
            raise StopAsyncIteration
        return chunk

    async def _next(self) -> bytes:
        """Nothing at the end."""
        while True:
            with _translated(self._server):
                chunk = await self._response.content.readany()
            if self._unpacking is None:
                return chunk
            if not chunk:
                self._unpacking.finish()
                return b""
            if unpacked := self._unpacking.unpack(chunk):
                return unpacked

    async def close(self) -> None:
        self._response.close()


@contextmanager
def _translated(server: str) -> Iterator[None]:
    """From aiohttp's errors to ours."""
    try:
        yield
    except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError) as error:
        problem = getattr(
            error, "certificate_error", error.os_error if isinstance(error, aiohttp.ClientSSLError) else error
        )
        reason = handshake_failure(problem, URL(server).host or "")
        raise TLSFailed(f"{server}: {reason}", address=URL(server).authority, reason=reason) from error
    except aiohttp.ClientConnectorError as error:
        if isinstance(error.os_error, ConnectionRefusedError):
            address = URL(server).authority
            raise ConnectionRefused(f"the connection to the server {server} was refused", address=address) from error
        raise ConnectionFailed(f"unable to connect to the server {server}: {error}") from error
    except (TimeoutError, aiohttp.ServerTimeoutError) as error:
        raise RequestTimedOut(f"the server {server} did not answer in time") from error
    except (aiohttp.ClientError, OSError) as error:
        raise ConnectionLost(f"the connection to the server {server} was lost: {error}") from error


def _kept_alive_socket(address: aiohttp.AddrInfoType) -> socket.socket:
    """A peer that vanished without a word is noticed after about a minute, also by a watch that only listens."""
    family, kind, protocol, _, _ = address
    created = socket.socket(family, kind, protocol)
    created.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if (option := getattr(socket, name, None)) is not None:
            created.setsockopt(socket.IPPROTO_TCP, option, value)
    return created
