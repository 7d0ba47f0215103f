"""Flow schemas and priority levels."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.resource import Resource
from localplane.catalog.flowcontrol.flow_schemas import FLOW_SCHEMAS, flow_schema_cells
from localplane.catalog.flowcontrol.mandatory import MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS
from localplane.catalog.flowcontrol.priority_levels import PRIORITY_LEVEL_CONFIGURATIONS, priority_level_cells
from tests.unit.catalog.judging import made, refusals, status_refusals

RULE: JSONObject = {
    "subjects": [{"kind": "User", "user": {"name": "u"}}],
    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/a/*"]}],
}
AT = "spec.rules[0]"


def schema(**fields: Any) -> JSONObject:
    return {"spec": {"priorityLevelConfiguration": {"name": "l"}, "rules": [RULE]} | fields}


def rule(**fields: Any) -> JSONObject:
    return schema(rules=[RULE | fields])


def limited(**fields: Any) -> JSONObject:
    return {"spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}} | fields}}


def queuing(**fields: Any) -> JSONObject:
    return limited(limitResponse={"type": "Queue", "queuing": fields})


def test_defaults() -> None:
    assert made(FLOW_SCHEMAS, {})["spec"] == {"matchingPrecedence": 1000}
    level = made(PRIORITY_LEVEL_CONFIGURATIONS, queuing(handSize=4))["spec"]["limited"]
    assert level == {
        "nominalConcurrencyShares": 30,
        "lendablePercent": 0,
        "limitResponse": {"type": "Queue", "queuing": {"queues": 64, "handSize": 4, "queueLengthLimit": 50}},
    }


@pytest.mark.parametrize(
    ("resource", "obj", "errors"),
    [
        (FLOW_SCHEMAS, schema(), []),
        *[
            (FLOW_SCHEMAS, {"metadata": {"name": name}, "spec": spec}, [])
            for name, spec in MANDATORY_FLOW_SCHEMAS.items()
        ],
        (
            FLOW_SCHEMAS,
            schema(matchingPrecedence=1, distinguisherMethod={"type": "ByWhim"}, priorityLevelConfiguration={}),
            [
                (
                    "spec.matchingPrecedence: Invalid value: 1: "
                    "only the schema named 'exempt' may have matchingPrecedence 1"
                ),
                (
                    'spec.distinguisherMethod.type: Unsupported value: {"Type":"ByWhim"}: '
                    'supported values: "ByNamespace", "ByUser"'
                ),
                "spec.priorityLevelConfiguration.name: Required value: must reference a priority level",
            ],
        ),
        (
            FLOW_SCHEMAS,
            rule(subjects=[], nonResourceRules=[]),
            [
                f"{AT}.subjects: Required value: subjects must contain at least one value",
                f"{AT}: Required value: at least one of resourceRules and nonResourceRules has to be non-empty",
            ],
        ),
        (
            FLOW_SCHEMAS,
            rule(subjects=[{"kind": "Group", "user": {"name": "u"}}, {"kind": "ServiceAccount", "serviceAccount": {}}]),
            [
                f"{AT}.subjects[0].group: Required value: group is required when subject kind is 'Group'",
                f"{AT}.subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
                f"{AT}.subjects[1].serviceAccount.name: Required value",
                (
                    f"{AT}.subjects[1].serviceAccount.namespace: Required value: "
                    "must specify namespace for service account"
                ),
            ],
        ),
        (
            FLOW_SCHEMAS,
            rule(nonResourceRules=[{"verbs": ["fly"], "nonResourceURLs": ["a", "/a*", "/a//b"]}]),
            [
                (
                    f'{AT}.nonResourceRules[0].verbs: Unsupported value: ["fly"]: supported values: "create", '
                    '"delete", '
                    '"deletecollection", "get", "list", "patch", "proxy", "update", "watch"'
                ),
                f'{AT}.nonResourceRules[0].nonResourceURLs[0]: Invalid value: "a": must start with slash',
                (
                    f'{AT}.nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/a*": '
                    "wildcard can only do suffix matching"
                ),
                f'{AT}.nonResourceRules[0].nonResourceURLs[2]: Invalid value: "/a//b": must not contain double slash',
            ],
        ),
        (
            FLOW_SCHEMAS,
            rule(resourceRules=[{"verbs": ["*", "get"], "apiGroups": ["*"], "resources": []}]),
            [
                (
                    f'{AT}.resourceRules[0].verbs: Invalid value: ["*","get"]: '
                    "if '*' is present, must not specify other verbs"
                ),
                f"{AT}.resourceRules[0].resources: Required value: resource rules must supply at least one resource",
                (
                    f"{AT}.resourceRules[0].namespaces: Required value: "
                    "resource rules that are not cluster scoped must supply at least one namespace"
                ),
            ],
        ),
        *[
            (PRIORITY_LEVEL_CONFIGURATIONS, {"metadata": {"name": name}, "spec": spec}, [])
            for name, spec in MANDATORY_PRIORITY_LEVELS.items()
        ],
        (PRIORITY_LEVEL_CONFIGURATIONS, limited(), []),
        (PRIORITY_LEVEL_CONFIGURATIONS, queuing(), []),
        (
            PRIORITY_LEVEL_CONFIGURATIONS,
            {"metadata": {"name": "catch-all"}, **limited(nominalConcurrencyShares=6)},
            [
                (
                    'spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":6,"LimitResponse":'
                    '{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},'
                    '"Exempt":null}: '
                    "spec of 'catch-all' must equal the fixed value"
                )
            ],
        ),
        (
            PRIORITY_LEVEL_CONFIGURATIONS,
            {"metadata": {"name": "exempt"}, "spec": {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 9}}},
            [],
        ),
        (
            PRIORITY_LEVEL_CONFIGURATIONS,
            {"spec": {"type": "Exempt", "limited": {"limitResponse": {}}}},
            [
                "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
                "spec.limited: Forbidden",
                "spec.limited.limitResponse.type: Required value",
            ],
        ),
        (PRIORITY_LEVEL_CONFIGURATIONS, {"spec": {"type": "Limited"}}, ["spec.limited: Required value"]),
        (
            PRIORITY_LEVEL_CONFIGURATIONS,
            limited(limitResponse={"type": "Reject", "queuing": {}}),
            ["spec.limited.limitResponse.queuing: Forbidden"],
        ),
        (
            PRIORITY_LEVEL_CONFIGURATIONS,
            queuing(queues=128, handSize=9, queueLengthLimit=-1),
            [
                "spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive",
                (
                    "spec.limited.limitResponse.queuing.handSize: Invalid value: 9: required entropy bits of deckSize "
                    "128 "
                    "and handSize 9 should not be greater than 60"
                ),
            ],
        ),
    ],
)
def test_rules(resource: Resource, obj: JSONObject, errors: list[str]) -> None:
    assert refusals(resource, obj) == errors


def test_conditions_differ_in_type() -> None:
    status = {"conditions": [{"type": "a"}, {"type": "a"}, {}]}
    assert status_refusals(FLOW_SCHEMAS, schema(), status) == [
        'status.conditions[1].type: Duplicate value: "a"',
        "status.conditions[2].type: Required value",
    ]


def test_rows() -> None:
    metadata = {"metadata": {"name": "x"}}
    schema_row = flow_schema_cells(metadata | schema(matchingPrecedence=3))
    assert [*schema_row[:4], schema_row[5]] == ["x", "l", 3, "<none>", "?"]
    level = metadata | made(PRIORITY_LEVEL_CONFIGURATIONS, queuing())
    assert priority_level_cells(level)[:6] == ["x", "Limited", 30, 64, 8, 50]
    assert priority_level_cells(metadata | limited())[3:6] == ["<none>"] * 3
