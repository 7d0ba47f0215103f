"""Plain sockets for one request after the other, and TLS over them."""

from __future__ import annotations

import socket

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, Final, Protocol
from localplane.client.authentication import tls as client_tls

if TYPE_CHECKING:
    from localplane.client.authentication.credentials import ClientCertificate
    from localplane.client.kubeconfig.model import ClientConfig

AddressUnknown = socket.gaierror
_KEEP_ALIVE: Final = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))


class Wire(Protocol):
    """As much of a socket as requests need."""

    def sendall(self, data: bytes, /) -> None: ...
    def recv(self, count: int, /) -> bytes: ...
    def settimeout(self, seconds: float | None, /) -> None: ...
    def fileno(self) -> int: ...
    def close(self) -> None: ...


def dial(host: str, port: int, *, within: float) -> socket.socket:
    """The first of the host's addresses that answers. Raises OSError: of the last address, or AddressUnknown."""
    address: tuple[Any, int] = (_name(host), port)
    connected = socket.create_connection(address, timeout=within)
    connected.settimeout(None)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # requests are not held back
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE:  # a peer that vanished without a word is noticed after about a minute
        if (option := getattr(socket, name, None)) is not None:
            connected.setsockopt(socket.IPPROTO_TCP, option, value)
    return connected


def _name(host: str) -> str | bytes:
    """Python imports its tables of international names for every text, and takes bytes as they are."""
    return host.encode() if host.isascii() else host


def secured(
    plain: socket.socket,
    config: ClientConfig,
    certificate: ClientCertificate | None,
    name: str,
    *,
    judging: bool = False,
) -> socket.socket:
    """After the handshake, with a server that is who it should be. Raises OSError and ConfigError."""
    return client_tls.ssl_context(config, certificate, judging=judging).wrap_socket(plain, server_hostname=_name(name))
