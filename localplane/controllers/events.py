"""Telling people what a controller saw: Event objects, the same thing said again being counted.

Kubernetes: client-go/tools/record.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.times import now
from localplane.client import Client, ClientError, GroupVersionResource, PatchType

_log = logging.getLogger(__name__)
_EVENTS: Final = GroupVersionResource("", "v1", "events")
_REMEMBERED: Final = 1024


@dataclass(frozen=True, slots=True)
class Subject:
    """What an event is about."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Said:
    subject: Subject
    type: str
    reason: str
    message: str


class EventRecorder:
    """Events are news, not facts: one that can't be written is lost, and nobody waits for it."""

    def __init__(self, client: Client, component: str) -> None:
        self._client = client
        self._component = component
        self._said: OrderedDict[Said, tuple[str, int]] = OrderedDict()

    async def warn(self, subject: Subject, reason: str, message: str) -> None:
        said = Said(subject, "Warning", reason, message)
        name, count = self._said.pop(said, ("", 0))
        try:
            name = await self._again(said, name, count + 1) if name else await self._first(said)
        except (APIError, ClientError) as error:
            _log.info("an event is lost: %s: %s", said, error)
            return
        self._said[said] = (name, count + 1)
        if len(self._said) > _REMEMBERED:
            self._said.popitem(last=False)

    async def _again(self, said: Said, name: str, count: int) -> str:
        events = self._client.resource(_EVENTS, _namespace(said))
        try:
            await events.patch(name, {"count": count, "lastTimestamp": now()}, PatchType.MERGE)
        except NotFound:  # it has expired
            return await self._first(said)
        return name

    async def _first(self, said: Said) -> str:
        name, moment, subject = f"{said.subject.name}.{time.time_ns():x}", now(), said.subject
        about = {
            "kind": subject.kind,
            "namespace": subject.namespace,
            "name": subject.name,
            "uid": subject.uid,
            "apiVersion": subject.api_version,
        }
        event: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": _namespace(said)},
            "involvedObject": {key: value for key, value in about.items() if value},
            "reason": said.reason,
            "message": said.message,
            "source": {"component": self._component},
            "firstTimestamp": moment,
            "lastTimestamp": moment,
            "count": 1,
            "type": said.type,
            "reportingComponent": self._component,
            "reportingInstance": "",
        }
        await self._client.resource(_EVENTS, _namespace(said)).create(event)
        return name


def _namespace(said: Said) -> str:
    """Events about what is in no namespace are kept in `default`."""
    return said.subject.namespace or "default"
