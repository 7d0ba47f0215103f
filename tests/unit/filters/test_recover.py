"""Whatever happens further in, the client gets an answer."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import uuid
from collections.abc import AsyncIterator

import pytest

from localplane.apimachinery.errors import (
    APIError,
    BadRequest,
    Conflict,
    Forbidden,
    NotFound,
    ServiceUnavailable,
    generic,
)
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.endpoints.filters import recover
from localplane.apiserver.request import Answer, Request, Response, StreamResponse
from tests.unit.filters.requests import Recorded, make_request

CONFIG_MAPS = GroupResource("", "configmaps")


async def answered(outcome: Answer | BaseException, request: Request | None = None) -> Response:
    answer = await recover()(Recorded(outcome))(request or make_request("GET", "/api/v1/namespaces/d/configmaps/x"))
    assert isinstance(answer, Response)
    return answer


def body_of(answer: Response) -> bytes:
    assert isinstance(answer.body, bytes)
    return answer.body


async def test_an_api_error_becomes_its_status() -> None:
    error = NotFound.of(CONFIG_MAPS, "x")
    answer = await answered(error)
    assert (answer.status, answer.content_type) == (404, "application/json")
    assert json.loads(body_of(answer)) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'configmaps "x" not found',
        "reason": "NotFound",
        "details": {"name": "x", "kind": "configmaps"},
        "code": 404,
    }


async def test_an_error_says_how_it_may_be_cached_and_nothing_of_sniffing() -> None:
    answer = await answered(NotFound.of(CONFIG_MAPS, "x"))
    assert answer.headers["Cache-Control"] == "no-cache, private"
    assert "X-Content-Type-Options" not in answer.headers
    assert "Access-Control-Allow-Origin" not in answer.headers


async def test_a_refusal_must_not_be_taken_for_a_page() -> None:
    answer = await answered(Forbidden.of(CONFIG_MAPS, "x", "no"))
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_when_to_try_again_is_a_header_too() -> None:
    answer = await answered(ServiceUnavailable("apiserver is shutting down", retry_after_seconds=1))
    assert answer.status == 503
    assert answer.headers["Retry-After"] == "1"
    assert json.loads(body_of(answer))["details"] == {"retryAfterSeconds": 1}
    assert "Retry-After" not in (await answered(BadRequest("no"))).headers


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("application/yaml", "application/yaml"),
        ("application/json;q=0.1,application/yaml;q=0.9", "application/yaml"),
        ("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "application/json"),
        ("application/vnd.kubernetes.protobuf,application/json", "application/vnd.kubernetes.protobuf"),
        ("application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf"),
        ("application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", "application/json"),
        ("text/html", "application/json"),
        ("*/*", "application/json"),
        (";;;,,=", "application/json"),
    ],
)
async def test_the_status_comes_in_the_form_the_client_likes(accept: str, content_type: str) -> None:
    request = make_request("GET", "/api/v1/nodes/x", headers={"Accept": accept})
    answer = await answered(NotFound.of(CONFIG_MAPS, "x"), request)
    assert answer.content_type == content_type
    expected = {"json": rb'^\{"kind":"Status"', "yaml": rb"(?m)^kind: Status$", "protobuf": rb"^k8s\x00.*Status"}
    assert re.search(expected[re.split(r"[/.]", content_type)[-1]], body_of(answer), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("url", "agent", "pretty"),
    [
        ("/api/v1/nodes/x?pretty=true", "kubectl", True),
        ("/api/v1/nodes/x?pretty=1", "", True),
        ("/api/v1/nodes/x", "curl/8.0", True),
        ("/api/v1/nodes/x?pretty=false", "curl/8.0", False),
        ("/api/v1/nodes/x", "kubectl/v1.36", False),
    ],
)
async def test_people_get_it_pretty(url: str, agent: str, pretty: bool) -> None:  # noqa: FBT001 - a column of the table
    answer = await answered(NotFound.of(CONFIG_MAPS, "x"), make_request("GET", url, headers={"User-Agent": agent}))
    assert body_of(answer).startswith(b'{\n  "kind"' if pretty else b'{"kind"')


async def test_half_a_character_in_a_message_is_no_obstacle() -> None:
    for accept in ("application/json", "application/yaml"):
        request = make_request("GET", "/api/v1/nodes/x", headers={"Accept": accept})
        answer = await answered(BadRequest("bad \udcff name"), request)
        assert answer.status == 400
        assert b"bad" in body_of(answer)


async def test_a_bug_is_a_500_that_tells_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        answer = await answered(KeyError("the secret reason"))
    assert (answer.status, answer.content_type) == (500, "text/plain; charset=utf-8")
    assert answer.body == b"This request caused apiserver to panic. Look in the logs for details.\n"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    (record,) = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], KeyError)
    assert answer.headers["Audit-Id"] in record.getMessage()


async def test_a_path_can_not_write_lines_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    await answered(RuntimeError(), make_request("GET", "/x%0Aerror: all is lost"))
    assert "\n" not in caplog.records[0].getMessage()


async def test_a_cancellation_goes_on_its_way() -> None:
    with pytest.raises(asyncio.CancelledError):
        await answered(asyncio.CancelledError())
    with pytest.raises(BaseExceptionGroup):
        await answered(BaseExceptionGroup("both", [asyncio.CancelledError(), BadRequest("no")]))


async def test_an_api_error_alone_in_groups_is_still_an_api_error() -> None:
    error: APIError = Conflict("changed")
    assert (await answered(ExceptionGroup("outer", [ExceptionGroup("inner", [error])]))).status == 409


async def test_an_api_error_among_others_is_a_bug() -> None:
    answer = await answered(ExceptionGroup("two", [Conflict("changed"), ValueError("odd")]))
    assert answer.status == 500
    assert b"panic" in body_of(answer)


async def test_what_the_router_says_keeps_its_empty_details() -> None:
    assert json.loads(body_of(await answered(generic(405))))["details"] == {}


async def test_an_audit_id_is_made_or_kept() -> None:
    made = (await answered(Response(200))).headers["Audit-Id"]
    assert uuid.UUID(made).version == 4
    request = make_request("GET", "/healthz", headers={"Audit-Id": "mine"})
    assert (await answered(Response(200), request)).headers["Audit-Id"] == "mine"


async def test_an_audit_id_that_no_header_can_hold_is_replaced() -> None:
    request = make_request("GET", "/healthz", headers={"Audit-Id": "m\udcffne"})
    assert uuid.UUID((await answered(Response(200), request)).headers["Audit-Id"])


async def test_a_handler_may_keep_its_answer() -> None:
    kept = Response(200, b"ok", headers={"ETag": "1"})
    first, second = await answered(kept), await answered(kept)
    assert kept.headers == {"ETag": "1"}
    assert first.headers["Audit-Id"] != second.headers["Audit-Id"]
    assert first.headers["ETag"] == "1"


async def test_what_a_handler_says_of_caching_stands() -> None:
    answer = await answered(Response(200, headers={"Cache-Control": "public"}))
    assert answer.headers["Cache-Control"] == "public"


async def test_streams_get_the_common_headers_too() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"line\n"

    async def close() -> None:
        pass

    stream = StreamResponse(pieces(), close)
    answer = await recover()(Recorded(stream))(make_request("GET", "/api/v1/pods?watch=1"))
    assert isinstance(answer, StreamResponse)
    assert answer.headers["Cache-Control"] == "no-cache, private"
    assert [piece async for piece in answer.pieces] == [b"line\n"]
