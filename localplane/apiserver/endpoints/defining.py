"""From a declared resource to what the registry works with: its place in storage, its conversions, its schemas."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from localplane.apimachinery.schema import DecodeError, Schema
from localplane.apiserver.registry.conversion import Converter, VersionRules
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.resource import APIGroup, Resource, Version
from localplane.apiserver.storage.interface import Storage


def definition_of(group: APIGroup, resource: Resource, storage: Callable[[str], Storage]) -> Definition:
    """What another group stores is told by that group's name when it is missing or wrong, whoever was asked."""
    prefix = resource.storage_prefix or (f"/{group.name}/{resource.plural}/" if group.name else f"/{resource.plural}/")
    told_as = replace(group, name=resource.stored_by.group) if resource.stored_by else group
    rules = {version.name: _rules(group, resource, version) for version in resource.versions}
    stored_as = resource.hub if resource.through else resource.stored_as
    if resource.stored_by is not None:
        stored_as = f"{resource.stored_by.group}/{resource.stored_by.version}"  # no version has a slash in its name
        rules[stored_as] = VersionRules(resource.stored_by)
    return Definition(
        resource=told_as.group_resource(resource),
        kind=told_as.group_kind(resource),
        prefix=prefix,
        namespaced=resource.namespaced,
        strategy=resource.strategy,
        converter=Converter(resource.kind, rules, stored_as=stored_as, hub=resource.hub),
        storage=resource.through(storage(prefix)) if resource.through else storage(prefix),
        schemas={version.name: _schema_of(version) for version in resource.versions},
        typed=resource.typed,
        selectable_fields=resource.selectable_fields,
        returns_deleted_object=resource.returns_deleted_object,
        has_status=resource.has_status,
    )


def _schema_of(version: Version) -> Callable[[], Schema]:
    return lambda: version.compiled


def _completed(version: Version) -> Callable[[dict[str, Any]], None]:
    return lambda obj: version.compiled.complete(obj, final=True)


def _rules(group: APIGroup, resource: Resource, version: Version) -> VersionRules:
    """The schema of a custom resource may change under what is stored, so it is applied when that is read."""
    group_version = group.group_version(version.name)
    if resource.typed:
        return VersionRules(
            group_version, version.to_hub, version.from_hub, version.default, complete=_completed(version)
        )

    def prune(obj: dict[str, Any]) -> None:
        with suppress(DecodeError):  # metadata that nobody could have written through us: better shown than hidden
            version.compiled.prune(obj)

    def fill(obj: dict[str, Any]) -> None:
        version.compiled.default(obj)

    return VersionRules(group_version, version.to_hub, version.from_hub, version.default, prune, fill)
