"""However a response is cut into frames, it is read as what it says."""

from __future__ import annotations

import pytest

from localplane.apiserver.storage.errors import ResourceVersionTooOld, Unavailable
from localplane.apiserver.storage.etcd.client import frames
from tests.unit.etcd.calls import client_of, range_response, read, write
from tests.unit.etcd.peer import (
    FakePeer,
    answer,
    data,
    grpc_message,
    header_block,
    headers,
    refusal,
    trailers,
)

COMPACTED = "etcdserver: mvcc: required revision has been compacted"


async def test_a_request_is_a_grpc_call(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client, b"some key")
        connection = await peer.accept()
        request = await connection.request()
        connection.send(answer(request.stream, range_response(7, b"value")))

        assert (await call).kvs[0].value == b"value"
        assert client.observed_revision == 7
        assert request.message == b"\n\x08some key"
        assert request.headers == {
            ":method": "POST",
            ":scheme": "http",
            ":path": "/etcdserverpb.KV/Range",
            ":authority": peer.url.removeprefix("http://"),
            "te": "trailers",
            "content-type": "application/grpc",
            "hasleader": "true",
        }


async def test_a_response_may_arrive_byte_by_byte(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        request = await connection.request()
        for byte in answer(request.stream, range_response(5, b"value")):
            connection.send(bytes((byte,)))
            await connection._writer.drain()

        assert (await call).kvs[0].value == b"value"


async def test_a_message_may_be_spread_over_many_frames(peer: FakePeer) -> None:
    value = bytes(range(256)) * 1000
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        request = await connection.request()
        connection.send(answer(request.stream, range_response(5, value)))

        assert (await call).kvs[0].value == value


async def test_headers_may_go_on_in_continuation_frames(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        block = header_block({":status": "200", "content-type": "application/grpc", "x": "y" * 300})
        connection.send(
            frames.frame(frames.HEADERS, 0, stream, block[:10]),
            frames.frame(frames.CONTINUATION, 0, stream, block[10:200]),
            frames.frame(frames.CONTINUATION, frames.END_HEADERS, stream, block[200:]),
            data(stream, grpc_message(range_response(5, b"value"))),
            trailers(stream),
        )

        assert (await call).kvs[0].value == b"value"


async def test_the_end_of_the_stream_is_remembered_over_continuation_frames(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        block = header_block({":status": "200", "grpc-status": "11", "grpc-message": COMPACTED})
        connection.send(
            frames.frame(frames.HEADERS, frames.END_STREAM, stream, block[:3]),
            frames.frame(frames.CONTINUATION, frames.END_HEADERS, stream, block[3:]),
        )

        with pytest.raises(ResourceVersionTooOld):
            await call


async def test_padding_and_priority_are_no_content(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        block = header_block({":status": "200"})
        padded_headers = b"\x03" + b"\0\0\0\0\x10" + block + b"pad"
        padded_data = b"\x04" + grpc_message(range_response(5, b"value")) + b"pads"
        connection.send(
            frames.frame(
                frames.HEADERS, frames.END_HEADERS | frames.PADDED | frames.HAS_PRIORITY, stream, padded_headers
            ),
            frames.frame(frames.DATA, frames.PADDED, stream, padded_data),
            trailers(stream),
        )

        assert (await call).kvs[0].value == b"value"


async def test_an_error_without_a_body_is_its_trailers_sentence(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        connection.send(refusal((await connection.request()).stream, 11, COMPACTED))

        with pytest.raises(ResourceVersionTooOld, match=COMPACTED):
            await call


async def test_error_messages_are_percent_decoded(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        connection.send(refusal((await connection.request()).stream, 2, "50%25 of na%C3%AFve%0Alines"))

        with pytest.raises(Unavailable, match="50% of naïve\nlines"):
            await call


async def test_an_error_after_a_message_is_an_error(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        connection.send(
            headers(stream), data(stream, grpc_message(range_response())), trailers(stream, 13, "out of luck")
        )

        with pytest.raises(Unavailable, match="out of luck"):
            await call


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"", "not one uncompressed message"),
        (b"\x01\0\0\0\0", "not one uncompressed message"),
        (grpc_message(b"") * 2, "not one uncompressed message"),
        (grpc_message(b"\xff\xff"), "can't be read"),
    ],
)
async def test_an_answer_that_is_not_one_message_leaves_a_write_in_doubt(
    peer: FakePeer, body: bytes, complaint: str
) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        connection.send(headers(stream), data(stream, body), trailers(stream))

        with pytest.raises(Unavailable, match=complaint) as raised:
            await call
        assert raised.value.may_have_happened


async def test_an_answer_that_ends_without_a_status_is_none(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        connection.send(headers(stream), data(stream, grpc_message(b""), flags=frames.END_STREAM))

        with pytest.raises(Unavailable, match="ended without a status"):
            await call


async def test_a_web_servers_error_page_is_no_answer(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        block = header_block({":status": "503", "content-type": "text/html"})
        connection.send(frames.frame(frames.HEADERS, frames.END_HEADERS, stream, block), data(stream, b"<html>"))

        with pytest.raises(Unavailable, match="HTTP status 503"):
            await call


async def test_early_hints_do_not_disturb(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        hints = frames.frame(frames.HEADERS, frames.END_HEADERS, stream, header_block({":status": "103"}))
        connection.send(hints, answer(stream, range_response(5, b"value")))

        assert (await call).kvs[0].value == b"value"


async def test_frames_that_mean_nothing_to_us_are_skipped(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        connection.send(
            frames.frame(0x42, 0xFF, 0, b"from the future"),
            frames.frame(frames.PRIORITY, 0, stream, b"\0\0\0\0\x10"),
            data(999, b"for a stream that never was"),
            frames.rst_stream(997, frames.CANCEL),
            frames.window_update(995, 5),
            answer(stream, range_response(5, b"value")),
        )

        assert (await call).kvs[0].value == b"value"


@pytest.mark.parametrize(
    ("offence", "complaint"),
    [
        (frames.HEAD.pack(0xFFFF, 0xFF, frames.DATA, 0, 1), "a frame of 16777215 bytes"),
        (frames.frame(frames.HEADERS, frames.END_HEADERS, 1, b"\xbe"), "headers that can't be decoded"),
        (frames.frame(frames.HEADERS, 0, 1, b"\x88") + data(1, b"x"), "mixed with other frames"),
        (frames.frame(frames.CONTINUATION, 0, 1, b"\x88"), "mixed with other frames"),
        (
            frames.frame(frames.HEADERS, 0, 1) + frames.frame(frames.CONTINUATION, 0, 1, b"x" * 16_000) * 20,
            "without end",
        ),
        (frames.frame(frames.DATA, frames.PADDED, 1, b"\x09short"), "more padding than content"),
        (frames.frame(frames.SETTINGS, 0, 0, b"12345"), "of an odd size"),
        (frames.window_update(0, 0), "a window update of nothing"),
        (frames.window_update(0, frames.LARGEST_WINDOW), "a window beyond all bounds"),
        (frames.frame(frames.RST_STREAM, 0, 1, b"123"), "of the wrong size"),
        (frames.frame(frames.GOAWAY, 0, 0, b"123"), "too short"),
    ],
)
async def test_a_peer_that_breaks_the_rules_is_told_goodbye(peer: FakePeer, offence: bytes, complaint: str) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept()
        await connection.request()
        connection.send(offence)

        with pytest.raises(Unavailable, match=complaint) as raised:
            await call
        assert raised.value.may_have_happened
        goodbye = await connection.frame(frames.GOAWAY)
        assert frames.parse_goaway(goodbye.payload)[1] != frames.NO_ERROR
        await connection.closed()
