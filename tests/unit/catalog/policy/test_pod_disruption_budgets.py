"""PodDisruptionBudget: its rules, and the conditions of its status."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.policy.pod_disruption_budgets import POD_DISRUPTION_BUDGETS
from tests.unit.catalog.writing import created, refusals, status_refusals


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({"minAvailable": "50%"}, []),
        ({"maxUnavailable": -1}, ["spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"]),
        ({"minAvailable": "101%"}, ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%']),
        (
            {"minAvailable": 1, "maxUnavailable": 1},
            [
                (
                    'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,'
                    '"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set'
                ),
            ],
        ),
        (
            {"unhealthyPodEvictionPolicy": "Never"},
            [
                (
                    'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": '
                    'supported values: "AlwaysAllow", "IfHealthyBudget"'
                ),
            ],
        ),
    ],
)
def test_budgets(spec: JSONObject, errors: list[str]) -> None:
    assert refusals(POD_DISRUPTION_BUDGETS, {"spec": spec}) == errors


def test_a_status_has_counts_and_whole_conditions() -> None:
    budget = created(POD_DISRUPTION_BUDGETS, {"spec": {"minAvailable": 1}})
    told = {"currentHealthy": -1, "conditions": [{"type": "DisruptionAllowed", "status": "Maybe", "reason": "9"}]}
    errors = status_refusals(POD_DISRUPTION_BUDGETS, budget, told)
    assert [error.partition(": ")[0] for error in errors] == [
        "status.conditions[0].status",
        "status.conditions[0].lastTransitionTime",
        "status.conditions[0].reason",
        "status.currentHealthy",
    ]


def test_the_label_that_once_meant_nothing_is_not_mixed_with_others() -> None:
    old = {"key": "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match", "operator": "Exists"}
    alone = created(POD_DISRUPTION_BUDGETS, {"spec": {"selector": {"matchExpressions": [old]}}})
    assert alone["spec"]["selector"] == {"matchExpressions": [old]}
    mixed = created(
        POD_DISRUPTION_BUDGETS, {"spec": {"selector": {"matchLabels": {"a": "b"}, "matchExpressions": [old]}}}
    )
    assert mixed["spec"]["selector"] == {"matchLabels": {"a": "b"}}
