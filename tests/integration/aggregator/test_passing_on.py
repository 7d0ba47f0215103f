"""What exactly another server is sent, and how what it answers comes back; it is no API server, only a socket."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from aiohttp import web

from localplane.apiserver.server.certificates.issuer import Authority
from localplane.client import Client
from localplane.compose.server import Plane
from tests.integration.aggregator.conftest import (
    API_SERVICES,
    GROUP,
    SERVICES,
    api_service,
    condition,
    external_service,
)
from tests.integration.server.wire import Wire

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMED = f"/apis/{GROUP}/v1/namespaces/default/tickets"


@dataclass(slots=True)
class Behind:
    """Keeps the last request that is no check of the aggregator's."""

    port: int = 0
    last: web.BaseRequest | None = None
    body: bytes = b""
    broken_off: asyncio.Event = field(default_factory=asyncio.Event)
    dropped: list[str] = field(default_factory=list)

    def forget(self) -> None:
        self.last = None

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path in (f"/apis/{GROUP}/v1", "/openapi/v3"):
            return web.json_response({})
        self.last, self.body = request, await request.read()
        match request.path.rpartition("/")[2]:
            case "moved":
                return web.Response(status=302, headers={"Location": "https://elsewhere.example.com/"})
            case "zipped":
                return web.Response(body=gzip.compress(b"much"), headers={"Content-Encoding": "gzip"})
            case "endless":
                return await self._endless(request)
            case "dropped":
                self.dropped.append(request.method)
                assert request.transport is not None
                request.transport.close()
        answer = web.Response(status=418, text="short and stout")
        for text in ("one", "two"):
            answer.headers.add("Warning", f'299 - "{text}"')
        return answer

    async def _endless(self, request: web.BaseRequest) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        try:
            await answer.write(b"first")
            await asyncio.sleep(60)
        finally:
            self.broken_off.set()
        return answer


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def behind(client: Client, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Behind]:
    authority, made = Authority.make(datetime.now(UTC)), Behind()
    runner = web.ServerRunner(web.Server(made.handle, handler_cancellation=True))
    await runner.setup()
    site = web.TCPSite(runner, "localhost", 0, ssl_context=_serving(authority, tmp_path_factory.mktemp("behind")))
    await site.start()
    made.port = runner.addresses[0][1]
    await client.resource(SERVICES, "default").create(external_service())
    registered = api_service(port=made.port)
    bundle = b64encode(authority.certificate_pem).decode()
    registered["spec"] |= {"caBundle": bundle, "insecureSkipTLSVerify": False}
    await client.resource(API_SERVICES).create(registered)
    await condition(client, lambda found: found.get("status") == "True")
    yield made
    await runner.cleanup()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(plane: Plane) -> AsyncIterator[httpx.AsyncClient]:
    certificates = plane.kubeconfig.parent / "pki"
    tls = ssl.create_default_context(cafile=certificates / "ca.crt")
    tls.load_cert_chain(certificates / "admin.crt", certificates / "admin.key")
    async with httpx.AsyncClient(base_url=plane.url, verify=tls, timeout=20) as http:
        yield http


def _serving(authority: Authority, directory: Path) -> ssl.SSLContext:
    issued = authority.issue_server(["tickets.default.svc"], datetime.now(UTC))
    (directory / "crt").write_bytes(issued.certificate)
    (directory / "key").write_bytes(issued.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "crt", directory / "key")
    return context


async def test_the_request_is_the_same_but_for_who_asks(behind: Behind, http: httpx.AsyncClient) -> None:
    headers = {"X-Remote-User": "eve", "Impersonate-User": "jane", "Impersonate-Group": "system:masters", "X-Own": "1"}
    query = {"labelSelector": "a in (b,c)", "limit": "5"}
    answer = await http.post(f"{NAMED}/odd%20name%25", params=query, headers=headers, content=b"\x00body")
    assert (answer.status_code, answer.text) == (418, "short and stout")
    assert answer.headers["warning"] == '299 - "one", 299 - "two"'
    assert behind.last is not None
    assert (behind.last.method, behind.last.path, behind.body) == ("POST", f"{NAMED}/odd name%", b"\x00body")
    assert dict(behind.last.query) == query
    sent = behind.last.headers
    assert (sent.getall("X-Remote-User"), sent["X-Own"], sent["Audit-Id"]) == (
        ["jane"],
        "1",
        answer.headers["audit-id"],
    )
    assert sent.getall("X-Remote-Group") == ["system:masters", "system:authenticated"]
    assert not {"Impersonate-User", "Impersonate-Group", "Authorization"} & set(sent)


async def test_what_is_compressed_stays_so(behind: Behind, http: httpx.AsyncClient) -> None:
    answer = await http.get(f"{NAMED}/zipped")
    assert (answer.headers["content-encoding"], answer.text) == ("gzip", "much")


async def test_nobody_is_sent_elsewhere(behind: Behind, http: httpx.AsyncClient) -> None:
    answer = await http.get(f"{NAMED}/moved")
    assert answer.status_code == 502
    assert answer.text == "the backend attempted to redirect this request, which is not permitted"
    assert "location" not in answer.headers


async def test_a_client_that_goes_is_gone_there_too(behind: Behind, http: httpx.AsyncClient) -> None:
    async with asyncio.timeout(30):
        async with http.stream("GET", f"{NAMED}/endless?watch=true") as answer:
            assert await anext(answer.aiter_raw()) == b"first"
        await behind.broken_off.wait()


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_write_that_nobody_answered_is_not_sent_again_and_nobody_is_invited_to(
    behind: Behind, http: httpx.AsyncClient, method: str
) -> None:
    behind.dropped.clear()
    await http.get(f"{NAMED}/warm")  # so that a connection is kept
    answer = await http.request(method, f"{NAMED}/dropped", content=b"{}")
    assert answer.status_code == 503
    assert "retry-after" not in answer.headers
    assert behind.dropped == [method]


OTHER_PATHS = [
    f"/openapi/v3/apis/{GROUP}/v1/tickets",
    f"/openapi/v3/apis/{GROUP}/v1/../../../../apis/{GROUP}/v1/secrets",
    f"/openapi/v3/apis/{GROUP}/v1/%2e%2e/%2e%2e/secrets",
    f"/openapi/v3/apis/{GROUP}/v1/",
    f"/openapi/v3//apis/{GROUP}/v1",
    f"/openapi/v3x/apis/{GROUP}/v1",
    f"{NAMED}/../../other/tickets/x",
    f"{NAMED}/%2e%2e/%2e%2e/other/tickets/x",
    f"{NAMED}/%2e%2e%2f%2e%2e%2fother/tickets/x",
    f"{NAMED}/./x",
    f"{NAMED}/..",
    f"{NAMED}/..;a=b/x",
    f"{NAMED}/..%5C..%5Cother",
    f"{NAMED}//x",
    f"/apis/{GROUP}/v1//namespaces/other/tickets",
    f"/apis/{GROUP}/../{GROUP}/v1/tickets",
    f"//apis/{GROUP}/v1/tickets",
]
"""Paths that one server reads so and another so; and what is below a document, where there is nothing."""


@pytest.mark.parametrize("path", OTHER_PATHS)
async def test_only_what_was_authorized_is_passed_on(behind: Behind, plane: Plane, path: str) -> None:
    behind.forget()
    certificates = plane.kubeconfig.parent / "pki"
    tls = ssl.create_default_context(cafile=certificates / "ca.crt")
    tls.load_cert_chain(certificates / "admin.crt", certificates / "admin.key")
    async with await Wire.connect(plane.server.port, tls=tls) as wire:
        assert (await wire.get(path)).status == 404
    assert behind.last is None


@pytest.mark.parametrize(
    "path", [f"/openapi/v3/apis/{GROUP}/v1", f"{NAMED}/x/status", f"{NAMED}/a..b", f"{NAMED}/...", NAMED + "/"]
)
async def test_what_was_authorized_is_passed_on_as_it_is(behind: Behind, plane: Plane, path: str) -> None:
    behind.forget()
    certificates = plane.kubeconfig.parent / "pki"
    tls = ssl.create_default_context(cafile=certificates / "ca.crt")
    tls.load_cert_chain(certificates / "admin.crt", certificates / "admin.key")
    async with await Wire.connect(plane.server.port, tls=tls) as wire:
        assert (await wire.get(path)).status == 418
    assert behind.last is not None
    assert behind.last.raw_path == path


async def test_who_asks_can_not_be_said_in_another_spelling(behind: Behind, http: httpx.AsyncClient) -> None:
    await http.get(NAMED, headers={"X_Remote_User": "eve", "X-Remote_Group": "system:masters", "Impersonate_User": "e"})
    assert behind.last is not None
    assert {name for name in behind.last.headers if "_" in name} == set()
