"""A whole cluster in one block: it is one, it stands alone, and it leaves nothing behind."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

from localplane import testing
from localplane.apimachinery.errors import Forbidden, NotFound
from localplane.apiserver.server.options import InvalidOptions, ServerOptions
from localplane.client import Client, GroupVersionResource
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from tests.integration.life.world import World

NODES = GroupVersionResource("", "v1", "nodes")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "here"}}
REFUSAL = {
    "metadata": {"name": "refusal"},
    "webhooks": [
        {
            "name": "nodes.example.com",
            "clientConfig": {"url": "https://127.0.0.1:1/"},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["nodes"]}],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
    ],
}


def test_the_example_in_its_docstring_runs(tmp_path: Path) -> None:
    text = testing.__doc__ or ""
    example = textwrap.dedent(text[text.index("    from localplane") : text.index("It is what `kctl up` runs")])
    exec(compile(example, str(tmp_path / "example.py"), "exec"), {})


async def names(client: Client) -> set[str]:
    listed = await client.resource(CONFIG_MAPS, "default").list()
    return {item["metadata"]["name"] for item in listed["items"]}


async def test_the_client_inside_and_one_over_the_socket_see_the_same() -> None:
    async with testing.cluster(controllers=("none",)) as cluster, cluster.client() as client:
        await cluster.plane.client.resource(CONFIG_MAPS, "default").create(CONFIG_MAP)
        assert await names(client) == {"here"}
        await client.resource(CONFIG_MAPS, "default").delete("here")
        assert await names(cluster.plane.client) == set()


@pytest.mark.parametrize("storage", [testing.StorageKind.MEMORY, testing.StorageKind.SQLITE])
async def test_nothing_is_left_behind(storage: testing.StorageKind) -> None:
    tasks = asyncio.all_tasks()
    async with testing.cluster(storage=storage) as cluster:
        directory, port = cluster.kubeconfig.parent, urlsplit(cluster.url).port
        assert cluster.kubeconfig.is_file()
    assert not directory.exists()
    assert asyncio.all_tasks() == tasks
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_two_at_once_know_nothing_of_one_another() -> None:
    async with (
        testing.cluster(controllers=("none",)) as first,
        testing.cluster(controllers=("none",), storage=testing.StorageKind.SQLITE) as second,
    ):
        assert first.url != second.url
        await first.plane.client.resource(CONFIG_MAPS, "default").create(CONFIG_MAP)
        assert await names(second.plane.client) == set()


async def test_the_next_one_begins_empty() -> None:
    for _ in range(2):
        async with testing.cluster(controllers=("none",)) as cluster:
            config_maps = cluster.resource("v1", "configmaps", "default")
            with pytest.raises(NotFound):
                await config_maps.get("here")
            await config_maps.create(CONFIG_MAP)


async def test_nodes_are_there_as_many_as_were_asked_for_when_the_cluster_is_ready() -> None:
    async with testing.cluster(nodes=3, seed=1) as cluster:
        nodes = await cluster.list("nodes")
        assert [node["metadata"]["name"] for node in nodes] == ["node-0", "node-1", "node-2"]
        conditions = [
            each["status"] for node in nodes for each in node["status"]["conditions"] if each["type"] == "Ready"
        ]
        assert conditions == ["True"] * 3
        started = await cluster.wait_for("events", lambda event: event["reason"] == "Starting")
        assert started["involvedObject"]["kind"] == "Node"


async def test_nodes_that_a_webhook_refuses_come_when_it_is_gone(tmp_path: Path) -> None:
    """The server starts nevertheless: who refuses them may be started after it."""
    options = ClusterOptions(
        server=ServerOptions(port=0),
        storage=StorageOptions(kind=StorageKind.SQLITE, data_dir=tmp_path),
        controllers=("none",),
        nodes=0,
    )
    webhooks = GroupVersionResource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations")
    async with open_cluster(options) as plane:
        await plane.client.resource(webhooks).create(REFUSAL)
    async with open_cluster(replace(options, nodes=1)) as plane:
        assert (await plane.client.resource(NODES).list())["items"] == []
        await plane.client.resource(webhooks).delete("refusal")
        await World(plane).until("v1/nodes", lambda nodes: len(nodes) == 1, "")


async def test_a_controller_that_does_not_exist_is_told_before_anything_is_started() -> None:
    with pytest.raises(InvalidOptions, match="nonsense"):
        async with testing.cluster(controllers=("nonsense",)):
            pass


async def test_what_a_test_raises_comes_out_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        async with testing.cluster(controllers=("none",)):
            raise ZeroDivisionError


async def test_the_instruments_are_for_administrators() -> None:
    async with testing.cluster(controllers=("none",)) as cluster, cluster.client() as client:
        with pytest.raises(NotFound, match="there is no instrument"):
            await client.request("GET", "/localplane/v1/nothing")
        nobody = client.acting_as("nobody")
        with pytest.raises(Forbidden, match='User "nobody" cannot get path "/localplane/v1/nothing"'):
            await nobody.request("GET", "/localplane/v1/nothing")


def test_our_modules_are_imported_as_they_are() -> None:
    """Where the plugin is installed, pytest would rewrite their assertions."""
    ours = [module for name, module in sys.modules.items() if name.startswith(("localplane.compose.", "kctl."))]
    assert ours
    assert not [module.__name__ for module in ours if isinstance(module.__loader__, AssertionRewritingHook)]
