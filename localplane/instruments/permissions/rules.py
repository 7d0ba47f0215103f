"""Demands as rules of roles: those that have the same verbs are told together, in an order that stays the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from localplane.apiserver.authentication.service_accounts import split_username
from localplane.apiserver.authorization import DISCOVERY_PATHS, PUBLIC_PATHS, Attributes, Demand
from localplane.apiserver.request import User
from localplane.instruments.table import ROOT
from localplane.servers.kube.rbac.rules import CompiledRule

Rule = dict[str, list[str]]
"""As a role has it: verbs, apiGroups, resources, resourceNames; or verbs, nonResourceURLs."""

_VERBS: Final = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
_NOBODY: Final = User("")

_PUBLIC: Final = CompiledRule({"verbs": ["get"], "nonResourceURLs": list(PUBLIC_PATHS)})
_ISSUER_PATHS: Final = ("/.well-known/openid-configuration", "/.well-known/openid-configuration/", "/openid/v1/jwks")
_KNOWN: Final = tuple(
    CompiledRule(rule)
    for rule in (
        {"verbs": ["get"], "nonResourceURLs": list(DISCOVERY_PATHS)},
        {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]},
        {
            "verbs": ["create"],
            "apiGroups": ["authorization.k8s.io"],
            "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        },
    )
)
_ACCOUNT: Final = CompiledRule({"verbs": ["get"], "nonResourceURLs": [*_ISSUER_PATHS, "/openid/v1/jwks/"]})


def questions(demand: Demand) -> Iterator[Attributes]:
    """What an authorizer was asked for it: once for each name."""
    names: Iterable[str] = ("",) if demand.unnamed or not demand.names else sorted(demand.names)
    for name in names:
        yield Attributes(
            _NOBODY,
            demand.verb,
            not demand.path,
            demand.path,
            demand.group,
            "*",
            demand.resource,
            demand.subresource,
            demand.namespace,
            name,
        )


def needs_no_role(user: str, demand: Demand) -> bool:
    """Whether a fresh cluster lets him do it without a role of his own: discovery, health, and questions about
    himself. Kubernetes: the roles system:public-info-viewer, system:discovery and system:basic-user. Nor does a role
    for other clusters name what only a plane of ours can be asked."""
    if demand.path.startswith(ROOT):
        return True
    rules: Sequence[CompiledRule] = (_PUBLIC,)
    if user != "system:anonymous":
        rules = (*rules, *_KNOWN, _ACCOUNT) if split_username(user) is not None else (*rules, *_KNOWN)
    return any(rule.allows(question) for question in questions(demand) for rule in rules)


def is_cluster_wide(demand: Demand) -> bool:
    """A namespace is no object in itself, although its path reads so."""
    return not demand.namespace or (demand.resource == "namespaces" and not demand.group)


def verb_order(verb: str) -> tuple[int, str]:
    return (_VERBS.index(verb), "") if verb in _VERBS else (len(_VERBS), verb)


def resource_of(demand: Demand) -> str:
    return f"{demand.resource}/{demand.subresource}" if demand.subresource else demand.resource


class RuleBook:
    """Permissions that are gathered, and then told as rules."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str, str], set[str] | None] = {}
        self._paths: dict[str, set[str]] = {}

    def add(self, verb: str, group: str, resource: str, names: Iterable[str] = ()) -> None:
        """Without names, on all objects."""
        key = group, resource, verb
        chosen = set(names)
        known = self._names.get(key, set())
        self._names[key] = None if known is None or not chosen else known | chosen

    def add_path(self, verb: str, path: str) -> None:
        self._paths.setdefault(path, set()).add(verb)

    def add_demand(self, demand: Demand, *, with_names: bool = False) -> None:
        if demand.path:
            self.add_path(demand.verb, demand.path)
            return
        names = demand.names if with_names and demand.names and not demand.unnamed else ()
        self.add(demand.verb, demand.group, resource_of(demand), names)

    def rules(self) -> list[Rule]:
        verbs: dict[tuple[str, str, tuple[str, ...]], set[str]] = {}
        for (group, resource, verb), names in self._names.items():
            verbs.setdefault((group, resource, tuple(sorted(names or ()))), set()).add(verb)
        resources: dict[tuple[str, tuple[str, ...], tuple[str, ...]], set[str]] = {}
        for (group, resource, names_of_all), of_resource in verbs.items():
            together = group, tuple(sorted(of_resource, key=verb_order)), names_of_all
            resources.setdefault(together, set()).add(resource)
        told: list[Rule] = []
        for (group, ordered, names_of_all), of_rule in resources.items():
            rule: Rule = {"apiGroups": [group], "resources": sorted(of_rule)}
            if names_of_all:
                rule["resourceNames"] = list(names_of_all)
            told.append({**rule, "verbs": list(ordered)})
        told.sort(key=lambda rule: (rule["apiGroups"], rule["resources"], rule.get("resourceNames", []), rule["verbs"]))
        return told + self._path_rules()

    def _path_rules(self) -> list[Rule]:
        paths: dict[tuple[str, ...], list[str]] = {}
        for path, verbs in self._paths.items():
            paths.setdefault(tuple(sorted(verbs, key=verb_order)), []).append(path)
        return sorted(
            ({"nonResourceURLs": sorted(of_rule), "verbs": list(verbs)} for verbs, of_rule in paths.items()),
            key=lambda rule: rule["nonResourceURLs"],
        )


def compiled(rules: Iterable[Any]) -> list[CompiledRule]:
    return [CompiledRule(rule) for rule in rules]
