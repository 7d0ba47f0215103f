"""Rules: which operations on which resources a webhook or a policy wants to see.

Kubernetes: pkg/apis/admissionregistration/validation, validateRuleWithOperations and validateNamedRuleWithOperations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, not_supported, required
from localplane.apimachinery.names import path_segment_name

JSONObject = Mapping[str, Any]

_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_MUTATING_OPERATIONS = ("*", "CONNECT", "CREATE", "UPDATE")
_SCOPES = ("*", "Cluster", "Namespaced")


def default_rule(rule: dict[str, Any]) -> None:
    if rule.get("scope") is None:
        rule["scope"] = "*"


def rule_errors(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    operations = rule.get("operations") or []
    yield from _list_errors(operations, "operations", path / "operations")
    for index, operation in enumerate(operations):
        if operation not in _OPERATIONS:
            yield not_supported((path / "operations")[index], operation, _OPERATIONS)
    yield from _list_errors(rule.get("apiGroups") or [], "API groups", path / "apiGroups")
    versions = rule.get("apiVersions") or []
    yield from _list_errors(versions, "API versions", path / "apiVersions")
    for index, version in enumerate(versions):
        if not version:
            yield required((path / "apiVersions")[index])
    yield from _resource_errors(rule.get("resources") or [], path / "resources")
    scope = rule.get("scope")
    if scope is not None and scope not in _SCOPES:
        yield not_supported(path / "scope", scope, _SCOPES)


def _list_errors(values: Sequence[str], what: str, path: Path) -> Iterator[FieldError]:
    if not values:
        yield required(path)
    if len(values) > 1 and "*" in values:
        yield invalid(path, values, f"if '*' is present, must not specify other {what}")


def _resource_errors(resources: Sequence[str], path: Path) -> Iterator[FieldError]:
    if not resources:
        yield required(path)
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


def named_rule_errors(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    """A rule that may name single objects."""
    seen: set[str] = set()
    for index, name in enumerate(rule.get("resourceNames") or ()):
        place = (path / "resourceNames")[index]
        yield from (invalid(place, name, problem) for problem in path_segment_name(name))
        if name in seen:
            yield duplicate(place, name)
        seen.add(name)
    yield from rule_errors(rule, path)


def mutating_operation_errors(rules: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    """What is deleted can't be changed any more."""
    for rule in rules:
        for operation in rule.get("operations") or ():
            if operation not in _MUTATING_OPERATIONS:
                yield not_supported(path / "operations", operation, _MUTATING_OPERATIONS)
