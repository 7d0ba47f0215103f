"""Telling people what a controller saw: Event objects. The same thing said again is counted, many similar ones become
one, and whoever says too much about one object is not heard for a while.

Kubernetes: client-go/tools/record (events_cache.go for when, event.go for what).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.clock import elapsed
from localplane.apimachinery.clock.waiting import AtWork, mind
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.times import now
from localplane.client import Client, ClientError, GroupVersionResource, PatchType
from localplane.client.workqueue.supervision import Contained

_log = logging.getLogger(__name__)
_EVENTS: Final = GroupVersionResource("", "v1", "events")
_REMEMBERED: Final = 4096
_QUEUED: Final = 10_000
# events_cache.go: after so many different messages for one reason within so many seconds they are told as one.
_SIMILAR: Final = 10
_SIMILAR_SECONDS: Final = 600.0
# events_cache.go: what may be said about one object at once, and how fast that comes back.
_BURST: Final = 25
_REFILL_PER_SECOND: Final = 1 / 300

NORMAL: Final = "Normal"
WARNING: Final = "Warning"


@dataclass(frozen=True, slots=True)
class EventSubject:
    """What an event is about; `field_path` is the part of it, such as a container."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str
    resource_version: str = ""
    field_path: str = ""

    @classmethod
    def of(cls, obj: Mapping[str, Any], *, field_path: str = "") -> EventSubject:
        metadata = obj["metadata"]
        return cls(
            api_version=obj["apiVersion"],
            kind=obj["kind"],
            namespace=metadata.get("namespace", ""),
            name=metadata["name"],
            uid=metadata.get("uid", ""),
            resource_version=metadata.get("resourceVersion", ""),
            field_path=field_path,
        )

    @property
    def identity(self) -> tuple[str, ...]:
        """The object whatever its version is: what is said of two versions of it is said of one thing."""
        return (self.api_version, self.kind, self.namespace, self.name, self.uid, self.field_path)


@dataclass(frozen=True, slots=True)
class _Event:
    client: Client
    component: str
    host: str
    subject: EventSubject
    type: str
    reason: str
    message: str
    annotations: tuple[tuple[str, str], ...] = ()

    @property
    def source(self) -> tuple[str, ...]:
        return (self.component, self.host, *self.subject.identity)

    @property
    def similar(self) -> tuple[str, ...]:
        return (*self.source, self.type, self.reason)


class EventRecorder:
    """Says what one component sees. Nobody waits: the event is written later, or lost."""

    def __init__(self, log: EventLog, client: Client, component: str, *, host: str = "") -> None:
        self._log = log
        self._client = client
        self._component = component
        self._host = host

    def normal(self, subject: EventSubject | Mapping[str, Any], reason: str, message: str) -> None:
        self.record(subject, NORMAL, reason, message)

    def warn(self, subject: EventSubject | Mapping[str, Any], reason: str, message: str) -> None:
        self.record(subject, WARNING, reason, message)

    def record(
        self,
        subject: EventSubject | Mapping[str, Any],
        event_type: str,
        reason: str,
        message: str,
        *,
        annotations: Mapping[str, str] | None = None,
    ) -> None:
        about = subject if isinstance(subject, EventSubject) else EventSubject.of(subject)
        kept = tuple((annotations or {}).items())
        self._log.add(_Event(self._client, self._component, self._host, about, event_type, reason, message, kept))


@dataclass(slots=True)
class _Written:
    name: str
    count: int


@dataclass(slots=True)
class _Similar:
    messages: set[str]
    last: float


@dataclass(slots=True)
class _Budget:
    tokens: float
    at: float


class EventLog:
    """All events of one process on their way to the server. `run` writes them, in the order in which they were said.

    Events are news, not facts: one that can't be written is lost. `clock` counts seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = elapsed) -> None:
        self._clock = clock
        self._queue: asyncio.Queue[_Event] = asyncio.Queue(_QUEUED)
        self._written: OrderedDict[tuple[str, ...], _Written] = OrderedDict()
        self._similar: OrderedDict[tuple[str, ...], _Similar] = OrderedDict()
        self._budgets: OrderedDict[tuple[str, ...], _Budget] = OrderedDict()
        mind(self)

    def work_in_hand(self) -> str:
        return "" if self._queue.empty() else "events"

    def recorder(self, client: Client, component: str, *, host: str = "") -> EventRecorder:
        return EventRecorder(self, client, component, host=host)

    def add(self, event: _Event) -> None:
        try:
            self._queue.put_nowait(event)
        except asyncio.QueueFull:
            _log.info("an event is lost, there are too many: %s", event)

    async def run(self) -> None:
        """Until it is cancelled."""
        contained = Contained(lambda: "writing an event")
        while True:
            event = await self._queue.get()
            with contained, AtWork("an event"):
                await self._write(event)
            self._queue.task_done()

    async def drained(self) -> None:
        """Until everything that was said so far is written or lost."""
        await self._queue.join()

    async def _write(self, event: _Event) -> None:
        key, message = self._aggregated(event)
        if not self._may_speak(event):
            return
        written = self._written.pop(key, None)
        try:
            if written is None or not await self._count(event, written, message):
                written = await self._create(event, message, count=1 if written is None else written.count + 1)
            else:
                written.count += 1
        except (APIError, ClientError) as error:
            _log.info("an event is lost: %s: %s", event, error)
            return
        _keep(self._written, key, written)

    def _aggregated(self, event: _Event) -> tuple[tuple[str, ...], str]:
        """What it is counted as, and in what words: many different messages of one kind are combined."""
        moment = self._clock()
        similar = self._similar.pop(event.similar, None)
        if similar is None or moment - similar.last > _SIMILAR_SECONDS:
            similar = _Similar(set(), moment)
        similar.messages.add(event.message)
        similar.last = moment
        _keep(self._similar, event.similar, similar)
        if len(similar.messages) < _SIMILAR:
            return (*event.similar, event.message), event.message
        similar.messages.pop()  # any of them: those that are left are still told by themselves
        return event.similar, f"(combined from similar events): {event.message}"

    def _may_speak(self, event: _Event) -> bool:
        moment = self._clock()
        budget = self._budgets.pop(event.source, None) or _Budget(_BURST, moment)
        budget.tokens = min(_BURST, budget.tokens + (moment - budget.at) * _REFILL_PER_SECOND)
        budget.at = moment
        _keep(self._budgets, event.source, budget)
        if budget.tokens < 1:
            return False
        budget.tokens -= 1
        return True

    async def _count(self, event: _Event, written: _Written, message: str) -> bool:
        """Whether it was still there to be counted."""
        change = {"count": written.count + 1, "lastTimestamp": now(), "message": message}
        events = event.client.resource(_EVENTS, _namespace(event.subject))
        try:
            await events.patch(written.name, change, PatchType.MERGE)
        except NotFound:  # it has expired
            return False
        return True

    async def _create(self, event: _Event, message: str, *, count: int) -> _Written:
        subject, moment = event.subject, now()
        name = f"{subject.name}.{time.time_ns():x}"
        about = {
            "kind": subject.kind,
            "namespace": subject.namespace,
            "name": subject.name,
            "uid": subject.uid,
            "apiVersion": subject.api_version,
            "resourceVersion": subject.resource_version,
            "fieldPath": subject.field_path,
        }
        metadata: dict[str, Any] = {"name": name, "namespace": _namespace(subject)}
        if event.annotations:
            metadata["annotations"] = dict(event.annotations)
        source = {"component": event.component, "host": event.host}
        document: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": metadata,
            "involvedObject": {key: value for key, value in about.items() if value},
            "reason": event.reason,
            "message": message,
            "source": {key: value for key, value in source.items() if value},
            "firstTimestamp": moment,
            "lastTimestamp": moment,
            "count": count,
            "type": event.type,
            "reportingComponent": event.component,
            "reportingInstance": event.host,
        }
        await event.client.resource(_EVENTS, _namespace(subject)).create(document)
        return _Written(name, count)


def _namespace(subject: EventSubject) -> str:
    """Events about what is in no namespace are kept in `default`."""
    return subject.namespace or "default"


def _keep(memory: OrderedDict[tuple[str, ...], Any], key: tuple[str, ...], value: Any) -> None:
    memory[key] = value
    if len(memory) > _REMEMBERED:
        memory.popitem(last=False)
