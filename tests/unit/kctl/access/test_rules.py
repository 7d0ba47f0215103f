"""Policy rules: broken down, joined, compared."""

from __future__ import annotations

import pytest

from kctl.views.access.rules import Rule, broken_down, compact, resource_and_group, shown, uncovered

READ: Rule = {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "pods/log"]}


def test_rules_about_one_resource_become_one_again() -> None:
    pieces = [*broken_down(READ), {"verbs": ["watch"], "apiGroups": [""], "resources": ["pods"]}]
    assert compact(pieces) == [
        {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["pods"]},
        {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods/log"]},
    ]


def test_a_rule_is_shown_as_go_shows_it() -> None:
    assert (
        shown(READ) == "{Verbs:[get list] APIGroups:[] Resources:[pods pods/log] ResourceNames:[] NonResourceURLs:[]}"
    )


def test_a_group_goes_between_a_resource_and_its_subresource() -> None:
    assert resource_and_group({"apiGroups": ["apps"], "resources": ["deployments/scale"]}) == "deployments.apps/scale"


COVERED = [
    ({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}, 0),
    ({"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "*/log"]}, 0),
    ({"verbs": ["get"], "apiGroups": [""], "resources": ["pods", "pods/log"]}, 2),
    ({"verbs": ["*"], "apiGroups": [""], "resources": ["pods", "pods/log"], "resourceNames": ["a"]}, 4),
    ({"verbs": ["*"], "apiGroups": ["apps"], "resources": ["*"]}, 4),
]


@pytest.mark.parametrize(("owner", "missing"), COVERED)
def test_what_a_rule_does_not_allow_is_missing(owner: Rule, missing: int) -> None:
    assert len(uncovered([owner], [READ])) == missing


def test_a_url_is_covered_by_its_beginning() -> None:
    wanted: Rule = {"verbs": ["get"], "nonResourceURLs": ["/logs/a"]}
    assert not uncovered([{"verbs": ["get"], "nonResourceURLs": ["/logs/*"]}], [wanted])
    assert uncovered([{"verbs": ["get"], "nonResourceURLs": ["/logs"]}], [wanted])
