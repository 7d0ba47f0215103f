"""The border at which a StorageError becomes what a client is told."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from localplane.apimachinery import errors as api
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.registry.errors import after_a_write, interpret, interpret_list
from localplane.apiserver.storage import data_directory, high_water
from localplane.apiserver.storage import errors as storage
from localplane.apiserver.storage.etcd.client import failures
from localplane.apiserver.storage.etcd.program import binary, faults
from localplane.apiserver.storage.etcd.program.install import errors as install
from localplane.apiserver.storage.sqlite import errors as sqlite

CONFIGMAPS = GroupResource("", "configmaps")
NAMED = {"name": "a", "kind": "configmaps"}
SOON = {"retryAfterSeconds": 1}
ROOMS = (data_directory, high_water, binary, faults, failures, install, sqlite)  # each with errors of its own
ANYTHING = ("key", "value", "why", "continue_token")
LARGE = {"causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}], **SOON}

CONFLICT = (
    'Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /k, '
    "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: no"
)
UNKNOWN = "the store did not say what became of this write, and it may or may not have happened"

Row = tuple[storage.StorageError, int, str, str, dict[str, Any]]

OF_ONE_OBJECT: list[Row] = [
    (storage.KeyNotFound("k"), 404, "NotFound", 'configmaps "a" not found', NAMED),
    (storage.KeyExists("k"), 409, "AlreadyExists", 'configmaps "a" already exists', NAMED),
    (
        storage.PreconditionFailed("/k", "Precondition failed: no"),
        409,
        "Conflict",
        CONFLICT,
        NAMED,
    ),
    (
        storage.InvalidResourceVersion("x"),
        500,
        "",
        'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
        {},
    ),
    (storage.InvalidKey("k", "why"), 404, "NotFound", 'configmaps "a" not found', NAMED),
    (
        storage.ResourceVersionOnCreate(),
        500,
        "",
        "resourceVersion should not be set on objects to be created",
        {},
    ),
]

OF_A_LIST: list[Row] = [
    (
        storage.InvalidResourceVersion("x"),
        400,
        "BadRequest",
        'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
        {},
    ),
    (
        storage.InvalidContinueToken("continue key is not valid: x"),
        400,
        "BadRequest",
        "invalid continue token: continue key is not valid: x",
        {},
    ),
    (
        storage.InvalidContinueToken("specifying resource version is not allowed when using continue"),
        400,
        "BadRequest",
        "specifying resource version is not allowed when using continue",
        {},
    ),
]

OF_BOTH: list[Row] = [
    (storage.InvalidObject("why"), 400, "BadRequest", "the object can't be stored: why", {}),
    (storage.ResourceVersionTooOld("too old"), 410, "Expired", "too old", {}),
    (
        storage.ResourceVersionTooLarge(9, 5),
        504,
        "Timeout",
        "Timeout: Too large resource version: 9, current: 5",
        LARGE,
    ),
    (
        storage.NotReady("storage is (re)initializing"),
        429,
        "TooManyRequests",
        "storage is (re)initializing",
        SOON,
    ),
    (
        storage.RequestTooLarge("etcdserver: request is too large"),
        413,
        "RequestEntityTooLarge",
        "Request entity too large: etcdserver: request is too large",
        {},
    ),
    (storage.TimedOut("no answer"), 504, "Timeout", f"Timeout: {UNKNOWN}: no answer", {}),
    (storage.Unavailable("cut", may_have_happened=True), 504, "Timeout", f"Timeout: {UNKNOWN}: cut", {}),
    (storage.Unavailable("gone"), 503, "ServiceUnavailable", "gone", SOON),
    (storage.NoSpace("full"), 503, "ServiceUnavailable", "full", SOON),
    (storage.NotPermitted("another leads"), 503, "ServiceUnavailable", "another leads", {}),
    (
        storage.CorruptObject("k", "why"),
        500,
        "InternalError",
        "Internal error occurred: the object stored under k can't be read: why",
        {},
    ),
    (
        storage.CompareFailed("k", None),
        500,
        "InternalError",
        "Internal error occurred: another revision is stored under k",
        {},
    ),
]


@pytest.mark.parametrize(("error", "code", "reason", "message", "details"), [*OF_ONE_OBJECT, *OF_BOTH])
def test_each_error_about_an_object_has_its_status(
    error: storage.StorageError, code: int, reason: str, message: str, details: dict[str, Any]
) -> None:
    status = interpret(error, resource=CONFIGMAPS, name="a").status()
    assert (status["code"], status.get("reason", ""), status["message"]) == (code, reason, message)
    assert status.get("details", {}) == details


@pytest.mark.parametrize(("error", "code", "reason", "message", "details"), [*OF_A_LIST, *OF_BOTH])
def test_each_error_about_a_list_has_its_status(
    error: storage.StorageError, code: int, reason: str, message: str, details: dict[str, Any]
) -> None:
    status = interpret_list(error).status()
    assert (status["code"], status.get("reason", ""), status["message"]) == (code, reason, message)
    assert status.get("details", {}) == details


def below(kind: type[storage.StorageError]) -> set[type[storage.StorageError]]:
    return {kind}.union(*(below(child) for child in kind.__subclasses__()))


def test_no_storage_error_is_left_out_of_the_tables() -> None:
    known = {kind for kind in below(storage.StorageError) if kind.__module__ == storage.__name__}
    named = {type(row[0]) for row in (*OF_ONE_OBJECT, *OF_A_LIST, *OF_BOTH)}
    assert known - {storage.StorageError} == named


@pytest.mark.parametrize("kind", sorted(below(storage.StorageError), key=str))
@pytest.mark.parametrize("name", ["a", ""])
def test_nobody_is_invited_to_try_again_what_may_have_happened(kind: type[storage.StorageError], name: str) -> None:
    """Also by an error of a room of its own, or of one that is yet to come."""
    error = kind.__new__(kind)
    Exception.__init__(error, "why")
    vars(error).update(dict.fromkeys(ANYTHING, "x"), may_have_happened=True)
    may = isinstance(error, storage.Unavailable)
    for told in (interpret(error, resource=CONFIGMAPS, name=name), interpret_list(error)):
        if may:
            assert (told.code, told.retry_after_seconds) == (504, 0)
            assert "may or may not have happened" in told.message
        assert told.status().get("details", {}).get("retryAfterSeconds", 0) == told.retry_after_seconds


def test_only_what_carries_the_knowledge_may_have_happened() -> None:
    """An error that a write in doubt can raise has to be an Unavailable: nothing else is looked at."""
    assert {kind for kind in below(storage.StorageError) if "may_have_happened" in _parameters(kind)} <= below(
        storage.Unavailable
    )


def _parameters(kind: type[storage.StorageError]) -> set[str]:
    return set(inspect.signature(kind.__init__).parameters)


def test_after_a_write_nobody_is_invited() -> None:
    told = after_a_write(interpret(storage.Unavailable("gone"), resource=CONFIGMAPS, name="a"))
    assert (told.code, told.retry_after_seconds) == (503, 0)
    assert "details" not in told.status()


def test_a_bad_place_is_the_clients_mistake_in_a_list_and_in_a_watch() -> None:
    error = storage.InvalidKey("/pods/..", "why")
    for told in (interpret_list(error), interpret(error, resource=CONFIGMAPS, name="")):
        assert (told.code, told.message) == (400, "invalid key '/pods/..': why")


@pytest.mark.parametrize("error", [storage.KeyNotFound("k"), storage.InvalidKey("k", "why")])
def test_a_name_is_quoted_as_go_does(error: storage.StorageError) -> None:
    assert interpret(error, resource=CONFIGMAPS, name="\x00").message == 'configmaps "\\x00" not found'


def test_a_resource_of_a_group_is_named_with_it() -> None:
    deployments = GroupResource("apps", "deployments")
    status = interpret(storage.KeyNotFound("k"), resource=deployments, name="a").status()
    assert status["message"] == 'deployments.apps "a" not found'
    assert status["details"] == {"name": "a", "group": "apps", "kind": "deployments"}


def test_a_store_that_is_away_is_told_in_full() -> None:
    error = interpret_list(storage.Unavailable("the store can't be reached"))
    assert error.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "the store can't be reached",
        "reason": "ServiceUnavailable",
        "details": {"retryAfterSeconds": 1},
        "code": 503,
    }
    assert [*error.status()] == ["kind", "apiVersion", "metadata", "status", "message", "reason", "details", "code"]
    assert error.retry_after_seconds == 1


def test_a_list_that_can_go_on_is_told_how() -> None:
    status = interpret_list(storage.ResourceVersionTooOld("too old", continue_token="abc")).status()
    assert status["metadata"] == {"continue": "abc"}
    assert "details" not in status


def test_a_cause_tells_its_field_if_it_has_one() -> None:
    causes = (api.Cause("FieldValueInvalid", "no", "spec"), api.Cause("Unknown", "no"))
    assert api.BadRequest("no", causes=causes).status()["details"] == {
        "causes": [
            {"reason": "FieldValueInvalid", "message": "no", "field": "spec"},
            {"reason": "Unknown", "message": "no"},
        ]
    }


def test_the_status_is_made_anew_each_time() -> None:
    error = api.NotFound("no", details={"name": "a"}, retry_after_seconds=2)
    error.status()["details"]["name"] = "changed"
    assert error.status()["details"] == {"name": "a", "retryAfterSeconds": 2}
