"""What arrives when somebody else speaks: garbage, smuggling, and clients that never finish a sentence."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import pytest

from localplane.apiserver.server.http.limits import ConnectionLimits
from localplane.apiserver.server.lifecycle import GenericServer
from tests.integration.server.toy import Toys, toy_server
from tests.integration.server.wire import Wire, ask_raw, eventually

SMUGGLED = b"GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"this is not http\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET /small\r\n\r\n",  # as before HTTP had versions
        b"GET /small HTTP/0.9\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",  # no Host
        b"GET / HTTP/1.1\r\nHost: localhost\r\nBroken Header: 1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"brew /coffee HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
async def test_what_is_no_request_gets_400_and_no_traceback(
    server: GenericServer, caplog: pytest.LogCaptureFixture, request_bytes: bytes
) -> None:
    with caplog.at_level(logging.INFO):
        answer = await ask_raw(server.port, request_bytes)
    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"Connection: close\r\n" in answer
    assert answer.endswith(b"\r\n\r\n400 Bad Request")
    assert caplog.records == []


async def test_a_version_to_come_is_not_supported(server: GenericServer) -> None:
    answer = await ask_raw(server.port, b"GET /small HTTP/2.0\r\nHost: localhost\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 505 HTTP Version Not Supported\r\n")
    assert answer.endswith(b"505 HTTP Version Not Supported: unsupported protocol version")


async def test_a_method_that_nobody_knows_is_not_allowed(server: GenericServer) -> None:
    answer = await ask_raw(server.port, b"BREW /coffee HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Type: application/json\r\n")
    assert b'"message":"the server does not allow this method on the requested resource"' in answer
    assert b"Connection: close\r\n" in answer


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
        b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
        b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: +4\r\n\r\nabcd",
        b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"POST /echo HTTP/1.1\r\nHost: localhost\r\nA: b\rxTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        b"POST /echo HTTP/1.1\r\nHost: localhost\r\nX: a\r\n\tTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
async def test_a_request_whose_end_is_disputed_is_refused_with_all_that_follows(
    server: GenericServer, toys: Toys, request_bytes: bytes
) -> None:
    answer = await ask_raw(server.port, request_bytes + SMUGGLED)
    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert answer.count(b"HTTP/1.1 ") == 1
    assert toys.seen == []


@pytest.mark.parametrize(
    "chunks", [b"zz\r\nabc\r\n0\r\n\r\n", b"3\r\nabcX0\r\n\r\n", b"-1\r\n\r\n", b"3\nabc\r\n0\r\n\r\n"]
)
async def test_a_body_with_broken_chunks_reaches_no_handler_whole(
    server: GenericServer, toys: Toys, chunks: bytes
) -> None:
    head = b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = await ask_raw(server.port, head + chunks + SMUGGLED)
    assert b" 200 " not in answer
    assert toys.bodies == []
    assert [request.path for request in toys.seen] in ([], ["/echo"])


async def test_a_body_that_breaks_later_fails_its_reader_at_once(server: GenericServer, toys: Toys) -> None:
    async with await Wire.connect(server.port) as wire:
        wire.send_raw(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        await eventually(lambda: bool(toys.seen))
        wire.send_raw(b"zz\r\n" + SMUGGLED)
        assert b" 200 " not in await wire.rest()
    assert toys.bodies == []
    assert len(toys.seen) == 1


async def test_a_long_token_and_a_long_selector_are_read(server: GenericServer) -> None:
    async with await Wire.connect(server.port) as wire:
        token = "x" * 16_000
        assert (await wire.get("/small", headers={"Authorization": f"Bearer {token}"})).status == 200
        assert (await wire.get("/small?labelSelector=" + "y" * 60_000)).status == 200


@pytest.mark.parametrize(
    "head",
    [
        b"X: " + b"x" * 16_500 + b"\r\n",
        b"X: " + b"x" * (1 << 20) + b"xxxx\r\n",
        b"".join(b"X-%d: %b\r\n" % (number, b"x" * 10_000) for number in range(7)),
        b"".join(b"X-%d: %b\r\n" % (number, b"x" * 10_000) for number in range(200)),
        b"".join(b"X-%d: 1\r\n" % number for number in range(3000)),
    ],
    ids=["one long field", "one endless field", "a few too many fields", "many fields", "very many fields"],
)
async def test_more_headers_than_that_get_431(server: GenericServer, toys: Toys, head: bytes) -> None:
    answer = await ask_raw(server.port, b"GET /small HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert toys.seen == []


async def test_a_large_head_after_a_large_body_gets_431(server: GenericServer, toys: Toys) -> None:
    """Of what comes in one read, only the head counts."""
    async with await Wire.connect(server.port) as wire:
        assert (await wire.post("/echo", b"x" * 200_000)).status == 200
        assert (await wire.get("/small", headers={"X": "x" * 10_000})).status == 200
        wire.send_raw(b"GET /small HTTP/1.1\r\nHost: localhost\r\n")
        wire.send_raw(b"".join(b"X-%d: %b\r\n" % (number, b"x" * 10_000) for number in range(7)) + b"\r\n")
        assert (await wire.rest()).startswith(b"HTTP/1.1 431 ")


async def test_a_head_that_trickles_in_is_cut_and_others_are_served(toys: Toys) -> None:
    async with toy_server(toys, limits=ConnectionLimits(head_timeout=timedelta(seconds=0.5))) as server:
        trickling = [await Wire.connect(server.port) for _ in range(100)]
        for wire in trickling:
            wire.send_raw(b"GET /small HTTP/1.1\r\nHost: loc")
        async with await Wire.connect(server.port) as other:
            assert (await other.get("/small")).status == 200
            assert await asyncio.gather(*(wire.rest() for wire in trickling)) == [b""] * 100
            for wire in trickling:
                wire.writer.close()
            assert (await other.get("/small")).status == 200  # idle between requests is something else


async def test_a_second_request_that_trickles_in_is_cut_too(toys: Toys) -> None:
    limits = ConnectionLimits(head_timeout=timedelta(seconds=0.3), idle_timeout=timedelta(seconds=60))
    async with toy_server(toys, limits=limits) as server, await Wire.connect(server.port) as wire:
        assert (await wire.get("/small")).status == 200
        wire.send_raw(b"GET /sma")
        assert await wire.rest() == b""


async def test_a_client_that_says_nothing_is_cut(toys: Toys) -> None:
    async with toy_server(toys, limits=ConnectionLimits(head_timeout=timedelta(seconds=0.2))) as server:
        assert await ask_raw(server.port, b"") == b""


async def test_an_idle_connection_is_closed_after_a_while(toys: Toys) -> None:
    limits = ConnectionLimits(idle_timeout=timedelta(seconds=0.3))
    async with toy_server(toys, limits=limits) as server, await Wire.connect(server.port) as wire:
        assert (await wire.get("/small")).status == 200
        assert await wire.rest() == b""


@pytest.mark.parametrize(
    "host", ["evil.example.com", "evil.example.com:80", "127.0.0.1.evil.example", "[::2]", "10.0.0.1"]
)
async def test_plain_http_under_a_foreign_name_is_forbidden(server: GenericServer, toys: Toys, host: str) -> None:
    async with await Wire.connect(server.port) as wire:
        reply = await wire.get("/small", headers={"Host": host})
        assert (reply.status, reply.body) == (403, b"Forbidden\n")
    assert toys.seen == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]", "[::1]:443"])
async def test_plain_http_under_our_own_names_is_served(server: GenericServer, host: str) -> None:
    async with await Wire.connect(server.port) as wire:
        assert (await wire.get("/small", headers={"Host": host})).status == 200


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("origin", ["http://evil.example.com", "null", "http://localhost:3000"])
async def test_no_web_page_gets_anything(server: GenericServer, toys: Toys, method: str, origin: str) -> None:
    async with await Wire.connect(server.port) as wire:
        wanted = {"Origin": origin, "Access-Control-Request-Method": "POST", "Content-Type": "text/plain"}
        reply = await wire.get("/small", method=method, headers=wanted)
        assert reply.status == 403
        assert not [name for name in reply.headers if name.startswith("access-control")]
    assert toys.seen == []


async def test_an_absolute_target_is_read_like_its_path(server: GenericServer) -> None:
    async with await Wire.connect(server.port) as wire:
        wire.send_raw(b"GET http://localhost/small?a=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await wire.reply()).status == 200
