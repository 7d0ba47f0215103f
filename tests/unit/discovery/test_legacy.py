"""The small documents, as a real server was seen to write them."""

from __future__ import annotations

from typing import Any

from localplane.apiserver.endpoints.discovery import (
    DiscoveryHandler,
    InstalledGroup,
    InstalledVersion,
    storage_version_hash,
)
from tests.unit.discovery.toys import BUILT_IN, CORE, TOYS, body_of, named, request, widgets


async def document(path: str, *groups: InstalledGroup) -> Any:
    return body_of(await DiscoveryHandler(lambda: groups, server_address=lambda: "10.0.0.1:6443").handle(request(path)))


async def test_api_names_the_core_versions_and_an_address_and_no_api_version() -> None:
    assert await document("/api", CORE, TOYS) == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "10.0.0.1:6443"}],
    }


async def test_apis_lists_the_named_groups_with_their_preferred_versions() -> None:
    assert await document("/apis", CORE, TOYS) == {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [
            {
                "name": "toys.example.com",
                "versions": [{"groupVersion": "toys.example.com/v1", "version": "v1"}],
                "preferredVersion": {"groupVersion": "toys.example.com/v1", "version": "v1"},
            }
        ],
    }


async def test_a_group_tells_its_versions_the_preferred_one_first() -> None:
    assert await document("/apis/play.k8s.io", BUILT_IN) == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "play.k8s.io",
        "versions": [
            {"groupVersion": "play.k8s.io/v1", "version": "v1"},
            {"groupVersion": "play.k8s.io/v2", "version": "v2"},
        ],
        "preferredVersion": {"groupVersion": "play.k8s.io/v1", "version": "v1"},
    }


async def test_a_version_lists_resources_and_subresources_in_order_of_their_names() -> None:
    found = await document("/apis/play.k8s.io/v1", BUILT_IN)
    assert found == {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": "play.k8s.io/v1",
        "resources": [
            {
                "name": "widgets",
                "singularName": "widget",
                "namespaced": True,
                "kind": "Widget",
                "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
                "shortNames": ["wd"],
                "categories": ["all"],
            },
            {
                "name": "widgets/scale",
                "singularName": "",
                "namespaced": True,
                "group": "autoscaling",
                "version": "v1",
                "kind": "Scale",
                "verbs": ["get", "patch", "update"],
            },
            {
                "name": "widgets/status",
                "singularName": "",
                "namespaced": True,
                "kind": "Widget",
                "verbs": ["get", "patch", "update"],
            },
        ],
    }


async def test_the_core_version_has_no_api_version_and_shows_storage_version_hashes() -> None:
    found = await document("/api/v1", CORE)
    assert "apiVersion" not in found
    assert found["groupVersion"] == "v1"
    assert named(found["resources"]) == ["configmaps", "namespaces"]
    assert found["resources"][1]["storageVersionHash"] == storage_version_hash("", "v1", "Namespace")


async def test_subresources_of_custom_resources_keep_their_order() -> None:
    found = await document("/apis/toys.example.com/v1", TOYS)
    assert named(found["resources"]) == ["widgets", "widgets/status", "widgets/scale"]


async def test_keys_come_in_the_order_in_which_clients_print_them() -> None:
    found = await document("/apis/play.k8s.io/v1", BUILT_IN)
    assert list(found) == ["kind", "apiVersion", "groupVersion", "resources"]
    assert list(found["resources"][1]) == ["name", "singularName", "namespaced", "group", "version", "kind", "verbs"]


async def test_verbs_appear_as_they_were_given() -> None:
    version = InstalledVersion(version="v1", resources=[widgets(verbs=("watch", "get"))])
    found = await document("/apis/a.example.com/v1", InstalledGroup(name="a.example.com", versions=[version]))
    assert found["resources"][0]["verbs"] == ["watch", "get"]


def test_the_storage_version_hash_is_kubernetes_own() -> None:
    """Values that a real server gave for pods and namespaces."""
    assert storage_version_hash("", "v1", "Pod") == "xPOwRZ+Yhw8="
    assert storage_version_hash("", "v1", "Namespace") == "Q3oi5N2YM8M="
