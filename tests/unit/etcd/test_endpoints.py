"""Which member is called."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.etcd.client import EtcdClient, frames
from localplane.apiserver.storage.etcd.client.endpoints import Endpoint
from localplane.apiserver.storage.etcd.client.methods import WATCH
from tests.unit.etcd.calls import client_of, range_response, read, write
from tests.unit.etcd.peer import FakePeer, PeerConnection, answer, refusal, trailers

NO_LEADER = "etcdserver: no leader"


async def answer_one(connection: PeerConnection, revision: int = 1) -> None:
    connection.send(answer((await connection.request()).stream, range_response(revision)))


async def test_calls_stay_with_one_member(peer: FakePeer, other_peer: FakePeer) -> None:
    async with client_of(peer, other_peer) as client:
        call = read(client)
        connection = await peer.accept()
        await answer_one(connection)
        await call
        for _ in range(3):
            call = read(client)
            await answer_one(connection)
            await call

        assert (peer.accepted, other_peer.accepted) == (1, 0)


async def test_a_member_that_does_not_listen_is_passed_over(peer: FakePeer, other_peer: FakePeer) -> None:
    await peer.stop_listening()
    async with client_of(peer, other_peer) as client:
        call = write(client)
        connection = await other_peer.accept()
        await answer_one(connection)
        await call


async def test_a_member_that_accepts_and_says_nothing_is_passed_over(peer: FakePeer, other_peer: FakePeer) -> None:
    async with client_of(peer, other_peer, connect_timeout=timedelta(seconds=0.2)) as client:
        call = read(client)
        silent = await peer.accept_silently()
        connection = await other_peer.accept()
        await answer_one(connection)
        await call
        await silent.closed()


async def test_a_read_whose_member_vanished_goes_to_the_next(peer: FakePeer, other_peer: FakePeer) -> None:
    async with client_of(peer, other_peer) as client:
        call = read(client)
        connection = await peer.accept()
        await connection.request()
        connection.abort()
        await answer_one(await other_peer.accept(), revision=4)

        assert (await call).header.revision == 4


async def test_a_read_at_a_member_without_a_leader_goes_to_the_next(peer: FakePeer, other_peer: FakePeer) -> None:
    async with client_of(peer, other_peer) as client:
        call = read(client)
        connection = await peer.accept()
        connection.send(refusal((await connection.request()).stream, 14, NO_LEADER))
        await answer_one(await other_peer.accept(), revision=4)

        assert (await call).header.revision == 4
        await connection.closed()


async def test_a_write_at_a_member_without_a_leader_goes_to_the_next_one(peer: FakePeer, other_peer: FakePeer) -> None:
    async with client_of(peer, other_peer) as client:
        call = write(client)
        connection = await peer.accept()
        connection.send(refusal((await connection.request()).stream, 14, NO_LEADER))
        await answer_one(await other_peer.accept())
        await call


async def test_where_no_member_has_a_leader_a_write_has_not_happened(peer: FakePeer, other_peer: FakePeer) -> None:
    async with client_of(peer, other_peer) as client:
        call = write(client)
        for each in (peer, other_peer):
            connection = await each.accept()
            connection.send(refusal((await connection.request()).stream, 14, NO_LEADER))
        with pytest.raises(Unavailable) as raised:
            await call
        assert not raised.value.may_have_happened


async def test_a_write_that_a_member_refused_unread_goes_to_the_next_one(peer: FakePeer, other_peer: FakePeer) -> None:
    async with client_of(peer, other_peer) as client:
        call = write(client)
        connection = await peer.accept()
        connection.send(frames.rst_stream((await connection.request()).stream, frames.REFUSED_STREAM))
        await answer_one(await other_peer.accept())
        await call


@pytest.mark.parametrize(
    "sentence",
    [
        "etcdserver: request timed out",
        "etcdserver: request timed out, possibly due to previous leader failure",
        "etcdserver: leader changed",
        "etcdserver: server stopped",
    ],
)
async def test_a_read_that_a_member_can_not_answer_goes_to_the_next_one_and_a_write_does_not(
    peer: FakePeer, other_peer: FakePeer, sentence: str
) -> None:
    async with client_of(peer, other_peer) as client:
        call = read(client)
        connection = await peer.accept()
        connection.send(refusal((await connection.request()).stream, 14, sentence))
        elsewhere = await other_peer.accept()
        await answer_one(elsewhere)
        await call

        in_doubt = write(client)
        elsewhere.send(refusal((await elsewhere.request()).stream, 14, sentence))
        with pytest.raises(Unavailable) as raised:
            await in_doubt
        assert raised.value.may_have_happened


async def test_a_watch_at_a_member_that_lost_its_leader_sends_calls_elsewhere(
    peer: FakePeer, other_peer: FakePeer
) -> None:
    async with client_of(peer, other_peer) as client:
        opening = asyncio.create_task(client.open(WATCH))
        connection = await peer.accept()
        stream = await opening
        connection.send(trailers((await connection.frame(frames.HEADERS)).stream, 14, NO_LEADER))
        with pytest.raises(Unavailable):
            await stream.receive()

        following = write(client)
        await answer_one(await other_peer.accept())
        await following


async def test_a_lone_member_without_a_leader_keeps_its_connection(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = read(client)
        connection = await peer.accept()
        connection.send(refusal((await connection.request()).stream, 14, NO_LEADER))
        with pytest.raises(Unavailable, match=NO_LEADER):
            await call
        following = read(client)
        await answer_one(connection)
        await following

        assert peer.accepted == 1


async def test_concurrent_callers_share_one_connection(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        calls = [read(client) for _ in range(50)]
        connection = await peer.accept()
        for _ in calls:
            await answer_one(connection)
        await asyncio.gather(*calls)

        assert peer.accepted == 1


async def test_a_caller_that_gives_up_does_not_take_the_connection_from_others(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        impatient, patient = read(client), read(client)
        abandoned = await peer.accept_silently()
        impatient.cancel()
        await abandoned.closed()
        await answer_one(await peer.accept(), revision=3)

        assert (await patient).header.revision == 3


async def test_when_nothing_can_be_reached_all_callers_hear_it_after_one_attempt(peer: FakePeer) -> None:
    async with client_of(peer, connect_timeout=timedelta(seconds=0.2)) as client:
        calls = [write(client) for _ in range(20)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)

        assert peer.accepted == 1
        for outcome in outcomes:
            assert isinstance(outcome, Unavailable)
            assert not outcome.may_have_happened
            assert f"{peer.url}: no answer within 0.2 s" in str(outcome)


async def test_the_next_call_tries_again(peer: FakePeer) -> None:
    async with client_of(peer, connect_timeout=timedelta(seconds=0.2)) as client:
        with pytest.raises(Unavailable):
            await read(client)
        await peer.accept_silently()

        call = read(client)
        await answer_one(await peer.accept(), revision=3)
        assert (await call).header.revision == 3


async def test_the_error_names_every_member_that_was_tried(peer: FakePeer, other_peer: FakePeer) -> None:
    await peer.stop_listening()
    await other_peer.stop_listening()
    async with client_of(peer, other_peer) as client:
        with pytest.raises(Unavailable) as raised:
            await read(client)
        assert peer.url in str(raised.value)
        assert other_peer.url in str(raised.value)


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("unix:///run/etcd.sock", Endpoint("unix:///run/etcd.sock", "/run/etcd.sock", "", 0, secure=False)),
        ("http://10.0.0.1:1234", Endpoint("http://10.0.0.1:1234", "", "10.0.0.1", 1234, secure=False)),
        ("https://etcd", Endpoint("https://etcd", "", "etcd", 2379, secure=True)),
        ("https://[::1]:99/", Endpoint("https://[::1]:99/", "", "::1", 99, secure=True)),
    ],
)
def test_an_endpoint_is_a_socket_or_a_host_and_a_port(url: str, endpoint: Endpoint) -> None:
    assert Endpoint.parse(url) == endpoint


@pytest.mark.parametrize(
    ("url", "authority"),
    [("unix:///run/etcd.sock", "localhost"), ("http://etcd", "etcd:2379"), ("https://[::1]:99", "[::1]:99")],
)
def test_an_endpoint_knows_the_name_it_is_called_by(url: str, authority: str) -> None:
    assert Endpoint.parse(url).authority == authority


@pytest.mark.parametrize(
    "url",
    ["", "etcd:2379", "127.0.0.1:2379", "unix://relative", "unix:relative", "ftp://etcd", "http://", "http://a/b"],
)
def test_anything_else_is_no_endpoint(url: str) -> None:
    with pytest.raises(ValueError, match="not an etcd endpoint"):
        Endpoint.parse(url)


def test_a_client_needs_an_endpoint() -> None:
    with pytest.raises(ValueError, match="at least one endpoint"):
        EtcdClient([])


async def test_a_client_that_is_closed_while_it_connects_keeps_no_connection(peer: FakePeer) -> None:
    async with client_of(peer) as client:
        call = write(client)
        connection = await peer.accept_silently()
        await client.close()
        connection.send(frames.settings({}))

        with pytest.raises(Unavailable) as raised:
            await call
        assert not raised.value.may_have_happened
        await connection.closed()
