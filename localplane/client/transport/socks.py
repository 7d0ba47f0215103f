"""A connection through a SOCKS5 proxy, which is told the server's name and looks it up itself. RFC 1928 and 1929."""

from __future__ import annotations

import socket
from typing import Final
from urllib.parse import SplitResult, unquote

_VERSION: Final = 5
_NO_PASSWORD, _PASSWORD = 0, 2
_REASONS: Final = {
    1: "general SOCKS server failure",
    2: "connection not allowed by ruleset",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "TTL expired",
    7: "command not supported",
    8: "address type not supported",
}


class SocksFailed(OSError):
    """The proxy answered, but not with a connection."""


def connect(connection: socket.socket, proxy: SplitResult, host: str, port: int) -> None:
    """Raises OSError."""
    methods = bytes((_NO_PASSWORD,)) if proxy.username is None else bytes((_NO_PASSWORD, _PASSWORD))
    connection.sendall(bytes((_VERSION, len(methods))) + methods)
    version, method = _read(connection, 2)
    if version != _VERSION:
        raise SocksFailed(f"unexpected protocol version {version}")
    if method == _PASSWORD:
        _log_in(connection, proxy)
    elif method != _NO_PASSWORD:
        raise SocksFailed("no acceptable authentication methods")
    name = host.encode("idna")
    connection.sendall(bytes((_VERSION, 1, 0, 3, len(name))) + name + port.to_bytes(2, "big"))
    _, answer, _, kind = _read(connection, 4)
    if answer:
        raise SocksFailed(_REASONS.get(answer, f"unknown code: {answer}"))
    length = {1: 4, 4: 16}.get(kind) or _read(connection, 1)[0]
    _read(connection, length + 2)


def _log_in(connection: socket.socket, proxy: SplitResult) -> None:
    user, password = unquote(proxy.username or "").encode(), unquote(proxy.password or "").encode()
    connection.sendall(bytes((1, len(user))) + user + bytes((len(password),)) + password)
    if _read(connection, 2)[1]:
        raise SocksFailed("username/password authentication failed")


def _read(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise SocksFailed("EOF")
        data += piece
    return data
