"""The rules of a flow schema: whose requests it is about, and which of them.

Kubernetes: pkg/apis/flowcontrol/validation, ValidateFlowSchemaPolicyRulesWithSubjects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_label
from localplane.catalog.validation.rules import DNS_LABEL, DNS_SUBDOMAIN, All, Each, Fields, Needs, Required, Rule

JSONObject = Mapping[str, Any]

_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
_SUBJECTS = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
_LABEL = "each member of this list must be '*' or a DNS-1123 label; "


def _account_name_errors(name: str, path: Path) -> Iterator[FieldError]:
    if name != "*":
        yield from DNS_SUBDOMAIN(name, path)


_NAMED = Needs("name")
_ACCOUNT = Fields(
    name=Required(_account_name_errors),
    namespace=Required(DNS_LABEL, detail="must specify namespace for service account"),
)


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
        yield from (_ACCOUNT if kind == "ServiceAccount" else _NAMED)(named, path / field)
    for other_kind, other in _SUBJECTS.items():
        if other != field and subject.get(other) is not None:
            yield forbidden(path / other, f"{other} is forbidden when subject kind is not '{other_kind}'")


def _alone(what: str) -> Rule:
    """Who says everything may say nothing else."""

    def errors(values: Sequence[str], path: Path) -> Iterator[FieldError]:
        if len(values) > 1 and "*" in values:
            yield invalid(path, values, f"if '*' is present, must not specify other {what}")

    return errors


_alone_among_verbs = _alone("verbs")
_alone_among_namespaces = _alone("namespaces")
_alone_among_urls = _alone("non-resource URLs")


def _verb_errors(verbs: Sequence[str], path: Path) -> Iterator[FieldError]:
    if "*" in verbs:
        yield from _alone_among_verbs(verbs, path)
    elif not set(verbs) <= set(_VERBS):
        yield not_supported(path, verbs, _VERBS)


def _namespace_errors(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    namespaces, place = rule.get("namespaces") or [], path / "namespaces"
    if not namespaces and not rule.get("clusterScope"):
        yield required(place, "resource rules that are not cluster scoped must supply at least one namespace")
    elif "*" in namespaces:
        yield from _alone_among_namespaces(namespaces, place)
    else:
        for index, name in enumerate(namespaces):
            yield from (invalid(place[index], name, _LABEL + problem) for problem in dns1123_label(name))


def _url_errors(urls: Sequence[str], path: Path) -> Iterator[FieldError]:
    if "*" in urls:
        yield from _alone_among_urls(urls, path)
        return
    for index, url in enumerate(urls):
        if problem := _url_problem(url):
            yield invalid(path[index], url, problem)


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


def _choice_errors(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        yield required(path, "at least one of resourceRules and nonResourceRules has to be non-empty")


_VERBS_RULE = Required(_verb_errors, detail="verbs must contain at least one value")
_RESOURCE_RULE = All(
    Fields(
        verbs=_VERBS_RULE,
        apiGroups=Required(_alone("api groups"), detail="resource rules must supply at least one api group"),
        resources=Required(_alone("resources"), detail="resource rules must supply at least one resource"),
    ),
    _namespace_errors,
)
_NON_RESOURCE_RULE = Fields(
    verbs=_VERBS_RULE,
    nonResourceURLs=Required(_url_errors, detail="nonResourceURLs must contain at least one value"),
)

POLICY_RULE = All(
    Fields(subjects=Required(Each(_subject_errors), detail="subjects must contain at least one value")),
    _choice_errors,
    Fields(resourceRules=Each(_RESOURCE_RULE), nonResourceRules=Each(_NON_RESOURCE_RULE)),
)
