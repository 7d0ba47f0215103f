"""A blocking client that reads as fast as it can, for processes that do nothing else."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping

_READ_BYTES = 1 << 18


class Client:
    """One connection, kept alive."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext) -> None:
        self._connection = http.client.HTTPSConnection(host, port, context=tls, timeout=120)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None, *, until: bytes = b""
    ) -> tuple[int, int]:
        """The status and the size of the answer, which is thrown away. A watch is left when `until` came in it."""
        self._connection.request(method, path, body or None, dict(headers or {}))
        answer = self._connection.getresponse()
        size, end = 0, b""
        while piece := answer.read1(_READ_BYTES):
            size += len(piece)
            if until and until in (end := end[-len(until) :] + piece):
                self._connection.close()
                break
        return answer.status, size

    def tell(self, path: str) -> bytes:
        self._connection.request("GET", path)
        return self._connection.getresponse().read()

    def close(self) -> None:
        self._connection.close()
