"""Webhooks: defaults, rules, what a stored configuration is forgiven, and warnings."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.admissionregistration.webhook_configurations import (
    MUTATING_WEBHOOK_CONFIGURATIONS,
    VALIDATING_WEBHOOK_CONFIGURATIONS,
    webhook_configuration_cells,
)
from tests.unit.catalog.judging import change_refusals, made, refusals
from tests.unit.catalog.writing import REQUEST

WEBHOOK: JSONObject = {
    "name": "a.b.c",
    "clientConfig": {"url": "https://example.com/x"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}
RULE: JSONObject = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}
AT = "webhooks[0]"


def hooks(*webhooks: JSONObject) -> JSONObject:
    return {"webhooks": [WEBHOOK | webhook for webhook in webhooks]}


def rule(**fields: Any) -> JSONObject:
    return hooks({"rules": [RULE | fields]})


def service(**fields: Any) -> JSONObject:
    return hooks({"clientConfig": {"service": {"name": "s", "namespace": "n", **fields}}})


def test_defaults() -> None:
    obj = {"webhooks": [{"name": "a", "clientConfig": {"service": {}}, "rules": [{}]}]}
    assert made(MUTATING_WEBHOOK_CONFIGURATIONS, obj)["webhooks"] == [
        {
            "name": "a",
            "clientConfig": {"service": {"port": 443}},
            "rules": [{"scope": "*"}],
            "failurePolicy": "Fail",
            "matchPolicy": "Equivalent",
            "namespaceSelector": {},
            "objectSelector": {},
            "timeoutSeconds": 10,
            "reinvocationPolicy": "Never",
        }
    ]
    assert "reinvocationPolicy" not in made(VALIDATING_WEBHOOK_CONFIGURATIONS, obj)["webhooks"][0]


@pytest.mark.parametrize(
    ("obj", "errors"),
    [
        (hooks({}), []),
        (rule(), []),
        (service(path="/a/b/"), []),
        (
            hooks({}, {}),
            ['webhooks[1].name: Duplicate value: "a.b.c"'],
        ),
        (
            hooks({"clientConfig": {"url": "http://u@h/?q#f"}}),
            [
                (
                    f'{AT}.clientConfig.url: Invalid value: "http": '
                    "'https' is the only allowed URL scheme; desired format: https://host[/path]"
                ),
                f'{AT}.clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
                f'{AT}.clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
                f'{AT}.clientConfig.url: Invalid value: "q": query parameters are not permitted in the URL',
            ],
        ),
        (
            service(path="a//b", port=0),
            [
                (
                    f"{AT}.clientConfig.service.port: Invalid value: 0: port is not valid: "
                    "must be between 1 and 65535, inclusive"
                ),
                f"{AT}.clientConfig.service.path: Invalid value: \"a//b\": must start with a '/'",
                f'{AT}.clientConfig.service.path: Invalid value: "a//b": segment[0] may not be empty',
                f'{AT}.clientConfig.service.path: Invalid value: "a//b": segment[1] may not be empty',
            ],
        ),
        (
            hooks({"clientConfig": {"service": {"name": "s", "port": 1}}}),
            [f"{AT}.clientConfig.service.name: Required value"],
        ),
        (
            rule(operations=["*", "CREATE"], apiVersions=[], scope="Some"),
            [
                (
                    f'{AT}.rules[0].operations: Invalid value: ["*","CREATE"]: '
                    "if '*' is present, must not specify other operations"
                ),
                f"{AT}.rules[0].apiVersions: Required value",
                f'{AT}.rules[0].scope: Unsupported value: "Some": supported values: "*", "Cluster", "Namespaced"',
            ],
        ),
        (
            rule(resources=["pods/*", "pods/log", "*/*"]),
            [
                (
                    f'{AT}.rules[0].resources[1]: Invalid value: "pods/log": '
                    "if 'pods/*' is present, must not specify pods/log"
                ),
                (
                    f'{AT}.rules[0].resources: Invalid value: ["pods/*","pods/log","*/*"]: '
                    "if '*/*' is present, must not specify other resources"
                ),
            ],
        ),
        (
            hooks({"matchConditions": [{"name": "a", "expression": " "}, {"name": "a", "expression": "true"}, {}]}),
            [
                f"{AT}.matchConditions[0].expression: Required value",
                f'{AT}.matchConditions[1].name: Duplicate value: "a"',
                f"{AT}.matchConditions[2].expression: Required value",
                f"{AT}.matchConditions[2].name: Required value",
            ],
        ),
        (
            hooks({"admissionReviewVersions": ["v2", "v2"]}),
            [
                f'{AT}.admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
                f'{AT}.admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
            ],
        ),
        (
            {"metadata": {"name": "a.static.k8s.io"}},
            [
                (
                    'metadata.name: Invalid value: "a.static.k8s.io": names ending with ".static.k8s.io" are reserved '
                    "for "
                    "static manifest-based configurations and cannot be managed via the API"
                )
            ],
        ),
    ],
)
def test_rules(obj: JSONObject, errors: list[str]) -> None:
    assert refusals(VALIDATING_WEBHOOK_CONFIGURATIONS, obj) == errors


@pytest.mark.parametrize(
    ("stored", "sent", "errors"),
    [
        ({"sideEffects": "Some"}, {"sideEffects": "Unknown"}, []),
        (
            {},
            {"sideEffects": "Unknown"},
            [f'{AT}.sideEffects: Unsupported value: "Unknown": supported values: "None", "NoneOnDryRun"'],
        ),
        ({"admissionReviewVersions": ["v2"]}, {"admissionReviewVersions": ["v3"]}, []),
        ({"matchConditions": [{}]}, {"matchConditions": [{}], "timeoutSeconds": 5}, []),
        (
            {"objectSelector": {"matchLabels": {"a": "b"}}},
            {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}},
            [f'{AT}.objectSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator'],
        ),
    ],
)
def test_what_was_wrong_before_may_stay_so(stored: JSONObject, sent: JSONObject, errors: list[str]) -> None:
    assert change_refusals(MUTATING_WEBHOOK_CONFIGURATIONS, hooks(stored), hooks(sent)) == errors


def test_a_rule_that_will_never_match_is_warned_of() -> None:
    obj = rule(apiGroups=["", "authentication.k8s.io"], resources=["pods", "tokenreviews"])
    assert MUTATING_WEBHOOK_CONFIGURATIONS.strategy.warnings_on_create(REQUEST, obj) == [
        (
            "webhooks[0].rules[0]: tokenreviews.authentication.k8s.io is excluded from admission webhooks; "
            "this rule will have no effect"
        )
    ]
    everything = rule(apiGroups=["*"], resources=["tokenreviews"])
    assert MUTATING_WEBHOOK_CONFIGURATIONS.strategy.warnings_on_create(REQUEST, everything) == []


def test_a_row_counts_webhooks() -> None:
    assert webhook_configuration_cells({"metadata": {"name": "x"}, **hooks({}, {})})[:2] == ["x", 2]
