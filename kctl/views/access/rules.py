"""Policy rules: broken down, joined, compared.

Kubernetes: component-helpers/auth/rbac/validation, kubectl/pkg/util/rbac.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Rule = dict[str, Any]

_FIELDS = (
    ("Verbs", "verbs"),
    ("APIGroups", "apiGroups"),
    ("Resources", "resources"),
    ("ResourceNames", "resourceNames"),
    ("NonResourceURLs", "nonResourceURLs"),
)


def listed(values: Iterable[str] | None) -> str:
    """Go's %v of a list of texts."""
    return f"[{' '.join(values or ())}]"


def shown(rule: Rule) -> str:
    """Go's %+v."""
    return "{" + " ".join(f"{title}:{listed(rule.get(field))}" for title, field in _FIELDS) + "}"


def order(rule: Rule) -> str:
    return "".join(f"{title}:{listed(rule.get(field))}," for title, field in _FIELDS)


def broken_down(rule: Rule) -> list[Rule]:
    """One rule for each verb on each resource, name or URL."""
    names = rule.get("resourceNames") or [None]
    found: list[Rule] = []
    for group in rule.get("apiGroups") or ():
        for resource in rule.get("resources") or ():
            for verb in rule.get("verbs") or ():
                for name in names:
                    one: Rule = {"verbs": [verb], "apiGroups": [group], "resources": [resource]}
                    found.append(one if name is None else one | {"resourceNames": [name]})
    for url in rule.get("nonResourceURLs") or ():
        found += [{"verbs": [verb], "nonResourceURLs": [url]} for verb in rule.get("verbs") or ()]
    return found


def compact(rules: Sequence[Rule]) -> list[Rule]:
    """Rules about the same resource become one."""
    whole: list[Rule] = []
    simple: dict[tuple[str, str, tuple[str, ...]], Rule] = {}
    for rule in rules:
        groups, resources = rule.get("apiGroups") or [], rule.get("resources") or []
        names = tuple(rule.get("resourceNames") or ())
        if len(groups) != 1 or len(resources) != 1 or len(names) > 1 or rule.get("nonResourceURLs"):
            whole.append(rule)
            continue
        known = simple.setdefault((groups[0], resources[0], names), {**rule, "verbs": []})
        known["verbs"] += [verb for verb in rule.get("verbs") or () if verb not in known["verbs"]]
    return [*whole, *simple.values()]


def resource_and_group(rule: Rule) -> str:
    """`deployments.apps/scale`. Kubernetes: describe.CombineResourceGroup."""
    resources, groups = rule.get("resources") or [], rule.get("apiGroups") or []
    if not resources:
        return ""
    resource, slash, subresource = resources[0].partition("/")
    group = f".{groups[0]}" if groups and groups[0] else ""
    return f"{resource}{group}{slash}{subresource}"


def uncovered(owner: Sequence[Rule], wanted: Sequence[Rule]) -> list[Rule]:
    """What of `wanted` the owner's rules don't allow, broken down."""
    return [one for rule in wanted for one in broken_down(rule) if not any(_covers(own, one) for own in owner)]


def _covers(owner: Rule, one: Rule) -> bool:
    names, own_names = one.get("resourceNames") or (), owner.get("resourceNames") or ()
    named = (not own_names or set(names) <= set(own_names)) if names else not own_names
    return (
        named
        and _has_all(owner, one, "verbs")
        and _has_all(owner, one, "apiGroups")
        and all(_covers_resource(owner.get("resources") or (), each) for each in one.get("resources") or ())
        and all(_covers_url(owner.get("nonResourceURLs") or (), each) for each in one.get("nonResourceURLs") or ())
    )


def _has_all(owner: Rule, one: Rule, field: str) -> bool:
    known = owner.get(field) or ()
    return "*" in known or set(one.get(field) or ()) <= set(known)


def _covers_resource(known: Sequence[str], resource: str) -> bool:
    _, slash, subresource = resource.partition("/")
    return "*" in known or resource in known or bool(slash and f"*/{subresource}" in known)


def _covers_url(known: Sequence[str], url: str) -> bool:
    return any(one in ("*", url) or (one.endswith("*") and url.startswith(one[:-1])) for one in known)
