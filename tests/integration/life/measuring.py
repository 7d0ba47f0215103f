"""A cluster that answers for metrics.k8s.io, with a simulated node that a test plays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from localplane.servers.metrics import make_group
from tests.integration.life.world import World, cluster


@asynccontextmanager
async def measured_cluster(*controllers: str) -> AsyncIterator[World]:
    """Nobody simulates its nodes, and still their usage is told."""
    async with cluster(*controllers, nodes=0) as world:
        world.plane.installer.install(make_group(world.plane.objects))
        yield world


async def simulated_node(world: World, name: str = "node-1", **labels: str) -> None:
    metadata = {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": labels}
    await world.create("v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": metadata}, "")
    ready = {"conditions": [{"type": "Ready", "status": "True"}], "allocatable": {"cpu": "4", "memory": "8Gi"}}
    await world.merge("v1/nodes", name, {"status": ready}, "", subresource="status")
