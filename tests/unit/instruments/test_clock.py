"""The clock of a plane, asked from outside: what time it is, how it is advanced, and what is no way to do so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from localplane.apimachinery.clock.virtual import VirtualClock
from localplane.apimachinery.errors import APIError, BadRequest, MethodNotAllowed, NotFound, Timeout
from localplane.apimachinery.times import parse_time
from localplane.apiserver.request import Response, whole_body
from localplane.instruments import clock as clock_module
from localplane.instruments.clock import ClockInstrument
from tests.unit.filters.requests import make_request

PATH = "/localplane/v1/clock"


async def told(clock: VirtualClock | None, method: str = "GET", body: bytes = b"", rest: str = "") -> dict[str, Any]:
    answer = await ClockInstrument(clock).handle(make_request(method, PATH, body=body), rest)
    assert isinstance(answer, Response)
    found: dict[str, Any] = orjson.loads(await whole_body(answer.body))
    return found


async def test_a_plane_without_a_clock_of_its_own_tells_the_machines() -> None:
    found = await told(None)
    assert abs(parse_time(found.pop("now")) - datetime.now(UTC)) < timedelta(minutes=1)
    assert found == {"ahead": "0s", "advances": False}
    with pytest.raises(BadRequest, match="start it with `kctl up --own-clock`"):
        await told(None, "POST", b'{"advance": "1h"}')


async def test_a_clock_is_advanced_and_says_what_time_it_is_then() -> None:
    clock = VirtualClock()
    with clock.running():
        found = await told(clock, "POST", b'{"advance": "1h30m"}')
        assert abs(parse_time(found["now"]) - datetime.now(UTC) - timedelta(minutes=90)) < timedelta(minutes=1)
        assert (found["ahead"], found["advances"]) == ("1h30m0s", True)
        assert (await told(clock))["ahead"] == "1h30m0s"


@pytest.mark.parametrize(
    ("method", "body", "rest", "error", "words"),
    [
        ("POST", b"", "", BadRequest, "the body is not JSON"),
        ("POST", b"[]", "", BadRequest, "say by how much"),
        ("POST", b"{}", "", BadRequest, "say by how much"),
        ("POST", b'{"advance": 5}', "", BadRequest, "say by how much"),
        ("POST", b'{"advance": "1h", "to": "x"}', "", BadRequest, "say by how much"),
        ("POST", b'{"advance": "soon"}', "", BadRequest, '"soon" is no duration, such as 90s, 5m or 1h30m'),
        ("POST", b'{"advance": "0s"}', "", BadRequest, "forward only"),
        ("POST", b'{"advance": "-1h"}', "", BadRequest, "forward only"),
        ("DELETE", b"", "", MethodNotAllowed, "GET and POST"),
        ("GET", b"", "face", NotFound, "there is nothing at clock/face"),
    ],
)
async def test_what_is_no_way_to_advance_it_is_told(
    method: str, body: bytes, rest: str, error: type[APIError], words: str
) -> None:
    clock = VirtualClock()
    with pytest.raises(error, match=words):
        await told(clock, method, body, rest)
    assert clock.ahead == timedelta(0)


async def test_who_keeps_it_busy_for_too_long_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Worker:
        def work_in_hand(self) -> str:
            return "the dishes"

    monkeypatch.setattr(clock_module, "_WITHIN", timedelta(0))
    clock, worker = VirtualClock(), Worker()
    clock.mind(worker)
    with pytest.raises(Timeout, match="there is still work on the dishes; it is "):
        await told(clock, "POST", b'{"advance": "1h"}')
