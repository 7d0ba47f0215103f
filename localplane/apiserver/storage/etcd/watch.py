"""One watch on etcd, over a stream of its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from localplane.apiserver.storage.backend import Batch, Change, KeyValue
from localplane.apiserver.storage.errors import ResourceVersionTooOld, StorageError, Unavailable

from .client.messages import EVENT_DELETE, WatchCreateRequest, WatchProgressRequest, WatchRequest
from .client.methods import WATCH

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from .client.client import ClientStream, EtcdClient

_COMPACTED = "etcdserver: mvcc: required revision has been compacted"

_ASK_AGAIN_SECONDS = 0.1  # as often as etcd moves watches that have caught up (mvcc/watchable_store.go)


def key_value(kv: Any) -> KeyValue:
    """etcd's key-value as ours. Keys are text; one that is no UTF-8 survives the way there and back."""
    return KeyValue(kv.key.decode("utf-8", "surrogateescape"), kv.value, kv.mod_revision)


class EtcdWatch:
    """A BackendWatch. The stream opens with the first use, so that making a watch can't fail.

    A batch's revision is that of its last change, never the one in the response's header: the header may be ahead of
    changes still to come. Only an answer without changes that etcd sent as progress is taken at its word, and only
    after etcd has announced the watch: until then it holds the watch's changes back, but not its word on progress
    (etcd: server/etcdserver/api/v3rpc/watch.go, sendLoop, `pending`).
    """

    def __init__(self, client: EtcdClient, create: WatchCreateRequest, *, compacted: Callable[[int], None]) -> None:
        self._client = client
        self._create = create
        self._compacted = compacted
        self._stream: ClientStream | None = None
        self._fragments: list[Change] = []
        self._progress_owed: asyncio.TimerHandle | None = None
        self._announced = False
        self._ended = False

    def __aiter__(self) -> AsyncIterator[Batch]:
        return self

    async def __anext__(self) -> Batch:
        if self._ended:
            raise StopAsyncIteration
        try:
            stream = self._stream or await self._open()
            while True:
                batch = self._batch(await stream.receive())
                if batch is not None:
                    return batch
        except StorageError:
            if self._ended:  # closed by our own side while we waited
                raise StopAsyncIteration from None
            await self.close()
            raise

    async def request_progress(self) -> None:
        """Ask etcd how far it is, and again until it says: while it catches a watch up it ignores the question."""
        if not self._ended:
            self._ask(self._stream or await self._open())

    async def close(self) -> None:
        self._ended = True
        self._no_longer_owed()
        if self._stream is not None:
            self._stream.close()

    def _ask(self, stream: ClientStream) -> None:
        self._no_longer_owed()
        stream.send(WatchRequest(progress_request=WatchProgressRequest()))
        self._progress_owed = asyncio.get_running_loop().call_later(_ASK_AGAIN_SECONDS, self._ask_again, stream)

    def _ask_again(self, stream: ClientStream) -> None:
        with suppress(Unavailable):  # the reader hears of it
            self._ask(stream)

    def _no_longer_owed(self) -> None:
        if self._progress_owed is not None:
            self._progress_owed.cancel()
            self._progress_owed = None

    async def _open(self) -> ClientStream:
        stream = await self._client.open(WATCH)
        if self._stream is None and not self._ended:
            self._stream = stream
            stream.send(WatchRequest(create_request=self._create))
        else:
            stream.close()  # somebody opened or closed the watch while we were connecting
        if self._stream is None:
            raise Unavailable("the watch was closed")
        return self._stream

    def _batch(self, response: Any) -> Batch | None:
        if response.canceled:
            if response.compact_revision:
                self._compacted(response.compact_revision)
                raise ResourceVersionTooOld(_COMPACTED)
            raise Unavailable(f"etcd ended the watch: {response.cancel_reason or 'no reason given'}")
        if response.created:
            self._announced = True
            return None
        if response.events:
            changes = [_change(event) for event in response.events]
            if self._create.prev_kv:
                self._check_previous(response.events)
            if self._fragments:
                changes = self._fragments + changes
            self._fragments = changes if response.fragment else []
            return None if response.fragment else Batch(changes, changes[-1].revision)
        if self._fragments or not self._announced:
            return None  # its revision would be ahead of changes that we, or etcd, hold back
        self._no_longer_owed()
        return Batch([], response.header.revision)

    def _check_previous(self, events: Any) -> None:
        """etcd leaves the previous value out without a word when a compaction has just taken it. Whoever took such a
        put for a creation, or could not tell what was deleted, would tell his readers something untrue."""
        for event in events:
            kv = event.kv
            replaces = event.type == EVENT_DELETE or kv.create_revision != kv.mod_revision
            if replaces and not event.HasField("prev_kv"):
                self._compacted(kv.mod_revision)
                raise ResourceVersionTooOld(_COMPACTED)


def _change(event: Any) -> Change:
    kv = event.kv
    return Change(
        key=kv.key.decode("utf-8", "surrogateescape"),
        value=None if event.type == EVENT_DELETE else kv.value,
        revision=kv.mod_revision,
        previous=key_value(event.prev_kv) if event.HasField("prev_kv") else None,
    )
