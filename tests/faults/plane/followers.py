"""Clients that watch a plane: they resume from the last version they saw, and begin anew when they are told 410."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from typing import Any

from tests.faults.followers import Follower
from tests.faults.history import Event, EventType, Stream
from tests.faults.plane.client import Transport
from tests.faults.plane.connection import Answer, Broken, NothingSent, Request
from tests.faults.plane.objects import key_of, path_of, resource_of, revision_of, value_of
from tests.faults.plane.processes import PlaneProcess
from tests.faults.recorder import Recorder
from tests.faults.wire import Disconnected

_OK, _GONE = 200, 410
_SHORT, _LASTING = "3", "600"
"""Seconds. A short watch gets its bookmark before the server ends it."""


class PlaneFollower(Follower):
    """`compacted` says up to where the store's history is gone."""

    def __init__(
        self,
        transport: Transport,
        plane: PlaneProcess,
        prefix: str,
        *,
        compacted: Callable[[], int],
        recorder: Recorder,
        seed: int,
    ) -> None:
        super().__init__(prefix, recorder, seed)
        self._transport = transport
        self._plane = plane
        self._compacted = compacted
        self._lasting = False

    @property
    def is_live(self) -> bool:
        """In a stream that neither side is about to leave."""
        return self._lasting and super().is_live

    async def _follow(self, stream: Stream) -> None:
        await self._plane.up.wait()
        self._lasting = self.settle.is_set()
        stream.opened = self._recorder.now()
        try:
            async with aclosing(self._transport.watch(self._request(stream))) as pieces:
                await self._read(stream, pieces)
        except (NothingSent, Broken) as error:
            raise Disconnected(str(error)) from error

    def _request(self, stream: Stream) -> Request:
        parameters = {"watch": "true", "allowWatchBookmarks": "true"}
        parameters["timeoutSeconds"] = _LASTING if self._lasting else _SHORT
        if stream.start is None:
            parameters |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        else:
            parameters["resourceVersion"] = str(stream.start)
        return Request("GET", path_of(self.prefix, **parameters))

    async def _read(self, stream: Stream, pieces: AsyncGenerator[Answer | bytes, None]) -> None:
        answer = await anext(pieces)
        assert isinstance(answer, Answer)
        stream.served_since = self._plane.since
        if answer.status != _OK:
            stream.compacted = self._compacted()
            self._refused(stream, "expired" if answer.status == _GONE else str(answer.status))
            return
        leave_at = self._opened(stream)
        await self._taken(stream, ())  # it may stand already where somebody waits for it to come
        try:
            async with asyncio.timeout_at(None if self._lasting else leave_at):
                await self._take(stream, pieces)
        except TimeoutError:
            return

    async def _take(self, stream: Stream, pieces: AsyncGenerator[Answer | bytes, None]) -> None:
        rest = b""
        async for piece in pieces:
            assert isinstance(piece, bytes)
            *lines, rest = (rest + piece).split(b"\n")
            messages = [json.loads(line) for line in lines]
            await self._taken(stream, self._events(stream, messages))
            for message in messages:
                if message["type"] == "ERROR":
                    status = message["object"]
                    stream.compacted = self._compacted()
                    self._ended(stream, "expired" if status["code"] == _GONE else f"error {status['code']}")
                    return
        self._ended(stream, "closed")

    def _events(self, stream: Stream, messages: list[dict[str, Any]]) -> Iterator[Event]:
        filling = stream.position is None
        for message in messages:
            if message["type"] == "ERROR":
                return
            event = self._event(message, initial=filling)
            filling = filling and not event.initial_end
            yield event

    def _event(self, message: dict[str, Any], *, initial: bool) -> Event:
        kind, obj = EventType(message["type"]), message["object"]
        if kind is EventType.BOOKMARK:
            annotations = obj["metadata"].get("annotations") or {}
            end = annotations.get("k8s.io/initial-events-end") == "true"
            return Event(kind, revision_of(obj), initial=initial and not end, initial_end=end)
        return Event(kind, revision_of(obj), key_of(obj, resource_of(self.prefix)), value_of(obj), initial=initial)
