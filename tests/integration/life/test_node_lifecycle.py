"""Nodes that no longer say that they live, and what that means for the pods on them."""

from __future__ import annotations

import asyncio
import time
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import micro_now, now
from localplane.controllers.context import ControllerContext
from localplane.controllers.nodes import node_lifecycle
from localplane.controllers.nodes.node_lifecycle import NodeLifecycleOptions
from localplane.controllers.nodes.node_lifecycle.zones import EvictionRates
from tests.integration.life.running import running
from tests.integration.life.world import World, cluster

NAME = "node-lifecycle-controller"
PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")


async def node(world: World, name: str = "node-1", *, labels: JSONObject | None = None, **status: str) -> JSONObject:
    """With these conditions."""
    metadata = {"name": name, "labels": labels or {}}
    made = await world.create("v1/nodes", {"metadata": metadata, "spec": {}}, "")
    return await post(world, name, **status) if status else made


async def post(world: World, name: str, **status: str) -> JSONObject:
    """What a kubelet writes."""
    moment = now()
    conditions = [
        {"type": kind, "status": value, "reason": "Said", "lastHeartbeatTime": moment, "lastTransitionTime": moment}
        for kind, value in status.items()
    ]
    return await world.merge("v1/nodes", name, {"status": {"conditions": conditions}}, "", subresource="status")


async def renew(world: World, name: str) -> None:
    """What a kubelet writes more often."""
    leases, moment = "coordination.k8s.io/v1/leases", micro_now()
    if await world.get(leases, name, "kube-node-lease") is None:
        lease = {"metadata": {"name": name}, "spec": {"holderIdentity": name, "renewTime": moment}}
        await world.create(leases, lease, "kube-node-lease")
    else:
        await world.merge(leases, name, {"spec": {"renewTime": moment}}, "kube-node-lease")


async def pod(world: World, name: str, node: str) -> JSONObject:
    spec = {"containers": [{"name": "c", "image": "i"}], "nodeName": node}
    made = await world.create("v1/pods", {"metadata": {"name": name}, "spec": spec})
    return await world.play(made)


def taints(node: JSONObject) -> set[str]:
    return {f"{taint['key']}:{taint['effect']}" for taint in node["spec"].get("taints") or ()}


def ready(obj: JSONObject) -> JSONObject:
    return next((each for each in obj["status"].get("conditions") or () if each["type"] == "Ready"), {})


def monitoring(
    world: World, *, grace: float = 3600, startup: float = 3600, rates: EvictionRates | None = None
) -> AbstractAsyncContextManager[ControllerContext]:
    options = NodeLifecycleOptions(
        grace_period=timedelta(seconds=grace),
        startup_grace_period=timedelta(seconds=startup),
        monitor_period=timedelta(milliseconds=100),
        rates=rates or EvictionRates(normal=1000.0),
    )
    return running(world, partial(node_lifecycle.start, options=options))


async def test_a_new_node_is_registered_and_loses_its_taint_when_it_is_ready() -> None:
    async with cluster(NAME) as world:
        made = await node(world)
        assert taints(made) == {"node.kubernetes.io/not-ready:NoSchedule"}
        event = await world.event("node-1", "RegisteredNode")
        assert event["message"] == "Node node-1 event: Registered Node node-1 in Controller"
        assert event["source"] == {"component": "node-controller"}
        await post(world, "node-1", Ready="True")
        await world.becomes("v1/nodes", "node-1", lambda node: not taints(node), "")
        await world.of("v1/nodes", "").delete("node-1")
        event = await world.event("node-1", "RemovingNode")
        assert event["message"] == "Node node-1 event: Removing Node node-1 from Controller"


async def test_conditions_and_unschedulable_nodes_are_mirrored_in_taints() -> None:
    async with cluster(NAME) as world:
        await node(world, Ready="True", MemoryPressure="True", DiskPressure="True", PIDPressure="True")
        await world.merge("v1/nodes", "node-1", {"spec": {"unschedulable": True}}, "")
        expected = {f"node.kubernetes.io/{kind}-pressure:NoSchedule" for kind in ("memory", "disk", "pid")}
        expected.add("node.kubernetes.io/unschedulable:NoSchedule")
        found = await world.becomes("v1/nodes", "node-1", lambda node: taints(node) == expected, "")
        assert all(taint["timeAdded"] for taint in found["spec"]["taints"] if "pressure" in taint["key"])
        await world.merge("v1/nodes", "node-1", {"spec": {"unschedulable": None}}, "")
        await post(world, "node-1", Ready="True", NetworkUnavailable="True")
        expected = {"node.kubernetes.io/network-unavailable:NoSchedule"}
        await world.becomes("v1/nodes", "node-1", lambda node: taints(node) == expected, "")


async def test_the_taints_of_others_are_left_alone() -> None:
    async with cluster(NAME) as world:
        await node(world, Ready="True", MemoryPressure="True")
        await world.becomes("v1/nodes", "node-1", lambda node: "memory-pressure" in str(taints(node)), "")
        mine = {"key": "example.com/mine", "effect": "NoExecute"}
        await world.merge("v1/nodes", "node-1", {"spec": {"taints": [mine]}}, "")
        await world.becomes("v1/nodes", "node-1", lambda node: "memory-pressure" in str(taints(node)), "")
        await post(world, "node-1", Ready="True")
        await world.becomes("v1/nodes", "node-1", lambda node: taints(node) == {"example.com/mine:NoExecute"}, "")


async def test_old_names_of_labels_say_what_the_new_ones_do() -> None:
    async with cluster(NAME) as world:
        labels = {"kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64", "beta.kubernetes.io/arch": "amd64"}
        await node(world, labels=labels)
        expected = labels | {"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "arm64"}
        await world.becomes("v1/nodes", "node-1", lambda node: node["metadata"]["labels"] == expected, "")


async def test_a_silent_node_is_unknown_and_so_are_its_pods_not_ready() -> None:
    async with cluster() as world:
        await node(world, Ready="True", MemoryPressure="False")
        await pod(world, "web", "node-1")
        async with monitoring(world, grace=0.5):
            lost = await world.becomes("v1/nodes", "node-1", lambda node: ready(node)["status"] == "Unknown", "")
            conditions = {each["type"]: each for each in lost["status"]["conditions"]}
            for kind in ("Ready", "MemoryPressure"):
                assert conditions[kind]["reason"] == "NodeStatusUnknown"
                assert conditions[kind]["message"] == "Kubelet stopped posting node status."
            for kind in ("DiskPressure", "PIDPressure"):
                assert conditions[kind]["reason"] == "NodeStatusNeverUpdated"
                assert conditions[kind]["message"] == "Kubelet never posted node status."
                assert conditions[kind]["status"] == "Unknown"
                assert conditions[kind]["lastHeartbeatTime"] == lost["metadata"]["creationTimestamp"]
            event = await world.event("node-1", "NodeNotReady")
            assert (event["type"], event["message"]) == ("Normal", "Node node-1 status is now: NodeNotReady")
            await world.becomes("v1/pods", "web", lambda pod: ready(pod)["status"] == "False")
            event = await world.event("web", "NodeNotReady")
            assert (event["type"], event["message"]) == ("Warning", "Node is not ready")
            unreachable = {"node.kubernetes.io/unreachable:NoSchedule"}
            await world.becomes("v1/nodes", "node-1", lambda node: taints(node) == unreachable, "")


async def test_a_pod_that_comes_to_a_lost_node_is_not_ready_there() -> None:
    async with cluster() as world:
        await node(world, Ready="Unknown")
        spec = {"containers": [{"name": "c", "image": "i"}]}
        made = await world.create("v1/pods", {"metadata": {"name": "web"}, "spec": spec})
        conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": now()}]
        status = {"phase": "Running", "conditions": conditions}
        await world.merge("v1/pods", "web", {"status": status}, subresource="status")
        async with monitoring(world):
            await world.event("node-1", "RegisteredNode")
            binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "web"}, "target": {"name": "node-1"}}
            await world.of("v1/pods", made["metadata"]["namespace"]).create(binding, name="web", subresource="binding")
            await world.becomes("v1/pods", "web", lambda pod: ready(pod)["status"] == "False")


async def test_a_node_that_never_spoke_is_unknown_after_its_first_grace() -> None:
    async with cluster() as world, monitoring(world, startup=0.5):
        await node(world)
        lost = await world.becomes("v1/nodes", "node-1", lambda node: ready(node).get("status") == "Unknown", "")
        assert {each["type"] for each in lost["status"]["conditions"]} == {"Ready", *PRESSURES}
        assert {each["reason"] for each in lost["status"]["conditions"]} == {"NodeStatusNeverUpdated"}


async def test_a_renewed_lease_is_a_sign_of_life() -> None:
    async with cluster() as world:
        for name in ("quiet", "renewing"):
            await node(world, name, Ready="True")
            await renew(world, name)
        async with monitoring(world, grace=3):
            lost: list[str] = []
            while not lost:
                await renew(world, "renewing")
                items = await world.items("v1/nodes", "")
                lost = [each["metadata"]["name"] for each in items if ready(each)["status"] == "Unknown"]
            assert lost == ["quiet"]


async def test_who_was_stopped_themselves_holds_it_against_nobody() -> None:
    async with cluster() as world:
        for name in ("quiet", "renewing"):
            await node(world, name, Ready="True")
            await renew(world, name)
        async with monitoring(world, grace=1.5):
            await world.event("renewing", "RegisteredNode")
            time.sleep(4)  # noqa: ASYNC251 - the whole process stands still
            for _ in range(200):  # and when it goes on, the controller looks first
                await asyncio.sleep(0)
            lost: list[str] = []
            while not lost:
                await renew(world, "renewing")
                items = await world.items("v1/nodes", "")
                lost = [each["metadata"]["name"] for each in items if ready(each)["status"] == "Unknown"]
            assert lost == ["quiet"]


async def test_one_of_two_that_is_lost_gets_a_taint_that_drives_pods_away_until_it_is_back() -> None:
    async with cluster() as world:
        await node(world, "well", Ready="True")
        await node(world, "ill", Ready="True")
        async with monitoring(world):
            await post(world, "ill", Ready="Unknown")
            both = {f"node.kubernetes.io/unreachable:{effect}" for effect in ("NoSchedule", "NoExecute")}
            tainted = await world.becomes("v1/nodes", "ill", lambda node: taints(node) == both, "")
            assert all(taint["timeAdded"] for taint in tainted["spec"]["taints"])
            await post(world, "ill", Ready="False")
            both = {f"node.kubernetes.io/not-ready:{effect}" for effect in ("NoSchedule", "NoExecute")}
            await world.becomes("v1/nodes", "ill", lambda node: taints(node) == both, "")
            await post(world, "ill", Ready="True")
            await world.becomes("v1/nodes", "ill", lambda node: not taints(node), "")


async def test_when_all_are_lost_nobody_is_driven_away() -> None:
    async with cluster() as world:
        for name in ("one", "other"):
            await node(world, name, Ready="True")
        async with monitoring(world):
            await post(world, "one", Ready="False")
            await world.becomes(
                "v1/nodes", "one", lambda node: "node.kubernetes.io/not-ready:NoExecute" in taints(node), ""
            )
            await post(world, "other", Ready="False")
            mirrored = {"node.kubernetes.io/not-ready:NoSchedule"}
            for name in ("one", "other"):
                await world.becomes("v1/nodes", name, lambda node: taints(node) == mirrored, "")
            await post(world, "other", Ready="True")
            await world.becomes(
                "v1/nodes", "one", lambda node: "node.kubernetes.io/not-ready:NoExecute" in taints(node), ""
            )
