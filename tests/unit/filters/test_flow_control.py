"""At most so many requests at once."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apimachinery.errors import Conflict
from localplane.apiserver.endpoints.filters import flow_control
from localplane.apiserver.flow_control import InFlight
from localplane.apiserver.request import Answer, Request, Response
from tests.unit.filters.requests import ADMIN, JANE, Recorded, make_request

READ = "/api/v1/namespaces/d/configmaps"


class Held:
    """A handler that holds its requests until it is told to let go."""

    def __init__(self, expected: int) -> None:
        self._expected = expected
        self.full = asyncio.Event()
        self.go = asyncio.Event()

    async def __call__(self, request: Request) -> Answer:
        self._expected -= 1
        if self._expected == 0:
            self.full.set()
        await self.go.wait()
        return Response(200)


async def filled(in_flight: InFlight, method: str, url: str, number: int) -> tuple[Held, list[asyncio.Task[Answer]]]:
    handler = Held(number)
    serve = flow_control(in_flight)(handler)

    async def one() -> Answer:
        return await serve(make_request(method, url, user=JANE))

    tasks = [asyncio.create_task(one()) for _ in range(number)]
    await handler.full.wait()
    return handler, tasks


async def test_one_too_many_is_told_to_try_again() -> None:
    in_flight = InFlight(read_limit=2, mutating_limit=1)
    handler, tasks = await filled(in_flight, "GET", READ, 2)
    answer = await flow_control(in_flight)(handler)(make_request("GET", READ, user=JANE))
    assert isinstance(answer, Response)
    assert (answer.status, answer.headers["Retry-After"]) == (429, "1")
    assert answer.body == b"Too many requests, please try again later.\n"
    assert answer.content_type == "text/plain; charset=utf-8"
    assert in_flight.reads.rejected == 1
    handler.go.set()
    assert {(await task).status for task in tasks} == {200}
    assert (await flow_control(in_flight)(handler)(make_request("GET", READ, user=JANE))).status == 200


async def test_reads_and_writes_do_not_take_one_anothers_places() -> None:
    in_flight = InFlight(read_limit=1, mutating_limit=1)
    handler, tasks = await filled(in_flight, "POST", READ, 1)
    assert (await flow_control(in_flight)(Recorded())(make_request("GET", READ, user=JANE))).status == 200
    for method, url in (("DELETE", f"{READ}/x"), ("PATCH", f"{READ}/x"), ("POST", "/nope")):
        assert (await flow_control(in_flight)(Recorded())(make_request(method, url, user=JANE))).status == 429
    handler.go.set()
    await asyncio.gather(*tasks)


async def test_long_running_requests_are_not_counted() -> None:
    in_flight = InFlight(read_limit=1, mutating_limit=1)
    handler, tasks = await filled(in_flight, "GET", f"{READ}?watch=1", 5)
    assert in_flight.reads.current == 0
    handler.go.set()
    await asyncio.gather(*tasks)


async def test_administrators_always_get_in() -> None:
    in_flight = InFlight(read_limit=1)
    handler, tasks = await filled(in_flight, "GET", READ, 1)
    assert (await flow_control(in_flight)(Recorded())(make_request("GET", READ, user=ADMIN))).status == 200
    assert in_flight.reads.current == 1
    handler.go.set()
    await asyncio.gather(*tasks)


async def test_a_place_is_free_again_however_the_request_ended() -> None:
    in_flight = InFlight(read_limit=1)
    for error in (Conflict("no"), KeyError(), asyncio.CancelledError()):
        with pytest.raises(type(error)):
            await flow_control(in_flight)(Recorded(error))(make_request("GET", READ, user=JANE))
    assert in_flight.reads.current == 0


async def test_a_limit_of_zero_is_none() -> None:
    in_flight = InFlight(read_limit=0)
    handler, tasks = await filled(in_flight, "GET", READ, 500)
    handler.go.set()
    assert {answer.status for answer in await asyncio.gather(*tasks)} == {200}
    assert in_flight.reads.rejected == 0
