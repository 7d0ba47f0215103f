"""Events are counted, combined and kept short, and nobody waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson

from localplane.client import Client
from localplane.client.transport.interface import BufferedResponse, Pairs
from localplane.client.workqueue.supervision import Background
from localplane.controllers.events import EventLog, EventRecorder

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": "7"},
}


class Server:
    """Keeps what is written."""

    def __init__(self) -> None:
        self.events: dict[str, dict[str, Any]] = {}
        self.refuses = False

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> BufferedResponse:
        document = orjson.loads(body or b"{}")
        if self.refuses:
            return _answer(403, _status("Forbidden", 403))
        if method == "POST":
            name = document["metadata"]["name"]
            self.events[name] = document
            return _answer(201, document)
        name = path.rpartition("/")[2]
        if name not in self.events:
            return _answer(404, _status("NotFound", 404))
        self.events[name] |= document
        return _answer(200, self.events[name])

    async def close(self) -> None:
        """Nothing is open."""


def _status(reason: str, code: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Status",
        "status": "Failure",
        "reason": reason,
        "code": code,
        "message": reason,
    }


def _answer(code: int, document: dict[str, Any]) -> BufferedResponse:
    return BufferedResponse(code, [("Content-Type", "application/json")], orjson.dumps(document))


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def recording() -> AsyncIterator[tuple[EventRecorder, EventLog, Server]]:
    server, log = Server(), EventLog(clock=Clock())
    recorder = log.recorder(Client(server), "my-controller", host="node-1")
    async with Background(log.run):
        yield recorder, log, server


async def settled(log: EventLog) -> None:
    async with asyncio.timeout(30):
        await log.drained()


async def test_an_event_says_who_saw_what_where() -> None:
    async with recording() as (recorder, log, server):
        recorder.normal(POD, "Started", "Container started")
        await settled(log)
        (event,) = server.events.values()
    assert event["metadata"]["name"].startswith("web.")
    assert event["metadata"]["namespace"] == "shop"
    assert event["involvedObject"] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": "web",
        "namespace": "shop",
        "uid": "u1",
        "resourceVersion": "7",
    }
    assert (event["type"], event["reason"], event["message"], event["count"]) == (
        "Normal",
        "Started",
        "Container started",
        1,
    )
    assert event["source"] == {"component": "my-controller", "host": "node-1"}
    assert (event["reportingComponent"], event["reportingInstance"]) == ("my-controller", "node-1")


async def test_the_same_thing_said_again_is_counted_also_of_another_version() -> None:
    async with recording() as (recorder, log, server):
        for version in ("7", "8", "9"):
            changed = POD | {"metadata": POD["metadata"] | {"resourceVersion": version}}  # type: ignore[operator]
            recorder.warn(changed, "BackOff", "again")
        await settled(log)
        (event,) = server.events.values()
    assert event["count"] == 3


async def test_one_that_has_expired_is_written_anew_and_goes_on_counting() -> None:
    async with recording() as (recorder, log, server):
        recorder.warn(POD, "BackOff", "again")
        await settled(log)
        server.events.clear()
        recorder.warn(POD, "BackOff", "again")
        await settled(log)
        (event,) = server.events.values()
    assert event["count"] == 2


async def test_many_similar_ones_become_one() -> None:
    async with recording() as (recorder, log, server):
        for number in range(14):
            recorder.normal(POD, "Scaled", f"to {number}")
        await settled(log)
        messages = [event["message"] for event in server.events.values()]
    plain = [message for message in messages if not message.startswith("(combined from similar events): ")]
    assert plain == [f"to {number}" for number in range(9)]
    assert len(messages) == 10
    assert messages[-1] == "(combined from similar events): to 13"


async def test_who_says_too_much_about_one_object_is_not_heard_for_a_while() -> None:
    server, clock = Server(), Clock()
    log = EventLog(clock=clock)
    recorder = log.recorder(Client(server), "c")
    async with Background(log.run):
        for _ in range(40):
            recorder.normal(POD, "R", "same")
        await settled(log)
        (event,) = server.events.values()
        assert event["count"] == 25
        clock.now += 300
        recorder.normal(POD, "R", "same")
        recorder.normal(POD, "R", "same")
        await settled(log)
    assert event["count"] == 26


async def test_a_refused_event_is_lost_and_the_next_one_is_not() -> None:
    async with recording() as (recorder, log, server):
        server.refuses = True
        recorder.normal(POD, "R", "lost")
        await settled(log)
        server.refuses = False
        recorder.normal(POD, "R", "heard")
        await settled(log)
        assert [event["message"] for event in server.events.values()] == ["heard"]
