"""A plane is put back to what it was, and another begins as it was, while clients look on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest

from localplane.apimachinery.errors import APIError, BadRequest, NotFound
from localplane.apiserver.server.options import ServerOptions
from localplane.apiserver.storage.data_directory import DataDirectoryUnusable
from localplane.apiserver.storage.snapshot import Snapshot, decode
from localplane.client import Client, GroupVersionResource, PatchType
from localplane.client.rest.options import ListOptions
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
DEFINITIONS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
ENDPOINTS = GroupVersionResource("", "v1", "endpoints")
PAGES = GroupVersionResource("example.com", "v1", "pages")
BOOKS = GroupVersionResource("example.com", "v1", "books")
PATH = "/localplane/v1/snapshots"


def _options(kind: StorageKind, directory: Path, begin_with: Snapshot | None = None) -> ClusterOptions:
    data_dir = None if kind is StorageKind.MEMORY else directory
    storage = StorageOptions(kind=kind, data_dir=data_dir, begin_with=begin_with)
    return ClusterOptions(controllers=("none",), storage=storage, server=ServerOptions(port=0))


def _definition(plural: str) -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": plural.capitalize()},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def _config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


async def _take(client: Client) -> bytes:
    return (await client.request("GET", PATH)).body


async def _restore(client: Client, snapshot: bytes) -> Any:
    return orjson.loads((await client.request("POST", PATH, body=snapshot)).body)


async def _served(client: Client, resource: GroupVersionResource) -> bool:
    try:
        await client.resource(resource, "default").list()
    except NotFound:
        return False
    return True


@pytest.mark.parametrize("kind", [StorageKind.MEMORY, StorageKind.SQLITE, StorageKind.ETCD])
async def test_a_plane_is_put_back_to_what_it_was(kind: StorageKind, tmp_path: Path) -> None:
    """Objects, definitions and what they define; who watches hears of it, and revisions go on."""
    async with open_cluster(_options(kind, tmp_path / "data")) as plane:
        client = plane.client
        maps = client.resource(CONFIG_MAPS, "default")
        changed = await maps.create(_config_map("changed", is_="old"))
        await maps.create(_config_map("deleted"))
        await client.resource(DEFINITIONS).create(_definition("books"))
        book = {"apiVersion": "example.com/v1", "kind": "Books", "metadata": {"name": "one"}}
        await client.resource(BOOKS, "default").create(book)
        snapshot = await _take(client)

        await maps.update({**changed, "data": {"is_": "new"}})
        await maps.delete("deleted")
        added = await maps.create(_config_map("added"))
        await client.resource(DEFINITIONS).delete("books.example.com")
        await client.resource(DEFINITIONS).create(_definition("pages"))
        async with maps.watch(ListOptions(resource_version=added["metadata"]["resourceVersion"])) as events:
            said = await _restore(client, snapshot)
            seen = set()
            async with asyncio.timeout(20):
                async for event in events:
                    seen.add((event.type, event.object["metadata"]["name"]))
                    if len(seen) == 3:
                        break
        assert seen == {("MODIFIED", "changed"), ("ADDED", "deleted"), ("DELETED", "added")}
        assert said["objects"] == decode(snapshot).header.objects
        now = await maps.list()
        assert {each["metadata"]["name"]: each.get("data") for each in now["items"]} == {
            "changed": {"is_": "old"},
            "deleted": None,
        }
        assert int(now["metadata"]["resourceVersion"]) >= said["revision"] > int(added["metadata"]["resourceVersion"])
        for _ in range(400):
            if await _served(client, BOOKS) and not await _served(client, PAGES):
                break
            await asyncio.sleep(0.05)
        else:
            pytest.fail("what is defined is not what was defined")
        books = await client.resource(BOOKS, "default").list()
        assert [each["metadata"]["name"] for each in books["items"]] == ["one"]


async def test_a_definition_that_comes_back_stays(tmp_path: Path) -> None:
    """Whoever was about to remove it, and waited for the last of its objects, lets it be."""
    async with open_cluster(_options(StorageKind.MEMORY, tmp_path)) as plane:
        client, books = plane.client, plane.client.resource(BOOKS, "default")
        await client.resource(DEFINITIONS).create(_definition("books"))
        kept = {"name": "one", "finalizers": ["example.com/keeper"]}
        await books.create({"apiVersion": "example.com/v1", "kind": "Books", "metadata": kept})
        snapshot = await _take(client)
        await client.resource(DEFINITIONS).delete("books.example.com")
        for _ in range(1000):
            if "deletionTimestamp" in (await books.get("one"))["metadata"]:
                break
            await asyncio.sleep(0.02)

        await _restore(client, snapshot)
        assert "deletionTimestamp" not in (await books.get("one"))["metadata"]
        await books.patch("one", {"metadata": {"finalizers": None}}, PatchType.MERGE)
        await books.delete("one")
        await asyncio.sleep(1.5)  # longer than one waits before he looks again
        definition = await client.resource(DEFINITIONS).get("books.example.com")
        assert "deletionTimestamp" not in definition["metadata"]
        assert all(condition["type"] != "Terminating" for condition in definition["status"]["conditions"])


@pytest.mark.parametrize("kind", [StorageKind.MEMORY, StorageKind.SQLITE, StorageKind.ETCD])
async def test_another_plane_begins_with_a_snapshot(kind: StorageKind, tmp_path: Path) -> None:
    async with open_cluster(_options(StorageKind.MEMORY, tmp_path)) as plane:
        await plane.client.resource(CONFIG_MAPS, "default").create(_config_map("a", b="c"))
        address = plane.server.port
        snapshot = decode(await _take(plane.client))
    options = _options(kind, tmp_path / "other", snapshot)
    async with open_cluster(options) as plane:
        maps = plane.client.resource(CONFIG_MAPS, "default")
        there = await maps.get("a")
        assert there["data"] == {"b": "c"}
        assert int(there["metadata"]["resourceVersion"]) > snapshot.header.revision
        with pytest.raises(APIError) as refusal:
            async with maps.watch(ListOptions(resource_version=str(snapshot.header.revision - 1))) as events:
                await anext(aiter(events))
        assert refusal.value.code == 410
        endpoints = await plane.client.resource(ENDPOINTS, "default").get("kubernetes")
        assert endpoints["subsets"][0]["ports"][0]["port"] == plane.server.port != address
    if kind is not StorageKind.MEMORY:
        with pytest.raises(DataDirectoryUnusable, match="there is a cluster already"):
            async with open_cluster(options):
                pass


async def test_what_is_no_snapshot_changes_nothing(tmp_path: Path) -> None:
    async with open_cluster(_options(StorageKind.MEMORY, tmp_path)) as plane:
        maps = plane.client.resource(CONFIG_MAPS)
        before = (await maps.list())["items"]
        snapshot = await _take(plane.client)
        for damaged, why in ((b"{}", "is not a snapshot"), (snapshot[:-1], "its checksum is wrong")):
            with pytest.raises(BadRequest, match=why):
                await _restore(plane.client, damaged)
        with pytest.raises(APIError, match="takes GET and POST, not DELETE"):
            await plane.client.request("DELETE", PATH)
        with pytest.raises(NotFound, match="nothing below"):
            await plane.client.request("GET", PATH + "/more")
        assert (await maps.list())["items"] == before
