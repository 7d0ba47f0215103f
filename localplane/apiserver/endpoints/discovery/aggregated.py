"""Everything in one document: apidiscovery.k8s.io/v2.

Its group is named in Accept, and named again in the answer's Content-Type. v2beta1 is no longer offered.
Kubernetes: endpoints/discovery/aggregated.
"""

from __future__ import annotations

from collections.abc import Iterable

from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.media_types import MediaType

from .model import InstalledGroup, InstalledResource, InstalledSubresource, InstalledVersion
from .priority import by_priority_and_name, resources_in_order, subresources_in_order, versions_in_order

_KIND = GroupVersionKind("apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList")


def is_aggregated(_: MediaType, kind: GroupVersionKind | None) -> bool:
    """What negotiation accepts here: nothing but this document, so it wins over plain JSON whatever their order."""
    return kind == _KIND


def content_type(media_type: MediaType) -> str:
    return f"{media_type.name};g={_KIND.group};v={_KIND.version};as={_KIND.kind}"


def group_discovery_list(groups: Iterable[InstalledGroup]) -> JSONObject:
    return {
        "kind": _KIND.kind,
        "apiVersion": str(_KIND.group_version),
        "metadata": {},
        "items": [_group(group) for group in by_priority_and_name(groups)],
    }


def _group(group: InstalledGroup) -> JSONObject:
    return {
        "metadata": {"name": group.name} if group.name else {},
        "versions": [_version(group, each) for each in versions_in_order(group)],
    }


def _version(group: InstalledGroup, version: InstalledVersion) -> JSONObject:
    described: JSONObject = {"version": version.version}
    if version.resources:
        own = group.group_version(version.version) if version.full_kinds else GroupVersion("", "")
        described["resources"] = [_resource(version, each, own) for each in resources_in_order(version)]
    described["freshness"] = "Stale" if version.stale else "Current"
    return described


def _resource(version: InstalledVersion, resource: InstalledResource, own: GroupVersion) -> JSONObject:
    """`own` is written for kinds that belong to the version itself."""
    described: JSONObject = {
        "resource": resource.name,
        "responseKind": _response_kind(resource.answers or own.kind(resource.kind)),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        described["shortNames"] = list(resource.short_names)
    if resource.categories:
        described["categories"] = list(resource.categories)
    if resource.subresources:
        described["subresources"] = [_subresource(each, own) for each in subresources_in_order(version, resource)]
    return described


def _subresource(subresource: InstalledSubresource, own: GroupVersion) -> JSONObject:
    return {
        "subresource": subresource.name,
        "responseKind": _response_kind(subresource.answers or own.kind(subresource.kind)),
        "verbs": list(subresource.verbs),
    }


def _response_kind(kind: GroupVersionKind) -> JSONObject:
    """Empty group and version stand for those of the list."""
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}
