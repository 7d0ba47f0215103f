"""Rules: which operations on which resources a webhook or a policy wants to see.

Kubernetes: pkg/apis/admissionregistration/validation, validateRuleWithOperations and validateNamedRuleWithOperations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.names import path_segment_name
from localplane.catalog.validation.rules import All, Each, Fields, Named, NotEmpty, OneOf, Required, Rule, Unique

JSONObject = Mapping[str, Any]

_MUTATING_OPERATIONS = ("*", "CONNECT", "CREATE", "UPDATE")


def default_rule(rule: dict[str, Any]) -> None:
    if rule.get("scope") is None:
        rule["scope"] = "*"


def _alone(what: str) -> Rule:
    """Who says everything may say nothing else."""

    def errors(values: Sequence[str], path: Path) -> Iterator[FieldError]:
        if len(values) > 1 and "*" in values:
            yield invalid(path, values, f"if '*' is present, must not specify other {what}")

    return errors


def _resource_errors(resources: Sequence[str], path: Path) -> Iterator[FieldError]:
    of_all_below: set[str] = set()  # x, of x/*
    below_all: set[str] = set()  # y, of */y
    last_plain_is_named = False  # Kubernetes asks the last one without a subresource only
    for index, each in enumerate(resources):
        if not each:
            yield required(path[index])
            continue
        resource, slash, below = each.partition("/")
        if not slash:
            last_plain_is_named = each != "*"
            continue
        if resource in of_all_below:
            yield invalid(path[index], each, f"if '{resource}/*' is present, must not specify {each}")
        if below in below_all:
            yield invalid(path[index], each, f"if '*/{below}' is present, must not specify {each}")
        if below == "*":
            of_all_below.add(resource)
        if resource == "*":
            below_all.add(below)
    if len(resources) > 1 and "*/*" in resources:
        yield invalid(path, resources, "if '*/*' is present, must not specify other resources")
    if "*" in resources and last_plain_is_named:
        yield invalid(path, resources, "if '*' is present, must not specify other resources without subresources")


RULE = Fields(
    operations=Required(_alone("operations"), Each(OneOf("*", "CONNECT", "CREATE", "DELETE", "UPDATE"))),
    apiGroups=Required(_alone("API groups")),
    apiVersions=Required(_alone("API versions"), Each(NotEmpty())),
    resources=Required(_resource_errors),
    scope=OneOf("*", "Cluster", "Namespaced"),
)

NAMED_RULE = All(Fields(resourceNames=Each(Named(path_segment_name), Unique())), RULE)
"""A rule that may name single objects."""


def _mutating_errors(rules: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    """What is deleted can't be changed any more."""
    for rule in rules:
        for operation in rule.get("operations") or ():
            if operation not in _MUTATING_OPERATIONS:
                yield not_supported(path / "operations", operation, _MUTATING_OPERATIONS)


MUTATING_OPERATIONS = Fields(resourceRules=_mutating_errors)
