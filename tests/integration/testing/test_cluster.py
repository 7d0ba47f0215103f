"""A whole cluster in one block: it is one, it stands alone, and it leaves nothing behind."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

from localplane import testing
from localplane.apimachinery.errors import Forbidden, NotFound
from localplane.apiserver.server.options import InvalidOptions
from localplane.client import Client, GroupVersionResource
from tests.integration.life.world import World

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "here"}}


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


async def test_nodes_are_simulated_as_many_as_were_asked_for() -> None:
    async with testing.cluster(nodes=3, seed=1) as cluster:
        await World(cluster.plane).until("v1/nodes", lambda nodes: len(nodes) == 3, "")


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
