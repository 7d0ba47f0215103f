"""Groups whose members may do everything. Kubernetes: authorizerfactory.NewPrivilegedGroups."""

from __future__ import annotations

from .interface import ALLOWED, NO_OPINION, Attributes, Decision

SYSTEM_MASTERS = "system:masters"


class PrivilegedGroups:
    """Stands before all others, so that no rule can lock the administrator out."""

    def __init__(self, *groups: str) -> None:
        self._groups = frozenset(groups or (SYSTEM_MASTERS,))

    async def authorize(self, attributes: Attributes) -> Decision:
        return NO_OPINION if self._groups.isdisjoint(attributes.user.groups) else ALLOWED
