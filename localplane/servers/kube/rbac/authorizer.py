"""The decision. Kubernetes: plugin/pkg/auth/authorizer/rbac, pkg/registry/rbac/validation (DefaultRuleResolver)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, NamedTuple

from localplane.apimachinery.gotext import go_quote
from localplane.apiserver.authorization import NO_OPINION, Attributes, Decision, Rule, Rules, Verdict
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import User
from localplane.apiserver.storage.errors import KeyNotFound, StorageError
from localplane.apiserver.storage.interface import ListOptions

from .bindings import BindingIndex
from .rules import CompiledRule

_GROUP: Final = "rbac.authorization.k8s.io"
_INDEX: Final = "rbac.BindingIndex"
_RULES: Final = "rbac.CompiledRules"
_AS_FRESH_AS_THERE_IS: Final = ListOptions()
_CACHED: Final = ListOptions(resource_version="0")


class RoleNotFound(LookupError):
    """In the words of a lister."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"{kind.lower()}.{_GROUP} {go_quote(name)} not found")


class Granted(NamedTuple):
    """A rule that somebody has, or why some of theirs are not known."""

    rule: CompiledRule | None
    source: str = ""
    error: str = ""


class RBACAuthorizer:
    """Nothing is forbidden by it: what no rule allows is left to others."""

    def __init__(self, objects: Lookup) -> None:
        self._objects = objects

    async def authorize(self, attributes: Attributes) -> Decision:
        errors: list[str] = []
        async for granted in self.granted(attributes.user, attributes.namespace):
            if granted.rule is None:
                errors.append(granted.error)
            elif granted.rule.allows(attributes):
                return Decision(Verdict.ALLOW, f"RBAC: allowed by {granted.source}")
        return Decision(Verdict.NO_OPINION, f"RBAC: {_aggregate(errors)}") if errors else NO_OPINION

    async def rules_for(self, user: User, namespace: str) -> Rules:
        resource_rules: list[Rule] = []
        other_rules: list[Rule] = []
        errors: list[str] = []
        async for granted in self.granted(user, namespace):
            if granted.rule is None:
                errors.append(granted.error)
                continue
            rule = granted.rule.source
            if rule.get("resources"):
                resource_rules.append(_shown(rule, "verbs", "apiGroups", "resources", "resourceNames"))
            if rule.get("nonResourceURLs"):
                other_rules.append(_shown(rule, "verbs", "nonResourceURLs"))
        return Rules(resource_rules, other_rules, error=_aggregate(errors))

    async def granted(self, user: User, namespace: str) -> AsyncIterator[Granted]:
        """All rules that somebody has everywhere, and then those in a namespace. Only the first question has to wait
        for what was written: the others are answered at least as freshly."""
        options = _AS_FRESH_AS_THERE_IS
        for resource, place in (("clusterrolebindings", ""), ("rolebindings", namespace)):
            if resource == "rolebindings" and not namespace:
                return
            try:
                index = await self._index(resource, place, options)
            except StorageError as error:
                yield Granted(None, error=str(error))
                continue
            options = _CACHED
            for grant in index.of(user):
                try:
                    rules = await self.rules_of(grant.role_kind, grant.role_name, place)
                except (RoleNotFound, StorageError) as error:
                    yield Granted(None, error=str(error))
                    continue
                for rule in rules:
                    yield Granted(rule, grant.description)

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

    async def _index(self, resource: str, namespace: str, options: ListOptions) -> BindingIndex:
        definition = self._objects.definition(f"{_GROUP}/{resource}")
        listed = await definition.storage.list(definition.place(namespace), options)
        found: BindingIndex | None = (listed.memo or {}).get(_INDEX)
        if found is None:
            found = BindingIndex(map(definition.converter.hub_of, listed.items), namespace)
            if listed.memo is not None:
                listed.memo[_INDEX] = found
        return found


def _shown(rule: Mapping[str, Any], *fields: str) -> Rule:
    return {field: list(rule[field]) for field in fields if rule.get(field)}


def _aggregate(errors: list[str]) -> str:
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]" if distinct else ""
