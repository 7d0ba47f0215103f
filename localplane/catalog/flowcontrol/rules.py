"""The rules of a flow schema: whose requests it is about, and which of them.

Kubernetes: pkg/apis/flowcontrol/validation, ValidateFlowSchemaPolicyRulesWithSubjects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain

JSONObject = Mapping[str, Any]

_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
_SUBJECTS = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
_LABEL = "each member of this list must be '*' or a DNS-1123 label; "


def rule_errors(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    subjects = rule.get("subjects") or ()
    for index, subject in enumerate(subjects):
        yield from _subject_errors(subject, (path / "subjects")[index])
    if not subjects:
        yield required(path / "subjects", "subjects must contain at least one value")
    resources, others = rule.get("resourceRules") or (), rule.get("nonResourceRules") or ()
    if not resources and not others:
        yield required(path, "at least one of resourceRules and nonResourceRules has to be non-empty")
    for index, each in enumerate(resources):
        yield from _resource_rule_errors(each, (path / "resourceRules")[index])
    for index, each in enumerate(others):
        yield from _other_rule_errors(each, (path / "nonResourceRules")[index])


def _subject_errors(subject: JSONObject, path: Path) -> Iterator[FieldError]:
    kind = subject.get("kind") or ""
    if kind not in _SUBJECTS:
        yield not_supported(path / "kind", kind, _SUBJECTS)
        return
    field = _SUBJECTS[kind]
    named = subject.get(field)
    if named is None:
        yield required(path / field, f"{field} is required when subject kind is '{kind}'")
    else:
        yield from _named_errors(named, path / field, is_account=kind == "ServiceAccount")
    for other_kind, other in _SUBJECTS.items():
        if other != field and subject.get(other) is not None:
            yield forbidden(path / other, f"{other} is forbidden when subject kind is not '{other_kind}'")


def _named_errors(named: JSONObject, path: Path, *, is_account: bool) -> Iterator[FieldError]:
    name, namespace = named.get("name") or "", named.get("namespace") or ""
    if not name:
        yield required(path / "name")
    if not is_account:
        return
    if name and name != "*":
        yield from (invalid(path / "name", name, problem) for problem in dns1123_subdomain(name))
    if not namespace:
        yield required(path / "namespace", "must specify namespace for service account")
    else:
        yield from (invalid(path / "namespace", namespace, problem) for problem in dns1123_label(namespace))


def _verb_errors(verbs: Sequence[str], path: Path) -> Iterator[FieldError]:
    if not verbs:
        yield required(path, "verbs must contain at least one value")
    elif "*" in verbs:
        yield from _all_errors(verbs, "verbs", path)
    elif not set(verbs) <= set(_VERBS):
        yield not_supported(path, verbs, _VERBS)


def _all_errors(values: Sequence[str], what: str, path: Path) -> Iterator[FieldError]:
    """Who says everything may say nothing else."""
    if len(values) > 1 and "*" in values:
        yield invalid(path, values, f"if '*' is present, must not specify other {what}")


def _resource_rule_errors(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _verb_errors(rule.get("verbs") or [], path / "verbs")
    for field, one, many in (("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")):
        values = rule.get(field) or []
        if not values:
            yield required(path / field, f"resource rules must supply at least one {one}")
        yield from _all_errors(values, many, path / field)
    namespaces, place = rule.get("namespaces") or [], path / "namespaces"
    if not namespaces and not rule.get("clusterScope"):
        yield required(place, "resource rules that are not cluster scoped must supply at least one namespace")
    elif "*" in namespaces:
        yield from _all_errors(namespaces, "namespaces", place)
    else:
        for index, name in enumerate(namespaces):
            yield from (invalid(place[index], name, _LABEL + problem) for problem in dns1123_label(name))


def _other_rule_errors(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _verb_errors(rule.get("verbs") or [], path / "verbs")
    urls, place = rule.get("nonResourceURLs") or [], path / "nonResourceURLs"
    if not urls:
        yield required(place, "nonResourceURLs must contain at least one value")
    elif "*" in urls:
        yield from _all_errors(urls, "non-resource URLs", place)
    else:
        for index, url in enumerate(urls):
            if problem := _url_problem(url):
                yield invalid(place[index], url, problem)


def _url_problem(url: str) -> str:
    """Kubernetes: ValidateNonResourceURLPath."""
    if not url:
        return "must not be empty"
    if not url.startswith("/"):
        return "must start with slash"
    if " " in url:
        return "must not contain white-space"
    if "//" in url:
        return "must not contain double slash"
    if url.count("*") > 1 or ("*" in url and not url.endswith("/*")):
        return "wildcard can only do suffix matching"
    return ""
