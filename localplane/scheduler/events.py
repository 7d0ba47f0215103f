"""Telling people what became of pods: events of events.k8s.io/v1, where the same thing again makes a series.

Kubernetes: client-go/tools/events, event_broadcaster.go and event_recorder.go.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.clock import elapsed
from localplane.apimachinery.clock.waiting import AtWork, mind, sleep
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import micro_now
from localplane.client import Client, ClientError, GroupVersionResource, PatchType
from localplane.client.workqueue.supervision import Contained

_log = logging.getLogger(__name__)
_EVENTS: Final = GroupVersionResource("events.k8s.io", "v1", "events")
_QUEUED: Final = 10_000
_REMEMBERED: Final = 4096
_WRITERS: Final = 4
_LONGEST_NOTE: Final = 1024
_FINISHED_SECONDS: Final = 360.0
_REFRESH: Final = timedelta(minutes=30)


@dataclass(slots=True)
class _Told:
    """An event that was written, or is about to be. `count` is how often it was said, `written` how often the server
    knows."""

    document: JSONObject
    last: float
    last_time: str
    count: int = 1
    written: int = 1


class SchedulerEvents:
    """Nobody waits: `run` writes them. Events are news, not facts: one that can't be written is lost.

    A series is written when it begins, and then from time to time: whoever fails a thousand times says so a few times
    only."""

    def __init__(self, client: Client, controller: str) -> None:
        self._client = client
        self._controller = controller
        self._instance = f"{controller}-{socket.gethostname()}"
        self._queue: asyncio.Queue[_Told] = asyncio.Queue(_QUEUED)
        self._told: OrderedDict[tuple[str, ...], _Told] = OrderedDict()
        mind(self)

    def work_in_hand(self) -> str:
        return "" if self._queue.empty() else "events"

    def normal(self, reason: str, action: str, regarding: JSONObject, note: str) -> None:
        self._tell("Normal", reason, action, _reference(regarding), note)

    def warn(self, reason: str, action: str, regarding: JSONObject, note: str) -> None:
        self._tell("Warning", reason, action, _reference(regarding), note)

    def _tell(self, kind: str, reason: str, action: str, regarding: JSONObject, note: str) -> None:
        key = (kind, reason, action, *regarding.values())
        now = elapsed()
        told = self._told.get(key)
        if told is None or now - told.last > _FINISHED_SECONDS:
            document = self._document(kind, reason, action, regarding, _shortened(note))
            told = self._told[key] = _Told(document, now, document["eventTime"])
            self._told.move_to_end(key)
            if len(self._told) > _REMEMBERED:
                self._told.popitem(last=False)
        else:
            told.count += 1
            told.last, told.last_time = now, micro_now()
            if told.count != 2:
                return
        try:
            self._queue.put_nowait(told)
        except asyncio.QueueFull:
            _log.info("an event is lost, there are too many: %s", note)

    def _document(self, kind: str, reason: str, action: str, regarding: JSONObject, note: str) -> JSONObject:
        namespace = regarding.get("namespace") or "default"
        return {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": f"{regarding['name']}.{time.time_ns():x}", "namespace": namespace},
            "eventTime": micro_now(),
            "reportingController": self._controller,
            "reportingInstance": self._instance,
            "action": action,
            "reason": reason,
            "regarding": regarding,
            "note": note,
            "type": kind,
        }

    async def run(self) -> None:
        """Until it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(_WRITERS):
                tasks.create_task(self._write_all())
            tasks.create_task(self._refresh())

    async def drained(self) -> None:
        """Until everything that was told so far is written or lost."""
        await self._queue.join()

    async def _write_all(self) -> None:
        contained = Contained(lambda: "writing an event")
        while True:
            told = await self._queue.get()
            with contained, AtWork("an event"):
                await self._write(told)
            self._queue.task_done()

    async def _refresh(self) -> None:
        """What was said again and again is brought up to date."""
        while True:
            await sleep(_REFRESH, is_upkeep=True)
            for told in list(self._told.values()):
                if told.count > told.written:
                    await self._queue.put(told)

    async def _write(self, told: _Told) -> None:
        events = self._client.resource(_EVENTS, told.document["metadata"]["namespace"])
        count = told.count
        series = {"count": count, "lastObservedTime": told.last_time}
        try:
            if count == 1:
                await events.create(told.document)
                return
            try:
                await events.patch(told.document["metadata"]["name"], {"series": series}, PatchType.MERGE)
            except NotFound:
                await events.create({**told.document, "series": series})
            told.written = count
        except (APIError, ClientError) as error:
            _log.info("an event is lost: %s: %s", told.document["note"], error)


def _reference(obj: Mapping[str, Any]) -> JSONObject:
    metadata = obj["metadata"]
    return {
        "kind": obj["kind"],
        "namespace": metadata.get("namespace", ""),
        "name": metadata["name"],
        "uid": metadata["uid"],
        "apiVersion": obj["apiVersion"],
        "resourceVersion": metadata.get("resourceVersion", ""),
    }


def _shortened(note: str) -> str:
    """The server takes so many bytes and no more."""
    if len(note.encode()) <= _LONGEST_NOTE:
        return note
    return f"{note.encode()[: _LONGEST_NOTE - 4].decode(errors='ignore')} ..."
