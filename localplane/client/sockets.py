"""Sockets and TLS from the C modules below `socket` and `ssl`, for a program that lives for fifty milliseconds.

The Python halves of both mostly make enumerations of constants, which takes a tenth of such a life. What they do beyond
that and we need is here. Where an interpreter does not have the C modules as we know them, and for whoever trusts the
system's authorities, `ssl` does it.
"""

from __future__ import annotations

import _socket
import _ssl
from typing import TYPE_CHECKING, Any, Final, Protocol

from .tls import bare_context, go_reason, ssl_context

if TYPE_CHECKING:
    from .credentials import ClientCertificate
    from .kubeconfig.connection import ClientConfig

AddressUnknown = _socket.gaierror
_KEEP_ALIVE: Final = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))

__all__ = ["AddressUnknown", "Plain", "Wire", "dial", "go_reason", "secured"]


class Plain(_socket.socket):
    """One that a TLS object can keep in mind."""

    __slots__ = ("__weakref__",)


class Wire(Protocol):
    """As much of a socket as requests need."""

    def sendall(self, data: bytes, /) -> None: ...
    def recv(self, count: int, /) -> bytes: ...
    def settimeout(self, seconds: float | None, /) -> None: ...
    def close(self) -> None: ...


def dial(host: str | bytes, port: int, *, within: float) -> Plain:
    """The first of the host's addresses that answers. Raises OSError: of the last address, or AddressUnknown."""
    failure: OSError = OSError(f"{host!r} has no addresses")
    for family, kind, protocol, _, address in _socket.getaddrinfo(host, port, 0, _socket.SOCK_STREAM):
        connected = Plain(family, kind, protocol)
        try:
            connected.settimeout(within)
            connected.connect(address)
        except OSError as error:
            connected.close()
            failure = error
            continue
        _tune(connected)
        return connected
    raise failure


def _tune(connected: Plain) -> None:
    """Requests are not held back, and a peer that vanished without a word is noticed after about a minute."""
    connected.settimeout(None)
    connected.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
    connected.setsockopt(_socket.SOL_SOCKET, _socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE:
        if (option := getattr(_socket, name, None)) is not None:
            connected.setsockopt(_socket.IPPROTO_TCP, option, value)


def secured(plain: Wire, config: ClientConfig, certificate: ClientCertificate | None, name: str) -> Wire:
    """After the handshake, with a server that is who it should be. Raises OSError and ConfigError."""
    context = bare_context(config, certificate) if isinstance(plain, Plain) else None
    if context is not None:
        wrap: Any = context._wrap_socket  # type: ignore[attr-defined]  # noqa: SLF001 - SSLContext.wrap_socket's own
        tls = wrap(plain, False, name if name.isascii() else name.encode("idna").decode())  # noqa: FBT003 - no server
        tls.do_handshake()
        return _Secured(plain, tls)
    import socket

    public = socket.socket(fileno=plain.detach()) if isinstance(plain, Plain) else plain
    assert isinstance(public, socket.socket)
    return ssl_context(config, certificate).wrap_socket(public, server_hostname=name)


class _Secured:
    def __init__(self, plain: Wire, tls: Any) -> None:
        self._plain = plain  # which the TLS side only borrows
        self._tls = tls

    def sendall(self, data: bytes, /) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._tls.write(rest) :]

    def recv(self, count: int, /) -> bytes:
        try:
            data: bytes = self._tls.read(count)
        except _ssl.SSLError as error:
            if error.args[0] == _ssl.SSL_ERROR_EOF:  # a peer that hangs up without the last words
                return b""
            raise
        return data

    def settimeout(self, seconds: float | None, /) -> None:
        self._plain.settimeout(seconds)

    def close(self) -> None:
        self._plain.close()
