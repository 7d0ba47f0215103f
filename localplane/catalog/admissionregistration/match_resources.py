"""What a policy or a binding is about: the objects that it matches, and the kind of its parameters.

Kubernetes: pkg/apis/admissionregistration/validation, validateMatchResources and validateParamKind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.names import dns1035_label, dns1123_subdomain
from localplane.catalog.validation.selectors import selector_errors

from .rules import default_rule, named_rule_errors

JSONObject = Mapping[str, Any]

MATCH_POLICIES = ("Equivalent", "Exact")
FAILURE_POLICIES = ("Fail", "Ignore")
_RULES = ("resourceRules", "excludeResourceRules")


def default_match_resources(match: dict[str, Any] | None) -> None:
    if match is None:
        return
    if match.get("matchPolicy") is None:
        match["matchPolicy"] = "Equivalent"
    for name in ("namespaceSelector", "objectSelector"):
        if match.get(name) is None:
            match[name] = {}
    for name in _RULES:
        for rule in match.get(name) or ():
            default_rule(rule)


def match_resources_errors(match: JSONObject | None, path: Path) -> Iterator[FieldError]:
    if match is None:
        return
    policy = match.get("matchPolicy")
    if policy is None:
        yield required(path / "matchPolicy")
    elif policy not in MATCH_POLICIES:
        yield not_supported(path / "matchPolicy", policy, MATCH_POLICIES)
    for name in ("namespaceSelector", "objectSelector"):
        if match.get(name) is None:
            yield required(path / name)
        else:
            yield from selector_errors(match[name], path / name)
    for name in _RULES:
        for index, rule in enumerate(match.get(name) or ()):
            yield from named_rule_errors(rule, (path / name)[index])


def match_constraints_errors(match: JSONObject | None, path: Path) -> Iterator[FieldError]:
    """Of a policy, which must name resources: their types are what its expressions are checked against."""
    if match is None:
        yield required(path)
        return
    yield from match_resources_errors(match, path)
    if not match.get("resourceRules"):
        yield required(path / "resourceRules")


def failure_policy_errors(policy: str | None, path: Path) -> Iterator[FieldError]:
    if policy is None:
        yield required(path)
    elif policy not in FAILURE_POLICIES:
        yield not_supported(path, policy, FAILURE_POLICIES)


def param_kind_errors(param: JSONObject | None, path: Path) -> Iterator[FieldError]:
    if param is None:
        return
    version, kind = param.get("apiVersion") or "", param.get("kind") or ""
    yield from _version_errors(version, path / "apiVersion")
    if not kind:
        yield required(path / "kind")
    elif problems := dns1035_label(kind.lower()):
        detail = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        yield invalid(path / "kind", kind, detail)


def _version_errors(text: str, path: Path) -> Iterator[FieldError]:
    if not text:
        yield required(path)
        return
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


def param_kind_cell(spec: JSONObject) -> str:
    param = spec.get("paramKind")
    return "<unset>" if param is None else f"{param.get('apiVersion', '')}/{param.get('kind', '')}"
