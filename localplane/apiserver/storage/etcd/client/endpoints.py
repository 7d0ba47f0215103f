"""Where an etcd member listens, and how to get a connection to it."""

from __future__ import annotations

import asyncio
import logging
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from localplane.tls.contexts import judging

from .connection import Connection

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta
    from pathlib import Path

    from .timers import KeepAliveTimes

_log = logging.getLogger(__name__)

_DEFAULT_PORT = 2379


@dataclass(frozen=True, slots=True)
class EtcdTLSFiles:
    """PEM files: who may be the server (None: the system's authorities), and who we are (None: nobody)."""

    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        context = judging(self.ca.read_bytes() if self.ca is not None else b"")
        context.set_alpn_protocols(["h2"])
        if self.certificate is not None:
            context.load_cert_chain(self.certificate, self.key)
        return context

    def stamps(self) -> tuple[tuple[int, int, int] | None, ...]:
        """What changes when a file is written or replaced."""
        return tuple(_stamp(file) for file in (self.ca, self.certificate, self.key))


def _stamp(file: Path | None) -> tuple[int, int, int] | None:
    try:
        found = file.stat() if file is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_mtime_ns, found.st_ino, found.st_size)


class FollowedTLS:
    """The context for the files as they are when a connection is made: certificates are renewed while we run."""

    def __init__(self, files: EtcdTLSFiles) -> None:
        """Raises OSError, as ssl.SSLError is one, for files that can't be used."""
        self._files = files
        self._stamps = files.stamps()
        self._context = files.context()

    def current(self) -> ssl.SSLContext:
        """A certificate and its key are written one after the other: until they fit, the old ones are used."""
        stamps = self._files.stamps()
        if stamps != self._stamps:
            try:
                self._context = self._files.context()
            except OSError as error:
                _log.warning("the new certificates for etcd can't be used yet: %s", error)
            else:
                self._stamps = stamps
                _log.info("the certificates for etcd have changed and were read again")
        return self._context


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One member's address: a socket's path, or a host and a port with or without TLS."""

    url: str
    path: str
    host: str
    port: int
    secure: bool

    @classmethod
    def parse(cls, url: str) -> Endpoint:
        """`unix:///path`, `http://host:port` or `https://host:port`; ValueError otherwise."""
        parts = urlsplit(url)
        if parts.scheme == "unix" and not parts.netloc and parts.path.startswith("/"):
            return cls(url, parts.path, "", 0, secure=False)
        if parts.scheme in {"http", "https"} and parts.hostname and parts.path in {"", "/"}:
            return cls(url, "", parts.hostname, parts.port or _DEFAULT_PORT, secure=parts.scheme == "https")
        raise ValueError(f"not an etcd endpoint: {url!r} (unix:///path, http://host:port or https://host:port)")

    @property
    def authority(self) -> str:
        if self.path:
            return "localhost"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


async def connect(
    endpoint: Endpoint,
    tls: ssl.SSLContext | None,
    *,
    within: timedelta,
    keep_alive: KeepAliveTimes,
    on_closed: Callable[[Connection], None],
) -> Connection:
    """A connection over which the peer has already spoken HTTP/2: a socket that only accepts is no etcd.

    Raises OSError (which TimeoutError and ssl.SSLError are) or CallFailure.
    """

    def build() -> Connection:
        return Connection(
            authority=endpoint.authority, secure=endpoint.secure, keep_alive=keep_alive, on_closed=on_closed
        )

    loop = asyncio.get_running_loop()
    async with asyncio.timeout(within.total_seconds()):
        if endpoint.path:
            transport, connection = await loop.create_unix_connection(build, endpoint.path)
        else:
            context = tls if endpoint.secure else None
            transport, connection = await loop.create_connection(build, endpoint.host, endpoint.port, ssl=context)
        try:
            if endpoint.secure:
                _require_http2(transport)
            await connection.ready
        except BaseException:
            connection.give_up("the connection could not be set up")
            raise
    return connection


def _require_http2(transport: asyncio.BaseTransport) -> None:
    chosen = transport.get_extra_info("ssl_object").selected_alpn_protocol()
    if chosen != "h2":
        raise ssl.SSLError(f"the server does not offer HTTP/2 (ALPN chose {chosen!r})")
