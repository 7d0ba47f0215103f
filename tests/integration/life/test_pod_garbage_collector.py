"""Pods that nobody looks after any more are taken away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.context import ControllerContext
from localplane.controllers.objects.pod_garbage_collector import PodGarbageCollector
from tests.integration.life.world import World, cluster

PODS, NODES = "v1/pods", "v1/nodes"


@asynccontextmanager
async def collected(**options: Any) -> AsyncIterator[World]:
    async with cluster(nodes=0) as world:
        context = ControllerContext(world.client, world.plane.informers)
        settings = {"quarantine": timedelta(milliseconds=50), "period": timedelta(milliseconds=50)} | options
        collector = asyncio.ensure_future(PodGarbageCollector(context, **settings).run())
        try:
            yield world
        finally:
            collector.cancel()
            await asyncio.wait([collector])


def pod(name: str, **metadata: Any) -> JSONObject:
    return {"metadata": {"name": name} | metadata, "spec": {"containers": [{"name": "c", "image": "i"}]}}


def is_failed(obj: JSONObject) -> bool:
    return bool(obj["status"].get("phase") == "Failed")


async def test_pods_of_a_node_that_is_gone_are_taken_away() -> None:
    async with collected() as world:
        await world.create(NODES, {"metadata": {"name": "node-1"}}, "")
        await world.play(await world.create(PODS, pod("kept")), node="node-1")
        await world.play(await world.create(PODS, pod("orphan")), node="nowhere")
        finalizers = ["example.com/keeps"]
        await world.play(await world.create(PODS, pod("watched", finalizers=finalizers)), node="nowhere")
        await world.gone(PODS, "orphan")
        failed = await world.becomes(PODS, "watched", is_failed)
        (disruption,) = (each for each in failed["status"]["conditions"] if each["type"] == "DisruptionTarget")
        assert disruption["status"] == "True"
        assert (disruption["reason"], disruption["message"]) == ("DeletionByPodGC", "PodGC: node no longer exists")
        kept = await world.get(PODS, "kept")
        assert kept is not None
        assert "deletionTimestamp" not in kept["metadata"]
        await world.of(NODES, "").delete("node-1")
        await world.gone(PODS, "kept")


async def test_a_pod_that_goes_before_it_had_a_node_has_failed() -> None:
    async with collected() as world:
        await world.create(PODS, pod("web", finalizers=["example.com/keeps"]))
        await world.of(PODS).delete("web")
        failed = await world.becomes(PODS, "web", is_failed)
        assert not failed["status"].get("conditions")
        await world.merge(PODS, "web", {"metadata": {"finalizers": None}})
        await world.gone(PODS, "web")


async def test_pods_that_go_on_a_node_out_of_service_are_taken_away() -> None:
    async with collected() as world:
        for name in ("broken", "sound"):
            await world.create(NODES, {"metadata": {"name": name}}, "")
            await world.play(await world.create(PODS, pod(f"on-{name}")), node=name)
            await world.of(PODS).delete(f"on-{name}", grace_period_seconds=3000)
        taints = [{"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}]
        await world.merge(NODES, "broken", {"spec": {"taints": taints}}, "")
        await world.gone(PODS, "on-broken")
        assert await world.get(PODS, "on-sound") is not None


async def test_of_very_many_pods_that_have_ended_the_oldest_go_and_the_evicted_first() -> None:
    async with collected(threshold=2) as world:
        await world.create(NODES, {"metadata": {"name": "node-1"}}, "")
        running = await world.create(PODS, pod("running"))
        await world.play(running)
        evicted = await world.create(PODS, pod("z-evicted"))
        await world.play(evicted, phase="Failed", ready=False)
        await world.merge(PODS, "z-evicted", {"status": {"reason": "Evicted"}}, subresource="status")
        for name in ("b", "c"):
            await world.play(await world.create(PODS, pod(name)), phase="Succeeded", ready=False)
        await world.gone(PODS, "z-evicted")
        assert {each["metadata"]["name"] for each in await world.items(PODS)} == {"running", "b", "c"}
