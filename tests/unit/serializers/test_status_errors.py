"""The sentences of Kubernetes' errors, and the Status objects that carry them."""

from __future__ import annotations

import pytest

from localplane.apimachinery.errors import (
    AlreadyExists,
    APIError,
    BadRequest,
    Conflict,
    Forbidden,
    InternalError,
    Invalid,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
    Timeout,
    Unauthorized,
    generic,
)
from localplane.apimachinery.fieldpath import required
from localplane.apimachinery.groups import GroupKind, GroupResource

WIDGETS = GroupResource("example.com", "widgets")
WIDGET = {"name": "w", "group": "example.com", "kind": "widgets"}


@pytest.mark.parametrize(
    ("error", "message", "details"),
    [
        (NotFound.of(WIDGETS, "w"), 'widgets.example.com "w" not found', WIDGET),
        (AlreadyExists.of(WIDGETS, "w"), 'widgets.example.com "w" already exists', WIDGET),
        (
            Conflict.of(WIDGETS, "w", "why"),
            'Operation cannot be fulfilled on widgets.example.com "w": why',
            WIDGET,
        ),
        (Forbidden.of(WIDGETS, "w", "why"), 'widgets.example.com "w" is forbidden: why', WIDGET),
        (
            Forbidden.of(WIDGETS, "", "why"),
            "widgets.example.com is forbidden: why",
            {"group": "example.com", "kind": "widgets"},
        ),
        (Forbidden.of(GroupResource("", ""), "", "why"), "forbidden: why", {}),
        (
            MethodNotAllowed.of(WIDGETS, "create"),
            'create is not supported on resources of kind "widgets.example.com"',
            {"group": "example.com", "kind": "widgets"},
        ),
        (RequestEntityTooLarge.of("limit is 3"), "Request entity too large: limit is 3", None),
        (Timeout.of("late"), "Timeout: late", {}),
        (InternalError.of("why"), "Internal error occurred: why", {"causes": [{"message": "why"}]}),
        (Unauthorized(), "Unauthorized", None),
        (BadRequest("no"), "no", None),
    ],
)
def test_errors_say_what_kubernetes_says(error: APIError, message: str, details: dict[str, object] | None) -> None:
    status = error.status()
    assert status["message"] == str(error) == message
    assert status.get("details") == details
    assert (status["reason"], status["code"]) == (error.reason, error.code)


def test_what_is_invalid_is_listed() -> None:
    error = required("metadata.name", "name or generateName is required")
    assert Invalid.of(GroupKind("", "ConfigMap"), "", [error]).status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        "reason": "Invalid",
        "details": {
            "kind": "ConfigMap",
            "causes": [
                {
                    "reason": "FieldValueRequired",
                    "message": "Required value: name or generateName is required",
                    "field": "metadata.name",
                }
            ],
        },
        "code": 422,
    }


@pytest.mark.parametrize(
    ("code", "reason", "message"),
    [
        (404, "NotFound", "the server could not find the requested resource"),
        (405, "MethodNotAllowed", "the server does not allow this method on the requested resource"),
        (406, "NotAcceptable", "said"),
        (422, "Invalid", "the server rejected our request due to an error in our request"),
        (500, "InternalError", 'an error on the server ("said") has prevented the request from succeeding'),
    ],
)
def test_what_no_handler_answered_has_a_general_sentence(code: int, reason: str, message: str) -> None:
    status = generic(code, server_message="said").status()
    assert (status["code"], status["reason"], status["message"], status["details"]) == (code, reason, message, {})
