"""A proxy that makes tunnels, and writes down where they lead."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


class Tunnel(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), TunnelHandler)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class TunnelHandler(BaseHTTPRequestHandler):
    server: Tunnel

    def do_CONNECT(self) -> None:
        self.server.asked.append(self.path)
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port))) as beyond:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=_pump, args=(beyond, self.connection), daemon=True)
            back.start()
            _pump(self.connection, beyond)
            back.join(5)

    def do_GET(self) -> None:
        """Plain HTTP may be passed on without a tunnel."""
        parts = urlsplit(self.path)
        self.server.asked.append(parts.netloc)
        there = http.client.HTTPConnection(parts.netloc, timeout=20)
        there.request("GET", f"{parts.path}?{parts.query}", headers=dict(self.headers.items()))
        answer = there.getresponse()
        body = answer.read()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        there.close()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its parent's name
        """Nobody reads it."""


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def tunnelling() -> Iterator[Tunnel]:
    with Tunnel() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
