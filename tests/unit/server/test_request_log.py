"""What a server remembers of requests: as many as it may, none larger than it may, in the order of their answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from time import perf_counter

from localplane.apiserver.request import Response, StreamResponse, User
from localplane.apiserver.request_log import LoggedRequest, RequestLog
from tests.unit.filters.requests import JANE, make_request

PODS = "/api/v1/namespaces/shop/pods"


def noted(log: RequestLog, path: str = PODS, *, internal: bool = False, began: float = 1.0) -> None:
    ring = log.internal if internal else log.requests
    request = make_request("GET", path, user=JANE, headers={"User-Agent": "tester"})
    ring.note(request, Response(200, headers={"Audit-Id": "id-1"}), 42, began, 0.5)


def test_a_request_is_told_with_all_that_is_known_of_it() -> None:
    log = RequestLog()
    noted(log, PODS + "/web-0/status")
    (entry,) = log.entries()
    info = entry.info
    assert (info.verb, info.resource, info.subresource, info.namespace, info.name) == (
        *("get", "pods", "status", "shop", "web-0"),
    )
    assert (entry.user, entry.user_agent, entry.status, entry.sent, entry.seconds, entry.request_id) == (
        *(JANE, "tester", 200, 42, 0.5, "id-1"),
    )
    assert not entry.internal


def test_its_time_is_when_it_began() -> None:
    log = RequestLog()
    noted(log, began=perf_counter() - 60)
    (entry,) = log.entries()
    assert abs(datetime.now(UTC) - timedelta(seconds=60) - entry.moment) < timedelta(seconds=5)


def test_the_oldest_makes_room() -> None:
    log = RequestLog(most=3)
    for number in range(5):
        noted(log, f"{PODS}/web-{number}")
    assert [entry.info.name for entry in log.entries()] == ["web-2", "web-3", "web-4"]


def test_requests_from_inside_drive_out_no_others_and_are_told_only_to_those_who_want_them() -> None:
    log = RequestLog(most=3, most_internal=1)
    noted(log, f"{PODS}/first", began=1)
    for number in range(5):
        noted(log, f"{PODS}/inner-{number}", internal=True, began=2)
    noted(log, f"{PODS}/last", began=3)
    assert [entry.info.name for entry in log.entries()] == ["first", "last"]
    told = [(entry.info.name, entry.internal) for entry in log.entries(internal=True)]
    assert told == [("first", False), ("inner-4", True), ("last", False)]


def held(entry: LoggedRequest) -> int:
    user, info = entry.user or User(""), entry.info
    texts = [entry.target, entry.user_agent, entry.request_id, user.name, *user.groups, info.path, info.name]
    return sum(map(len, (*texts, *info.parts, info.label_selector, info.field_selector)))


def test_what_is_long_is_cut() -> None:
    log = RequestLog()
    long = "x" * 50_000
    request = make_request("GET", f"{PODS}/{long}?labelSelector={long}", headers={"User-Agent": long})
    request.target = f"{PODS}/{long}?labelSelector={long}"
    request.impersonator = JANE
    request.user = User(long, groups=(long,) * 100, extra={long: (long,)})
    log.requests.note(request, Response(200, headers={"Audit-Id": long}), 1, 1.0, 0.5)
    (entry,) = log.entries()
    assert held(entry) < 8 * 1024
    assert (entry.info.resource, entry.info.namespace) == ("pods", "shop")


def test_a_watch_is_noted_when_it_begins_and_when_it_ends() -> None:
    log = RequestLog()
    request = make_request("GET", f"{PODS}?watch=true", user=JANE)

    async def none() -> None:
        """There is nothing to close."""

    async def pieces() -> AsyncIterator[bytes]:
        yield b"{}"

    stream = StreamResponse(pieces(), none)
    log.requests.note(request, stream, 0, 1.0, None)
    log.requests.note(request, stream, 120, 1.0, 30.0)
    assert [(entry.seconds, entry.sent) for entry in log.entries()] == [(None, 0), (30.0, 120)]


async def test_whoever_follows_gets_what_is_there_and_then_what_comes() -> None:
    log = RequestLog()
    noted(log, f"{PODS}/before")
    pages = log.follow()
    assert [entry.info.name for entry in (await anext(pages)).requests] == ["before"]
    waiting = asyncio.ensure_future(anext(pages))
    await asyncio.sleep(0)
    assert not waiting.done()
    noted(log, f"{PODS}/after")
    assert [entry.info.name for entry in (await waiting).requests] == ["after"]
    await pages.aclose()
    assert not log.requests.readers


async def test_a_slow_reader_learns_how_many_he_has_missed() -> None:
    log = RequestLog(most=2)
    pages = log.follow()
    assert (await anext(pages)).requests == []
    for number in range(5):
        noted(log, f"{PODS}/web-{number}")
    page = await anext(pages)
    assert ([entry.info.name for entry in page.requests], page.missed) == (["web-3", "web-4"], 3)
