"""Admission policies and their bindings: everything but the compilation of expressions."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.resource import Resource
from localplane.catalog.admissionregistration.mutating_admission_policies import MUTATING_ADMISSION_POLICIES
from localplane.catalog.admissionregistration.policy_bindings import (
    MUTATING_ADMISSION_POLICY_BINDINGS,
    VALIDATING_ADMISSION_POLICY_BINDINGS,
    binding_cells,
)
from localplane.catalog.admissionregistration.validating_admission_policies import VALIDATING_ADMISSION_POLICIES
from tests.unit.catalog.judging import change_refusals, made, refusals, status_refusals

RULE: JSONObject = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}
MATCH: JSONObject = {"resourceRules": [RULE]}


def policy(**fields: Any) -> JSONObject:
    return {"spec": {"matchConstraints": MATCH, "validations": [{"expression": "true"}]} | fields}


def mutation(**fields: Any) -> JSONObject:
    change = {"patchType": "JSONPatch", "jsonPatch": {"expression": "[]"}} | fields
    return {"spec": {"matchConstraints": MATCH, "reinvocationPolicy": "Never", "mutations": [change]}}


def binding(**fields: Any) -> JSONObject:
    return {"spec": {"policyName": "p", "validationActions": ["Deny"]} | fields}


def test_defaults() -> None:
    spec = made(VALIDATING_ADMISSION_POLICIES, policy())["spec"]
    assert spec["failurePolicy"] == "Fail"
    assert spec["matchConstraints"] == {
        "resourceRules": [RULE | {"scope": "*"}],
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {},
    }
    assert "matchResources" not in made(VALIDATING_ADMISSION_POLICY_BINDINGS, binding())["spec"]


@pytest.mark.parametrize(
    ("resource", "obj", "errors"),
    [
        (VALIDATING_ADMISSION_POLICIES, policy(), []),
        (
            VALIDATING_ADMISSION_POLICIES,
            {"spec": {}},
            [
                "spec.matchConstraints: Required value",
                "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
                "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item",
            ],
        ),
        (
            VALIDATING_ADMISSION_POLICIES,
            policy(
                paramKind={"apiVersion": "a/b/c", "kind": "_K"},
                variables=[{"name": "in", "expression": ""}],
                validations=[{"expression": "true", "message": "a\nb", "messageExpression": " ", "reason": "Because"}],
            ),
            [
                'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
                (
                    'spec.paramKind.kind: Invalid value: "_K": may have mixed case, but should otherwise match: a '
                    "DNS-1035 "
                    "label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
                    "character, "
                    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation "
                    "is "
                    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
                ),
                'spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier',
                "spec.variables[0].expression: Required value: expression is not specified",
                'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
                'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
                (
                    'spec.validations[0].reason: Unsupported value: "Because": '
                    'supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"'
                ),
            ],
        ),
        (
            VALIDATING_ADMISSION_POLICIES,
            policy(validations=[], auditAnnotations=[{"key": "a"}, {"key": "a", "valueExpression": "''"}]),
            [
                "spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified",
                'spec.auditAnnotations[1].key: Duplicate value: "a"',
            ],
        ),
        (MUTATING_ADMISSION_POLICIES, mutation(), []),
        (
            MUTATING_ADMISSION_POLICIES,
            mutation(patchType="ApplyConfiguration"),
            [
                (
                    "spec.mutations[0].applyConfiguration: Required value: "
                    "must be specified when patchType is ApplyConfiguration"
                ),
                (
                    'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": '
                    "must not be specified when patchType is ApplyConfiguration"
                ),
            ],
        ),
        (
            MUTATING_ADMISSION_POLICIES,
            {"spec": {"matchConstraints": {"resourceRules": [RULE | {"operations": ["DELETE"]}]}}},
            [
                (
                    'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": '
                    'supported values: "*", "CONNECT", "CREATE", "UPDATE"'
                ),
                "spec.mutations: Required value: mutations must contain at least one item",
                "spec.reinvocationPolicy: Required value",
            ],
        ),
        (VALIDATING_ADMISSION_POLICY_BINDINGS, binding(), []),
        (
            VALIDATING_ADMISSION_POLICY_BINDINGS,
            {"spec": {}},
            ["spec.policyName: Required value", "spec.validationActions: Required value"],
        ),
        (
            VALIDATING_ADMISSION_POLICY_BINDINGS,
            binding(validationActions=["Deny", "Warn", "Warn", "Shout"], paramRef={"name": "a", "selector": {}}),
            [
                "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
                "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
                "spec.paramRef.parameterNotFoundAction: Required value",
                'spec.validationActions[2]: Duplicate value: "Warn"',
                'spec.validationActions[3]: Unsupported value: "Shout": supported values: "Audit", "Deny", "Warn"',
                (
                    'spec.validationActions: Invalid value: ["Deny","Warn","Warn","Shout"]: must not contain both Deny '
                    "and "
                    "Warn (repeating the same validation failure information in the API response and headers serves no "
                    "purpose)"
                ),
            ],
        ),
        (
            MUTATING_ADMISSION_POLICY_BINDINGS,
            {"spec": {"policyName": "p", "paramRef": {"parameterNotFoundAction": "Deny"}}},
            ["spec.paramRef: Required value: one of name or selector must be specified"],
        ),
    ],
)
def test_rules(resource: Resource, obj: JSONObject, errors: list[str]) -> None:
    assert refusals(resource, obj) == errors


def test_match_conditions_are_looked_at_again_when_the_kind_of_parameters_changes() -> None:
    bad = policy(matchConditions=[{"name": "a"}])
    assert change_refusals(VALIDATING_ADMISSION_POLICIES, bad, bad) == []
    parametrised = policy(matchConditions=[{"name": "a"}], paramKind={"apiVersion": "v1", "kind": "ConfigMap"})
    assert change_refusals(VALIDATING_ADMISSION_POLICIES, bad, parametrised) == [
        "spec.matchConditions[0].expression: Required value"
    ]


def test_warnings_of_a_type_check_say_of_what() -> None:
    status: JSONObject = {"typeChecking": {"expressionWarnings": [{}]}}
    assert status_refusals(VALIDATING_ADMISSION_POLICIES, policy(), status) == [
        "status.typeChecking.expressionWarnings[0].warning: Required value",
        "status.typeChecking.expressionWarnings[0].fieldRef: Required value",
    ]


@pytest.mark.parametrize(
    ("reference", "cell"),
    [
        (None, "<unset>"),
        ({"name": "a"}, "*/a"),
        ({"name": "a", "namespace": "n"}, "n/a"),
        (
            {"selector": {"matchLabels": {"b": "c"}}},
            "&LabelSelector{MatchLabels:map[string]string{b: c,},MatchExpressions:[]LabelSelectorRequirement{},}",
        ),
    ],
)
def test_a_row_tells_the_parameters(reference: JSONObject | None, cell: str) -> None:
    spec = {"policyName": "p"} | ({} if reference is None else {"paramRef": reference})
    assert binding_cells({"metadata": {"name": "x"}, "spec": spec})[1:3] == ["p", cell]
