"""What does my controller do when the server says no, or nothing at all?"""

from __future__ import annotations

import asyncio

from localplane.apimachinery.errors import Conflict, Expired
from localplane.client import GroupVersionResource, ListOptions, ResourceClient
from localplane.client.errors import ConnectionFailed
from localplane.testing import AsyncCluster

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
COUNTER = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "counter"}, "data": {"count": "0"}}


async def count_to(wanted: str, maps: ResourceClient) -> None:
    """Whoever meets a conflict reads again; whose answer was lost looks at what became of it."""
    while (counter := await maps.get("counter"))["data"]["count"] != wanted:
        try:
            await maps.update({**counter, "data": {"count": wanted}})
        except (Conflict, ConnectionFailed):
            continue


async def follow(maps: ResourceClient, until: str) -> None:
    """A watch that breaks is resumed, and one that has expired begins anew."""
    version = ""
    while True:
        try:
            async with maps.watch(ListOptions(resource_version=version)) as events:
                async for event in events:
                    version = event.resource_version
                    if event.object["data"].get("count") == until:
                        return
        except Expired:
            version = ""
        except ConnectionFailed:
            continue


async def test_conflicts_and_lost_answers_are_survived(async_cluster: AsyncCluster) -> None:
    await async_cluster.create(COUNTER)
    async with async_cluster.client() as client:
        with async_cluster.faults.add(verb="update", resource="cm", answer=409, first=2) as conflicts:
            await count_to("1", client.resource(CONFIG_MAPS, "default"))
        with async_cluster.faults.add(verb="update", resource="cm", cut="after") as lost:
            await count_to("2", client.resource(CONFIG_MAPS, "default"))
    assert (conflicts.hits, lost.hits) == (2, 1)


async def test_a_watch_that_breaks_again_and_again_is_followed_to_the_end(async_cluster: AsyncCluster) -> None:
    await async_cluster.create(COUNTER)
    async_cluster.faults.add("gone", resource="cm", watch_end="expire", watch_after_events=1, first=1)
    async_cluster.faults.add("cut", resource="cm", watch_end="cut", watch_after_events=1, first=1)
    async with async_cluster.client() as client, asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        tasks.create_task(follow(client.resource(CONFIG_MAPS, "default"), until="3"))
        for number in "123":
            await count_to(number, client.resource(CONFIG_MAPS, "default"))
    assert [hit["rule"] for hit in async_cluster.faults.hits()] == ["gone", "cut"]
