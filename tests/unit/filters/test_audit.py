"""What is recorded of a request, stage by stage."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.audit import Auditor, Level, Policy, Rule, Stage
from localplane.apiserver.endpoints.filters import audit
from localplane.apiserver.request import Answer, Request, Response, StreamResponse
from tests.unit.audit.backend import Kept
from tests.unit.filters.requests import JANE, Recorded, make_request

LIST = "/api/v1/namespaces/d/secrets"
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "s", "uid": "u", "managedFields": [{"manager": "m"}]},
    "data": {"password": "aHVudGVyMg=="},
}


class Reads:
    """A handler that reads the body, as a create does."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def __call__(self, request: Request) -> Answer:
        await request.read_body(1 << 20)
        return self._answer


def policy(level: Level, **options: Any) -> Policy:
    return Policy((Rule(level),), **options)


def creation() -> Request:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer t", "User-Agent": "kubectl"}
    return make_request("POST", LIST, body=json.dumps(SECRET).encode(), headers=headers, user=JANE)


async def created(level: Level, **options: Any) -> list[dict[str, Any]]:
    backend = Kept()
    handler = audit(Auditor(policy(level, **options), backend))(Reads(Response(201, json.dumps(SECRET).encode())))
    await handler(creation())
    return backend.events


async def test_a_request_is_recorded_when_it_comes_and_when_it_is_done() -> None:
    first, second = await created(Level.METADATA)
    assert (first["stage"], second["stage"]) == ("RequestReceived", "ResponseComplete")
    assert "responseStatus" not in first
    assert first["stageTimestamp"] == first["requestReceivedTimestamp"] == second["requestReceivedTimestamp"]
    assert second["stageTimestamp"] >= first["stageTimestamp"]
    assert first["auditID"] == second["auditID"]
    assert {name: second[name] for name in second if "imestamp" not in name and name != "auditID"} == {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "Metadata",
        "stage": "ResponseComplete",
        "requestURI": LIST,
        "verb": "create",
        "user": {"username": "jane", "groups": ["system:authenticated"]},
        "sourceIPs": ["127.0.0.1"],
        "userAgent": "kubectl",
        "objectRef": {"resource": "secrets", "namespace": "d", "apiVersion": "v1", "name": "s", "uid": "u"},
        "responseStatus": {"metadata": {}, "code": 201},
    }


@pytest.mark.parametrize(
    ("level", "request_seen", "response_seen"),
    [(Level.METADATA, False, False), (Level.REQUEST, True, False), (Level.REQUEST_RESPONSE, True, True)],
)
async def test_bodies_are_recorded_only_where_the_policy_says_so(
    level: Level,
    request_seen: bool,  # noqa: FBT001 - a column of the table
    response_seen: bool,  # noqa: FBT001 - a column of the table
) -> None:
    events = await created(level)
    assert (events[-1].get("requestObject") == SECRET) is request_seen
    assert (events[-1].get("responseObject") == SECRET) is response_seen
    assert ("aHVudGVyMg==" in str(events)) is (request_seen or response_seen)
    assert "Bearer" not in str(events)


async def test_managed_fields_can_be_left_out() -> None:
    events = await created(Level.REQUEST_RESPONSE, omit_managed_fields=True)
    assert events[-1]["requestObject"]["metadata"] == {"name": "s", "uid": "u"}
    assert events[-1]["responseObject"]["metadata"] == {"name": "s", "uid": "u"}


async def test_stages_can_be_left_out() -> None:
    (event,) = await created(Level.METADATA, omit_stages=frozenset((Stage.REQUEST_RECEIVED,)))
    assert event["stage"] == "ResponseComplete"


async def test_what_the_policy_does_not_want_is_not_recorded() -> None:
    assert await created(Level.NONE) == []


async def test_yaml_is_recorded_as_json_and_rubbish_not_at_all() -> None:
    for body, seen in ((b"kind: Secret\n", {"kind": "Secret"}), (b"a: [", None), (b"\xff\xfe", None)):
        backend = Kept()
        request = make_request("POST", LIST, body=body, headers={"Content-Type": "application/yaml"}, user=JANE)
        await audit(Auditor(policy(Level.REQUEST), backend))(Reads(Response(201)))(request)
        assert backend.events[-1].get("requestObject") == seen


async def failed(error: BaseException, level: Level = Level.METADATA, url: str = f"{LIST}/x") -> Kept:
    backend = Kept()
    with pytest.raises(type(error)):
        await audit(Auditor(policy(level), backend))(Recorded(error))(make_request("GET", url, user=JANE))
    return backend


async def test_an_error_is_recorded_with_what_it_said() -> None:
    error = NotFound.of(GroupResource("", "secrets"), "x")
    backend = await failed(error)
    assert backend.stages == ["RequestReceived", "ResponseComplete"]
    assert backend.events[-1]["responseStatus"] == {
        "metadata": {},
        "status": "Failure",
        "message": 'secrets "x" not found',
        "reason": "NotFound",
        "details": {"name": "x", "kind": "secrets"},
        "code": 404,
    }
    assert (await failed(error, Level.REQUEST_RESPONSE)).events[-1]["responseObject"] == error.status()


async def test_a_bug_is_recorded_as_a_panic() -> None:
    backend = await failed(KeyError("oops"))
    assert backend.stages == ["RequestReceived", "Panic"]
    status = backend.events[-1]["responseStatus"]
    assert (status["code"], status["reason"], status["message"]) == (500, "InternalError", "APIServer panic'd: 'oops'")


async def test_a_client_that_hung_up_is_recorded() -> None:
    backend = await failed(asyncio.CancelledError())
    assert backend.stages == ["RequestReceived", "ResponseComplete"]
    assert backend.events[-1]["responseStatus"]["message"] == "Connection closed early"


async def test_a_refused_watch_starts_and_completes() -> None:
    backend = await failed(NotFound("no"), url=f"{LIST}?watch=1")
    assert backend.stages == ["RequestReceived", "ResponseStarted", "ResponseComplete"]


async def test_a_watch_is_complete_when_it_is_closed() -> None:
    closed: list[bool] = []

    async def pieces() -> AsyncIterator[bytes]:
        yield b"event\n"

    async def close() -> None:
        closed.append(True)

    backend = Kept()
    handler = audit(Auditor(policy(Level.REQUEST_RESPONSE), backend))(Recorded(StreamResponse(pieces(), close)))
    answer = await handler(make_request("GET", f"{LIST}?watch=1", user=JANE))
    assert backend.stages == ["RequestReceived", "ResponseStarted"]
    assert isinstance(answer, StreamResponse)
    assert [piece async for piece in answer.pieces] == [b"event\n"]
    await answer.close()
    assert closed == [True]
    assert backend.stages == ["RequestReceived", "ResponseStarted", "ResponseComplete"]
    assert backend.events[-1]["responseStatus"] == {"metadata": {}, "code": 200}
    assert "responseObject" not in backend.events[-1]


async def test_the_status_of_a_deletion_is_told_at_every_level() -> None:
    body = b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"x"}}'
    backend = Kept()
    await audit(Auditor(policy(Level.METADATA), backend))(Recorded(Response(200, body)))(
        make_request("DELETE", f"{LIST}/x", user=JANE)
    )
    assert backend.events[-1]["responseStatus"] == {
        "metadata": {},
        "status": "Success",
        "details": {"name": "x"},
        "code": 200,
    }


async def test_lists_in_pieces_are_put_together() -> None:
    backend = Kept()
    body = [b'{"items":[', b'{"metadata":{"managedFields":[],"name":"a"}}', b"]}"]
    await audit(Auditor(policy(Level.REQUEST_RESPONSE, omit_managed_fields=True), backend))(
        Recorded(Response(200, body))
    )(make_request("GET", LIST, user=JANE))
    assert backend.events[-1]["responseObject"] == {"items": [{"metadata": {"name": "a"}}]}


async def test_paths_that_are_no_resources_have_no_bodies() -> None:
    backend = Kept()
    handler = audit(Auditor(policy(Level.REQUEST_RESPONSE), backend))(Reads(Response(200, b'{"major":"1"}')))
    await handler(make_request("GET", "/version", user=JANE, body=b"{}"))
    assert "responseObject" not in backend.events[-1]
    assert "requestObject" not in backend.events[-1]
    assert "objectRef" not in backend.events[-1]


def test_without_an_auditor_there_is_no_filter() -> None:
    handler = Recorded()
    assert audit(None)(handler) is handler
