"""The scheduler in a whole cluster: pods get nodes, or people are told why not."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.client.workqueue.supervision import Background
from localplane.controllers import ControllerContext
from localplane.scheduler import start
from tests.integration.life.world import World, cluster

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


@contextlib.asynccontextmanager
async def scheduling(*controllers: str) -> AsyncIterator[World]:
    async with cluster(*controllers, without_admission=("TaintNodesByCondition",), nodes=0) as world:
        context = ControllerContext(world.plane.observer, world.plane.informers, strict=world.plane.client)
        async with Background(partial(start, context, seed=1)):
            yield world


async def node(world: World, name: str, *, labels: dict[str, str] | None = None, **spec: Any) -> None:
    """With 4 CPUs, 8 GiB and room for 10 pods, if `allocatable` does not say otherwise."""
    capacity = {"cpu": "4", "memory": "8Gi", "ephemeral-storage": "10Gi", "pods": "10"} | spec.pop("allocatable", {})
    metadata = {"name": name, "labels": {HOSTNAME: name} | (labels or {})}
    await world.create("v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec}, "")
    status = {"capacity": capacity, "allocatable": capacity}
    await world.merge("v1/nodes", name, {"status": status}, "", subresource="status")


def pod(
    name: str, *, labels: dict[str, str] | None = None, requests: dict[str, str] | None = None, **spec: Any
) -> JSONObject:
    container = {"name": "main", "image": "busybox"} | ({"resources": {"requests": requests}} if requests else {})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 0} | spec,
    }


def is_placed(found: JSONObject) -> bool:
    return bool(found["spec"].get("nodeName"))


async def place_of(world: World, name: str) -> str:
    return str((await world.becomes("v1/pods", name, is_placed))["spec"]["nodeName"])


async def excuse_of(world: World, name: str) -> str:
    """The message of the condition that says that a pod has no place."""

    def said(found: JSONObject) -> JSONObject | None:
        conditions = found["status"].get("conditions") or ()
        return next((each for each in conditions if each["type"] == "PodScheduled" and each.get("message")), None)

    found = await world.becomes("v1/pods", name, lambda each: said(each) is not None)
    condition = said(found)
    assert condition is not None
    assert condition["status"] == "False"
    assert condition["reason"] == "Unschedulable"
    return str(condition["message"])


async def test_a_pod_gets_a_node_and_people_are_told() -> None:
    async with scheduling() as world:
        await node(world, "a")
        await world.create("v1/pods", pod("web"))
        assert await place_of(world, "web") == "a"
        event = await world.event("web", "Scheduled")
        assert event["message"] == "Successfully assigned default/web to a"
        assert event["type"] == "Normal"
        assert event["action"] == "Binding"
        assert event["reportingComponent"] == "default-scheduler"


async def test_without_nodes_a_pod_waits_for_the_first() -> None:
    async with scheduling() as world:
        await world.create("v1/pods", pod("web"))
        assert await excuse_of(world, "web") == "no nodes available to schedule pods"
        await node(world, "a")
        assert await place_of(world, "web") == "a"


async def test_every_fault_of_every_node_is_counted() -> None:
    async with scheduling() as world:
        await node(world, "tainted", taints=[{"key": "gpu", "effect": "NoSchedule"}])
        await node(world, "small", allocatable={"cpu": "1"})
        await node(world, "smaller", allocatable={"cpu": "500m"})
        await world.create("v1/pods", pod("web", requests={"cpu": "2"}))
        assert await excuse_of(world, "web") == (
            "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. "
            "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
        )
        event = await world.event("web", "FailedScheduling")
        assert event["type"] == "Warning"
        assert event["action"] == "Scheduling"


async def test_pods_of_other_schedulers_are_left_alone() -> None:
    async with scheduling() as world:
        await node(world, "a")
        await world.create("v1/pods", pod("theirs", schedulerName="another"))
        await world.create("v1/pods", pod("ours"))
        assert await place_of(world, "ours") == "a"
        theirs = await world.get("v1/pods", "theirs")
        assert theirs is not None
        assert not is_placed(theirs)
        assert not theirs["status"].get("conditions")


async def test_a_gated_pod_waits_until_its_gates_are_gone() -> None:
    async with scheduling() as world:
        await node(world, "a")
        await world.create("v1/pods", pod("gated", schedulingGates=[{"name": "example.com/first"}]))
        await world.create("v1/pods", pod("free"))
        assert await place_of(world, "free") == "a"
        gated = await world.get("v1/pods", "gated")
        assert gated is not None
        (condition,) = gated["status"]["conditions"]
        assert condition["reason"] == "SchedulingGated"
        await world.merge("v1/pods", "gated", {"spec": {"schedulingGates": None}})
        assert await place_of(world, "gated") == "a"


async def test_a_pod_that_did_not_fit_gets_the_place_of_one_that_went() -> None:
    async with scheduling() as world:
        await node(world, "a", allocatable={"cpu": "1"})
        await world.create("v1/pods", pod("first", requests={"cpu": "700m"}))
        await place_of(world, "first")
        await world.create("v1/pods", pod("second", requests={"cpu": "700m"}))
        assert await excuse_of(world, "second") == (
            "0/1 nodes are available: 1 Insufficient cpu. "
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
        )
        await world.of("v1/pods").delete("first")
        assert await place_of(world, "second") == "a"


async def test_a_pod_that_has_ended_takes_no_room() -> None:
    async with scheduling() as world:
        await node(world, "a", allocatable={"cpu": "1"})
        await world.create("v1/pods", pod("first", requests={"cpu": "700m"}))
        await place_of(world, "first")
        await world.create("v1/pods", pod("second", requests={"cpu": "700m"}))
        await excuse_of(world, "second")
        await world.merge("v1/pods", "first", {"status": {"phase": "Succeeded"}}, subresource="status")
        assert await place_of(world, "second") == "a"


async def test_a_cordoned_node_gets_pods_again_when_it_is_uncordoned() -> None:
    async with scheduling() as world:
        await node(world, "a", unschedulable=True)
        await world.create("v1/pods", pod("web"))
        assert "1 node(s) were unschedulable" in await excuse_of(world, "web")
        await world.merge("v1/nodes", "a", {"spec": {"unschedulable": None}}, "")
        assert await place_of(world, "web") == "a"


async def test_a_node_that_is_labelled_later_gets_the_pod_that_selects_it() -> None:
    async with scheduling() as world:
        await node(world, "a")
        await node(world, "b")
        await world.create("v1/pods", pod("web", nodeSelector={"disk": "ssd"}))
        assert await excuse_of(world, "web") == (
            "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
        )
        await world.merge("v1/nodes", "b", {"metadata": {"labels": {"disk": "ssd"}}}, "")
        assert await place_of(world, "web") == "b"


async def test_two_pods_with_one_host_port_are_on_different_nodes() -> None:
    async with scheduling() as world:
        await node(world, "a")
        await node(world, "b")
        container = {"name": "main", "image": "busybox", "ports": [{"containerPort": 80, "hostPort": 80}]}
        for name in ("one", "two"):
            await world.create("v1/pods", pod(name, containers=[container]))
        assert {await place_of(world, "one"), await place_of(world, "two")} == {"a", "b"}
        await world.create("v1/pods", pod("three", containers=[container]))
        assert await excuse_of(world, "three") == (
            "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports. "
            "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
        )


async def test_an_important_pod_takes_the_place_of_a_lesser_one() -> None:
    async with scheduling() as world:
        await node(world, "a", allocatable={"cpu": "1"})
        await _priority_class(world, "high", 1000)
        lesser = pod("lesser", requests={"cpu": "700m"}) | {}
        lesser["spec"]["terminationGracePeriodSeconds"] = 30
        await world.create("v1/pods", lesser)
        await place_of(world, "lesser")
        await world.create("v1/pods", pod("greater", requests={"cpu": "700m"}, priorityClassName="high"))
        victim = await world.becomes("v1/pods", "lesser", lambda each: "deletionTimestamp" in each["metadata"])
        (condition,) = [each for each in victim["status"]["conditions"] if each["type"] == "DisruptionTarget"]
        assert condition["reason"] == "PreemptionByScheduler"
        assert condition["message"] == "default-scheduler: preempting to accommodate a higher priority pod"
        waiting = await world.becomes("v1/pods", "greater", lambda each: each["status"].get("nominatedNodeName") == "a")
        event = await world.event("lesser", "Preempted")
        assert event["message"] == f"Preempted by pod {waiting['metadata']['uid']} on node a"
        assert event["action"] == "Preempting"
        assert await excuse_of(world, "greater") == (
            "0/1 nodes are available: 1 Insufficient cpu. "
            "preemption: found a potential placement for pod on node a, preempting 1 victims"
        )
        await world.of("v1/pods").delete("lesser", grace_period_seconds=0)
        assert await place_of(world, "greater") == "a"


async def test_a_pod_that_must_not_preempt_waits() -> None:
    async with scheduling() as world:
        await node(world, "a", allocatable={"cpu": "1"})
        await _priority_class(world, "polite", 1000, preemptionPolicy="Never")
        await world.create("v1/pods", pod("lesser", requests={"cpu": "700m"}))
        await place_of(world, "lesser")
        await world.create("v1/pods", pod("greater", requests={"cpu": "700m"}, priorityClassName="polite"))
        assert await excuse_of(world, "greater") == (
            "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never."
        )


async def test_anti_affinity_spreads_pods_and_keeps_out_others() -> None:
    async with scheduling() as world:
        await node(world, "a")
        await node(world, "b")
        term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": HOSTNAME}
        apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        for name in ("one", "two"):
            await world.create("v1/pods", pod(name, labels={"app": "web"}, affinity=apart))
        assert {await place_of(world, "one"), await place_of(world, "two")} == {"a", "b"}
        await world.create("v1/pods", pod("three", labels={"app": "web"}, affinity=apart))
        assert "2 node(s) didn't match pod anti-affinity rules" in await excuse_of(world, "three")
        await world.create("v1/pods", pod("four", labels={"app": "web"}))
        assert "2 node(s) didn't satisfy existing pods anti-affinity rules" in await excuse_of(world, "four")


async def test_a_pod_without_its_claim_says_so_and_is_tried_when_it_comes() -> None:
    async with scheduling("persistentvolume-binder-controller") as world:
        await node(world, "a")
        volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        await world.create("v1/pods", pod("db", volumes=volumes))
        assert await excuse_of(world, "db") == (
            '0/1 nodes are available: persistentvolumeclaim "data" not found. not found'
        )
        await _waiting_class(world)
        await _local_volume(world, "pv", "a")
        await _claim(world, "data")
        assert await place_of(world, "db") == "a"
        volume = await world.get("v1/persistentvolumes", "pv", "")
        assert volume is not None
        assert volume["spec"]["claimRef"]["name"] == "data"


async def test_a_pod_goes_where_its_volume_can_be() -> None:
    async with scheduling("persistentvolume-binder-controller") as world:
        await node(world, "a")
        await node(world, "b")
        await _waiting_class(world)
        await _local_volume(world, "pv", "b")
        await _claim(world, "data")
        volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        await world.create("v1/pods", pod("db", volumes=volumes))
        assert await place_of(world, "db") == "b"
        await world.create("v1/pods", pod("other", volumes=volumes, nodeSelector={HOSTNAME: "a"}))
        assert await excuse_of(world, "other") == (
            "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, "
            "1 node(s) didn't match Pod's node affinity/selector. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
        )


async def test_a_claim_that_is_to_be_provisioned_is_told_the_node() -> None:
    async with scheduling() as world:
        await node(world, "a")
        await _waiting_class(world, provisioner="example.com/disks")
        await _claim(world, "data")
        volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        await world.create("v1/pods", pod("db", volumes=volumes))
        annotation = "volume.kubernetes.io/selected-node"
        claim = await world.becomes(
            "v1/persistentvolumeclaims", "data", lambda each: annotation in (each["metadata"].get("annotations") or {})
        )
        assert claim["metadata"]["annotations"][annotation] == "a"
        waiting = await world.becomes("v1/pods", "db", lambda each: bool(each["status"].get("nominatedNodeName")))
        assert not is_placed(waiting)
        await _local_volume(world, "made", "a")
        done = {"pv.kubernetes.io/bind-completed": "yes"}
        await world.merge(
            "v1/persistentvolumeclaims",
            "data",
            {"metadata": {"annotations": done}, "spec": {"volumeName": "made"}},
        )
        assert await place_of(world, "db") == "a"


async def test_a_claimed_device_is_reserved_before_the_pod_is_bound() -> None:
    async with scheduling() as world:
        await node(world, "a")
        await node(world, "b")
        api = "resource.k8s.io/v1"
        await world.create(
            f"{api}/deviceclasses",
            {"apiVersion": api, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}},
            "",
        )
        pool = {"name": "b", "generation": 1, "resourceSliceCount": 1}
        devices = {"driver": "gpu.example.com", "nodeName": "b", "pool": pool, "devices": [{"name": "gpu-0"}]}
        offer = {"apiVersion": api, "kind": "ResourceSlice", "metadata": {"name": "b"}, "spec": devices}
        await world.create(f"{api}/resourceslices", offer, "")
        wish = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}
        claim = {"apiVersion": api, "kind": "ResourceClaim", "metadata": {"name": "gpu"}, "spec": wish}
        claims = [{"name": "gpu", "resourceClaimName": "gpu"}]
        await world.create("v1/pods", pod("train", resourceClaims=claims))
        await world.create(f"{api}/resourceclaims", claim)
        assert await place_of(world, "train") == "b"
        reserved = await world.get(f"{api}/resourceclaims", "gpu")
        assert reserved is not None
        (result,) = reserved["status"]["allocation"]["devices"]["results"]
        assert result["device"] == "gpu-0"
        (user,) = reserved["status"]["reservedFor"]
        assert user["name"] == "train"
        assert "resource.kubernetes.io/delete-protection" in reserved["metadata"]["finalizers"]


async def _priority_class(world: World, name: str, value: int, **more: Any) -> None:
    body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
    await world.create("scheduling.k8s.io/v1/priorityclasses", body | more, "")


async def _waiting_class(world: World, provisioner: str = "kubernetes.io/no-provisioner") -> None:
    body = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "local"},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    await world.create("storage.k8s.io/v1/storageclasses", body, "")


async def _local_volume(world: World, name: str, node_name: str) -> None:
    term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [node_name]}]}
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "local",
        "local": {"path": "/data"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
    }
    body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}
    await world.create("v1/persistentvolumes", body, "")


async def _claim(world: World, name: str) -> None:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "local",
        "resources": {"requests": {"storage": "1Gi"}},
    }
    body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}
    await world.create("v1/persistentvolumeclaims", body)
