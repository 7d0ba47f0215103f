"""Requests over real sockets: trust, identity, and how it ends when it ends badly."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from socket import socket
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from localplane.apimachinery.errors import APIError, Unauthorized
from localplane.client.authentication.credentials import ClientCertificate
from localplane.client.errors import ConfigError, ConnectionFailed, ConnectionLost, ConnectionRefused, TLSFailed
from localplane.client.kubeconfig import ClientConfig, Impersonation
from localplane.client.rest.client import Client
from localplane.client.transport.aiohttp_transport import HTTPTransport
from tests.integration.client.certificates import Authority, Pair
from tests.integration.client.fake_api import FakeAPI, Fault
from tests.integration.client.recording import CONFIGMAPS


class TLSServer:
    """Asks for a certificate, and answers with whose it got and with the headers."""

    def __init__(self, directory: Path) -> None:
        self.authority = Authority()
        self.url = ""
        self.connections: set[Any] = set()
        self._directory = directory
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=self._context()).start()
        self.url = f"https://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def _context(self) -> ssl.SSLContext:
        pair = self.authority.issue("server")
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=self.authority.certificate.decode())
        (self._directory / "server.pem").write_bytes(pair.certificate + pair.key)
        context.load_cert_chain(self._directory / "server.pem")
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    async def _handle(self, request: web.Request) -> web.Response:
        self.connections.add(request.transport)
        peer = request.get_extra_info("peercert")
        name = dict(pair for part in peer["subject"] for pair in part)["commonName"] if peer else ""
        if request.path == "/unauthorized":
            return web.Response(status=401)
        headers = {key: request.headers.getall(key) for key in request.headers}
        return web.json_response({"name": name, "headers": headers, "url": str(request.rel_url)})

    def config(self, pair: Pair | None = None, **fields: Any) -> ClientConfig:
        if pair is not None:
            fields |= {"client_certificate_data": pair.certificate, "client_key_data": pair.key}
        return ClientConfig(**{"server": self.url, "certificate_authority_data": self.authority.certificate, **fields})


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[TLSServer]:
    started = TLSServer(tmp_path)
    await started.start()
    yield started
    await started.stop()


async def _ask(config: ClientConfig, path: str = "/x") -> Any:
    async with Client.connect(config) as client:
        return (await client.request("GET", path)).json()


async def test_the_client_shows_its_certificate_to_a_server_that_it_trusts(server: TLSServer) -> None:
    assert (await _ask(server.config(server.authority.issue("me"))))["name"] == "me"


async def test_an_authority_may_be_in_a_file(server: TLSServer, tmp_path: Path) -> None:
    path = tmp_path / "ca.crt"
    path.write_bytes(server.authority.certificate)
    await _ask(server.config(certificate_authority_data=b"", certificate_authority=str(path)))


async def test_a_stranger_is_not_trusted_unless_one_insists(server: TLSServer) -> None:
    with pytest.raises(TLSFailed, match="failed to verify certificate"):
        await _ask(server.config(certificate_authority_data=Authority().certificate))
    await _ask(server.config(certificate_authority_data=b"", insecure_skip_tls_verify=True))
    with pytest.raises(ConfigError, match="not allowed"):
        await _ask(server.config(insecure_skip_tls_verify=True))


async def test_the_name_in_the_certificate_is_the_configured_one(server: TLSServer) -> None:
    await _ask(server.config(tls_server_name="server"))
    with pytest.raises(TLSFailed):
        await _ask(server.config(tls_server_name="somebody-else"))


async def test_a_certificate_that_is_none_is_the_configurations_fault(server: TLSServer) -> None:
    with pytest.raises(ConfigError, match="tls: failed to find any PEM data in certificate input"):
        await _ask(server.config(Pair(b"no", b"no")))


async def test_headers_say_who_asks_and_for_whom(server: TLSServer) -> None:
    impersonate = Impersonation("boss", uid="7", groups=("a", "b"), extra={"why/not": ("x",)})
    headers = (await _ask(server.config(token="t", impersonate=impersonate)))["headers"]
    assert headers["Authorization"] == ["Bearer t"]
    assert headers["User-Agent"][0].startswith("localplane/")
    assert headers["Impersonate-Group"] == ["a", "b"]
    assert (headers["Impersonate-User"], headers["Impersonate-Uid"]) == (["boss"], ["7"])
    assert headers["Impersonate-Extra-why%2Fnot"] == ["x"]


async def test_a_base_path_and_an_encoded_query_arrive_as_they_are(server: TLSServer) -> None:
    async with Client.connect(server.config(server=f"{server.url}/base")) as client:
        answer = await client.request("GET", "/a%2Fb", query=[("labelSelector", "a in (b,c)"), ("x", "ä&=")])
    assert answer.json()["url"] == "/base/a%2Fb?labelSelector=a+in+%28b%2Cc%29&x=%C3%A4%26%3D"


async def test_requests_share_a_connection(server: TLSServer) -> None:
    async with Client.connect(server.config()) as client:
        for _ in range(3):
            await client.request("GET", "/x")
    assert len(server.connections) == 1


class Rotating:
    """Credentials that change, and know when they were refused."""

    def __init__(self, pairs: list[Pair]) -> None:
        self.pairs = pairs
        self.refused: list[str] = []

    async def authorization(self) -> str:
        return "Bearer t"

    async def certificate(self) -> ClientCertificate | None:
        return ClientCertificate(self.pairs[0].certificate, self.pairs[0].key)

    def rejected(self, authorization: str) -> None:
        self.refused.append(authorization)


async def test_a_new_certificate_is_shown_on_a_new_connection(server: TLSServer) -> None:
    credentials = Rotating([server.authority.issue("old"), server.authority.issue("new")])
    async with Client(HTTPTransport(server.config(), credentials=credentials)) as client:
        assert (await client.request("GET", "/x")).json()["name"] == "old"
        credentials.pairs.pop(0)
        assert (await client.request("GET", "/x")).json()["name"] == "new"
    assert len(server.connections) == 2


async def test_credentials_hear_that_they_were_refused(server: TLSServer) -> None:
    credentials = Rotating([server.authority.issue("me")])
    async with Client(HTTPTransport(server.config(), credentials=credentials)) as client:
        with pytest.raises(Unauthorized, match="the server has asked for the client to provide credentials"):
            await client.request("GET", "/unauthorized")
    assert credentials.refused == ["Bearer t"]


async def test_nobody_there_is_a_refused_connection() -> None:
    with socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(ConnectionRefused, match="was refused"):
            await _ask(ClientConfig(f"http://127.0.0.1:{unused.getsockname()[1]}"))


async def test_a_redirect_is_not_followed(api: FakeAPI, client: Client) -> None:
    api.faults.append(Fault(status=302, headers={"Location": "http://elsewhere.invalid/"}))
    with pytest.raises(APIError, match="the server responded with the status code 302"):
        await client.request("GET", "/x")
    assert len(api.requests) == 1


@pytest.mark.parametrize("cut", [0, 1, 20])
async def test_a_cut_answer_is_a_lost_connection(api: FakeAPI, client: Client, cut: int) -> None:
    api.put("a")
    api.decide = lambda _: Fault(cut_after=cut)
    with pytest.raises(ConnectionLost):
        await client.resource(CONFIGMAPS, "default").get("a")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "GET"])
async def test_a_write_whose_connection_broke_after_it_was_sent_is_not_sent_again(api: FakeAPI, method: str) -> None:
    """Each request but the first on a connection is read whole, and then the server hangs up."""

    def hang_up(request: web.Request) -> Fault | None:
        if len(api.requests) == 2:
            assert request.transport is not None
            request.transport.close()
        return Fault(status=200)

    api.decide = hang_up
    transport = HTTPTransport(ClientConfig(api.url))
    await (await transport.request("GET", "/x")).read()
    if method == "GET":
        assert (await transport.request(method, "/x")).status == 200
    else:
        with pytest.raises(ConnectionLost):
            await transport.request(method, "/x", body=b"{}")
    assert [request.method for request in api.requests] == ["GET", method, "GET"][: 3 if method == "GET" else 2]
    await transport.close()


async def test_a_server_that_speaks_something_else_can_not_be_connected_to() -> None:
    with pytest.raises(ConnectionFailed, match='unsupported protocol scheme "ftp"'):
        HTTPTransport(ClientConfig("ftp://a"))
