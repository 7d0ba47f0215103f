"""From installed scopes to the description that discovery and OpenAPI speak of."""

from __future__ import annotations

from collections.abc import Mapping

from localplane.apiserver.registry.store import ReadOnlyStore
from localplane.apiserver.resource import APIGroup, Resource

from .discovery.model import InstalledGroup, InstalledResource, InstalledSubresource, InstalledVersion
from .discovery.storage_version import storage_version_hash
from .scope import Scope

Place = tuple[str, str, str]
"""Version, resource and subresource, as a path names them."""


def describe(group: APIGroup, scopes: Mapping[Place, Scope]) -> InstalledGroup:
    below = _subresources(scopes)
    versions = tuple(
        InstalledVersion(
            version=version,
            priority=group.version_priorities.get(version, 15),
            custom=not any(scope.typed for place, scope in scopes.items() if place[0] == version),
            resources=tuple(
                _resource(group, resource, scopes[version, resource.plural, ""], below)
                for resource in group.resources
                if (declared := resource.version(version)) is not None and declared.served
            ),
        )
        for version in group.versions()
    )
    return InstalledGroup(
        name=group.name, versions=versions, preferred_version=group.preferred, priority=group.priority
    )


Below = Mapping[tuple[str, str], list[tuple[str, Scope]]]
"""By version and resource: the names of its subresources, in order, and their scopes."""


def _subresources(scopes: Mapping[Place, Scope]) -> Below:
    found: dict[tuple[str, str], list[tuple[str, Scope]]] = {}
    for (version, plural, name), scope in sorted(scopes.items(), key=lambda item: item[0]):
        if name:
            found.setdefault((version, plural), []).append((name, scope))
    return found


def _resource(group: APIGroup, resource: Resource, scope: Scope, below: Below) -> InstalledResource:
    stored = resource.stored_by or group.group_version(resource.stored_as)
    version = scope.group_version.version
    declared = resource.version(version)
    return InstalledResource(
        name=resource.plural,
        singular=resource.singular or resource.kind.lower(),
        namespaced=resource.namespaced,
        kind=resource.kind,
        verbs=tuple(resource.verbs) or scope.verbs,
        schema=scope.schema,
        schema_identity=declared.schema_identity if declared else "",
        list_kind=scope.list_kind,
        short_names=tuple(resource.short_names),
        categories=tuple(resource.categories),
        subresources=tuple(
            _subresource(resource, name, each, scope) for name, each in below.get((version, resource.plural), ())
        ),
        storage_version_hash=storage_version_hash(stored.group, stored.version, resource.kind)
        if isinstance(scope.storage, ReadOnlyStore)
        else "",  # what is not stored has no version there
        media_types=tuple(media_type.name for media_type in scope.own_media_types),
        patch_types=tuple(scope.patch_types),
        returns_deleted_object=resource.returns_deleted_object,
        selectable_fields=tuple(resource.selectable_fields),
    )


def _subresource(resource: Resource, name: str, scope: Scope, main: Scope) -> InstalledSubresource:
    """What speaks in a kind of another group says which, and shows that kind's schema."""
    declared = resource.subresources.get(name)
    is_foreign = scope.group_version != scope.path_version
    return InstalledSubresource(
        name=name,
        kind=scope.kind,
        verbs=scope.verbs,
        answers=scope.gvk if is_foreign else None,
        schema=scope.schema if scope.gvk != main.gvk else None,
        patch_types=tuple(scope.patch_types),
        connects=declared is not None and declared.connects,
        answers_text=declared is not None and declared.answers_text,
        query_parameters=declared.query_parameters if declared else {},
    )
