"""A cluster is branched: the branch has all of it, stands on its own, and costs little."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from localplane.apimachinery.errors import NotFound, Unauthorized
from localplane.apiserver.server.options import ServerOptions
from localplane.client import Client, GroupVersionResource, ListOptions
from localplane.client.kubeconfig import load, resolve
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
CRONTABS = GroupVersionResource("stable.example.com", "v1", "crontabs")
DEFINITIONS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "crontabs.stable.example.com"},
    "spec": {
        "group": "stable.example.com",
        "scope": "Namespaced",
        "names": {"plural": "crontabs", "kind": "CronTab"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


def options(*controllers: str) -> ClusterOptions:
    storage = StorageOptions(kind=StorageKind.MEMORY)
    return ClusterOptions(server=ServerOptions(port=0), storage=storage, controllers=controllers or ("none",))


def config_map(name: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


async def names(plane: Plane) -> set[str]:
    listed = await plane.client.resource(CONFIG_MAPS, "default").list()
    return {item["metadata"]["name"] for item in listed["items"]}


async def test_a_branch_has_everything_and_its_changes_are_its_own() -> None:
    async with open_cluster(options()) as trunk:
        await trunk.client.resource(DEFINITIONS).create(DEFINITION)
        made = await trunk.client.resource(CONFIG_MAPS, "default").create(config_map("before"))
        assert trunk.branch is not None
        async with trunk.branch() as branch:
            crontab = {"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "mine"}}
            written = await branch.client.resource(CRONTABS, "default").create(crontab)
            assert int(written["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])
            await branch.client.resource(CONFIG_MAPS, "default").delete("before")
            await branch.client.resource(DEFINITIONS).delete("crontabs.stable.example.com")
            assert await names(trunk) == {"before"}
            assert (await trunk.client.resource(CRONTABS, "default").list())["items"] == []
            await trunk.client.resource(CONFIG_MAPS, "default").create(config_map("after"))
            assert await names(branch) == set()


async def test_a_watch_goes_on_in_a_branch_where_it_was_in_the_trunk() -> None:
    async with open_cluster(options()) as trunk:
        config_maps = trunk.client.resource(CONFIG_MAPS, "default")
        first = await config_maps.create(config_map("first"))
        await config_maps.create(config_map("second"))
        assert trunk.branch is not None
        async with trunk.branch() as branch:
            since = ListOptions(resource_version=first["metadata"]["resourceVersion"])
            async with branch.client.resource(CONFIG_MAPS, "default").watch(since) as events:
                assert (await anext(events)).object["metadata"]["name"] == "second"


async def test_fifty_at_once_have_a_port_and_an_administrator_each(tmp_path: Path) -> None:
    async with open_cluster(options()) as trunk, AsyncExitStack() as stack:
        assert trunk.branch is not None
        branches = [await stack.enter_async_context(trunk.branch()) for _ in range(50)]
        assert len({branch.url for branch in branches}) == 50
        for number in (0, 49):
            async with Client.connect(resolve(load(branches[number].kubeconfig))) as client:
                await client.resource(CONFIG_MAPS, "default").create(config_map(f"of-{number}"))
            assert await names(branches[number]) == {f"of-{number}"}
        assert await names(branches[25]) == set()
        text = branches[0].kubeconfig.read_text().replace(branches[0].url, branches[1].url)
        (tmp_path / "another").write_text(text)
        async with Client.connect(resolve(load(tmp_path / "another"))) as stranger:
            with pytest.raises(Unauthorized):
                await stranger.resource(CONFIG_MAPS, "default").list()


async def test_a_branch_leaves_nothing_behind() -> None:
    async with open_cluster(options()) as trunk:
        assert trunk.branch is not None
        async with trunk.branch():  # meanwhile the trunk has started all it does
            pass
        files, tasks = set(trunk.kubeconfig.parent.iterdir()), asyncio.all_tasks()
        for _ in range(3):
            async with trunk.branch() as branch:
                assert branch.kubeconfig.stat().st_mode & 0o777 == 0o600
        assert set(trunk.kubeconfig.parent.iterdir()) == files
        assert asyncio.all_tasks() <= tasks


async def test_controllers_live_in_a_branch() -> None:
    accounts = GroupVersionResource("", "v1", "serviceaccounts")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new"}}
    async with open_cluster(options("*")) as trunk:
        assert trunk.branch is not None
        async with trunk.branch() as branch:
            await branch.client.resource(GroupVersionResource("", "v1", "namespaces")).create(namespace)
            async with asyncio.timeout(30), branch.client.resource(accounts, "new").watch() as events:
                assert (await anext(events)).object["metadata"]["name"] == "default"
            with pytest.raises(NotFound):
                await trunk.client.resource(GroupVersionResource("", "v1", "namespaces")).get("new")


def running_collectors() -> int:
    """Controllers have tasks of their names, in the trunk and in each branch."""
    return sum(task.get_name() == "garbage-collector-controller" for task in asyncio.all_tasks())


async def settled(trunk: Plane) -> None:
    """Until the controllers have done what they do in a fresh cluster."""
    for resource, namespace in ((CONFIG_MAPS, "default"), (GroupVersionResource("", "v1", "nodes"), "")):
        async with asyncio.timeout(60), trunk.client.resource(resource, namespace).watch() as events:
            await anext(events)


async def test_controllers_sleep_in_a_branch_until_something_concerns_them() -> None:
    async with open_cluster(options("*")) as trunk:
        await trunk.client.resource(DEFINITIONS).create(DEFINITION)
        await settled(trunk)
        assert trunk.branch is not None
        async with trunk.branch() as branch:
            crontab = {"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "mine"}}
            owner = await branch.client.resource(CRONTABS, "default").create(crontab)
            await branch.client.resource(CONFIG_MAPS, "default").create(config_map("plain"))
            await asyncio.sleep(0.1)
            assert running_collectors() == 1
            reference = {name: owner[name] for name in ("apiVersion", "kind")}
            reference |= {name: owner["metadata"][name] for name in ("name", "uid")}
            metadata = {"name": "owned", "ownerReferences": [reference]}
            config_maps = branch.client.resource(CONFIG_MAPS, "default")
            made = await config_maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
            await branch.client.resource(CRONTABS, "default").delete("mine")
            since = ListOptions(resource_version=made["metadata"]["resourceVersion"])
            async with asyncio.timeout(60), config_maps.watch(since) as events:
                event = await anext(events)
            assert (event.type, event.object["metadata"]["name"]) == ("DELETED", "owned")
            assert running_collectors() == 2


async def test_controllers_are_awake_where_the_trunk_was_not_done() -> None:
    deployments = GroupVersionResource("apps", "v1", "deployments")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template},
    }
    async with open_cluster(options("*")) as trunk:
        await trunk.client.resource(deployments, "default").create(deployment)
        assert trunk.branch is not None
        async with (
            asyncio.timeout(60),
            trunk.branch() as branch,
            branch.client.resource(deployments, "default").watch() as events,
        ):
            async for event in events:
                if event.object.get("status", {}).get("availableReplicas"):
                    break
