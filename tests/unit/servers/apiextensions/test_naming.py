"""Who gets which names."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.servers.apiextensions.acceptance import settled
from localplane.servers.apiextensions.names import TakenNames, decide
from tests.unit.servers.apiextensions.definitions import good

NOBODY = TakenNames.by([])
OURS = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}


@pytest.mark.parametrize(
    ("taken", "reason", "given"),
    [
        ({}, "NoConflicts", OURS),
        ({"plural": "widgets"}, "PluralConflict", {key: OURS[key] for key in ("singular", "kind", "listKind")}),
        ({"shortNames": ["widget"]}, "SingularConflict", {key: OURS[key] for key in ("plural", "kind", "listKind")}),
        ({"kind": "Widget", "listKind": "WidgetList"}, "ListKindConflict", {"plural": "widgets", "singular": "widget"}),
    ],
)
def test_names_are_taken_by_whoever_comes_first(taken: dict[str, Any], reason: str, given: dict[str, Any]) -> None:
    naming = decide(good(), TakenNames.by([taken]))
    assert (naming.accepted["reason"], naming.names) == (reason, given)


def test_all_short_names_that_are_taken_are_told() -> None:
    obj = good()
    obj["spec"]["names"]["shortNames"] = ["a", "b", "c"]
    naming = decide(obj, TakenNames.by([{"shortNames": ["a", "b"]}]))
    assert naming.accepted["message"] == '["a" is already in use, "b" is already in use]'


def test_a_definition_is_settled_in_one_step_and_then_needs_nothing() -> None:
    obj = good()
    status = settled(obj, NOBODY)
    assert status is not None
    assert [each["reason"] for each in status["conditions"]] == ["NoConflicts", "InitialNamesAccepted"]
    obj["status"] = status
    assert settled(obj, TakenNames.by([status["acceptedNames"]])) is None


def test_a_bad_bundle_keeps_a_definition_from_being_served() -> None:
    config = {"url": "https://a/b", "caBundle": "Cg=="}
    conversion = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": config}}
    status = settled(good(conversion=conversion), NOBODY)
    assert status is not None
    assert status["conditions"][1] | {"lastTransitionTime": ""} == {
        "type": "Established",
        "status": "False",
        "lastTransitionTime": "",
        "reason": "InvalidCABundle",
        "message": "The conversion webhook CABundle is invalid",
    }


def test_a_protected_group_is_told_whether_it_conforms() -> None:
    obj = good(group="a.k8s.io")
    obj["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, for now"}
    status = settled(obj, NOBODY)
    assert status is not None
    found = {each["type"]: (each["status"], each["reason"], each["message"]) for each in status["conditions"]}
    assert found["KubernetesAPIApprovalPolicyConformant"] == (
        "False",
        "UnapprovedAnnotation",
        'not approved: "unapproved, for now"',
    )
