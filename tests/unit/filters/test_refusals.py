"""The two filters that only refuse: what comes in a way that nobody answers, and what comes too late."""

from __future__ import annotations

import pytest

from localplane.apiserver.endpoints.filters import Shutdown, shutdown, transport
from localplane.apiserver.request import Response, Transport
from tests.unit.filters.requests import Recorded, make_request

PLAIN = Transport(secure=False)


@pytest.mark.parametrize(
    ("came", "path", "headers", "status"),
    [
        (Transport(), "/", {"host": "evil.example.com"}, 200),
        (Transport(version=(1, 0)), "/", {}, 200),
        (Transport(), "", {}, 400),
        (Transport(version=(0, 9)), "/", {}, 400),
        (Transport(version=(2, 0)), "/", {}, 505),
        (Transport(version=(2, 0)), "", {}, 505),
        (Transport(head_too_large=True), "/", {}, 431),
        (PLAIN, "/", {"host": "localhost:6443"}, 200),
        (PLAIN, "/", {"host": "[::1]:6443"}, 200),
        (PLAIN, "/", {}, 200),
        (PLAIN, "/", {"host": "evil.example.com"}, 403),
        (PLAIN, "/", {"host": "localhost", "origin": "https://evil.example.com"}, 403),
        (PLAIN, "", {"host": "evil.example.com"}, 403),
        (Transport(secure=False, head_too_large=True), "/", {"host": "evil.example.com"}, 431),
    ],
)
async def test_what_nobody_answers_is_refused_and_its_connection_closed(
    came: Transport, path: str, headers: dict[str, str], status: int
) -> None:
    request, handler = make_request("GET", "/", headers=headers), Recorded()
    request.path, request.transport = path, came
    answer = await transport()(handler)(request)
    assert isinstance(answer, Response)
    assert (answer.status, bool(handler.requests)) == (status, status == 200)
    assert answer.headers.get("Connection") == (None if status == 200 else "close")


async def test_a_server_that_stops_refuses_all_but_health_and_metrics() -> None:
    progress, handler = Shutdown(), Recorded()
    filtered = shutdown(progress)(handler)
    assert (await filtered(make_request("GET", "/api"))).status == 200
    progress.refuses = True
    answers = [await filtered(make_request("GET", path)) for path in ("/readyz", "/livez/ping", "/metrics", "/api")]
    assert [answer.status for answer in answers] == [200, 200, 200, 503]
    assert answers[-1].headers["Retry-After"] == "1"
