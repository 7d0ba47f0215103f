"""Where etcd asks for users: a name and a password for a token, and another token when that one has expired."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.etcd.client import EtcdClient, EtcdUser, messages
from tests.unit.etcd.calls import LONG, range_response, read, txn_response, write
from tests.unit.etcd.peer import FakePeer, PeerConnection, answer, refusal

UNAUTHENTICATED, UNKNOWN, FAILED_PRECONDITION = 16, 2, 9
AUTHENTICATE = "/etcdserverpb.Auth/Authenticate"
EXPIRED = [
    "etcdserver: invalid auth token",
    "etcdserver: user name is empty",
    "etcdserver: revision of auth store is old",
]


@asynccontextmanager
async def client_as(
    *peers: FakePeer, user: str = "root", password: Callable[[], str] = lambda: "secret"
) -> AsyncIterator[EtcdClient]:
    client = EtcdClient([peer.url for peer in peers], user=EtcdUser(user, password), timeout=LONG, connect_timeout=LONG)
    try:
        yield client
    finally:
        await client.close()


async def grant(connection: PeerConnection, token: str) -> messages.AuthenticateRequest:
    """Answer the next call, which must be the one for a token, and return what it said."""
    request = await connection.request()
    assert request.headers[":path"] == AUTHENTICATE
    assert "token" not in request.headers
    connection.send(answer(request.stream, messages.AuthenticateResponse(token=token).SerializeToString()))
    return messages.AuthenticateRequest.FromString(request.message)


async def test_calls_show_the_token_that_the_password_was_given_for(peer: FakePeer) -> None:
    async with client_as(peer) as client:
        calls = [read(client), write(client)]
        connection = await peer.accept()
        asked = await grant(connection, "t1")
        assert (asked.name, asked.password) == ("root", "secret")
        for response in (range_response(), txn_response()):
            request = await connection.request()
            assert request.headers["token"] == "t1"
            connection.send(answer(request.stream, response))
        await asyncio.gather(*calls)


@pytest.mark.parametrize("sentence", EXPIRED)
async def test_when_a_token_has_expired_all_calls_are_sent_again_with_one_new_token(
    peer: FakePeer, sentence: str
) -> None:
    async with client_as(peer) as client:
        first = read(client)
        connection = await peer.accept()
        await grant(connection, "t1")
        connection.send(answer((await connection.request()).stream, range_response()))
        await first

        calls = [write(client) for _ in range(3)]
        for stream in [(await connection.request()).stream for _ in calls]:
            connection.send(refusal(stream, UNAUTHENTICATED, sentence))
        await grant(connection, "t2")
        for _ in calls:
            request = await connection.request()
            assert request.headers["token"] == "t2"
            connection.send(answer(request.stream, txn_response(4)))
        assert [(await call).header.revision for call in calls] == [4, 4, 4]


async def test_a_token_is_good_for_every_member(peer: FakePeer, other_peer: FakePeer) -> None:
    async with client_as(peer, other_peer) as client:
        call = read(client)
        connection = await peer.accept()
        await grant(connection, "t1")
        await connection.request()
        connection.abort()
        elsewhere = await other_peer.accept()
        request = await elsewhere.request()
        assert request.headers["token"] == "t1"
        elsewhere.send(answer(request.stream, range_response()))
        await call


async def test_a_wrong_password_is_told_and_nothing_has_happened(peer: FakePeer) -> None:
    sentence = "etcdserver: authentication failed, invalid user ID or password"
    async with client_as(peer) as client:
        call = write(client)
        connection = await peer.accept()
        connection.send(refusal((await connection.request()).stream, 3, sentence))
        with pytest.raises(Unavailable, match="user 'root': etcdserver: authentication failed") as raised:
            await call
        assert not raised.value.may_have_happened


async def test_a_password_is_asked_for_each_time(peer: FakePeer) -> None:
    passwords = iter(["old", "new"])
    async with client_as(peer, password=lambda: next(passwords)) as client:
        call = read(client)
        connection = await peer.accept()
        assert (await grant(connection, "t1")).password == "old"
        connection.send(refusal((await connection.request()).stream, UNAUTHENTICATED, EXPIRED[0]))
        assert (await grant(connection, "t2")).password == "new"
        connection.send(answer((await connection.request()).stream, range_response()))
        await call


async def test_a_password_that_can_not_be_read_is_told(peer: FakePeer) -> None:
    def unreadable() -> str:
        raise PermissionError("no permission")

    async with client_as(peer, password=unreadable) as client:
        call = write(client)
        await peer.accept()
        with pytest.raises(Unavailable, match="no permission") as raised:
            await call
        assert not raised.value.may_have_happened


async def test_an_etcd_that_asks_for_no_users_is_called_without_a_token(peer: FakePeer) -> None:
    async with client_as(peer) as client:
        call = read(client)
        connection = await peer.accept()
        request = await connection.request()
        connection.send(refusal(request.stream, FAILED_PRECONDITION, "etcdserver: authentication is not enabled"))
        request = await connection.request()
        assert "token" not in request.headers
        connection.send(answer(request.stream, range_response()))
        await call


async def test_who_has_no_name_is_told_that_etcd_wants_one(peer: FakePeer) -> None:
    client = EtcdClient([peer.url], timeout=LONG, connect_timeout=LONG)
    call = write(client)
    connection = await peer.accept()
    connection.send(refusal((await connection.request()).stream, UNKNOWN, "etcdserver: user name is empty"))
    with pytest.raises(Unavailable, match="user name is empty") as raised:
        await call
    assert not raised.value.may_have_happened
    await client.close()
