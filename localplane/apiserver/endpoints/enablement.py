"""Which of the installed versions and resources others see.

Kubernetes: apiserver/pkg/server/storage/resource_config.go.

What is switched off is neither answered nor told of; it stays installed, because the server's own clients go on using
it, such as those that keep roles and priorities.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # options are read before any of it is needed
    from localplane.apiserver.request import Request

    from .discovery.model import InstalledGroup, InstalledVersion


@dataclass(frozen=True, slots=True)
class Enablement:
    """`disabled` are versions (`apps/v1`, and `/v1` for the core group) and resources (`apps/v1/deployments`);
    `enabled` are resources that are served although their version is not."""

    disabled: frozenset[str] = frozenset()
    enabled: frozenset[str] = frozenset()

    def serves(self, group: str, version: str, resource: str) -> bool:
        name = f"{group}/{version}/{resource}"
        return name in self.enabled or (name not in self.disabled and f"{group}/{version}" not in self.disabled)

    def serves_version(self, group: str, version: str) -> bool:
        """Something of it, at least."""
        name = f"{group}/{version}"
        return name not in self.disabled or any(each.startswith(f"{name}/") for each in self.enabled)

    def hides(self, request: Request) -> bool:
        info = request.info
        return info.is_resource and not self.serves(info.group, info.version, info.resource)

    def shown(self, groups: Iterable[InstalledGroup]) -> list[InstalledGroup]:
        """What is left of these. A group without versions is gone, and so is a version without resources."""
        if not self.disabled:
            return list(groups)
        shown = []
        for group in groups:
            pairs = [(each, self._shown(group.name, each)) for each in group.versions]
            versions = [version for each, version in pairs if version.resources or not each.resources]
            preferred = group.preferred_version
            if all(version.version != preferred for version in versions):
                preferred = ""
            if versions:
                shown.append(replace(group, versions=tuple(versions), preferred_version=preferred))
        return shown

    def _shown(self, group: str, version: InstalledVersion) -> InstalledVersion:
        served = tuple(each for each in version.resources if self.serves(group, version.version, each.name))
        return version if len(served) == len(version.resources) else replace(version, resources=served)
