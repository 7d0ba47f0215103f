"""Quotas: what can be counted, in which scopes, and how it prints."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.resource_quotas import RESOURCE_QUOTAS, resource_quota_cells
from tests.unit.catalog.writing import REQUEST, change_refusals, created, refusals, status_refusals


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"hard": {"cpu": "1", "requests.storage": "1Gi", "count/jobs.batch": "2", "pods": "3"}}, []),
        (
            {"hard": {"storage": "1"}},
            ['spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota'],
        ),
        (
            {"hard": {"nothing": "1"}},
            [
                'spec.hard[nothing]: Invalid value: "nothing": must be a standard resource type or fully qualified',
                'spec.hard[nothing]: Invalid value: "nothing": must be a standard resource for quota',
            ],
        ),
        (
            {"hard": {"pods": "1500m", "cpu": "-1"}},
            [
                'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
                'spec.hard[pods]: Invalid value: "1500m": must be an integer',
            ],
        ),
        (
            {"hard": {"secrets": "1"}, "scopes": ["BestEffort"]},
            ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
        ),
        (
            {"scopes": ["Terminating", "NotTerminating"]},
            ['spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes'],
        ),
        ({"scopes": ["Odd"]}, ['spec.scopes: Invalid value: ["Odd"]: unsupported scope']),
        (
            {
                "hard": {"services": "1"},
                "scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In"}]},
            },
            [
                (
                    'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":'
                    '"PriorityClass","Operator":"In","Values":null}]}: unsupported scope applied to resource'
                ),
                (
                    "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when "
                    "`operator` is 'In' or 'NotIn' for scope selector"
                ),
            ],
        ),
    ],
)
def test_quotas_count_what_can_be_counted(spec: JSONObject, expected: list[str]) -> None:
    assert refusals(RESOURCE_QUOTAS, {"spec": spec}) == expected


def test_scopes_stay() -> None:
    old = created(RESOURCE_QUOTAS, {"spec": {"scopes": ["BestEffort"]}})
    assert change_refusals(RESOURCE_QUOTAS, old, old | {"spec": {}}) == [
        "spec.scopes: Invalid value: null: field is immutable"
    ]


def test_a_status_counts_the_same_things() -> None:
    old = created(RESOURCE_QUOTAS, {"spec": {}})
    assert status_refusals(RESOURCE_QUOTAS, old, {"used": {"storage": "1"}}) == [
        'status.used[storage]: Invalid value: "storage": must be a standard resource for quota'
    ]


def test_requests_above_limits_are_warned_about() -> None:
    hard = {"cpu": "2", "limits.cpu": "1", "requests.memory": "1Gi", "limits.memory": "2Gi"}
    assert RESOURCE_QUOTAS.strategy.warnings_on_create(REQUEST, {"spec": {"hard": hard}}) == [
        "ResourceQuota cpu (2) should be less than limits.cpu (1)"
    ]


def test_a_row_shows_limits_apart() -> None:
    status = {"hard": {"pods": "4", "limits.cpu": "2", "cpu": "1"}, "used": {"pods": "1"}}
    row = resource_quota_cells({"metadata": {"name": "q"}, "status": status})
    assert row == ["q", "cpu: 0/1, pods: 1/4", "limits.cpu: 0/2", "<unknown>"]
