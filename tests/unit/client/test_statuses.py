"""From answers to exceptions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from localplane.apimachinery import errors
from localplane.apimachinery.groups import GroupResource
from localplane.client.rest.statuses import Subject, from_answer, from_status

PODS = GroupResource("", "pods")


def _answer(
    code: int, body: Any, *, content_type: str = "application/json", subject: Subject | None = None
) -> errors.APIError:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return from_answer(code, data, content_type=content_type, retry_after=0, subject=subject or Subject("GET"))


@pytest.mark.parametrize(
    "error",
    [
        errors.NotFound.of(PODS, "a"),
        errors.AlreadyExists.of(PODS, "a"),
        errors.Conflict.of(PODS, "a", "it changed"),
        errors.Unauthorized(),
        errors.Timeout.of("too long", retry_after_seconds=3),
        errors.InternalError.of("oh"),
        errors.Expired("too old", continue_token="abc"),
    ],
)
def test_a_status_becomes_the_error_that_it_was_made_of(error: errors.APIError) -> None:
    found = _answer(error.code, error.status())
    assert type(found) is type(error)
    assert found.status() == error.status()


@pytest.mark.parametrize(
    ("reason", "code", "cls"),
    [
        ("Gone", 410, errors.Expired),
        ("ServerTimeout", 500, errors.InternalError),
        ("NeverHeardOf", 404, errors.NotFound),
        ("NeverHeardOf", 418, errors.APIError),
        ("", 409, errors.Conflict),
    ],
)
def test_reasons_that_nobody_knows_keep_their_name_and_code(reason: str, code: int, cls: type[errors.APIError]) -> None:
    found = from_status({"reason": reason, "code": code, "message": "what happened"})
    assert isinstance(found, cls)
    assert (found.reason, found.code, found.message, str(found)) == (reason, code, "what happened", "what happened")
    assert (cls.reason, cls.code) != ("NeverHeardOf", 418)


@pytest.mark.parametrize(
    ("code", "body", "content_type", "message"),
    [
        (404, b"404 page not found\n", "text/plain", "the server could not find the requested resource (get pods a)"),
        (403, b"no\n", "text/plain", "no (get pods a)"),
        (
            502,
            b"bad\n",
            "text/html",
            'an error on the server ("bad") has prevented the request from succeeding (get pods a)',
        ),
        (
            500,
            b"{}",
            "application/json",
            'an error on the server ("unknown") has prevented the request from succeeding (get pods a)',
        ),
        (
            302,
            b"",
            "",
            "the server responded with the status code 302 but did not return more information (get pods a)",
        ),
    ],
)
def test_an_answer_without_a_status_is_told_by_its_code(
    code: int, body: bytes, content_type: str, message: str
) -> None:
    found = _answer(code, body, content_type=content_type, subject=Subject("GET", PODS, "a"))
    assert found.message == message
    assert found.code == code
    assert found.causes[0].reason == "UnexpectedServerResponse"
