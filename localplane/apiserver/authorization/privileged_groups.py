"""Groups whose members may do everything. Kubernetes: authorizerfactory.NewPrivilegedGroups."""

from __future__ import annotations

from localplane.apiserver.request import User

from .interface import ALLOWED, NO_OPINION, Attributes, Decision
from .rules import Rules

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
        everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
        return Rules([everything], [{"verbs": ["*"], "nonResourceURLs": ["*"]}])
