"""What a policy or a binding is about: the objects that it matches, and the kind of its parameters.

Kubernetes: pkg/apis/admissionregistration/validation, validateMatchResources and validateParamKind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.names import dns1035_label, dns1123_subdomain
from localplane.catalog.validation.rules import All, Each, Fields, Needs, OneOf, Present, Required
from localplane.catalog.validation.selectors import selector_errors

from .rules import NAMED_RULE, default_rule

JSONObject = Mapping[str, Any]


def default_match_resources(match: dict[str, Any] | None) -> None:
    if match is None:
        return
    if match.get("matchPolicy") is None:
        match["matchPolicy"] = "Equivalent"
    for name in ("namespaceSelector", "objectSelector"):
        if match.get(name) is None:
            match[name] = {}
    for name in ("resourceRules", "excludeResourceRules"):
        for rule in match.get(name) or ():
            default_rule(rule)


def _version_errors(text: str, path: Path) -> Iterator[FieldError]:
    if text.count("/") > 1:
        yield invalid(path, text, f"unexpected GroupVersion string: {text}")
        return
    group, _, version = text.rpartition("/")
    if group and (problems := dns1123_subdomain(group)):
        yield invalid(path, group, ",".join(problems))
    if not version:
        yield invalid(path, text, "version must be specified")
    elif problems := dns1035_label(version):
        yield invalid(path, version, ",".join(problems))


def _kind_errors(kind: str, path: Path) -> Iterator[FieldError]:
    if problems := dns1035_label(kind.lower()):
        yield invalid(path, kind, f"may have mixed case, but should otherwise match: {','.join(problems)}")


FAILURE_POLICY = OneOf("Fail", "Ignore")
MATCH_POLICY = OneOf("Equivalent", "Exact")

MATCH_RESOURCES = Fields(
    matchPolicy=Present(MATCH_POLICY),
    namespaceSelector=Present(selector_errors),
    objectSelector=Present(selector_errors),
    resourceRules=Each(NAMED_RULE),
    excludeResourceRules=Each(NAMED_RULE),
)

MATCH_CONSTRAINTS = All(MATCH_RESOURCES, Needs("resourceRules"))
"""Of a policy, which must name resources: their types are what its expressions are checked against."""

PARAM_KIND = Fields(apiVersion=Required(_version_errors), kind=Required(_kind_errors))


def param_kind_cell(spec: JSONObject) -> str:
    param = spec.get("paramKind")
    return "<unset>" if param is None else f"{param.get('apiVersion', '')}/{param.get('kind', '')}"
