"""Errors, as kubectl prints them."""

from __future__ import annotations

import pytest

from kctl.errors import Ended, KctlError, SeveralErrors, UsageError, report, with_source
from localplane.apimachinery.errors import APIError, Cause, Conflict, Invalid, NotFound, Unauthorized
from localplane.client.errors import ConnectionRefused, InvalidConfig, RequestTimedOut

ABOUT = {"kind": "ConfigMap", "name": "a"}

SENTENCES: list[tuple[Exception, str | None]] = [
    (KctlError("no"), "error: no"),
    (KctlError("error: no"), "error: no"),
    (KctlError("no", verbatim=True), "no"),
    (UsageError("no", hint="See help."), "error: no\nSee help."),
    (Ended(3), ""),
    (NotFound('pods "x" not found'), 'Error from server (NotFound): pods "x" not found'),
    (APIError("odd"), "Error from server: odd"),
    (Unauthorized(), "error: You must be logged in to the server (Unauthorized)"),
    (Invalid("all", details=ABOUT), 'The ConfigMap "a" is invalid'),
    (
        Invalid("all", details=ABOUT, causes=(Cause("", "Required value", "data"),)),
        'The ConfigMap "a" is invalid: data: Required value',
    ),
    (
        Invalid("all", details=ABOUT, causes=(Cause("", "one", "a"), Cause("", "one", "a"), Cause("", "two", "b"))),
        'The ConfigMap "a" is invalid: \n* a: one\n* b: two',
    ),
    (Invalid("all"), "The request is invalid: all"),
    (Invalid("all", details={}), "The request is invalid: all"),
    (
        ConnectionRefused("x", address="127.0.0.1:1"),
        "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?",
    ),
    (RequestTimedOut("x", reason="too late"), "Unable to connect to the server: too late"),
    (InvalidConfig(["no server"]), "error: no server"),
    (
        InvalidConfig(["context was not found for specified context: x"]),
        "Error in configuration: context was not found for specified context: x",
    ),
    (InvalidConfig(["one", "two"]), "Error in configuration: \n* one\n* two"),
    (SeveralErrors([KctlError("one"), NotFound("two")]), "one\nError from server (NotFound): two"),
    (ValueError("a fault of ours"), None),
]


@pytest.mark.parametrize(("error", "sentence"), SENTENCES, ids=[repr(error)[:60] for error, _ in SENTENCES])
def test_every_error_has_kubectls_sentence(error: Exception, sentence: str | None) -> None:
    assert report(error) == sentence


def test_a_servers_error_says_which_file_it_is_about_and_stays_what_it_is() -> None:
    error = with_source(Conflict("too late"), "replacing", "a.yaml")
    assert isinstance(error, Conflict)
    assert report(error) == 'Error from server (Conflict): error when replacing "a.yaml": too late'
