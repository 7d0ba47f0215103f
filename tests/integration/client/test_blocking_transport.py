"""Requests without an event loop: who is on the other side is checked, with and without Python's `ssl` module."""

from __future__ import annotations

import http.server
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from localplane.client.errors import ConfigError, ConnectionLost, ConnectionRefused, TLSFailed
from localplane.client.kubeconfig import ClientConfig
from localplane.client.transport.blocking_transport import BlockingTransport
from localplane.client.transport.driver import drive
from tests.integration.client.certificates import Authority, Pair


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Who asked, or whatever the path wants."""
        if self.path == "/cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            self.close_connection = True
            return
        connection = self.connection
        shown = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
        subject: Any = (shown or {}).get("subject", ())
        names = [value for group in subject for _, value in group]
        body = str(names[0] if names else "nobody").encode() * (40_000 if self.path == "/long" else 1)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


class Secure:
    def __init__(self, directory: Path) -> None:
        self.authority = Authority()
        pair = self.authority.issue("server.example.com")
        certificate, key = directory / "certificate", directory / "key"
        certificate.write_bytes(pair.certificate)
        key.write_bytes(pair.key)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=self.authority.certificate.decode())
        context.load_cert_chain(certificate, key)
        context.verify_mode = ssl.CERT_OPTIONAL
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]  # handshakes that fail are the tests'
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def config(self, *, name: str = "127.0.0.1") -> ClientConfig:
        port = self.server.server_address[1]
        return ClientConfig(server=f"https://{name}:{port}", certificate_authority_data=self.authority.certificate)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    secure = Secure(tmp_path_factory.mktemp("secure"))
    yield secure
    secure.server.shutdown()
    secure.server.server_close()


def ask(config: ClientConfig, path: str = "/", *, times: int = 1) -> bytes:
    async def get() -> bytes:
        transport = BlockingTransport(config, agent="a test")
        try:
            for _ in range(times):
                body = await (await transport.request("GET", path)).read()
        finally:
            await transport.close()
        return body

    return drive(get)


def test_a_server_that_is_who_it_should_be_is_asked(server: Secure) -> None:
    assert ask(server.config()) == b"nobody"
    assert ask(server.config(), "/long", times=3) == b"nobody" * 40_000
    assert ask(replace(server.config(), tls_server_name="server.example.com")) == b"nobody"


def test_we_show_our_certificate(server: Secure) -> None:
    pair: Pair = server.authority.issue("me")
    config = replace(server.config(), client_certificate_data=pair.certificate, client_key_data=pair.key)
    assert ask(config) == b"me"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda one: replace(one, certificate_authority_data=Authority().certificate), "unknown authority"),
        (
            lambda one: replace(one, tls_server_name="other.example.com"),
            "certificate is valid for server.example.com, not other.example.com",
        ),
        (
            lambda one: replace(one, server=one.server.replace("127.0.0.1", "localhost")),
            "certificate is valid for server.example.com, not localhost",
        ),
        (lambda one: replace(one, certificate_authority_data=b""), "unknown authority"),
    ],
)
def test_a_server_that_is_somebody_else_is_not(
    server: Secure, change: Callable[[ClientConfig], ClientConfig], reason: str
) -> None:
    with pytest.raises(TLSFailed) as refused:
        ask(change(server.config()))
    assert reason in refused.value.reason


def test_who_asks_not_to_check_is_not_protected(server: Secure) -> None:
    config = replace(server.config(name="localhost"), certificate_authority_data=b"", insecure_skip_tls_verify=True)
    assert ask(config) == b"nobody"
    with pytest.raises(ConfigError, match="not allowed"):
        ask(replace(server.config(), insecure_skip_tls_verify=True))


def test_an_authority_that_is_none_is_an_error_of_the_configuration(server: Secure) -> None:
    with pytest.raises(ConfigError, match="unable to load root certificates: unable to parse bytes as PEM block"):
        ask(replace(server.config(), certificate_authority_data=b"no certificate"))


def test_an_answer_that_is_cut_is_lost(server: Secure) -> None:
    with pytest.raises(ConnectionLost):
        ask(server.config(), "/cut")


@pytest.fixture
def deaf() -> Iterator[Deaf]:
    deaf = Deaf()
    yield deaf
    deaf.listener.close()


class Deaf:
    """Answers the first request on each connection, reads the second whole, and hangs up without a word."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.requests: list[str] = []
        self.hang_up_at_once = False
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def config(self) -> ClientConfig:
        return ClientConfig(server=f"http://127.0.0.1:{self.listener.getsockname()[1]}")

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                self._read(connection)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                if not self.hang_up_at_once:
                    self._read(connection)

    def _read(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as incoming:
            method, _, _ = incoming.readline().decode().partition(" ")
            while incoming.readline().strip():
                pass
        if method:
            self.requests.append(method)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_write_that_was_sent_is_not_sent_again(deaf: Deaf, method: str) -> None:
    async def ask() -> None:
        transport = BlockingTransport(deaf.config, agent="test")
        await (await transport.request("GET", "/")).read()
        with pytest.raises(ConnectionLost):
            await transport.request(method, "/")

    drive(ask)
    assert deaf.requests == ["GET", method]


def test_a_read_is(deaf: Deaf) -> None:
    async def ask() -> bytes:
        transport = BlockingTransport(deaf.config, agent="test")
        await (await transport.request("GET", "/")).read()
        answer = await (await transport.request("GET", "/")).read()
        await transport.close()
        return answer

    assert drive(ask) == b"ok"
    assert deaf.requests == ["GET"] * 3


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_connection_that_was_closed_meanwhile_is_not_used(deaf: Deaf, method: str) -> None:
    deaf.hang_up_at_once = True

    async def ask() -> bytes:
        transport = BlockingTransport(deaf.config, agent="test")
        await (await transport.request("GET", "/")).read()
        assert transport._idle is not None
        select.select([transport._idle._socket], [], [])  # until we have been told
        answer = await (await transport.request(method, "/")).read()
        await transport.close()
        return answer

    assert drive(ask) == b"ok"
    assert deaf.requests == ["GET", method]


def test_nobody_is_there() -> None:
    with pytest.raises(ConnectionRefused) as refused:
        ask(ClientConfig(server="https://127.0.0.1:1", certificate_authority_data=Authority().certificate))
    assert refused.value.address == "127.0.0.1:1"
