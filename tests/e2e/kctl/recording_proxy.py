"""Between a command line and a plane: plain HTTP on one side, the plane's TLS and our token on the other.

It passes bytes on as they come, and writes down the requests among them.
"""

from __future__ import annotations

import re
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_PIECE = 65536


@dataclass(slots=True)
class RecordingProxy:
    server: str
    token: str
    seen: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def asked(self) -> list[str]:
        """And forget it."""
        seen, self.seen = self.seen, []
        return seen

    def serve(self, connection: socket.socket) -> None:
        parts = urlsplit(self.server)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with (
            suppress(OSError),
            connection,
            socket.create_connection((parts.hostname or "", parts.port or 443)) as plain,
            context.wrap_socket(plain, server_hostname=parts.hostname) as beyond,
        ):
            requests = _Requests(self)
            while True:
                ready = [beyond] if beyond.pending() else select.select([connection, beyond], [], [])[0]
                if connection in ready:
                    if not (data := connection.recv(_PIECE)):
                        return
                    beyond.sendall(requests.passed(data))
                if beyond in ready:
                    if not (data := beyond.recv(_PIECE)):
                        return
                    connection.sendall(data)


class _Requests:
    """One connection's, in whatever pieces they come."""

    def __init__(self, proxy: RecordingProxy) -> None:
        self._proxy = proxy
        self._raw = b""
        self._body = 0

    def passed(self, data: bytes) -> bytes:
        self._raw += data
        out = b""
        while self._raw:
            if self._body:
                body, self._raw = self._raw[: self._body], self._raw[self._body :]
                self._body -= len(body)
                out += body
                continue
            head, end, rest = self._raw.partition(b"\r\n\r\n")
            if not end:
                break
            self._raw = rest
            method, target, _ = head.partition(b"\r\n")[0].decode().split(" ")
            self._proxy.seen.append(f"{method} {target}")
            length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
            self._body = int(length[1]) if length else 0
            out += head + f"\r\nAuthorization: Bearer {self._proxy.token}\r\n\r\n".encode()
        return out


@contextmanager
def recording(server: str, token: str) -> Iterator[RecordingProxy]:
    with socket.create_server(("127.0.0.1", 0), backlog=32) as listening:
        proxy = RecordingProxy(server, token, port=listening.getsockname()[1])

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    threading.Thread(target=proxy.serve, args=(connection,), daemon=True).start()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield proxy
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
