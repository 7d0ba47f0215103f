"""The authorizers that need to know nothing of what is stored, and several as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from localplane.apiserver.request import User

from .interface import ALLOWED, NO_OPINION, Attributes, Authorizer, Decision, Verdict

# All that somebody may do, as far as it can be listed. Kubernetes: authorizer.RuleResolver.

Rule = dict[str, Any]
"""As SelfSubjectRulesReview shows it: verbs, apiGroups, resources, resourceNames; or verbs, nonResourceURLs."""


@dataclass(frozen=True, slots=True)
class Rules:
    """`incomplete`: somebody who decides can't list what it would allow."""

    resource_rules: Sequence[Rule] = ()
    non_resource_rules: Sequence[Rule] = ()
    incomplete: bool = False
    error: str = ""


class RuleResolver(Protocol):
    async def rules_for(self, user: User, namespace: str) -> Rules: ...


@dataclass(frozen=True, slots=True)
class UnionRules:
    """What all of them allow together."""

    resolvers: Sequence[RuleResolver] = field(default_factory=tuple)

    async def rules_for(self, user: User, namespace: str) -> Rules:
        found = [await resolver.rules_for(user, namespace) for resolver in self.resolvers]
        return Rules(
            [rule for rules in found for rule in rules.resource_rules],
            [rule for rules in found for rule in rules.non_resource_rules],
            incomplete=any(rules.incomplete for rules in found),
            error=", ".join(rules.error for rules in found if rules.error),
        )


# Everybody, or nobody. Kubernetes: apiserver/pkg/authorization/authorizerfactory.

_EVERYTHING = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
_EVERY_PATH = {"verbs": ["*"], "nonResourceURLs": ["*"]}


class AlwaysAllow:
    """Whoever was let in may do everything."""

    async def authorize(self, attributes: Attributes) -> Decision:  # noqa: ARG002 - that is the point
        return ALLOWED

    async def rules_for(self, user: User, namespace: str) -> Rules:  # noqa: ARG002 - it is the same for all
        return Rules([_EVERYTHING], [_EVERY_PATH])


class AlwaysDeny:
    """Nobody may do anything, unless somebody else allows it."""

    async def authorize(self, attributes: Attributes) -> Decision:  # noqa: ARG002 - that is the point
        return Decision(Verdict.NO_OPINION, "Everything is forbidden.")

    async def rules_for(self, user: User, namespace: str) -> Rules:  # noqa: ARG002 - it is the same for all
        return Rules()


# Groups whose members may do everything. Kubernetes: authorizerfactory.NewPrivilegedGroups.

SYSTEM_MASTERS = "system:masters"


class PrivilegedGroups:
    """Stands before all others, so that no rule can lock the administrator out."""

    def __init__(self, *groups: str) -> None:
        self._groups = frozenset(groups or (SYSTEM_MASTERS,))

    async def authorize(self, attributes: Attributes) -> Decision:
        return NO_OPINION if self._groups.isdisjoint(attributes.user.groups) else ALLOWED

    async def rules_for(self, user: User, namespace: str) -> Rules:  # noqa: ARG002 - it is the same everywhere
        if self._groups.isdisjoint(user.groups):
            return Rules()
        return Rules([_EVERYTHING], [_EVERY_PATH])


# Reading certain paths, for everybody or for some groups.
#
# What Kubernetes grants with its bootstrap roles system:public-info-viewer and system:discovery; it is here for servers
# that have no roles. Kubernetes: apiserver/pkg/authorization/path, plugin/pkg/auth/authorizer/rbac/bootstrappolicy.

PUBLIC_PATHS = ("/livez", "/readyz", "/healthz", "/version", "/version/")
DISCOVERY_PATHS = (*PUBLIC_PATHS, "/openapi", "/openapi/*", "/api", "/api/*", "/apis", "/apis/*")


class PathAuthorizer:
    """A path ends in `*` to mean all that begin so. Without groups everybody may read, anonymous users included."""

    def __init__(self, paths: Sequence[str], *, groups: Sequence[str] = (), verbs: Sequence[str] = ("get",)) -> None:
        for path in paths:
            if "*" in path[:-1]:
                raise ValueError(f"only trailing * allowed in {path!r}")
        self._exact = frozenset(path for path in paths if not path.endswith("*"))
        self._prefixes = tuple(path[:-1] for path in paths if path.endswith("*"))
        self._groups = frozenset(groups)
        self._verbs = frozenset(verbs)

    async def authorize(self, attributes: Attributes) -> Decision:
        if attributes.is_resource or attributes.verb not in self._verbs:
            return NO_OPINION
        if self._groups and self._groups.isdisjoint(attributes.user.groups):
            return NO_OPINION
        if attributes.path in self._exact or attributes.path.startswith(self._prefixes):
            return ALLOWED
        return NO_OPINION


# Several authorizers as one, asked in order. Kubernetes: apiserver/pkg/authorization/union.


@dataclass(frozen=True, slots=True)
class NamedAuthorizer:
    """The name tells reasons apart when nobody allowed a request."""

    name: str
    authorizer: Authorizer


class UnionAuthorizer:
    """The first to allow or deny decides; if none does, the reasons of all are told."""

    def __init__(self, *authorizers: NamedAuthorizer) -> None:
        names = [authorizer.name for authorizer in authorizers]
        if len(set(names)) != len(names) or "" in names:
            raise ValueError(f"authorizers need names of their own: {names}")
        self._authorizers = authorizers

    async def authorize(self, attributes: Attributes) -> Decision:
        reasons: list[str] = []
        errors: list[str] = []
        for named in self._authorizers:
            decision = await named.authorizer.authorize(attributes)
            if decision.verdict is not Verdict.NO_OPINION:
                return decision
            if decision.reason:
                reasons.append(f"{named.name}: {decision.reason}")
            if decision.error:
                errors.append(decision.error)
        return Decision(Verdict.NO_OPINION, reason="\n".join(reasons), error=_aggregate(errors))


def _aggregate(errors: list[str]) -> str:
    """As Go prints an aggregate: each text once, in brackets if there are several."""
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]" if distinct else ""
