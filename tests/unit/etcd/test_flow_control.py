"""Neither side sends more than the other has room for."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apiserver.storage.errors import RequestTooLarge, Unavailable
from localplane.apiserver.storage.etcd.client import frames
from localplane.apiserver.storage.etcd.client.connection import RECEIVE_WINDOW
from localplane.apiserver.storage.etcd.client.methods import WATCH
from tests.unit.etcd.calls import SOON, client_of, range_response, read, txn_response, write
from tests.unit.etcd.peer import FakePeer, Frame, PeerConnection, answer, data, grpc_message, headers, refusal

VALUE = bytes(range(256)) * 1200  # more than four windows of the size that HTTP/2 starts with


async def received(connection: PeerConnection, size: int) -> list[Frame]:
    """DATA frames of exactly `size` bytes together."""
    parts = []
    while size > 0:
        parts.append(await connection.frame(frames.DATA))
        size -= len(parts[-1].payload)
    assert size == 0
    return parts


async def test_a_request_stops_at_the_peers_window_and_goes_on_with_it(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client, VALUE)
        connection = await peer.accept()
        first = await received(connection, frames.DEFAULT_WINDOW)
        stream = first[0].stream
        connection.send(frames.window_update(stream, 2**20))  # the connection's window is still shut
        await connection.acknowledged()
        connection.send(frames.window_update(0, 10))
        second = await received(connection, 10)
        connection.send(frames.window_update(0, 2**20))
        rest = [await connection.frame(frames.DATA)]
        while not rest[-1].ends_stream:
            rest.append(await connection.frame(frames.DATA))
        connection.send(answer(stream, txn_response()))

        assert (await call).succeeded
        everything = b"".join(frame.payload for frame in (*first, *second, *rest))
        assert VALUE in everything
        assert not any(frame.ends_stream for frame in (*first, *second))


async def test_a_stream_without_room_does_not_hold_up_others(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        large = write(client, VALUE)
        connection = await peer.accept()
        connection.send(frames.window_update(0, 2**20))
        stuck = (await received(connection, frames.DEFAULT_WINDOW))[0].stream
        small = read(client)
        request = await connection.request()
        connection.send(answer(request.stream, range_response(5)))

        assert (await small).header.revision == 5
        assert request.stream != stuck
        assert not large.done()


async def test_frames_are_as_large_as_the_peer_allows(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        settings = {frames.MAX_FRAME_SIZE: 50_000, frames.INITIAL_WINDOW_SIZE: 2**20}
        call = write(client, VALUE)
        connection = await peer.accept(settings)
        connection.send(frames.window_update(0, 2**20))
        parts = [await connection.frame(frames.DATA)]
        while not parts[-1].ends_stream:
            parts.append(await connection.frame(frames.DATA))
        connection.send(answer(parts[0].stream, txn_response()))

        assert (await call).succeeded
        assert max(len(part.payload) for part in parts) == 50_000


async def test_a_window_that_shrinks_below_zero_has_to_grow_back(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client, VALUE)
        connection = await peer.accept()
        stream = (await received(connection, frames.DEFAULT_WINDOW))[0].stream
        connection.send(frames.window_update(0, 2**20), frames.settings({frames.INITIAL_WINDOW_SIZE: 1000}))
        await connection.acknowledged()
        connection.send(frames.window_update(stream, frames.DEFAULT_WINDOW - 1000))  # now it is zero again
        await connection.acknowledged()
        connection.send(frames.window_update(stream, 7))
        await received(connection, 7)
        assert not call.done()


async def test_a_request_that_never_went_out_whole_has_not_happened(peer: FakePeer) -> None:
    async with client_of(peer, connect_timeout=SOON) as client:  # it is tried once more, and nobody answers
        call = write(client, VALUE)
        connection = await peer.accept()
        await received(connection, frames.DEFAULT_WINDOW)
        connection.abort()

        with pytest.raises(Unavailable) as raised:
            await call
        assert not raised.value.may_have_happened


async def test_the_rest_of_a_request_that_was_refused_is_not_sent(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client, VALUE)
        connection = await peer.accept()
        stream = (await received(connection, frames.DEFAULT_WINDOW))[0].stream
        connection.send(refusal(stream, 8, "grpc: received message larger than max (307205 vs. 2000)"))

        with pytest.raises(RequestTooLarge):
            await call
        assert (await connection.frame(frames.RST_STREAM)).stream == stream
        connection.send(frames.window_update(0, 2**20), frames.window_update(stream, 2**20))
        following = read(client)
        assert (await connection.request()).stream != stream
        following.cancel()


async def test_a_long_answer_gets_its_window_back(peer: FakePeer) -> None:
    value = b"x" * (RECEIVE_WINDOW // 2)
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        widened = await connection.frame(frames.WINDOW_UPDATE)
        assert frames.parse_number(widened.payload) == RECEIVE_WINDOW - frames.DEFAULT_WINDOW
        stream = (await connection.request()).stream
        connection.send(answer(stream, range_response(5, value)))

        credited = {}
        for _ in range(2):
            update = await connection.frame(frames.WINDOW_UPDATE)
            credited[update.stream] = frames.parse_number(update.payload)
        assert credited.keys() == {0, stream}
        assert min(credited.values()) >= RECEIVE_WINDOW // 2
        assert len((await call).kvs[0].value) == len(value)


async def test_a_slow_reader_holds_up_its_own_stream_only(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        opening = asyncio.create_task(client.open(WATCH))
        connection = await peer.accept()
        await connection.frame(frames.WINDOW_UPDATE)
        stream = await opening
        stream_id = (await connection.frame(frames.HEADERS)).stream
        half_a_window = data(stream_id, grpc_message(b"z" * 2**20) * (RECEIVE_WINDOW // 2**21))
        connection.send(headers(stream_id), half_a_window)
        assert {(await connection.frame(frames.WINDOW_UPDATE)).stream for _ in range(2)} == {0, stream_id}
        connection.send(half_a_window)
        assert (await connection.frame(frames.WINDOW_UPDATE)).stream == 0
        await connection.acknowledged()  # with no second credit for the stream before it

        for _ in range(RECEIVE_WINDOW // 2**21 + 1):
            await stream._stream.receive()

        assert (await connection.frame(frames.WINDOW_UPDATE)).stream == stream_id


async def test_a_message_larger_than_the_window_does_get_through(peer: FakePeer) -> None:
    message = grpc_message(b"z" * (RECEIVE_WINDOW + 1))
    async with client_of(peer) as client:
        opening = asyncio.create_task(client.open(WATCH))
        connection = await peer.accept()
        await connection.frame(frames.WINDOW_UPDATE)
        stream = await opening
        stream_id = (await connection.frame(frames.HEADERS)).stream
        half = RECEIVE_WINDOW // 2
        connection.send(headers(stream_id), data(stream_id, message[:half]))
        credited = {(await connection.frame(frames.WINDOW_UPDATE)).stream for _ in range(2)}
        assert credited == {0, stream_id}
        connection.send(data(stream_id, message[half:]))

        assert len(await stream._stream.receive()) == RECEIVE_WINDOW + 1
