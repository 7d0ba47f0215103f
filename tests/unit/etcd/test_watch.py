"""A watch on a scripted etcd: what becomes a batch, and how far it may say it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from localplane.apiserver.storage.backend import Batch, Change, KeyValue
from localplane.apiserver.storage.errors import ResourceVersionTooOld, Unavailable
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import frames, messages
from localplane.apiserver.storage.etcd.watch import EtcdWatch
from tests.unit.etcd.calls import client_of
from tests.unit.etcd.peer import FakePeer, PeerConnection, data, grpc_message, headers

PATIENCE_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Scripted:
    """A watch that the peer has heard of, and the peer's side of it."""

    backend: EtcdBackend
    watch: EtcdWatch
    create: Any
    connection: PeerConnection
    stream: int

    def say(self, response: Any) -> None:
        self.connection.send(data(self.stream, grpc_message(response.SerializeToString())))

    async def batch(self) -> Batch:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await anext(self.watch)


@asynccontextmanager
async def watching(peer: FakePeer, *, previous: bool = True, announced: bool = True) -> AsyncIterator[Scripted]:
    async with client_of(peer) as client:
        backend = EtcdBackend(client, exclusive=True)
        watch = backend.watch("/a/", "/a0", after=41, previous=previous)
        asking = asyncio.create_task(watch.request_progress())
        connection = await peer.accept()
        stream = (await connection.frame(frames.HEADERS)).stream
        create = messages.WatchRequest.FromString(await connection.message()).create_request
        await connection.message()
        await asking
        connection.send(headers(stream))
        scripted = Scripted(backend, watch, create, connection, stream)
        if announced:
            scripted.say(response(41, created=True))
        yield scripted
        await watch.close()


def response(revision: int, *revisions: int, **fields: Any) -> Any:
    """A watch response at `revision` with a put for each of `revisions`."""
    message = messages.WatchResponse(**fields)
    message.header.revision = revision
    for each in revisions:
        message.events.add().kv.MergeFrom(_kv(each))
    return message


def _kv(revision: int) -> Any:
    response = messages.RangeResponse()
    response.kvs.add(key=b"/a/%d" % revision, value=b"v", create_revision=revision, mod_revision=revision)
    return response.kvs[0]


def put(revision: int) -> Change:
    return Change(f"/a/{revision}", b"v", revision, None)


async def test_a_watch_asks_for_everything_after_a_revision(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        create = scripted.create
        assert (create.key, create.range_end, create.start_revision) == (b"/a/", b"/a0", 42)
        assert (create.prev_kv, create.progress_notify, create.fragment) == (True, True, True)


async def test_previous_values_are_only_asked_for_when_wanted(peer: FakePeer) -> None:
    async with watching(peer, previous=False) as scripted:
        assert not scripted.create.prev_kv


async def test_a_batch_is_as_far_as_its_last_change_and_not_as_its_header(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        scripted.say(response(90, created=True))
        scripted.say(response(90, 42, 43))

        assert await scripted.batch() == Batch([put(42), put(43)], 43)
        assert scripted.backend.observed_revision == 90


async def test_fragments_are_one_batch(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        scripted.say(response(90, 50, fragment=True))
        scripted.say(response(95))  # progress, if etcd ever put it there, would be ahead of what is held back
        scripted.say(response(90, 50, fragment=True))
        scripted.say(response(90, 50, 51))
        scripted.say(response(90, 52))

        assert await scripted.batch() == Batch([put(50), put(50), put(50), put(51)], 51)
        assert await scripted.batch() == Batch([put(52)], 52)


async def test_a_response_without_changes_is_progress(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        scripted.say(response(77, watch_id=-1))
        assert await scripted.batch() == Batch([], 77)


async def test_progress_before_the_watch_is_announced_is_ahead_of_its_changes(peer: FakePeer) -> None:
    """etcd holds changes back until it has announced a watch, but not what it says of progress."""
    async with watching(peer, announced=False) as scripted:
        scripted.say(response(95))
        scripted.say(response(95, created=True))
        scripted.say(response(95, 90))
        assert await scripted.batch() == Batch([put(90)], 90)
        scripted.say(response(95))
        assert await scripted.batch() == Batch([], 95)


async def test_progress_is_asked_for_until_it_comes_and_no_longer(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        for _ in range(3):
            again = messages.WatchRequest.FromString(await scripted.connection.message())
            assert again.HasField("progress_request")
        scripted.say(response(77, watch_id=-1))
        await scripted.batch()
        assert scripted.watch._progress_owed is None


async def test_a_delete_has_no_value_and_tells_what_was_there(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        message = response(50)
        event = message.events.add(type=messages.EVENT_DELETE)
        event.kv.key, event.kv.mod_revision = b"/a/x", 50
        event.prev_kv.key, event.prev_kv.value, event.prev_kv.mod_revision = b"/a/x", b"old", 45
        scripted.say(message)

        assert await scripted.batch() == Batch([Change("/a/x", None, 50, KeyValue("/a/x", b"old", 45))], 50)


@pytest.mark.parametrize("change", [{"create_revision": 7}, {"create_revision": 0}, {"deleted": True}])
async def test_a_change_without_the_value_that_it_replaced_ends_the_watch(
    peer: FakePeer, change: dict[str, Any]
) -> None:
    async with watching(peer) as scripted:
        message = response(90, 50, 51)
        event = message.events[1]
        event.kv.create_revision = change.get("create_revision", 0)
        if change.get("deleted"):
            event.type = messages.EVENT_DELETE
        scripted.say(message)

        with pytest.raises(ResourceVersionTooOld):
            await scripted.batch()
        assert scripted.backend.compacted_revision == 51


async def test_whoever_wants_no_previous_values_is_told_of_changes_without_them(peer: FakePeer) -> None:
    async with watching(peer, previous=False) as scripted:
        message = response(90, 50)
        message.events[0].kv.create_revision = 7
        scripted.say(message)

        assert await scripted.batch() == Batch([put(50)], 50)


async def test_compacted_history_ends_the_watch(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        scripted.say(response(90, canceled=True, compact_revision=60))

        with pytest.raises(ResourceVersionTooOld):
            await scripted.batch()
        with pytest.raises(StopAsyncIteration):
            await scripted.batch()
        assert scripted.backend.compacted_revision == 60


async def test_a_watch_that_etcd_cancels_ends_with_its_reason(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        scripted.say(response(90, canceled=True, cancel_reason="it was time"))

        with pytest.raises(Unavailable, match="it was time"):
            await scripted.batch()


async def test_changes_that_came_before_the_connection_broke_are_delivered_first(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        scripted.say(response(90, 42))
        scripted.connection.send(frames.frame(frames.PING, 0, 0, b"answered"))
        await scripted.connection.frame(frames.PING)
        scripted.connection.abort()

        assert await scripted.batch() == Batch([put(42)], 42)
        with pytest.raises(Unavailable):
            await scripted.batch()


async def test_closing_a_watch_ends_whoever_waits_for_it(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        waiting = asyncio.create_task(anext(scripted.watch, None))
        await asyncio.sleep(0)
        await scripted.watch.close()

        assert await waiting is None
        assert (await scripted.connection.frame(frames.RST_STREAM)).stream == scripted.stream


async def test_a_cancelled_reader_loses_nothing(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        waiting = asyncio.create_task(scripted.batch())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        scripted.say(response(90, 42))

        assert await scripted.batch() == Batch([put(42)], 42)


async def test_asking_a_closed_watch_for_progress_does_nothing(peer: FakePeer) -> None:
    async with watching(peer) as scripted:
        await scripted.watch.close()
        await scripted.watch.request_progress()
