"""A scheduler and a kubelet for tests that have none: pods run where they are to, and go when they are to."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from localplane.apimachinery.errors import Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import HandlerFunctions, SharedInformer
from tests.integration.life.world import World, resource


@contextlib.asynccontextmanager
async def kubelet(world: World) -> AsyncIterator[None]:
    """Every new pod becomes ready, and every pod that is deleted is gone, until the block ends."""

    async def tend(pod: JSONObject) -> None:
        with contextlib.suppress(NotFound, Conflict):
            if "deletionTimestamp" in pod["metadata"]:
                await gone_for_good(world, pod)
            elif pod["status"].get("phase") == "Pending":
                await world.play(pod, node=node_of(pod))

    informer = SharedInformer(world.of("v1/pods"))
    informer.add_handler(HandlerFunctions(add=tend, update=lambda _, pod: tend(pod)))
    async with informer:
        await informer.wait_for_sync()
        yield


async def gone_for_good(world: World, pod: JSONObject) -> None:
    """What the kubelet does with a pod that is deleted once its containers have ended."""
    metadata = pod["metadata"]
    pods = world.client.resource(resource("v1/pods"), metadata["namespace"])
    await pods.delete(metadata["name"], grace_period_seconds=0, uid=metadata["uid"])


def node_of(pod: JSONObject) -> str:
    """Where its affinity wants it, by name."""
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            return str(field["values"][0])
    return "node-1"
