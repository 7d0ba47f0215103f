"""How calls end before their time, and what is known about them then."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.apiserver.storage.errors import TimedOut, Unavailable
from localplane.apiserver.storage.etcd.client import frames
from localplane.apiserver.storage.etcd.client.methods import WATCH
from tests.unit.etcd.calls import SOON, client_of, range_response, read, txn_response, write
from tests.unit.etcd.peer import FakePeer, answer, trailers

SHORT = timedelta(milliseconds=50)


async def test_a_broken_connection_leaves_every_write_in_doubt_at_once(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        writes = [write(client) for _ in range(20)]
        connection = await peer.accept()
        for _ in writes:
            await connection.request()
        connection.abort()

        for outcome in await asyncio.gather(*writes, return_exceptions=True):
            assert isinstance(outcome, Unavailable)
            assert outcome.may_have_happened


async def test_a_read_whose_connection_broke_is_tried_once_more(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        first = await peer.accept()
        await first.request()
        first.abort()
        second = await peer.accept()
        second.send(answer((await second.request()).stream, range_response(5)))

        assert (await call).header.revision == 5


async def test_a_read_is_not_tried_a_third_time(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        for _ in range(2):
            connection = await peer.accept()
            await connection.request()
            connection.abort()

        with pytest.raises(Unavailable) as raised:
            await call
        assert not raised.value.may_have_happened
        assert peer.accepted == 2


async def test_a_write_whose_connection_broke_is_never_sent_again(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept()
        await connection.request()
        connection.abort()
        with pytest.raises(Unavailable):
            await call

        following = read(client)
        connection = await peer.accept()
        request = await connection.request()
        assert request.headers[":path"] == "/etcdserverpb.KV/Range"
        connection.send(answer(request.stream, range_response()))
        await following


async def test_a_write_that_was_reset_is_in_doubt(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept()
        connection.send(frames.rst_stream((await connection.request()).stream, frames.CANCEL))

        with pytest.raises(Unavailable) as raised:
            await call
        assert raised.value.may_have_happened


async def test_a_write_that_was_refused_unread_is_tried_once_more(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept()
        connection.send(frames.rst_stream((await connection.request()).stream, frames.REFUSED_STREAM))
        connection.send(answer((await connection.request()).stream, txn_response(7)))

        assert (await call).header.revision == 7


async def test_a_write_that_was_refused_unread_twice_has_not_happened(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept()
        for _ in range(2):
            connection.send(frames.rst_stream((await connection.request()).stream, frames.REFUSED_STREAM))

        with pytest.raises(Unavailable) as raised:
            await call
        assert not raised.value.may_have_happened


async def test_a_write_that_was_sent_anew_and_cut_off_is_in_doubt(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept()
        connection.send(frames.rst_stream((await connection.request()).stream, frames.REFUSED_STREAM))
        await connection.request()
        connection.abort()

        with pytest.raises(Unavailable) as raised:
            await call
        assert raised.value.may_have_happened
        assert peer.accepted == 1


async def test_a_peer_that_goes_away_still_answers_what_it_took(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        taken, not_taken = write(client), write(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        await connection.request()
        connection.send(frames.goaway(stream, frames.NO_ERROR))

        elsewhere = await peer.accept()
        elsewhere.send(answer((await elsewhere.request()).stream, txn_response(9)))
        assert (await not_taken).header.revision == 9
        connection.send(answer(stream, txn_response(8)))
        assert (await taken).header.revision == 8
        await connection.closed()


async def test_a_write_without_an_answer_in_time_may_have_happened(peer: FakePeer) -> None:
    async with client_of(peer, patience=SHORT) as client:
        call = write(client)
        connection = await peer.accept()
        request = await connection.request()

        with pytest.raises(TimedOut, match=r"no answer within 0\.05 s"):
            await call
        reset = await connection.frame(frames.RST_STREAM)
        assert (reset.stream, frames.parse_number(reset.payload)) == (request.stream, frames.CANCEL)


async def test_a_read_without_an_answer_in_time_is_unavailable(peer: FakePeer) -> None:
    async with client_of(peer, patience=SHORT) as client:
        call = read(client)
        await (await peer.accept()).request()

        with pytest.raises(Unavailable) as raised:
            await call
        assert not isinstance(raised.value, TimedOut)
        assert peer.accepted == 1


async def test_a_peer_that_was_silent_for_a_whole_timeout_is_given_up(peer: FakePeer) -> None:
    async with client_of(peer, patience=SHORT) as client:
        call = read(client)
        connection = await peer.accept()
        with pytest.raises(Unavailable):
            await call
        await connection.closed()

        following = read(client)
        connection = await peer.accept()
        connection.send(answer((await connection.request()).stream, range_response(5)))
        assert (await following).header.revision == 5


async def test_a_peer_that_is_slow_with_one_call_is_kept(peer: FakePeer) -> None:
    async with client_of(peer, patience=timedelta(seconds=0.2)) as client:
        slow = write(client)
        connection = await peer.accept()
        await connection.request()
        await connection.acknowledged()
        quick = read(client)
        connection.send(answer((await connection.request()).stream, range_response()))
        await quick
        with pytest.raises(TimedOut):
            await slow

        following = read(client)
        connection.send(answer((await connection.request()).stream, range_response()))
        await following
        assert peer.accepted == 1


async def test_a_call_that_is_cancelled_is_cancelled_at_the_peer(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept()
        request = await connection.request()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

        assert (await connection.frame(frames.RST_STREAM)).stream == request.stream
        connection.send(answer(request.stream, txn_response()))  # too late, and no harm
        await connection.acknowledged()


async def test_pings_are_answered(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        await connection.request()
        connection.send(frames.frame(frames.PING, 0, 0, b"12345678"))

        pong = await connection.frame(frames.PING)
        assert (pong.flags, pong.payload) == (frames.ACK, b"12345678")
        call.cancel()


async def test_settings_are_acknowledged(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept({frames.MAX_CONCURRENT_STREAMS: 100})
        ours = await connection.frame(frames.SETTINGS)
        assert frames.parse_settings(ours.payload)[frames.HEADER_TABLE_SIZE] == 0
        theirs = await connection.frame(frames.SETTINGS)
        assert (theirs.flags, theirs.payload) == (frames.ACK, b"")
        call.cancel()


async def test_a_connection_out_of_stream_ids_is_replaced(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        first = await peer.accept()
        first.send(answer((await first.request()).stream, range_response()))
        await call
        assert client._current is not None
        client._current._next_id = frames.LAST_STREAM_ID
        last = read(client)
        request = await first.request()
        assert request.stream == frames.LAST_STREAM_ID

        following = read(client)
        second = await peer.accept()
        second.send(answer((await second.request()).stream, range_response(6)))
        assert (await following).header.revision == 6
        first.send(answer(request.stream, range_response(7)))
        assert (await last).header.revision == 7


async def test_calls_beyond_the_peers_limit_wait_for_their_turn(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        calls = [read(client, key) for key in (b"1", b"2", b"3", b"4")]
        connection = await peer.accept({frames.MAX_CONCURRENT_STREAMS: 2})
        open_now = [await connection.request(), await connection.request()]
        await connection.acknowledged()  # with no third request before it
        for _ in range(2):
            connection.send(answer(open_now.pop(0).stream, range_response()))
            open_now.append(await connection.request())
        for request in open_now:
            connection.send(answer(request.stream, range_response()))

        assert len(await asyncio.gather(*calls)) == 4


async def test_whoever_waits_for_a_turn_does_not_wait_for_ever(peer: FakePeer) -> None:
    async with client_of(peer, patience=timedelta(seconds=0.2)) as client:
        opening = asyncio.create_task(client.open(WATCH))
        connection = await peer.accept({frames.MAX_CONCURRENT_STREAMS: 1})
        await opening
        await connection.frame(frames.HEADERS)

        with pytest.raises(Unavailable, match="no free stream") as raised:
            await write(client)
        assert not raised.value.may_have_happened


async def test_whoever_waits_for_a_turn_hears_when_the_connection_breaks(peer: FakePeer) -> None:
    async with client_of(peer, connect_timeout=SOON) as client:  # it is tried once more, and nobody answers
        opening = asyncio.create_task(client.open(WATCH))
        connection = await peer.accept({frames.MAX_CONCURRENT_STREAMS: 1})
        await opening
        waiting = write(client)
        await connection.frame(frames.HEADERS)
        await connection.acknowledged()  # with no request before it
        connection.abort()

        with pytest.raises(Unavailable) as raised:
            await waiting
        assert not raised.value.may_have_happened


async def test_a_stream_ends_with_the_peers_reason(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        opening = asyncio.create_task(client.open(WATCH))
        connection = await peer.accept()
        stream = await opening
        opened = await connection.frame(frames.HEADERS)
        connection.send(trailers(opened.stream, 14, "etcdserver: server stopped"))

        with pytest.raises(Unavailable, match="server stopped"):
            await stream.receive()


async def test_closing_a_stream_cancels_it_at_the_peer(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        opening = asyncio.create_task(client.open(WATCH))
        connection = await peer.accept()
        stream = await opening
        opened = await connection.frame(frames.HEADERS)
        stream.close()

        assert (await connection.frame(frames.RST_STREAM)).stream == opened.stream
        with pytest.raises(Unavailable):
            await stream.receive()


async def test_closing_the_client_fails_what_is_in_flight_and_what_comes(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept()
        await connection.request()
        await client.close()

        with pytest.raises(Unavailable) as raised:
            await call
        assert raised.value.may_have_happened
        with pytest.raises(Unavailable, match="the client is closed"):
            await read(client)
        await connection.closed()


async def test_a_connection_without_numbers_for_new_calls_ends_after_its_old_ones(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        old = write(client)
        connection = await peer.accept()
        stream = (await connection.request()).stream
        assert client._current is not None
        client._current._next_id = frames.LAST_STREAM_ID + 2

        new = read(client)
        elsewhere = await peer.accept()
        elsewhere.send(answer((await elsewhere.request()).stream, range_response(9)))
        assert (await new).header.revision == 9
        connection.send(answer(stream, txn_response(8)))
        assert (await old).header.revision == 8
        await connection.closed()
