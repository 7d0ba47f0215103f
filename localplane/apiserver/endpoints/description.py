"""From installed all_served to the description that discovery and OpenAPI speak of."""

from __future__ import annotations

from collections.abc import Mapping

from localplane.apiserver.resource import APIGroup, Resource

from .discovery.model import (
    InstalledGroup,
    InstalledResource,
    InstalledSubresource,
    InstalledVersion,
    storage_version_hash,
)
from .served import Served

ResourcePath = tuple[str, str, str]
"""Version, resource and subresource, as a path names them."""


def describe(group: APIGroup, all_served: Mapping[ResourcePath, Served]) -> InstalledGroup:
    below = _subresources(all_served)
    routed = {version for (version, _, _), served in all_served.items() if served.dialect.is_routed}
    versions = tuple(
        InstalledVersion(
            version=version,
            priority=group.version_priorities.get(version, 15),
            custom=version not in routed,
            full_kinds=version not in routed,
            resources=tuple(
                _resource(group, resource, all_served[version, resource.plural, ""], below)
                for resource in group.resources
                if (declared := resource.version(version)) is not None and declared.served
            ),
        )
        for version in group.versions()
    )
    return InstalledGroup(
        name=group.name, versions=versions, preferred_version=group.preferred, priority=group.priority
    )


Below = Mapping[tuple[str, str], list[tuple[str, Served]]]
"""By version and resource: the names of its subresources, in order, and their all_served."""


def _subresources(all_served: Mapping[ResourcePath, Served]) -> Below:
    below: dict[tuple[str, str], list[tuple[str, Served]]] = {}
    for (version, plural, name), served in sorted(all_served.items(), key=_order):
        if name:
            below.setdefault((version, plural), []).append((name, served))
    return below


def _order(item: tuple[ResourcePath, Served]) -> tuple[str, str, bool, str]:
    """By name; but what a definition makes has its status before its scale."""
    (version, plural, name), served = item
    return version, plural, not served.dialect.is_routed and name != "status", name


def _resource(group: APIGroup, resource: Resource, served: Served, below: Below) -> InstalledResource:
    stored = resource.stored_by or group.group_version(resource.stored_as)
    version = served.group_version.version
    declared = resource.version(version)
    return InstalledResource(
        name=resource.plural,
        singular=resource.singular or resource.kind.lower(),
        namespaced=resource.namespaced,
        kind=resource.kind,
        verbs=tuple(resource.verbs) or served.verbs,
        schema=served.schema,
        schema_identity=declared.schema_identity if declared else "",
        list_kind=served.list_kind,
        short_names=tuple(resource.short_names),
        categories=tuple(resource.categories),
        subresources=tuple(
            _subresource(resource, name, each, served) for name, each in below.get((version, resource.plural), ())
        ),
        storage_version_hash=storage_version_hash(stored.group, stored.version, resource.kind)
        if served.is_stored
        else "",  # what is not stored has no version there
        media_types=tuple(media_type.name for media_type in served.own_media_types),
        patch_types=tuple(served.dialect.patch_types),
        returns_deleted_object=resource.returns_deleted_object,
        selectable_fields=tuple(resource.selectable_fields),
    )


def _subresource(resource: Resource, name: str, served: Served, main: Served) -> InstalledSubresource:
    """What speaks in a kind of another group says which, and shows that kind's schema."""
    declared = resource.subresources.get(name)
    is_foreign = served.group_version != served.path_version
    return InstalledSubresource(
        name=name,
        kind=served.kind,
        verbs=served.verbs,
        answers=served.gvk if is_foreign else None,
        schema=served.schema if served.gvk != main.gvk else None,
        patch_types=tuple(served.dialect.patch_types),
        connects=declared is not None and declared.connects,
        answers_text=declared is not None and declared.answers_text,
        query_parameters=declared.query_parameters if declared else {},
    )
