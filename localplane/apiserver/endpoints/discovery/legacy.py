"""The small documents, one for each path. Kubernetes: endpoints/discovery, kube-aggregator's handler_apis.go."""

from __future__ import annotations

from collections.abc import Iterable

from localplane.apimachinery.groups import GroupVersionKind
from localplane.apimachinery.objects import JSONObject

from .model import InstalledGroup, InstalledResource, InstalledSubresource, InstalledVersion
from .priority import by_priority_and_service, resources_in_order, subresources_in_order, versions_in_order


def api_versions(core: InstalledGroup, server_address: str) -> JSONObject:
    """What /api says. It has had no apiVersion since before there were groups, and clients know it so."""
    return {
        "kind": "APIVersions",
        "versions": [each.version for each in versions_in_order(core)],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": server_address}],
    }


def group_list(groups: Iterable[InstalledGroup]) -> JSONObject:
    """What /apis says."""
    named = (group for group in groups if group.name)
    return {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [_group(group) for group in by_priority_and_service(named)],
    }


def group(installed: InstalledGroup) -> JSONObject:
    """What /apis/GROUP says."""
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(installed)}


def _group(installed: InstalledGroup) -> JSONObject:
    versions = [
        {"groupVersion": str(installed.group_version(each.version)), "version": each.version}
        for each in versions_in_order(installed)
    ]
    return {"name": installed.name, "versions": versions, "preferredVersion": versions[0]}


def resource_list(installed: InstalledGroup, version: InstalledVersion) -> JSONObject:
    """What /api/VERSION and /apis/GROUP/VERSION say; the core group's has no apiVersion, as /api has none."""
    resources: list[JSONObject] = []
    for resource in resources_in_order(version):
        resources.append(_resource(resource))
        resources.extend(_subresource(resource, each) for each in subresources_in_order(version, resource))
    return {
        "kind": "APIResourceList",
        **({"apiVersion": "v1"} if installed.name else {}),
        "groupVersion": str(installed.group_version(version.version)),
        "resources": resources,
    }


def _resource(resource: InstalledResource) -> JSONObject:
    described: JSONObject = {
        "name": resource.name,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        **_kind(resource.kind, resource.answers),
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        described["shortNames"] = list(resource.short_names)
    if resource.categories:
        described["categories"] = list(resource.categories)
    if resource.storage_version_hash:
        described["storageVersionHash"] = resource.storage_version_hash
    return described


def _subresource(parent: InstalledResource, subresource: InstalledSubresource) -> JSONObject:
    return {
        "name": f"{parent.name}/{subresource.name}",
        "singularName": "",
        "namespaced": parent.namespaced,
        **_kind(subresource.kind, subresource.answers),
        "verbs": list(subresource.verbs),
    }


def _kind(kind: str, answers: GroupVersionKind | None) -> JSONObject:
    if answers is None:
        return {"kind": kind}
    foreign = {"group": answers.group, "version": answers.version, "kind": answers.kind}
    return {key: value for key, value in foreign.items() if value}
