"""All that somebody may do, as far as it can be listed. Kubernetes: authorizer.RuleResolver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from localplane.apiserver.request import User

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
