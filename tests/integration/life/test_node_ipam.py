"""Nodes get a range of addresses for their pods, and give it back."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.context import ControllerContext
from localplane.controllers.nodes import node_ipam
from localplane.controllers.nodes.node_ipam import NodeIPAMOptions
from tests.integration.life.running import running
from tests.integration.life.world import World, cluster


async def node(world: World, name: str, **spec: Any) -> JSONObject:
    return await world.create("v1/nodes", {"metadata": {"name": name}, "spec": spec}, "")


async def cidrs(world: World, name: str) -> list[str]:
    made = await world.becomes("v1/nodes", name, lambda node: bool(node["spec"].get("podCIDRs")), "")
    assert made["spec"]["podCIDR"] == made["spec"]["podCIDRs"][0]
    found: list[str] = made["spec"]["podCIDRs"]
    return found


async def test_nodes_get_ranges_of_their_own_and_those_they_have_are_theirs() -> None:
    async with cluster("node-ipam-controller") as world:
        await node(world, "first", podCIDR="10.244.1.0/24", podCIDRs=["10.244.1.0/24"])
        given = []
        for name in ("second", "third"):
            await node(world, name)
            given += await cidrs(world, name)
        assert sorted(given) == ["10.244.0.0/24", "10.244.2.0/24"]


def allocating(world: World, *cluster_cidrs: str) -> AbstractAsyncContextManager[ControllerContext]:
    return running(world, partial(node_ipam.start, options=NodeIPAMOptions(cluster_cidrs)))


async def test_a_range_comes_back_when_its_node_goes_and_whoever_waited_gets_it() -> None:
    async with cluster() as world, allocating(world, "10.0.0.0/23"):
        for name in ("a", "b"):
            await node(world, name)
            await cidrs(world, name)
        await node(world, "late")
        event = await world.event("late", "CIDRNotAvailable")
        assert event["message"] == "Node late status is now: CIDRNotAvailable"
        assert event["source"] == {"component": "cidrAllocator"}
        await world.of("v1/nodes", "").delete("a")
        assert await cidrs(world, "late") == ["10.0.0.0/24"]


async def test_who_starts_again_gives_nobody_what_another_has() -> None:
    async with cluster() as world:
        async with allocating(world, "10.0.0.0/22", "fd00::/56"):
            await node(world, "old")
            assert await cidrs(world, "old") == ["10.0.0.0/24", "fd00::/64"]
        await node(world, "a-new")  # comes before the old one in a list
        async with allocating(world, "10.0.0.0/22", "fd00::/56"):
            assert await cidrs(world, "a-new") == ["10.0.1.0/24", "fd00:0:0:1::/64"]
