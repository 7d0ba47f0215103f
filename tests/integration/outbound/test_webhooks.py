"""A webhook is called where Kubernetes calls it, and what goes wrong is told in Go's words."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from localplane.apiserver.outbound import WebhookClient, WebhookFailed, WebhookLocation
from tests.integration.outbound import answering as answers
from tests.integration.outbound.answering import AUTHORITY, SERVER, Answering, answering
from tests.unit.tls.papers import Paper, issue

WITHIN = timedelta(seconds=10)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Answering]:
    async with answering(tmp_path) as told:
        yield told


@pytest.fixture
async def client() -> AsyncIterator[WebhookClient]:
    async with WebhookClient() as client:
        yield client


def at(server: Answering, path: str = "/review", *, trusted: Paper = AUTHORITY) -> WebhookLocation:
    return WebhookLocation(f"https://127.0.0.1:{server.port}{path}", authorities=trusted.pem)


def lines(request: bytes) -> list[str]:
    return request.decode().split("\r\n")


async def problem(client: WebhookClient, place: WebhookLocation, *, within: timedelta = WITHIN) -> str:
    with pytest.raises(WebhookFailed) as failed:
        await client.post(place, b"{}", within=within)
    return str(failed.value)


@pytest.mark.parametrize(
    ("path", "cleaned"),
    [
        ("//a", "/a"),
        ("///a//b", "/a/b"),
        ("/b/", "/b"),
        ("/c//d", "/c/d"),
        ("/e/../f", "/f"),
        ("/e/./f", "/e/f"),
        ("/../../f", "/f"),
        ("/g%2Fh", "/g/h"),
        ("/g%2f..%2fh", "/h"),
        ("/i%20j", "/i%20j"),
        ("/%C3%A9", "/%C3%A9"),
        ("/k;l=1,2", "/k;l=1,2"),
        ("/m%3Fn", "/m%3Fn"),
        ("/", "/"),
        ("", "/"),
    ],
)
async def test_a_path_is_cleaned(server: Answering, client: WebhookClient, path: str, cleaned: str) -> None:
    server.pieces = [answers.with_length(b"{}")]
    await client.post(at(server, path), b"{}", within=WITHIN)
    assert lines(server.requests[0])[0] == f"POST {cleaned}?timeout=10s HTTP/1.1"


def redirecting(status: int, location: str | None = "/second") -> bytes:
    headers = [f"Location: {location}"] if location is not None else []
    return answers.head("Content-Length: 0", *headers, status=f"{status} Elsewhere")


def told(server: Answering, *script: bytes) -> None:
    """One answer after the other."""
    left = list(script)

    def choose(_: bytes) -> Sequence[bytes]:
        return [left.pop(0) if len(left) > 1 else left[0]]

    server.choose = choose


@pytest.mark.parametrize(("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
async def test_redirects_are_followed_as_go_follows_them(
    server: Answering, client: WebhookClient, status: int, method: str
) -> None:
    told(server, redirecting(status), answers.with_length(b'{"x":1}'))
    assert await client.post(at(server), b'{"q":1}', within=WITHIN) == b'{"x":1}'
    first, second = server.requests
    assert first.endswith(b'\r\n\r\n{"q":1}')
    assert lines(second)[0] == f"{method} /second HTTP/1.1"
    assert second.endswith(b'\r\n\r\n{"q":1}' if method == "POST" else b"\r\n\r\n")
    fields = {line.partition(": ")[0].lower(): line.partition(": ")[2] for line in lines(second)[1:]}
    assert fields["referer"] == f"https://127.0.0.1:{server.port}/review?timeout=10s"
    assert ("content-type" in fields) is (method == "POST")


async def test_a_body_that_was_left_out_is_not_sent_later(server: Answering, client: WebhookClient) -> None:
    told(server, redirecting(302), redirecting(307, "/third"), answers.with_length(b"{}"))
    await client.post(at(server), b'{"q":1}', within=WITHIN)
    assert [lines(request)[0].split()[0] for request in server.requests] == ["POST", "GET", "GET"]


async def test_a_redirect_may_lead_to_another_host(server: Answering, client: WebhookClient, tmp_path: Path) -> None:
    async with answering(tmp_path) as other:
        other.pieces = [answers.with_length(b"{}")]
        server.pieces = [redirecting(307, f"https://localhost:{other.port}/there?a=b")]
        await client.post(at(server), b"{}", within=WITHIN)
    assert lines(other.requests[0])[:2] == ["POST /there?a=b HTTP/1.1", f"Host: localhost:{other.port}"]


async def test_redirects_have_an_end(server: Answering, client: WebhookClient) -> None:
    server.pieces = [redirecting(307, "/again")]
    assert await problem(client, at(server)) == 'Post "/again": stopped after 10 redirects'
    assert len(server.requests) == 10


@pytest.mark.parametrize("status", [302, 307])
async def test_a_redirect_to_nowhere_is_an_answer(server: Answering, client: WebhookClient, status: int) -> None:
    server.pieces = [redirecting(status, None)]
    assert await problem(client, at(server)) == (
        f"the server responded with the status code {status} but did not return more information"
    )


async def test_a_redirect_to_what_is_no_http_fails(server: Answering, client: WebhookClient) -> None:
    server.pieces = [redirecting(307, "file:///etc/passwd")]
    assert await problem(client, at(server)) == 'Post "file:///etc/passwd": unsupported protocol scheme "file"'


async def test_a_service_is_called_by_its_name_at_its_address(
    server: Answering, client: WebhookClient, tmp_path: Path
) -> None:
    """And whoever it redirects to is where it says, with the service's certificate, as in Kubernetes."""
    async with answering(tmp_path) as other:
        other.pieces = [answers.with_length(b"{}")]
        told(server, redirecting(307, "/second"), redirecting(307, f"https://127.0.0.1:{other.port}/x"))
        place = WebhookLocation(
            "https://hook.default.svc:443/first", host="127.0.0.1", port=server.port, authorities=AUTHORITY.pem
        )
        await client.post(place, b"{}", within=WITHIN)
    assert [lines(request)[0] for request in server.requests] == [
        "POST /first?timeout=10s HTTP/1.1",
        "POST /second HTTP/1.1",
    ]
    assert lines(other.requests[0])[0] == "POST /x HTTP/1.1"


async def test_a_leaf_or_an_intermediate_is_an_anchor(client: WebhookClient, tmp_path: Path) -> None:
    intermediate = issue("intermediate", AUTHORITY, ca=True)
    leaf = issue("leaf", intermediate, hosts=["127.0.0.1"])
    async with answering(tmp_path, paper=leaf) as server:
        server.pieces = [answers.with_length(b"{}")]
        for trusted in (leaf, intermediate):
            assert await client.post(at(server, trusted=trusted), b"{}", within=WITHIN) == b"{}"


@pytest.mark.parametrize(
    ("paper", "trusted", "reason"),
    [
        (SERVER, issue("other", ca=True), "x509: certificate signed by unknown authority"),
        (
            issue("named", AUTHORITY, hosts=["a.example.com", "b.example.com"]),
            AUTHORITY,
            "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
        ),
        (
            issue("elsewhere", AUTHORITY, hosts=["127.0.0.2"]),
            AUTHORITY,
            "x509: certificate is valid for 127.0.0.2, not 127.0.0.1",
        ),
        (
            issue("over", AUTHORITY, hosts=["127.0.0.1"], lasts=-timedelta(minutes=1)),
            AUTHORITY,
            "x509: certificate has expired or is not yet valid: current time ",
        ),
    ],
    ids=["unknown", "no address", "another address", "over"],
)
async def test_a_server_that_is_not_believed_is_told_in_go_s_words(
    client: WebhookClient, tmp_path: Path, paper: Paper, trusted: Paper, reason: str
) -> None:
    async with answering(tmp_path, paper=paper) as server:
        found = await problem(client, at(server, trusted=trusted))
        post = f'Post "https://127.0.0.1:{server.port}/review?timeout=10s"'
    assert found.startswith(f"{post}: tls: failed to verify certificate: {reason}")
    assert server.requests == []


async def test_a_name_that_is_another_s_is_told(client: WebhookClient, tmp_path: Path) -> None:
    paper = issue("named", AUTHORITY, hosts=["a.example.com", "b.example.com"])
    async with answering(tmp_path, paper=paper) as server:
        place = WebhookLocation(f"https://localhost:{server.port}/", authorities=AUTHORITY.pem)
        reason = "x509: certificate is valid for a.example.com, b.example.com, not localhost"
        assert reason in await problem(client, place)


async def test_a_server_without_tls_is_told(client: WebhookClient, tmp_path: Path) -> None:
    async def shout(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(shout, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        place = WebhookLocation(f"https://127.0.0.1:{port}/", authorities=AUTHORITY.pem)
        assert await problem(client, place) == (
            f'Post "https://127.0.0.1:{port}/?timeout=10s": http: server gave HTTP response to HTTPS client'
        )


async def test_nobody_there_is_told(client: WebhookClient) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        place = WebhookLocation(f"https://127.0.0.1:{port}/x", authorities=AUTHORITY.pem)
        assert await problem(client, place) == (
            f'Post "https://127.0.0.1:{port}/x?timeout=10s": dial tcp 127.0.0.1:{port}: connect: connection refused'
        )


async def test_a_server_that_hangs_up_is_told(server: Answering, client: WebhookClient) -> None:
    server.pieces = []
    assert (await problem(client, at(server))).endswith('/review?timeout=10s": EOF')


async def test_one_that_stops_in_the_middle_is_told(server: Answering, client: WebhookClient) -> None:
    server.pieces = [answers.with_length(b"{}" * 100)[:-1]]
    assert await problem(client, at(server)) == (
        "unexpected error when reading response body. Please retry. Original error: unexpected EOF"
    )


async def test_one_that_is_late_is_told_where_it_was(client: WebhookClient, tmp_path: Path) -> None:
    """Before it answered, or in the middle of it."""
    stop = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if b"/begun" in await reader.readuntil(b"\r\n\r\n"):
            writer.write(answers.head("Content-Length: 10") + b"half")
        await stop.wait()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        silent = await problem(client, WebhookLocation(f"{url}/silent"), within=timedelta(seconds=1))
        begun = await problem(client, WebhookLocation(f"{url}/begun"), within=timedelta(seconds=1))
        stop.set()
    assert silent == f'Post "{url}/silent?timeout=1s": context deadline exceeded'
    assert begun == (
        "unexpected error when reading response body. Please retry. Original error: context deadline exceeded"
    )


@pytest.mark.parametrize("bundle", [b"rubbish", b"-----BEGIN CERTIFICATE-----\n"])
async def test_a_bundle_that_is_none_is_told(server: Answering, client: WebhookClient, bundle: bytes) -> None:
    place = WebhookLocation(f"https://127.0.0.1:{server.port}/", authorities=bundle)
    assert await problem(client, place) == "unable to load root certificates: unable to parse bytes as PEM block"
