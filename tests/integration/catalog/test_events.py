"""Events over the API: two groups, the same objects, and an end that comes by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from localplane.catalog import events
from localplane.catalog.core.events import EVENTS, EventStrategy
from localplane.catalog.declarations import group
from tests.integration.api.talk import API

CORE = "/api/v1/namespaces/default/events"
OTHER = "/apis/events.k8s.io/v1/namespaces/default/events"
OBJECT = {"kind": "Pod", "namespace": "default", "name": "p"}
NEW = {
    "metadata": {"name": "e"},
    "regarding": OBJECT,
    "eventTime": "2020-01-01T00:00:00.000000Z",
    "reportingController": "a.io/b",
    "reportingInstance": "i",
    "action": "Act",
    "reason": "R",
    "type": "Normal",
    "note": "n",
}


class ShortLived(EventStrategy):
    ttl = timedelta(milliseconds=100)


@pytest.fixture
async def api() -> AsyncIterator[API]:
    api = await API.start([group("", EVENTS), group("events.k8s.io", *events.RESOURCES)])
    yield api
    await api.close()


async def test_what_one_group_writes_the_other_shows(api: API) -> None:
    made = await api.post(OTHER, NEW)
    assert made.status == 201, made.data
    seen = (await api.get(f"{CORE}/e")).body
    assert (seen["apiVersion"], seen["involvedObject"], seen["message"]) == ("v1", OBJECT, "n")
    assert (seen["firstTimestamp"], seen["source"]) == (None, {})
    assert (await api.get(f"{CORE}?fieldSelector=source=a.io/b")).names == ["e"]
    assert (await api.get(f"{OTHER}?fieldSelector=regarding.kind=Pod")).names == ["e"]


async def test_errors_name_the_group_that_was_asked_and_the_core_group_s_kind(api: API) -> None:
    missing = await api.get(f"{OTHER}/none")
    assert missing.body["details"] == {"name": "none", "group": "events.k8s.io", "kind": "events"}
    wrong = await api.post(OTHER, NEW | {"type": "Loud"})
    assert wrong.body["message"] == 'Event "e" is invalid: type: Invalid value: "": has invalid value: Loud'


async def test_an_event_goes_by_itself() -> None:
    api = await API.start([group("", replace(EVENTS, strategy=ShortLived()))])
    try:
        watch = await api.watch(f"{CORE}?watch=true")
        assert (await api.post(CORE, {"metadata": {"name": "e"}, "involvedObject": OBJECT})).status == 201
        async with asyncio.timeout(30):
            assert [each["type"] for each in await watch.take(2)] == ["ADDED", "DELETED"]
        await watch.close()
    finally:
        await api.close()
