"""Which group and which version a client meets first, and so takes when it may choose.

Both documents put the higher priority first and differ only in how they settle ties between groups. Kubernetes:
endpoints/discovery/aggregated/handler.go, kube-aggregator's SortedByGroupAndVersion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

from localplane.apimachinery.groups import version_priority

from .model import InstalledGroup, InstalledResource, InstalledSubresource, InstalledVersion


def merged(groups: Iterable[InstalledGroup]) -> list[InstalledGroup]:
    """One description for each group that has versions. Of two servers with the same version, the first has it."""
    found: dict[str, InstalledGroup] = {}
    for group in groups:
        known = found.setdefault(group.name, group)
        if known is not group:
            named = {each.version for each in known.versions}
            more = [each for each in group.versions if each.version not in named]
            priority = max(known.priority, group.priority)
            found[group.name] = replace(known, versions=[*known.versions, *more], priority=priority)
    return [group for group in found.values() if group.versions]


def versions_in_order(group: InstalledGroup) -> list[InstalledVersion]:
    """The preferred version first."""
    by_name = sorted(group.versions, key=attrgetter("version"))
    ordered = sorted(by_name, key=lambda each: (each.priority, version_priority(each.version)), reverse=True)
    return sorted(ordered, key=lambda each: each.version != group.preferred_version)


def by_priority_and_name(groups: Iterable[InstalledGroup]) -> list[InstalledGroup]:
    """The order of the aggregated document."""
    return sorted(groups, key=lambda group: (-group.priority, group.name))


def by_priority_and_service(groups: Iterable[InstalledGroup]) -> list[InstalledGroup]:
    """The order of /apis, where ties fall by the names that the versions' APIServices have (`v1.example.com`)."""
    return sorted(groups, key=lambda group: (-group.priority, _first_service(group)))


def _first_service(group: InstalledGroup) -> str:
    return min((f"{each.version}.{group.name}" for each in group.versions), default=group.name)


def resources_in_order(version: InstalledVersion) -> list[InstalledResource]:
    return sorted(version.resources, key=attrgetter("name"))


def subresources_in_order(version: InstalledVersion, resource: InstalledResource) -> Sequence[InstalledSubresource]:
    """By name; those of custom resources stay as they were given."""
    return resource.subresources if version.custom else sorted(resource.subresources, key=attrgetter("name"))
