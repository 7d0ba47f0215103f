"""A cluster with simulated nodes: whatever is bound to one of them lives."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.subresources.log import LogStore
from localplane.catalog.kubelets import KubeletConnections
from localplane.compose.life import awakened
from localplane.compose.server import Plane
from localplane.controllers import ControllerContext, run, select
from localplane.nodes import NodeOptions
from localplane.nodes.options import NODE_LABEL
from localplane.nodes.simulation import start
from tests.integration.life.world import World, cluster


@contextlib.asynccontextmanager
async def simulation(*controllers: str, **options: Any) -> AsyncIterator[World]:
    """With these controllers; `options` are those of NodeOptions. Pods name their node themselves."""
    async with cluster() as world, living(world.plane, *controllers, **options):
        yield world


@contextlib.asynccontextmanager
async def living(plane: Plane, *controllers: str, **options: Any) -> AsyncIterator[None]:
    """Nodes live in this plane while the block lasts."""
    served = plane.installer.served("", ("v1", "pods", "log"))
    assert served is not None, "pods have logs"
    assert isinstance(served.storage, LogStore)
    connections = served.storage.nodes.connections
    assert connections is not None
    context = ControllerContext(
        plane.observer, plane.informers, strict=plane.client, awakened=partial(awakened, plane.kernel)
    )
    chosen = NodeOptions(**({"connections": connections} | options))
    async with asyncio.TaskGroup() as tasks:
        running = [
            tasks.create_task(run(select(controllers or ("none",)), context)),
            tasks.create_task(start(context, chosen)),
        ]
        try:
            await _begun(plane, connections, chosen.count)
            yield
        finally:
            for task in running:
                task.cancel()


async def _begun(plane: Plane, connections: KubeletConnections, count: int) -> None:
    """Until the first nodes are there, and somebody answers for them: the tasks have taken their first steps then."""
    await asyncio.sleep(0)
    assert connections.of({"metadata": {"labels": {NODE_LABEL: "true"}}}) is not None
    await World(plane).until("v1/nodes", lambda nodes: len(nodes) >= count, "")


def pod(name: str = "web", *containers: JSONObject, node: str = "node-0", **spec: Any) -> JSONObject:
    """A pod on a node. Annotations are told as `simulation={"exit-code": "1"}`, the rest as in a spec."""
    wishes: dict[str, str] = spec.pop("simulation", {})
    metadata: JSONObject = {"name": name}
    if wishes:
        metadata["annotations"] = {f"simulation.localplane/{key}": value for key, value in wishes.items()}
    parts = list(containers) or [{"name": "main", "image": "nginx"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeName": node, "containers": parts, **spec},
    }
