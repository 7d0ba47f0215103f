"""What an event says of its request."""

from __future__ import annotations

import logging

import pytest

from localplane.apimachinery.serializers import to_json
from localplane.apiserver.audit import EVERYTHING_AT_METADATA, AuditEvent, Auditor, Stage, annotate, current_event
from localplane.apiserver.audit.event import audit_id, request_uri, source_ips
from localplane.apiserver.request import Request, User
from tests.unit.audit.backend import Kept
from tests.unit.filters.requests import JANE, make_request


def event_of(request: Request) -> AuditEvent:
    event = Auditor(EVERYTHING_AT_METADATA, Kept()).begin(request)
    assert event is not None
    return event


def test_a_subresource_is_referred_to() -> None:
    event = event_of(make_request("GET", "/apis/apps/v1/namespaces/d/deployments/x/scale", user=JANE))
    assert event.document(Stage.RESPONSE_COMPLETE)["objectRef"] == {
        "resource": "deployments",
        "namespace": "d",
        "name": "x",
        "apiGroup": "apps",
        "apiVersion": "v1",
        "subresource": "scale",
    }


def test_a_user_is_told_with_uid_and_extra() -> None:
    user = User("u", uid="1", groups=("g",), extra={"k": ("v",)})
    document = event_of(make_request("GET", "/x", user=user)).document(Stage.PANIC)
    assert document["user"] == {"username": "u", "uid": "1", "groups": ["g"], "extra": {"k": ["v"]}}


def test_an_annotation_is_set_once(caplog: pytest.LogCaptureFixture) -> None:
    request = make_request("GET", "/x", user=JANE)
    annotate(request, "nobody", "listens")
    event = event_of(request)
    assert current_event(request) is event
    for value in ("a", "a", "b"):
        annotate(request, "k", value)
    assert event.document(Stage.PANIC)["annotations"] == {"k": "a"}
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_a_long_user_agent_is_cut() -> None:
    document = event_of(make_request("GET", "/x", headers={"User-Agent": "x" * 2000})).document(Stage.PANIC)
    assert document["userAgent"] == "x" * 1024 + "...TRUNCATED"


def test_bytes_that_are_no_text_can_be_written() -> None:
    headers = {"User-Agent": "a\udcff", "Audit-Id": "\udcff"}
    event = event_of(
        make_request("GET", "/api/v1/nodes/%FF", headers=headers, user=User("u\udcff", groups=("\udcff",)))
    )
    assert b"\xed" not in to_json(event.document(Stage.PANIC))
    to_json(event.document(Stage.PANIC)).decode()


def test_an_id_stays_the_same() -> None:
    request = make_request("GET", "/x")
    assert audit_id(request) == audit_id(request)


@pytest.mark.parametrize(
    "url", ["/api/v1/pods?watch=1&labelSelector=a%3Db", "/x", "/a%20b", "/x?a=1&a=2", "/api/v1/pods?watch="]
)
def test_the_uri_is_written_as_it_came(url: str) -> None:
    assert request_uri(make_request("GET", url)) == url


@pytest.mark.parametrize(
    ("headers", "remote", "expected"),
    [
        ({}, "127.0.0.1:1", ["127.0.0.1"]),
        ({}, "127.0.0.1", ["127.0.0.1"]),
        ({}, "[::1]:5", ["::1"]),
        ({}, "::1", ["::1"]),
        ({}, "", []),
        ({"X-Forwarded-For": "1.1.1.1, rubbish, 2.2.2.2"}, "3.3.3.3:1", ["1.1.1.1", "2.2.2.2", "3.3.3.3"]),
        ({"X-Forwarded-For": "1.1.1.1", "X-Real-Ip": "1.1.1.1"}, "1.1.1.1:1", ["1.1.1.1"]),
        ({"X-Real-Ip": "2.2.2.2"}, "1.1.1.1:1", ["2.2.2.2", "1.1.1.1"]),
    ],
)
def test_addresses_come_from_headers_and_the_connection(
    headers: dict[str, str], remote: str, expected: list[str]
) -> None:
    assert source_ips(make_request("GET", "/x", headers=headers, remote=remote)) == expected
