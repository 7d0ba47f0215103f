"""The decision. Kubernetes: plugin/pkg/auth/authorizer/rbac, pkg/registry/rbac/validation (DefaultRuleResolver)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.golang.text import go_quote
from localplane.apiserver.authorization import NO_OPINION, Attributes, Decision, Rule, Rules, Verdict
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import User
from localplane.apiserver.storage.errors import KeyNotFound, StorageError
from localplane.apiserver.storage.interface import ListOptions

from .bindings import BindingIndex
from .rules import CompiledRule

_GROUP: Final = "rbac.authorization.k8s.io"
_CLUSTER: Final = ""
_INDEX: Final = "rbac.BindingIndex"
_RULES: Final = "rbac.CompiledRules"
_AS_FRESH_AS_THERE_IS: Final = ListOptions(only_readable=True)
_CACHED: Final = ListOptions(resource_version="0", only_readable=True)


class RoleNotFound(LookupError):
    """In the words of a lister."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"{kind.lower()}.{_GROUP} {go_quote(name)} not found")


@dataclass(frozen=True, slots=True)
class Granted:
    """The rules that somebody has, and why some of theirs are not known."""

    rules: list[CompiledRule]
    errors: list[str]


class RBACAuthorizer:
    """Nothing is forbidden by it: what no rule allows is left to others."""

    def __init__(self, objects: Lookup) -> None:
        self._objects = objects

    async def authorize(self, attributes: Attributes) -> Decision:
        errors: list[str] = []
        namespace = attributes.namespace
        for place in (_CLUSTER, namespace) if namespace else (_CLUSTER,):
            for source, rules in await self._granted_in(place, attributes.user, errors):
                for rule in rules:
                    if rule.allows(attributes):
                        return Decision(Verdict.ALLOW, f"RBAC: allowed by {source}")
        return Decision(Verdict.NO_OPINION, f"RBAC: {_aggregate(errors)}") if errors else NO_OPINION

    async def rules_for(self, user: User, namespace: str) -> Rules:
        granted = await self.granted(user, namespace)
        rules = [rule.source for rule in granted.rules]
        return Rules(
            [
                _shown(rule, "verbs", "apiGroups", "resources", "resourceNames")
                for rule in rules
                if rule.get("resources")
            ],
            [_shown(rule, "verbs", "nonResourceURLs") for rule in rules if rule.get("nonResourceURLs")],
            error=_aggregate(granted.errors),
        )

    async def granted(self, user: User, namespace: str) -> Granted:
        """All rules that somebody has everywhere, and then those in a namespace."""
        errors: list[str] = []
        places = (_CLUSTER, namespace) if namespace else (_CLUSTER,)
        found = [rules for place in places for _, rules in await self._granted_in(place, user, errors)]
        return Granted([rule for rules in found for rule in rules], errors)

    async def _granted_in(self, place: str, user: User, errors: list[str]) -> list[tuple[str, Sequence[CompiledRule]]]:
        """By whom, and what. Only the first question, about the cluster, waits for what was written: the others are
        answered at least as freshly."""
        found: list[tuple[str, Sequence[CompiledRule]]] = []
        try:
            index = await self._index(place)
        except StorageError as error:
            errors.append(str(error))
            return found
        for grant in index.of(user):
            try:
                found.append((grant.description, await self.rules_of(grant.role_kind, grant.role_name, place)))
            except (RoleNotFound, StorageError) as error:
                errors.append(str(error))
        return found

    async def rules_of(self, kind: str, name: str, namespace: str) -> tuple[CompiledRule, ...]:
        """Of a role, as a binding in that namespace means it. Raises RoleNotFound."""
        definition = self._objects.definition(f"{_GROUP}/{'roles' if kind == 'Role' else 'clusterroles'}")
        try:
            key = definition.key(namespace if kind == "Role" else "", name)
            stored = await definition.storage.get(key, resource_version="0")
        except KeyNotFound:
            raise RoleNotFound(kind, name) from None
        memo = stored.memo
        if memo is None:
            memo = stored.memo = {}
        compiled: tuple[CompiledRule, ...] | None = memo.get(_RULES)
        if compiled is None:
            rules = definition.converter.hub_of(stored).get("rules") or ()
            compiled = memo[_RULES] = tuple(map(CompiledRule, rules))
        return compiled

    async def _index(self, place: str) -> BindingIndex:
        resource, options = ("rolebindings", _CACHED) if place else ("clusterrolebindings", _AS_FRESH_AS_THERE_IS)
        definition = self._objects.definition(f"{_GROUP}/{resource}")
        listed = await definition.storage.list(definition.place(place), options)
        found: BindingIndex | None = (listed.memo or {}).get(_INDEX)
        if found is None:
            found = BindingIndex(map(definition.converter.hub_of, listed.items), place)
            if listed.memo is not None:
                listed.memo[_INDEX] = found
        return found


def _shown(rule: Mapping[str, Any], *fields: str) -> Rule:
    return {field: list(rule[field]) for field in fields if rule.get(field)}


def _aggregate(errors: list[str]) -> str:
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]" if distinct else ""
