"""Which requests are told, and how: everything a client may say about it, and what is wrong with it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from localplane.apimachinery.errors import BadRequest, MethodNotAllowed, NotFound
from localplane.apiserver.request import Response, StreamResponse, User, whole_body
from localplane.apiserver.request_log import RequestLog
from localplane.instruments.requests import Requests
from tests.unit.filters.requests import ADMIN, JANE, make_request

ROBOT = User("system:serviceaccount:shop:robot", groups=("system:serviceaccounts",))
ASKED = (
    ("GET", "/api/v1/namespaces/shop/pods/web-0", JANE, 200),
    ("GET", "/api/v1/pods?watch=true", ROBOT, 200),
    ("PATCH", "/apis/apps/v1/namespaces/shop/deployments/web/status", ROBOT, 409),
    ("POST", "/api/v1/namespaces/home/configmaps", ROBOT, 403),
    ("GET", "/healthz", User("system:anonymous"), 200),
    ("GET", "/localplane/v1/requests", ADMIN, 200),
    ("GET", "/api/v1/nodes", ADMIN, 503),
)


@pytest.fixture
def instrument() -> Requests:
    log = RequestLog()
    for method, path, user, status in ASKED:
        request = make_request(method, path, user=user, headers={"User-Agent": "tester/1"})
        request.target = path
        log.requests.note(request, Response(status, headers={"Audit-Id": "id"}), 7, 1.0, 0.25)
    inner = make_request("GET", "/api/v1/secrets", user=ADMIN)
    log.internal.note(inner, Response(200), 7, 2.0, 0.25)
    return Requests(log)


async def told(instrument: Requests, query: str) -> list[dict[str, Any]]:
    answer = await instrument.handle(make_request("GET", f"/localplane/v1/requests?{query}"), "")
    assert isinstance(answer, Response)
    requests: list[dict[str, Any]] = orjson.loads(await whole_body(answer.body))["requests"]
    return requests


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [0, 1, 2, 3, 4, 6]),
        ("user=jane", [0]),
        ("user=jane&user=admin", [0, 6]),
        ("user=jane,admin", [0, 6]),
        ("user=system:serviceaccount:*", [1, 2, 3]),
        ("user=jan", []),
        ("verb=watch", [1]),
        ("verb=GET,PATCH", [0, 2, 4]),
        ("verb=list", [6]),
        ("resource=pods", [0, 1]),
        ("resource=deployments", []),
        ("resource=deployments/status", [2]),
        ("resource=deployments.apps/status", [2]),
        ("resource=deployments.apps/*", [2]),
        ("resource=pods/*", [0, 1]),
        ("namespace=shop", [0, 2]),
        ("name=web", [2]),
        ("status=4xx", [2, 3]),
        ("status=403", [3]),
        ("status=403,5xx", [3, 6]),
        ("tail=2", [4, 6]),
        ("tail=1&verb=watch,patch", [2]),
        ("since=2000-01-01T00:00:00Z", [0, 1, 2, 3, 4, 6]),
        ("since=2100-01-01T00:00:00Z", []),
        ("since=1000000h", [0, 1, 2, 3, 4, 6]),
    ],
)
async def test_those_are_told_that_are_asked_for(instrument: Requests, query: str, expected: list[int]) -> None:
    assert [each["uri"] for each in await told(instrument, query)] == [ASKED[number][1] for number in expected]


async def test_those_from_inside_and_those_to_instruments_are_told_on_request(instrument: Requests) -> None:
    every = await told(instrument, "internal=true")
    assert [each["uri"] for each in every] == [*(asked[1] for asked in ASKED), "/api/v1/secrets"]
    assert [each.get("internal", False) for each in every] == [False] * 7 + [True]


async def test_a_request_is_told_with_its_parts(instrument: Requests) -> None:
    (only,) = await told(instrument, "verb=patch")
    del only["time"]
    assert only == {
        "method": "PATCH",
        "uri": "/apis/apps/v1/namespaces/shop/deployments/web/status",
        "verb": "patch",
        "apiGroup": "apps",
        "apiVersion": "v1",
        "resource": "deployments",
        "subresource": "status",
        "namespace": "shop",
        "name": "web",
        "user": "system:serviceaccount:shop:robot",
        "groups": ["system:serviceaccounts"],
        "userAgent": "tester/1",
        "requestID": "id",
        "status": 409,
        "watch": False,
        "bytes": 7,
        "durationSeconds": 0.25,
    }


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("status=teapot", '"teapot" is no status: it is a number such as 404, or 4xx'),
        ("status=99", '"99" is no status'),
        ("status=9" + "9" * 5000, "is no status"),
        ("since=yesterday", '"yesterday" is neither a time'),
        ("since=-5m", '"-5m" is neither a time'),
        ("tail=-1", 'tail is how many requests to show, not "-1"'),
        ("tail=²", "tail is how many requests to show"),
        ("internal=maybe", 'internal is true or false, not "maybe"'),
        ("follow=1", 'follow is true or false, not "1"'),
        ("users=jane", 'there is no parameter "users"; there are: follow, internal, name'),
    ],
)
async def test_what_cannot_be_read_is_refused(instrument: Requests, query: str, sentence: str) -> None:
    with pytest.raises(BadRequest) as refusal:
        await told(instrument, query)
    assert sentence in str(refusal.value)


async def test_there_is_one_path_and_one_method(instrument: Requests) -> None:
    with pytest.raises(NotFound, match="requests has nothing below it"):
        await instrument.handle(make_request("GET", "/localplane/v1/requests/x"), "x")
    with pytest.raises(MethodNotAllowed, match="this path takes GET, not DELETE"):
        await instrument.handle(make_request("DELETE", "/localplane/v1/requests"), "")


async def test_whoever_follows_gets_the_last_ones_first(instrument: Requests) -> None:
    answer = await instrument.handle(make_request("GET", "/localplane/v1/requests?follow=true&tail=2"), "")
    assert isinstance(answer, StreamResponse)
    lines = [orjson.loads(await anext(answer.pieces)) for _ in range(2)]
    assert [line["uri"] for line in lines] == ["/healthz", "/api/v1/nodes"]
    await answer.close()
    assert not instrument.log.requests.readers
