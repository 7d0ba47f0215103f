"""Node selectors, node affinity and tolerations, as pods and volumes write them."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.node_selection import (
    NO_EXECUTE,
    NodeSelector,
    PreferredNodeAffinity,
    RequiredNodeAffinity,
    tolerates,
    untolerated_taint,
)

NODE: JSONObject = {"metadata": {"name": "one", "labels": {"zone": "a", "cores": "8"}}, "spec": {}}


def expressions(*items: JSONObject) -> JSONObject:
    return {"nodeSelectorTerms": [{"matchExpressions": list(items)}]}


@pytest.mark.parametrize(
    ("operator", "key", "values", "matches"),
    [
        ("In", "zone", ["a", "b"], True),
        ("In", "zone", ["b"], False),
        ("NotIn", "zone", ["b"], True),
        ("NotIn", "absent", ["b"], True),
        ("Exists", "zone", [], True),
        ("DoesNotExist", "zone", [], False),
        ("Gt", "cores", ["7"], True),
        ("Gt", "cores", ["8"], False),
        ("Lt", "cores", ["9"], True),
        ("Lt", "zone", ["9"], False),
        ("Near", "zone", ["a"], False),
        ("In", "zone", [], False),
    ],
)
def test_an_expression_asks_for_a_label(operator: str, key: str, values: list[str], *, matches: bool) -> None:
    selector = NodeSelector(expressions({"key": key, "operator": operator, "values": values}))
    assert selector.matches(NODE) is matches


@pytest.mark.parametrize(
    ("field", "matches"),
    [
        ({"key": "metadata.name", "operator": "In", "values": ["one"]}, True),
        ({"key": "metadata.name", "operator": "In", "values": ["two"]}, False),
        ({"key": "metadata.name", "operator": "NotIn", "values": ["two"]}, True),
        ({"key": "metadata.name", "operator": "In", "values": ["one", "two"]}, False),
        ({"key": "metadata.name", "operator": "Exists"}, False),
        ({"key": "metadata.uid", "operator": "In", "values": ["one"]}, False),
    ],
)
def test_a_field_asks_for_the_name(field: JSONObject, *, matches: bool) -> None:
    assert NodeSelector({"nodeSelectorTerms": [{"matchFields": [field]}]}).matches(NODE) is matches


def test_one_term_is_enough_but_all_of_it() -> None:
    zone = {"key": "zone", "operator": "In", "values": ["a"]}
    other_name = {"key": "metadata.name", "operator": "In", "values": ["two"]}
    both = {"matchExpressions": [zone], "matchFields": [other_name]}
    assert not NodeSelector({"nodeSelectorTerms": [both]}).matches(NODE)
    assert NodeSelector({"nodeSelectorTerms": [both, {"matchExpressions": [zone]}]}).matches(NODE)


def test_an_empty_term_matches_nothing_and_no_affinity_everything() -> None:
    assert not NodeSelector({"nodeSelectorTerms": [{}]}).matches(NODE)
    assert RequiredNodeAffinity({}).matches(NODE)


def test_node_selector_and_affinity_must_both_match() -> None:
    required = expressions({"key": "cores", "operator": "Exists"})
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    assert RequiredNodeAffinity({"nodeSelector": {"zone": "a"}, "affinity": affinity}).matches(NODE)
    assert not RequiredNodeAffinity({"nodeSelector": {"zone": "b"}, "affinity": affinity}).matches(NODE)
    assert not RequiredNodeAffinity({"affinity": affinity}).matches({"metadata": {"name": "bare"}})


def test_preferences_add_their_weights() -> None:
    def preference(weight: int, value: str) -> JSONObject:
        wanted = {"key": "zone", "operator": "In", "values": [value]}
        return {"weight": weight, "preference": {"matchExpressions": [wanted]}}

    preferred = [preference(10, "a"), preference(5, "a"), preference(100, "b"), {"weight": 50, "preference": {}}]
    spec = {"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}}
    assert PreferredNodeAffinity.of(spec).score(NODE) == 15
    assert not PreferredNodeAffinity.of({})


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"key": "gpu", "value": "yes"}, True),
        ({"key": "gpu", "operator": "Equal", "value": "no"}, False),
        ({"key": "gpu", "value": "yes", "effect": "NoExecute"}, False),
        ({"key": "cpu", "operator": "Exists"}, False),
        ({"key": "gpu", "operator": "Gt", "value": "1"}, False),
    ],
)
def test_a_toleration_is_for_what_it_names(toleration: JSONObject, *, tolerated: bool) -> None:
    assert tolerates(toleration, {"key": "gpu", "value": "yes", "effect": "NoSchedule"}) is tolerated


def test_the_first_taint_that_nothing_tolerates_is_found() -> None:
    soft = {"key": "soft", "effect": "PreferNoSchedule"}
    hard, harder = {"key": "hard", "effect": "NoSchedule"}, {"key": "harder", "effect": "NoExecute"}
    taints, tolerations = [soft, hard, harder], [{"key": "hard", "operator": "Exists"}]
    assert untolerated_taint(taints, ()) == hard
    assert untolerated_taint(taints, tolerations) == harder
    assert untolerated_taint([soft, hard], tolerations) is None
    assert untolerated_taint([hard], (), effects=(NO_EXECUTE,)) is None
