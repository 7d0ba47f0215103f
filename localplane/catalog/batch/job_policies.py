"""When a job gives up and when it is content before all of its pods are: two lists of rules.

Kubernetes: pkg/apis/batch/validation, validatePodFailurePolicy and validateSuccessPolicy.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise

from localplane.apimachinery.fieldpath import (
    OMIT_VALUE,
    FieldError,
    Path,
    duplicate,
    invalid,
    required,
    too_long,
    too_many,
)
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import size
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.rules import QUALIFIED_NAME, All, Always, AtMost, Each, Fields, OneOf, Required
from localplane.catalog.validation.values import not_negative, repeated

from .indexes import InvalidIndexes, count_indexes

_RULES_MAX = 20
_EXIT_CODES_MAX = 255
_INDEXES_MAX = 64 * 1024


def failure_policy_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    rules = spec["podFailurePolicy"].get("rules") or []
    if len(rules) > _RULES_MAX:
        yield too_many(path / "rules", len(rules), _RULES_MAX)
    pod = (spec.get("template") or {}).get("spec") or {}
    containers = {each.get("name", "") for kind in ("containers", "initContainers") for each in pod.get(kind) or ()}
    for index, rule in enumerate(rules):
        yield from _failure_rule_errors(spec, rule, (path / "rules")[index], containers)


def _failure_rule_errors(
    spec: JSONObject, rule: JSONObject, path: Path, containers: AbstractSet[str]
) -> Iterator[FieldError]:
    action = rule.get("action", "")
    if action == "FailIndex":
        if spec.get("backoffLimitPerIndex") is None:
            yield invalid(path / "action", action, "requires the backoffLimitPerIndex to be set")
    else:
        yield from _ACTION(rule, path)
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or []
    if codes is not None:
        yield from _exit_code_errors(codes, path / "onExitCodes", containers)
    yield from _CONDITIONS(rule, path)
    if codes is not None and conditions:
        yield invalid(path, OMIT_VALUE, "specifying both OnExitCodes and OnPodConditions is not supported")
    if codes is None and not conditions:
        yield invalid(path, OMIT_VALUE, "specifying one of OnExitCodes and OnPodConditions is required")


def _choice(*words: str) -> Required:
    return Required(OneOf(*words), detail=f"valid values: [{' '.join(map(go_quote, words))}]")


_ACTION = Fields(action=_choice("Count", "FailIndex", "FailJob", "Ignore"))
_OPERATOR = Fields(operator=_choice("In", "NotIn"))
_CONDITIONS = Fields(
    onPodConditions=All(
        AtMost(_RULES_MAX),
        Each(Fields(type=Always(QUALIFIED_NAME), status=_choice("False", "True", "Unknown"))),
    )
)


def _exit_code_errors(codes: JSONObject, path: Path, containers: AbstractSet[str]) -> Iterator[FieldError]:
    operator, values = codes.get("operator", ""), codes.get("values") or []
    yield from _OPERATOR(codes, path)
    name = codes.get("containerName")
    if name is not None and name not in containers:
        told = "must be one of the container or initContainer names in the pod template"
        yield invalid(path / "containerName", name, told)
    if not values:
        yield invalid(path / "values", codes.get("values"), "at least one value is required")
    elif len(values) > _EXIT_CODES_MAX:
        yield too_many(path / "values", len(values), _EXIT_CODES_MAX)
    for index, (value, is_repeated) in enumerate(zip(values, repeated(values), strict=True)):
        if operator == "In" and value == 0:
            yield invalid((path / "values")[index], value, "must not be 0 for the In operator")
        if is_repeated:
            yield duplicate((path / "values")[index], value)
    if any(one > other for one, other in pairwise(values)):
        yield invalid(path / "values", values, "must be ordered")


def success_policy_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    policy = spec["successPolicy"]
    if spec.get("completionMode") != "Indexed":
        yield invalid(path, shown_success_policy(policy), "requires indexed completion mode")
        return
    rules = policy.get("rules") or []
    if not rules:
        yield required(path / "rules", "at least one rules must be specified when the successPolicy is specified")
    if len(rules) > _RULES_MAX:
        yield too_many(path / "rules", len(rules), _RULES_MAX)
    for index, rule in enumerate(rules):
        yield from _success_rule_errors(rule, (path / "rules")[index], spec.get("completions") or 0)


def _success_rule_errors(rule: JSONObject, path: Path, completions: int) -> Iterator[FieldError]:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        yield required(path, "at least one of succeededCount or succeededIndexes must be specified")
    total = 0
    if indexes is not None:
        if size(indexes) > _INDEXES_MAX:
            yield too_long(path / "succeededIndexes", _INDEXES_MAX)
        try:
            total = count_indexes(indexes, completions)
        except InvalidIndexes as error:
            yield invalid(path / "succeededIndexes", indexes, f"error parsing succeededIndexes: {error}")
    if count is None:
        return
    yield from not_negative(count, path / "succeededCount")
    most = "must be less than or equal to"
    if count > completions:
        told = f"{most} {completions} (the number of specified completions)"
        yield invalid(path / "succeededCount", count, told)
    if indexes is not None and count > total:
        told = f"{most} {total} (the number of indexes in the specified succeededIndexes field)"
        yield invalid(path / "succeededCount", count, told)


def shown_success_policy(policy: JSONObject | None) -> JSONObject | None:
    """As a message shows it: the fields of the internal Go type, by their Go names."""
    if policy is None:
        return None
    rules = [
        {"SucceededIndexes": rule.get("succeededIndexes"), "SucceededCount": rule.get("succeededCount")}
        for rule in policy.get("rules") or ()
    ]
    return {"Rules": rules or None}


def shown_failure_policy(policy: JSONObject | None) -> JSONObject | None:
    if policy is None:
        return None
    return {"Rules": [_shown_failure_rule(rule) for rule in policy.get("rules") or ()] or None}


def _shown_failure_rule(rule: JSONObject) -> JSONObject:
    codes = rule.get("onExitCodes")
    shown = codes and {
        "ContainerName": codes.get("containerName"),
        "Operator": codes.get("operator", ""),
        "Values": codes.get("values"),
    }
    patterns = [
        {"Type": each.get("type", ""), "Status": each.get("status", "")} for each in rule.get("onPodConditions") or ()
    ]
    return {"Action": rule.get("action", ""), "OnExitCodes": shown, "OnPodConditions": patterns or None}
