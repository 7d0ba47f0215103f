"""Whether rules allow all that others do. Kubernetes: component-helpers/auth/rbac/validation, Covers;
pkg/registry/rbac/validation, CompactRules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.gotext import go_quote

from .rules import ALL

Rule = Mapping[str, Any]
_FIELDS = (
    ("apiGroups", "APIGroups"),
    ("resources", "Resources"),
    ("nonResourceURLs", "NonResourceURLs"),
    ("resourceNames", "ResourceNames"),
    ("verbs", "Verbs"),
)


def uncovered(owned: Sequence[Rule], given: Iterable[Rule]) -> list[Rule]:
    """What of the given rules the owned ones don't allow, in the smallest pieces: each is covered by one or by none."""
    return [piece for rule in given for piece in _pieces(rule) if not any(_covers(own, piece) for own in owned)]


def described(rules: Iterable[Rule]) -> list[str]:
    """Rules that differ only in their verbs are told as one."""
    whole: list[Rule] = []
    simple: dict[tuple[str, str, tuple[str, ...]], dict[str, Any]] = {}
    for rule in rules:
        if rule.get("nonResourceURLs"):
            whole.append(rule)
            continue
        place = rule["apiGroups"][0], rule["resources"][0], tuple(rule.get("resourceNames") or ())
        known = simple.setdefault(place, {**rule, "verbs": []})
        known["verbs"] = [*known["verbs"], *rule["verbs"]]
    return sorted({_told(rule) for rule in (*whole, *simple.values())})


def _told(rule: Rule) -> str:
    parts = (f"{word}:[{' '.join(map(go_quote, rule[field]))}]" for field, word in _FIELDS if rule.get(field))
    return f"{{{', '.join(parts)}}}"


def _pieces(rule: Rule) -> Iterator[Rule]:
    for group in rule.get("apiGroups") or ():
        for resource in rule.get("resources") or ():
            for verb in rule.get("verbs") or ():
                piece: Rule = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
                names = rule.get("resourceNames") or ()
                yield from ({**piece, "resourceNames": [name]} for name in names) if names else (piece,)
    for url in rule.get("nonResourceURLs") or ():
        for verb in rule.get("verbs") or ():
            yield {"nonResourceURLs": [url], "verbs": [verb]}


def _covers(own: Rule, piece: Rule) -> bool:
    names, owned_names = piece.get("resourceNames") or (), own.get("resourceNames") or ()
    return (
        _has(own.get("verbs") or (), piece.get("verbs") or ())
        and _has(own.get("apiGroups") or (), piece.get("apiGroups") or ())
        and _has_resources(own.get("resources") or (), piece.get("resources") or ())
        and all(_has_url(own.get("nonResourceURLs") or (), url) for url in piece.get("nonResourceURLs") or ())
        and (not owned_names or bool(names and set(names) <= set(owned_names)))
    )


def _has(owned: Sequence[str], wanted: Sequence[str]) -> bool:
    return ALL in owned or set(wanted) <= set(owned)


def _has_resources(owned: Sequence[str], wanted: Sequence[str]) -> bool:
    if _has(owned, wanted):
        return True
    return all(path in owned or ("/" in path and f"*/{path.partition('/')[2]}" in owned) for path in wanted)


def _has_url(owned: Sequence[str], url: str) -> bool:
    return any(own == url or (own.endswith(ALL) and url.startswith(own.rstrip(ALL))) for own in owned)
