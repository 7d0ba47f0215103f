"""/localplane/v1/clock: what time it is in a plane, and letting time pass there.

    GET                            {"now": "2026-01-02T15:04:05Z", "ahead": "1h0m0s", "advances": true}
    POST {"advance": "1h30m"}      the same, when all that became due meanwhile has happened

`ahead` is by how much it is before the machine's, and `advances` whether it can be advanced at all: a plane that was
started without a clock of its own goes by the machine's. Clients' own clocks are theirs.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.clock.virtual import NotAtRest, VirtualClock
from localplane.apimachinery.errors import BadRequest, Timeout
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.times import InvalidDuration, format_duration, format_time, parse_duration
from localplane.apiserver.request import Answer, Request, Response

from .parameters import expect
from .table import allow, answer_json, missing, read_json

_WITHIN: Final = timedelta(seconds=50)  # a request has a minute


class ClockInstrument:
    """`clock` is None in a plane that goes by the machine's."""

    def __init__(self, clock: VirtualClock | None) -> None:
        self._clock = clock

    async def handle(self, request: Request, rest: str) -> Answer:
        if rest:
            raise missing(f"there is nothing at clock/{rest}")
        allow(request, "GET", "POST")
        expect(request.query, ())
        if request.method == "POST":
            by = _duration(await read_json(request))
            if self._clock is None:
                raise BadRequest(
                    "this plane goes by its machine's clock, which nobody advances: start it with `kctl up --own-clock`"
                )
            await _advance(self._clock, by)
        return self._told()

    def _told(self) -> Response:
        ahead = self._clock.ahead if self._clock is not None else timedelta(0)
        seconds = timedelta(seconds=round(ahead.total_seconds()))
        advances = self._clock is not None
        return answer_json({"now": format_time(present()), "ahead": format_duration(seconds), "advances": advances})


async def _advance(clock: VirtualClock, by: timedelta) -> None:
    try:
        await clock.advance(by, within=_WITHIN)
    except NotAtRest as error:
        raise Timeout(f"{error}; it is {format_time(present())} there by now") from error
    except ValueError as error:
        raise BadRequest(str(error)) from error


def _duration(body: object) -> timedelta:
    if not isinstance(body, dict) or set(body) != {"advance"} or not isinstance(body["advance"], str):
        raise BadRequest('say by how much: {"advance": "1h30m"}')
    try:
        return parse_duration(body["advance"])
    except InvalidDuration as error:
        raise BadRequest(f"{go_quote(body['advance'])} is no duration, such as 90s, 5m or 1h30m") from error
