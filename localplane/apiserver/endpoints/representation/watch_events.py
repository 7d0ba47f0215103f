"""A watch as a stream of lines, one JSON document for each event, or of frames with a message in each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.long_work import HEAVY_BYTES, Here
from localplane.apiserver.registry.errors import interpret
from localplane.apiserver.storage.interface import EventType, Watch, WatchEvent

from . import table
from .messages import bookmark_pieces, event_pieces, status_pieces
from .negotiation import Target
from .objects import json_of, partial_json, versioned

INITIAL_EVENTS_END = "k8s.io/initial-events-end"

_MANY = 100

_OPENINGS = {kind: b'{"type":"' + kind.encode() + b'","object":' for kind in EventType}
_CLOSING = b"}\n"


async def lines(served: Served, watch: Watch, target: Target, work: Here, *, until: float) -> AsyncIterator[bytes]:
    """Ends with the watch, or at `until` on the loop's clock: a watch that ran out of time just ends. Events that come
    together are one piece, or several when they take long."""
    encode, plain = encoder(served, target), target.plain
    if asyncio.get_running_loop().time() >= until:
        return
    # One timer for the whole watch, not one for each event.
    end = asyncio.create_task(_stop_at(watch, until))
    try:
        while events := await watch.take():
            pieces: list[bytes] = []
            slices = work.slices() if len(events) > 1 else None
            if slices is not None and len(events) > _MANY:
                await slices.next()  # many who begin at once begin one after the other
            for event in events:
                try:
                    if plain or event.object is None or len(event.object.data) <= HEAVY_BYTES:
                        pieces += encode(event)
                    else:
                        pieces += await work.elsewhere(partial(encode, event))
                except APIError as error:  # it can't be shown in this version, and the headers are gone: say it here
                    yield b"".join((*pieces, failure(error, protobuf=target.protobuf)))
                    return
                if slices is not None and slices.is_over:
                    yield b"".join(pieces)
                    pieces.clear()
                    await slices.next()
            yield b"".join(pieces)
    finally:
        end.cancel()


async def _stop_at(watch: Watch, until: float) -> None:
    await asyncio.sleep(until - asyncio.get_running_loop().time())
    await watch.stop()


Encode = Callable[[WatchEvent], tuple[bytes, bytes, bytes]]
"""An event as the pieces of its line. The object's own bytes are not copied until the pieces are joined."""


def encoder(served: Served, target: Target) -> Encode:
    """How this watch's events are written."""
    if target.protobuf:
        return lambda event: _message(served, event, target)
    if target.transform == "Table":
        return _TableEncoder(served, target)
    if target.transform:
        return lambda event: _framed(event.type, _partial(served, event, target))
    return lambda event: _framed(event.type, _plain(served, event))


def _framed(kind: EventType, data: bytes) -> tuple[bytes, bytes, bytes]:
    return _OPENINGS[kind], data, _CLOSING


def failure(error: APIError, *, protobuf: bool) -> bytes:
    """The last event of a watch that can't go on."""
    status = error.status()
    return b"".join(status_pieces(EventType.ERROR, status) if protobuf else _framed(EventType.ERROR, to_json(status)))


def _message(served: Served, event: WatchEvent, target: Target) -> tuple[bytes, bytes, bytes]:
    if event.error is not None:
        return status_pieces(event.type, _error(served, event))
    if event.object is None:
        return bookmark_pieces(served, bookmark(served, event), target)
    return event_pieces(served, event.type, event.object, target)


def _plain(served: Served, event: WatchEvent) -> bytes:
    if event.object is not None:
        return json_of(served, event.object)
    return to_json(_error(served, event) if event.error is not None else bookmark(served, event))


def bookmark(served: Served, event: WatchEvent) -> JSONObject:
    """An object of which nothing is known but how far the watch is: as empty as its kind can be written."""
    metadata: JSONObject = {"resourceVersion": str(event.revision)}
    if event.initial_events_end:
        metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
    obj: JSONObject = {"kind": served.kind, "apiVersion": served.api_version, "metadata": metadata}
    served.dialect.complete(served.schema(), obj, final=True)
    return obj


def _error(served: Served, event: WatchEvent) -> JSONObject:
    assert event.error is not None
    return interpret(event.error, resource=served.resource, name="").status()


def _partial(served: Served, event: WatchEvent, target: Target) -> bytes:
    if event.error is not None:
        return to_json(_error(served, event))
    if event.object is None:
        return to_json(table.partial(bookmark(served, event), target.transform_version))
    return partial_json(served, event.object, version=target.transform_version)


class _TableEncoder:
    """Only the first event tells the columns."""

    def __init__(self, served: Served, target: Target) -> None:
        self._scope = served
        self._target = target
        self._told = False

    def __call__(self, event: WatchEvent) -> tuple[bytes, bytes, bytes]:
        if event.error is not None:
            return _framed(event.type, to_json(_error(self._scope, event)))
        headers, self._told = not self._told, True
        meta = {"resourceVersion": str(event.revision)}
        shown = table.table(self._scope, [self._row(event)], meta, self._target, headers=headers)
        return _framed(event.type, to_json(shown))

    def _row(self, event: WatchEvent) -> JSONObject:
        if event.object is None:
            return table.bookmark_row(self._scope, bookmark(self._scope, event), self._target)
        return table.row(self._scope, versioned(self._scope, event.object), self._target)
