"""Nodes are told how long what they have read is good."""

from __future__ import annotations

from typing import Any

from localplane.client import Client, Indexer, Lister
from localplane.controllers.nodes.node_ttl import NodeTTL
from tests.integration.life.world import cluster

ANNOTATION = "node.alpha.kubernetes.io/ttl"


async def test_every_node_has_the_time_of_a_small_cluster() -> None:
    def is_told(node: dict[str, Any]) -> bool:
        return (node["metadata"].get("annotations") or {}).get(ANNOTATION) == "0"

    async with cluster("ttl-controller") as world:
        await world.create("v1/nodes", {"metadata": {"name": "n"}}, "")
        await world.becomes("v1/nodes", "n", is_told, "")
        await world.merge("v1/nodes", "n", {"metadata": {"annotations": {ANNOTATION: "17"}}}, "")
        await world.becomes("v1/nodes", "n", is_told, "")


def test_more_nodes_have_longer_and_one_less_changes_nothing() -> None:
    ttl = NodeTTL(Client.__new__(Client), Lister(Indexer()))
    seconds = [ttl.seconds(count) for count in (1, 100, 101, 95, 89, 1500, 950, 899, 5000, 0)]
    assert seconds == [0, 0, 15, 15, 0, 60, 60, 30, 300, 0]
