"""How long a request may take, and what happens then."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import pytest

from localplane.apimachinery.errors import BadRequest, Conflict, Timeout
from localplane.apiserver.audit import EVERYTHING_AT_METADATA, Auditor
from localplane.apiserver.endpoints.filters import UnfinishedWrites, deadline
from localplane.apiserver.request import Answer, Handler, Request, Response
from tests.unit.audit.backend import Kept
from tests.unit.filters.requests import Recorded, make_request
from tests.unit.storage.virtual_time import now, virtual_time

LIST = "/api/v1/namespaces/d/configmaps"


def filtered(
    handler: Handler, *, unfinished: UnfinishedWrites | None = None, maximum: timedelta = timedelta(seconds=60)
) -> Handler:
    return deadline(unfinished_writes=unfinished or UnfinishedWrites(), maximum=maximum)(handler)


class Slow:
    """A handler that takes its time, and remembers how it ended."""

    def __init__(self, seconds: float, error: BaseException | None = None) -> None:
        self._seconds = seconds
        self._error = error
        self.ended = ""

    async def __call__(self, request: Request) -> Answer:
        try:
            await asyncio.sleep(self._seconds)
        except asyncio.CancelledError:
            self.ended = "cancelled"
            raise
        self.ended = "finished"
        if self._error is not None:
            raise self._error
        return Response(200, b"done")


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("", 60.0),
        ("?timeout=", 60.0),
        ("?timeout=5s", 5.0),
        ("?timeout=1m500ms", 60.0),
        ("?timeout=1h", 60.0),
        ("?timeout=0s", 60.0),
        ("?timeout=0", 60.0),
        ("?timeout=-5s", 60.0),
        ("?timeout=1.5s&timeout=3s", 1.5),
    ],
)
@virtual_time
async def test_a_request_may_ask_for_less_than_the_maximum(asked: str, seconds: float) -> None:
    handler = Recorded()
    await filtered(handler)(make_request("GET", LIST + asked))
    assert handler.requests[0].deadline == pytest.approx(now() + seconds)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abc", 'time: invalid duration "abc"'),
        ("5x", 'time: unknown unit "x" in duration "5x"'),
        ("5", 'time: missing unit in duration "5"'),
    ],
)
async def test_a_timeout_that_is_none_is_a_bad_request(text: str, message: str) -> None:
    handler = Recorded()
    with pytest.raises(BadRequest) as refused:
        await filtered(handler)(make_request("GET", f"{LIST}?timeout={text}"))
    assert refused.value.message == f"invalid timeout specified in the request URL - {message}"
    assert not handler.requests


async def test_a_bad_timeout_is_recorded_though_nobody_is_known_yet() -> None:
    backend = Kept()
    auditor = Auditor(EVERYTHING_AT_METADATA, backend)
    handler = deadline(unfinished_writes=UnfinishedWrites(), auditor=auditor)(Recorded())
    with pytest.raises(BadRequest):
        await handler(make_request("GET", f"{LIST}?timeout=abc"))
    (event,) = backend.events
    assert (event["stage"], event["responseStatus"]["code"], event["user"]) == ("ResponseStarted", 400, {})


@virtual_time
async def test_a_read_that_takes_too_long_is_cancelled() -> None:
    handler = Slow(10)
    with pytest.raises(Timeout) as refused:
        await filtered(handler)(make_request("GET", f"{LIST}?timeout=2s"))
    assert refused.value.message == "Timeout: request did not complete within the allotted timeout"
    assert (refused.value.code, refused.value.status()["details"]) == (504, {})
    assert handler.ended == "cancelled"
    assert now() == pytest.approx(2)


@virtual_time
async def test_the_maximum_holds_without_being_asked_for() -> None:
    with pytest.raises(Timeout):
        await filtered(Slow(10), maximum=timedelta(seconds=3))(make_request("GET", LIST))
    assert now() == pytest.approx(3)


async def test_a_read_that_waits_for_nothing_costs_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(asyncio, "timeout_at")
    answer = await filtered(Recorded())(make_request("GET", LIST))
    assert answer.status == 200


@virtual_time
async def test_a_read_that_waits_more_than_once_is_answered_by_its_last_word() -> None:
    async def handler(request: Request) -> Answer:
        await asyncio.sleep(1)
        async with asyncio.timeout(5):
            await asyncio.sleep(2)
        return Response(200, b"done")

    answer = await filtered(handler, maximum=timedelta(seconds=4))(make_request("GET", LIST))
    assert answer.status == 200
    assert now() == pytest.approx(3)


@pytest.mark.parametrize("longer", [0, 1])
def test_a_read_may_end_in_its_own_way_when_its_time_is_over(longer: int) -> None:
    async def handler(request: Request) -> Answer:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            for _ in range(longer):
                await asyncio.sleep(1)
            return Response(200, b"what there was")
        raise AssertionError("it was not told")

    @virtual_time
    async def story() -> None:
        answer = await filtered(handler, maximum=timedelta(seconds=3))(make_request("GET", LIST))
        assert answer.status == 200
        assert now() == pytest.approx(3 + longer)

    story()


@virtual_time
async def test_a_read_whose_client_hangs_up_is_cancelled() -> None:
    handler = Slow(10)
    request = asyncio.create_task(_of(filtered(handler), make_request("GET", LIST)))
    await asyncio.sleep(1)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert handler.ended == "cancelled"


@virtual_time
async def test_a_timeout_of_the_handlers_own_is_not_ours() -> None:
    with pytest.raises(TimeoutError):
        await filtered(Slow(1, TimeoutError()))(make_request("GET", LIST))


@virtual_time
async def test_a_long_running_request_has_no_deadline() -> None:
    handler = Slow(600)
    request = make_request("GET", f"{LIST}?watch=1&timeout=abc")
    answer = await filtered(handler)(request)
    assert (answer.status, request.deadline, handler.ended) == (200, None, "finished")


@virtual_time
async def test_a_write_that_takes_too_long_is_answered_in_time_and_goes_on_to_its_end() -> None:
    handler, unfinished = Slow(10), UnfinishedWrites()
    with pytest.raises(Timeout) as caught:
        await filtered(handler, unfinished=unfinished)(make_request("POST", f"{LIST}?timeout=2s"))
    assert caught.value.retry_after_seconds == 0  # whoever sent it again would do it twice
    assert (handler.ended, unfinished.count) == ("", 1)
    assert now() == pytest.approx(2)
    await unfinished.finished()
    assert (handler.ended, unfinished.count) == ("finished", 0)
    assert now() == pytest.approx(10)


@virtual_time
async def test_a_write_whose_client_hangs_up_goes_on_to_its_end() -> None:
    handler, unfinished = Slow(10), UnfinishedWrites()
    request = asyncio.create_task(_of(filtered(handler, unfinished=unfinished), make_request("PUT", f"{LIST}/x")))
    await asyncio.sleep(1)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    await unfinished.finished()
    assert handler.ended == "finished"


async def _of(handler: Handler, request: Request) -> Answer:
    return await handler(request)


@virtual_time
async def test_a_write_that_is_stuck_is_cancelled_in_the_end() -> None:
    handler, unfinished = Slow(1000), UnfinishedWrites(grace=timedelta(seconds=5))
    with pytest.raises(Timeout):
        await filtered(handler, unfinished=unfinished)(make_request("DELETE", f"{LIST}/x?timeout=2s"))
    await unfinished.finished()
    assert handler.ended == "cancelled"
    assert now() == pytest.approx(7)


@virtual_time
async def test_a_write_in_time_is_just_answered() -> None:
    unfinished = UnfinishedWrites()
    answer = await filtered(Slow(1), unfinished=unfinished)(make_request("POST", LIST))
    assert (answer.status, unfinished.count) == (200, 0)
    with pytest.raises(Conflict):
        await filtered(Slow(1, Conflict("changed")), unfinished=unfinished)(make_request("PUT", f"{LIST}/x"))


@pytest.mark.parametrize(
    ("error", "level"), [(None, logging.WARNING), (Conflict("changed"), logging.WARNING), (KeyError(), logging.ERROR)]
)
def test_how_a_late_write_ended_is_logged(
    error: BaseException | None, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    @virtual_time
    async def story() -> None:
        unfinished = UnfinishedWrites()
        with pytest.raises(Timeout):
            await filtered(Slow(5, error), unfinished=unfinished)(make_request("POST", f"{LIST}?timeout=1s"))
        await unfinished.finished()

    story()
    (record,) = caplog.records
    assert record.levelno == level
    assert LIST in record.getMessage()
