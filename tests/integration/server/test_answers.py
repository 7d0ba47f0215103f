"""Answers of all sizes, over plain HTTP and TLS."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import ssl
from collections.abc import AsyncIterator

import orjson
import pytest

from localplane.apiserver.server.lifecycle import GenericServer
from localplane.apiserver.server.tls import ServingTLS
from tests.integration.server.toy import Toys, toy_server
from tests.integration.server.wire import Wire, eventually


@pytest.fixture(params=["plain", "tls"])
async def wire(
    request: pytest.FixtureRequest, toys: Toys, serving_tls: ServingTLS, client_tls: ssl.SSLContext
) -> AsyncIterator[Wire]:
    tls = request.param == "tls"
    async with (
        toy_server(toys, tls=serving_tls if tls else None) as server,
        await Wire.connect(server.port, tls=client_tls if tls else None) as wire,
    ):
        yield wire


async def test_a_small_answer_has_its_length_type_and_date(wire: Wire) -> None:
    reply = await wire.get("/small")
    assert (reply.status, reply.body) == (200, b'{"small":true}')
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["content-length"] == "14"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cache-control"] == "no-cache, private"
    assert reply.headers["date"].endswith(" GMT")
    assert "connection" not in reply.headers


async def test_a_connection_answers_many_requests(wire: Wire) -> None:
    for size in (0, 1, 65_536, 65_537, 10):
        assert len((await wire.get(f"/large/{size}")).body) == size


@pytest.mark.parametrize("size", [100_000, 5_000_001])
async def test_a_large_answer_arrives_whole(wire: Wire, size: int) -> None:
    reply = await wire.get(f"/large/{size}")
    assert hashlib.sha256(reply.body).digest() == hashlib.sha256(b"x" * size).digest()


@pytest.mark.parametrize("number", [3, 400_000])
async def test_pieces_arrive_in_their_order(wire: Wire, number: int) -> None:
    reply = await wire.get(f"/pieces/{number}")
    assert reply.body == b"".join(f"{index:06d};".encode() for index in range(number))


@pytest.mark.parametrize("number", [3, 400_000])
async def test_what_is_made_while_it_is_sent_arrives_in_chunks(wire: Wire, number: int) -> None:
    reply = await wire.get(f"/made/{number}")
    assert (reply.headers["transfer-encoding"], "content-length" in reply.headers) == ("chunked", False)
    assert reply.body == b"".join(f"{index:06d};".encode() for index in range(number))
    assert (await wire.get("/small")).body == b'{"small":true}'


async def test_what_is_made_to_measure_has_its_length(wire: Wire) -> None:
    reply = await wire.get("/made-to-measure/400000")
    assert (reply.headers["content-length"], "transfer-encoding" in reply.headers) == ("2800000", False)
    assert len(reply.body) == 2_800_000
    assert (await wire.get("/small")).status == 200


@pytest.mark.parametrize("path", ["/made/400000", "/made-to-measure/400000"])
async def test_what_is_made_while_it_is_sent_is_compressed_for_those_who_accept_it(wire: Wire, path: str) -> None:
    reply = await wire.get(path, headers={"Accept-Encoding": "gzip"})
    assert (reply.headers["content-encoding"], reply.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(reply.body) == b"".join(f"{index:06d};".encode() for index in range(400_000))


async def test_who_knows_no_chunks_sees_the_end_of_the_connection(wire: Wire) -> None:
    wire.send_raw(b"GET /made/3000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    reply = await wire.reply()
    assert reply.headers["connection"] == "close"
    assert len(reply.body) == 21_000


async def test_head_makes_nothing(wire: Wire) -> None:
    reply = await wire.get("/half-made/3000", method="HEAD")
    assert reply.status == 200
    assert (await wire.get("/small")).status == 200


async def test_an_answer_whose_making_fails_is_cut_and_has_no_proper_end(wire: Wire) -> None:
    wire.send("GET", "/half-made/3000")
    await wire.head()
    assert not (await wire.rest()).endswith(b"0\r\n\r\n")


async def test_head_has_the_length_and_no_body(wire: Wire) -> None:
    reply = await wire.get("/large/100000", method="HEAD")
    assert (reply.status, reply.headers["content-length"]) == (200, "100000")
    assert (await wire.get("/small")).body == b'{"small":true}'


async def test_not_modified_has_neither_body_nor_length(wire: Wire) -> None:
    reply = await wire.get("/unchanged")
    assert (reply.status, reply.headers["etag"]) == (304, '"1"')
    assert "content-length" not in reply.headers
    assert (await wire.get("/small")).status == 200


@pytest.mark.parametrize("path", ["/large/131073", "/pieces/30000"])
async def test_a_large_answer_is_compressed_for_those_who_accept_it(wire: Wire, path: str) -> None:
    plain = await wire.get(path)
    packed = await wire.get(path, headers={"Accept-Encoding": "deflate, gzip"})
    assert "content-encoding" not in plain.headers
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert len(packed.body) < len(plain.body)
    assert gzip.decompress(packed.body) == plain.body


@pytest.mark.parametrize(
    ("path", "accepted"), [("/large/131072", "gzip"), ("/large/200000", "gzip;q=0"), ("/large/200000", "x-gzip")]
)
async def test_other_answers_are_not_compressed(wire: Wire, path: str, accepted: str) -> None:
    reply = await wire.get(path, headers={"Accept-Encoding": accepted})
    assert "content-encoding" not in reply.headers


async def test_every_warning_is_a_header(wire: Wire) -> None:
    reply = await wire.get("/warned")
    assert reply.all("warning") == ['299 - "first"', r'299 - "second \"quoted\""']


async def test_a_value_cannot_break_out_of_its_header(wire: Wire) -> None:
    reply = await wire.get("/broken-header")
    assert reply.status == 500
    assert "set-cookie" not in reply.headers


async def test_a_failing_handler_is_not_told_to_the_client(wire: Wire) -> None:
    reply = await wire.get("/boom")
    assert reply.status == 500
    assert reply.body == b"This request caused apiserver to panic. Look in the logs for details.\n"
    assert (await wire.get("/small")).status == 200


async def test_pipelined_requests_are_answered_in_their_order(wire: Wire) -> None:
    for size in range(100):
        wire.send("GET", f"/large/{size}")
    assert [len((await wire.reply()).body) for _ in range(100)] == list(range(100))


async def test_a_body_is_read(wire: Wire) -> None:
    body = bytes(range(256)) * 4000
    assert (await wire.post("/echo", body)).body == body
    chunks = b"4\r\nabcd\r\n3;extension=1\r\nefg\r\n0\r\n\r\n"
    wire.send_raw(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    assert (await wire.reply()).body == b"abcdefg"


async def test_a_body_is_not_decompressed(wire: Wire) -> None:
    packed = gzip.compress(b"x" * 10_000)
    assert (await wire.post("/echo", packed, headers={"Content-Encoding": "gzip"})).body == packed


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_beyond_the_limit_is_refused_and_the_client_hears_it(wire: Wire, *, chunked: bool) -> None:
    body = b"x" * 3_145_729
    if chunked:
        head = b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        wire.send_raw(head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
        reply = await wire.reply()
    else:
        reply = await wire.post("/echo", body)
    assert reply.status == 413
    assert orjson.loads(reply.body)["message"] == "Request entity too large: limit is 3145728"


async def test_a_body_of_exactly_the_limit_is_read(wire: Wire) -> None:
    assert len((await wire.post("/echo", b"x" * 3_145_728)).body) == 3_145_728


async def test_a_client_that_waits_for_leave_gets_it(wire: Wire) -> None:
    wire.send("POST", "/echo", headers={"Content-Length": "3", "Expect": "100-continue"})
    assert await wire.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    wire.send_raw(b"abc")
    assert (await wire.reply()).body == b"abc"


async def test_the_request_says_what_was_sent(wire: Wire) -> None:
    wire.send_raw(
        b"GET /about?a=1&a=2&b=c%3Dd+e&broken=%zz&semi;colon HTTP/1.1\r\n"
        b"Host: localhost\r\nX-Many: one\r\nX-MANY: two\r\n\r\n"
    )
    about = orjson.loads((await wire.reply()).body)
    assert about["query"] == {"a": ["1", "2"], "b": ["c=d e"]}
    assert about["headers"]["x-many"] == "one"
    assert about["values"] == ["one", "two"]
    assert about["remote"] == "127.0.0.1"


async def test_a_path_is_decoded(wire: Wire, toys: Toys) -> None:
    await wire.get("/caf%C3%A9/%ff")
    assert toys.seen[-1].path == "/café/\ufffd"
    assert (await wire.get("/100%")).status == 400


async def test_old_clients_are_answered_without_chunks(wire: Wire, toys: Toys) -> None:
    wire.send_raw(b"GET /small HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    reply = await wire.reply()
    assert reply.headers["connection"] == "keep-alive"
    wire.send_raw(b"GET /stream HTTP/1.0\r\n\r\n")
    stream = await toys.stream()
    head = await wire.head()
    assert "transfer-encoding" not in head.headers
    assert head.headers["connection"] == "close"
    stream.pieces.put_nowait(b"piece")
    stream.pieces.put_nowait(None)
    assert await wire.rest() == b"piece"


async def test_a_client_that_wants_to_close_is_let_go(wire: Wire) -> None:
    reply = await wire.get("/small", headers={"Connection": "close"})
    assert reply.headers["connection"] == "close"
    assert await wire.rest() == b""


async def test_many_clients_are_served_at_once(tls_server: GenericServer, client_tls: ssl.SSLContext) -> None:
    async def client(number: int) -> list[int]:
        async with await Wire.connect(tls_server.port, tls=client_tls) as wire:
            return [len((await wire.get(f"/large/{number * 1000 + step}")).body) for step in range(20)]

    answered = await asyncio.gather(*(client(number) for number in range(50)))
    assert answered == [[number * 1000 + step for step in range(20)] for number in range(50)]


async def test_a_client_that_leaves_takes_its_handler_along(server: GenericServer, toys: Toys) -> None:
    async with await Wire.connect(server.port) as wire:
        wire.send("GET", "/wait")
        await toys.waiting_requests(1)
    await asyncio.wait_for(toys.cancelled.wait(), 30)
    assert server.http.active == {"readOnly": 0, "mutating": 0}


async def test_a_client_that_leaves_inside_its_body_changes_nothing(server: GenericServer, toys: Toys) -> None:
    async with await Wire.connect(server.port) as wire:
        wire.send_raw(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
        await eventually(lambda: bool(toys.seen))
    await eventually(lambda: not server.http.connections)
    assert toys.bodies == []
    assert server.http.active["mutating"] == 0
