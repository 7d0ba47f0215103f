"""A server that answers every request with the same object and remembers who asked, and how."""

from __future__ import annotations

import base64
import http.server
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.integration.client.certificates import Authority, Pair

OBJECT = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    certificate: str
    """The name in what the client has shown."""


@dataclass(slots=True)
class Server:
    """With TLS if it has an authority. `delay` is how long it thinks, `warning` what it warns of, `status` what it
    answers."""

    url: str
    authority: Authority | None = None
    asked: list[Asked] = field(default_factory=list)
    delay: float = 0.0
    warning: str = ""
    status: int = 200

    @property
    def last(self) -> Asked:
        return self.asked[-1]

    @property
    def cluster(self) -> dict[str, Any]:
        """For a kubeconfig."""
        if self.authority is None:
            return {"server": self.url}
        return {"server": self.url, "certificate-authority-data": encoded(self.authority.certificate)}

    def issue(self, name: str) -> Pair:
        assert self.authority is not None
        return self.authority.issue(name)


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def kubeconfig(path: Path, cluster: dict[str, Any], user: dict[str, Any], **context: str) -> str:
    path.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "c",
                "clusters": [{"name": "cl", "cluster": cluster}],
                "users": [{"name": "u", "user": user}],
                "contexts": [{"name": "c", "context": {"cluster": "cl", "user": "u", **context}}],
            }
        )
    )
    return str(path)


@contextmanager
def api_server(directory: Path, *, secure: bool = True) -> Iterator[Server]:
    found = Server("", Authority() if secure else None)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            connection = self.connection
            shown: Any = (connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None) or {}
            names = [value for group in shown.get("subject", ()) for _, value in group]
            headers = {name.lower(): value for name, value in self.headers.items()}
            found.asked.append(Asked(self.command, self.path, headers, names[0] if names else ""))
            time.sleep(found.delay)
            reason = "Unauthorized" if found.status == 401 else "InternalError"
            failure = {"kind": "Status", "apiVersion": "v1", "message": reason, "reason": reason, "code": found.status}
            body = json.dumps(OBJECT if found.status == 200 else failure).encode()
            self.send_response(found.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if found.warning:
                self.send_header("Warning", f'299 - "{found.warning}"')
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # handshakes that fail are the tests'
    if found.authority is not None:
        server.socket = _secured(server.socket, found.authority, directory)
    found.url = f"{'https' if secure else 'http'}://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def _secured(plain: socket.socket, authority: Authority, directory: Path) -> ssl.SSLSocket:
    pair = authority.issue("server.example.com")
    certificate, key = directory / "server.crt", directory / "server.key"
    certificate.write_bytes(pair.certificate)
    key.write_bytes(pair.key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=authority.certificate.decode())
    context.load_cert_chain(certificate, key)
    context.verify_mode = ssl.CERT_OPTIONAL
    return context.wrap_socket(plain, server_side=True)


@contextmanager
def proxy(kind: str) -> Iterator[tuple[str, list[str]]]:
    """One that tunnels (`http` or `socks5`): its URL, and where it was asked to go."""
    listening = socket.create_server(("127.0.0.1", 0))
    asked: list[str] = []

    def serve() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=_tunnel, args=(client, kind, asked), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"{kind}://127.0.0.1:{listening.getsockname()[1]}", asked
    finally:
        listening.close()


def _tunnel(client: socket.socket, kind: str, asked: list[str]) -> None:
    if kind == "http":
        head = client.recv(65536).decode()
        asked.append(head.split()[1])
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    else:
        client.recv(16)
        client.sendall(b"\x05\x00")
        request = client.recv(300)
        name = request[5 : 5 + request[4]].decode()
        asked.append(f"{name}:{int.from_bytes(request[-2:], 'big')}")
        client.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
    host, _, port = asked[-1].rpartition(":")
    with client, socket.create_connection((host, int(port))) as server:
        back = threading.Thread(target=_copy, args=(server, client), daemon=True)
        back.start()
        _copy(client, server)
        back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return
