"""An etcd that is not what it was is found out by its own answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.etcd.client import EtcdClient, frames, messages
from localplane.apiserver.storage.etcd.client.methods import STATUS, WATCH
from tests.unit.etcd.calls import client_of, read, write
from tests.unit.etcd.peer import FakePeer, PeerConnection, answer, data, grpc_message, headers


@dataclass(slots=True)
class Talk:
    """A client, the peer's side of its connection, and what it was told about the peer."""

    client: EtcdClient
    connection: PeerConnection
    told: list[str]

    async def answered(self, call: asyncio.Task[Any], revision: int, *, cluster: int = 0xA) -> Any:
        request = await self.connection.request()
        self.connection.send(answer(request.stream, _response(revision, cluster)))
        return await call


def _response(revision: int, cluster: int) -> bytes:
    response = messages.RangeResponse()  # as far as its header all answers are alike
    response.header.revision = revision
    response.header.cluster_id = cluster
    encoded: bytes = response.SerializeToString()
    return encoded


@asynccontextmanager
async def talking(peer: FakePeer, *, listening: bool = True) -> AsyncIterator[Talk]:
    """After a first answer: cluster a, revision 50."""
    async with client_of(peer) as client:
        told: list[str] = []
        if listening:
            client.on_discontinuity = told.append
        first = read(client)
        talk = Talk(client, await peer.accept(), told)
        await talk.answered(first, 50)
        yield talk


@pytest.mark.parametrize("call", [read, write])
async def test_an_answer_from_before_what_was_seen_is_told_once_and_then_counts(peer: FakePeer, call: Any) -> None:
    async with talking(peer) as talk:
        await talk.answered(call(talk.client), 40)
        assert talk.told == ["etcd went back in time: it had reached revision 50 and now stands at 40"]
        assert talk.client.observed_revision == 40
        await talk.answered(call(talk.client), 41)
        assert len(talk.told) == 1


async def test_of_many_calls_in_flight_one_tells(peer: FakePeer) -> None:
    async with talking(peer) as talk:
        calls = [read(talk.client) for _ in range(5)]
        requests = [await talk.connection.request() for _ in calls]
        for revision, request in enumerate(requests, 40):
            talk.connection.send(answer(request.stream, _response(revision, 0xA)))
        await asyncio.gather(*calls)
        assert len(talk.told) == 1
        assert talk.client.observed_revision == 44


async def test_an_answer_that_overtook_another_proves_nothing(peer: FakePeer) -> None:
    async with talking(peer) as talk:
        first, second = read(talk.client), read(talk.client)
        one, two = await talk.connection.request(), await talk.connection.request()
        talk.connection.send(answer(two.stream, _response(60, 0xA)))
        await second
        talk.connection.send(answer(one.stream, _response(55, 0xA)))
        await first
        assert talk.told == []
        assert talk.client.observed_revision == 60


async def test_what_one_member_knows_by_itself_proves_nothing(peer: FakePeer) -> None:
    async with talking(peer) as talk:
        status = asyncio.create_task(talk.client.call(STATUS, messages.StatusRequest()))
        await talk.answered(status, 40)
        assert talk.told == []


async def test_another_cluster_is_told_whatever_its_revision(peer: FakePeer) -> None:
    async with talking(peer) as talk:
        await talk.answered(read(talk.client), 70, cluster=0xB)
        assert talk.told == ["etcd is not the cluster that it was: its id was a and is now b"]
        assert talk.client.observed_revision == 70
        await talk.answered(read(talk.client), 71, cluster=0xB)
        assert len(talk.told) == 1


async def test_another_cluster_that_is_behind_is_told_and_its_revision_counts(peer: FakePeer) -> None:
    async with talking(peer) as talk:
        await talk.answered(read(talk.client), 3, cluster=0xB)
        assert talk.told[0] == "etcd is not the cluster that it was: its id was a and is now b"
        assert talk.client.observed_revision == 3


async def test_a_watch_tells_of_another_cluster_too(peer: FakePeer) -> None:
    async with talking(peer) as talk:
        stream = await talk.client.open(WATCH)
        stream.send(messages.WatchRequest(progress_request=messages.WatchProgressRequest()))
        opened = (await talk.connection.frame(frames.HEADERS)).stream
        response = messages.WatchResponse(created=True)
        response.header.cluster_id, response.header.revision = 0xB, 70
        talk.connection.send(headers(opened), data(opened, grpc_message(response.SerializeToString())))
        await stream.receive()
        assert talk.told == ["etcd is not the cluster that it was: its id was a and is now b"]
        stream.close()


async def test_what_names_no_cluster_and_no_revision_is_believed(peer: FakePeer) -> None:
    async with talking(peer) as talk:
        await talk.answered(read(talk.client), 0, cluster=0)
        assert talk.told == []
        assert talk.client.observed_revision == 50


@pytest.mark.parametrize(("revision", "cluster"), [(40, 0xA), (70, 0xB)])
async def test_while_nobody_listens_no_such_answer_is_believed(peer: FakePeer, revision: int, cluster: int) -> None:
    """Not once: each of them fails, until etcd is again what it was."""
    async with talking(peer, listening=False) as talk:
        for _ in range(2):
            with pytest.raises(Unavailable) as raised:
                await talk.answered(read(talk.client), revision, cluster=cluster)
            assert not raised.value.may_have_happened
            with pytest.raises(Unavailable) as raised:
                await talk.answered(write(talk.client), revision, cluster=cluster)
            assert raised.value.may_have_happened
        await talk.answered(read(talk.client), 51)
