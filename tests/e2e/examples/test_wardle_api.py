"""What the sample's API does, told over HTTP: two versions, defaults, validation, conditional updates."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.e2e.examples.conftest import Flunders

BOTH = {"flunderReference": "a", "fischerReference": "b", "referenceType": "Flunder"}
BOTH_ARE_SET = (
    'Flunder.wardle.example.com "both" is invalid: spec.fischerReference: Invalid value: "b": '
    "cannot be set with flunderReference at the same time"
)
NOT_FOUND = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Failure",
    "message": "the server could not find the requested resource",
    "reason": "NotFound",
    "details": {},
    "code": 404,
}


def test_fischers_are_not_served_in_v1beta1(http: httpx.Client) -> None:
    answer = http.get("/apis/wardle.example.com/v1beta1/fischers")
    assert (answer.status_code, answer.json()) == (404, NOT_FOUND)
    assert http.get("/apis/wardle.example.com/v1alpha1/fischers").status_code == 200


def test_there_is_no_status_subresource(flunders: Flunders, http: httpx.Client) -> None:
    assert flunders.post("v1beta1", "x", {}).status_code == 201
    for method in ("GET", "PUT", "PATCH"):
        answer = http.request(method, flunders.path("v1beta1", "x/status"), json={})
        assert (answer.status_code, answer.json()) == (404, NOT_FOUND)


def test_a_reference_without_a_type_is_to_a_flunder(flunders: Flunders) -> None:
    answer = flunders.post("v1alpha1", "x", {"reference": "a"})
    assert answer.status_code == 201
    assert answer.json()["spec"] == {"reference": "a", "referenceType": "Flunder"}
    assert flunders.get("v1alpha1", "x")["spec"] == {"reference": "a", "referenceType": "Flunder"}


def test_nothing_is_defaulted_where_there_is_no_reference(flunders: Flunders) -> None:
    assert flunders.post("v1alpha1", "x", {}).status_code == 201
    assert flunders.get("v1alpha1", "x")["spec"] == {}


def test_v1beta1_has_no_defaults(flunders: Flunders) -> None:
    answer = flunders.post("v1beta1", "x", {"flunderReference": "a"})
    assert answer.status_code == 422
    assert answer.json()["message"] == (
        'Flunder.wardle.example.com "x" is invalid: spec.flunderReference: Invalid value: "a": '
        "cannot be set if referenceType is not Flunder"
    )


@pytest.mark.parametrize(
    ("alpha", "beta"),
    [
        (
            {"reference": "a", "referenceType": "Flunder"},
            {"flunderReference": "a", "referenceType": "Flunder"},
        ),
        (
            {"reference": "b", "referenceType": "Fischer"},
            {"fischerReference": "b", "referenceType": "Fischer"},
        ),
        ({}, {}),
    ],
)
def test_the_versions_say_the_same_in_their_own_words(
    flunders: Flunders, alpha: dict[str, str], beta: dict[str, str]
) -> None:
    assert flunders.post("v1alpha1", "old", alpha).json()["spec"] == alpha
    assert flunders.post("v1beta1", "new", beta).json()["spec"] == beta
    for name in ("old", "new"):
        assert flunders.get("v1alpha1", name)["spec"] == alpha
        assert flunders.get("v1beta1", name)["spec"] == beta
        assert flunders.get("v1alpha1", name)["apiVersion"] == "wardle.example.com/v1alpha1"
        assert flunders.get("v1beta1", name)["apiVersion"] == "wardle.example.com/v1beta1"


def test_a_list_is_in_the_version_that_was_asked_for(flunders: Flunders, http: httpx.Client) -> None:
    flunders.post("v1alpha1", "x", {"reference": "b", "referenceType": "Fischer"})
    found = http.get(flunders.path("v1beta1")).json()
    assert (found["apiVersion"], found["kind"]) == ("wardle.example.com/v1beta1", "FlunderList")
    assert [item["spec"] for item in found["items"]] == [{"fischerReference": "b", "referenceType": "Fischer"}]


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (
            {"flunderReference": "a", "fischerReference": "b", "referenceType": "Flunder"},
            'spec.fischerReference: Invalid value: "b": cannot be set with flunderReference at the same time',
        ),
        (
            {"flunderReference": "a", "referenceType": "Fischer"},
            'spec.flunderReference: Invalid value: "a": cannot be set if referenceType is not Flunder',
        ),
        (
            {"fischerReference": "b", "referenceType": "Flunder"},
            'spec.fischerReference: Invalid value: "b": cannot be set if referenceType is not Fischer',
        ),
        (
            {"referenceType": "Flunder"},
            'spec.flunderReference: Invalid value: "": cannot be empty if referenceType is Flunder',
        ),
        (
            {"referenceType": "Fischer"},
            'spec.fischerReference: Invalid value: "": cannot be empty if referenceType is Fischer',
        ),
        (
            {"referenceType": "Trout"},
            'spec.referenceType: Invalid value: "Trout": must be Flunder or Fischer',
        ),
        (
            {"flunderReference": "a", "referenceType": "Trout"},
            (
                '[spec.flunderReference: Invalid value: "a": cannot be set if referenceType is not Flunder, '
                'spec.referenceType: Invalid value: "Trout": must be Flunder or Fischer]'
            ),
        ),
    ],
)
def test_a_reference_must_be_of_the_type_that_is_told(flunders: Flunders, spec: dict[str, str], why: str) -> None:
    answer = flunders.post("v1beta1", "x", spec)
    assert (answer.status_code, answer.json()["reason"]) == (422, "Invalid")
    assert answer.json()["message"] == f'Flunder.wardle.example.com "x" is invalid: {why}'


def test_what_is_invalid_tells_which_field(flunders: Flunders) -> None:
    answer = flunders.post("v1beta1", "both", BOTH)
    assert answer.status_code == 422
    assert answer.json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": BOTH_ARE_SET,
        "reason": "Invalid",
        "details": {
            "name": "both",
            "group": "wardle.example.com",
            "kind": "Flunder",
            "causes": [
                {
                    "reason": "FieldValueInvalid",
                    "message": 'Invalid value: "b": cannot be set with flunderReference at the same time',
                    "field": "spec.fischerReference",
                }
            ],
        },
        "code": 422,
    }


def test_an_update_is_not_validated(flunders: Flunders) -> None:
    """As in the original. What v1alpha1, the storage version, has no words for is lost."""
    flunders.post("v1beta1", "x", {"flunderReference": "a", "referenceType": "Flunder"})
    answer = flunders.put("v1beta1", "x", flunders.get("v1beta1", "x") | {"spec": BOTH})
    assert answer.status_code == 200
    assert flunders.get("v1beta1", "x")["spec"] == {"flunderReference": "a", "referenceType": "Flunder"}


def test_an_update_must_tell_which_version_it_has_seen(flunders: Flunders) -> None:
    flunders.post("v1beta1", "x", {})
    seen = flunders.get("v1beta1", "x")
    del seen["metadata"]["resourceVersion"]
    answer = flunders.put("v1beta1", "x", seen)
    assert answer.status_code == 422
    assert answer.json()["message"] == (
        'flunders.wardle.example.com "x" is invalid: '
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    )


def test_a_stale_update_is_a_conflict(flunders: Flunders) -> None:
    flunders.post("v1beta1", "x", {})
    seen = flunders.get("v1beta1", "x")
    changed: dict[str, Any] = seen | {"spec": {"flunderReference": "a", "referenceType": "Flunder"}}
    assert flunders.put("v1beta1", "x", changed).status_code == 200
    answer = flunders.put("v1beta1", "x", changed)
    assert (answer.status_code, answer.json()["reason"]) == (409, "Conflict")
    assert answer.json()["message"] == (
        'Operation cannot be fulfilled on flunders.wardle.example.com "x": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )


def test_an_update_does_not_create(flunders: Flunders) -> None:
    flunders.post("v1beta1", "x", {})
    absent = flunders.get("v1beta1", "x")
    absent["metadata"]["name"] = "y"
    answer = flunders.put("v1beta1", "y", absent)
    assert answer.status_code == 404
    assert answer.json()["message"] == 'flunders.wardle.example.com "y" not found'


def test_a_version_that_lacks_a_field_says_so(flunders: Flunders) -> None:
    path = f"{flunders.path('v1beta1')}?fieldValidation=Strict"
    body = {"apiVersion": "wardle.example.com/v1beta1", "kind": "Flunder", "metadata": {"name": "x"}}
    answer = flunders.http.post(path, json=body | {"spec": {"reference": "a"}})
    assert answer.status_code == 400
    assert answer.json()["message"] == (
        'Flunder in version "v1beta1" cannot be handled as a Flunder: strict decoding error: '
        'unknown field "spec.reference"'
    )
