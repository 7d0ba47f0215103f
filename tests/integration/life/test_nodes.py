"""Simulated nodes: what their Node objects and leases say, and how they are stopped and taken over."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource, SharedInformer, SharedInformerFactory
from tests.integration.life import node_control as control
from tests.integration.life.simulation import pod, simulation
from tests.integration.life.test_pod_life import condition, has_phase, is_ready
from tests.integration.life.world import World

LEASES = "coordination.k8s.io/v1/leases"


def node(name: str, annotations: dict[str, str] | None = None, **status: Any) -> JSONObject:
    document: JSONObject = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": {}}
    if annotations:
        document["metadata"]["annotations"] = annotations
    return document | ({"status": status} if status else {})


async def heard(world: World, name: str, *, after: str = "") -> JSONObject:
    """The node's lease, renewed later than `after`."""
    return await world.becomes(LEASES, name, lambda lease: lease["spec"]["renewTime"] > after, "kube-node-lease")


async def test_the_first_nodes_are_made_and_say_that_they_are_simulated() -> None:
    async with simulation(count=2) as world:
        nodes = await world.until("v1/nodes", lambda items: len(items) == 2, "")
        assert sorted(each["metadata"]["name"] for each in nodes) == ["node-0", "node-1"]
        first = next(each for each in nodes if each["metadata"]["name"] == "node-0")
        labels = first["metadata"]["labels"]
        assert labels["kubernetes.io/hostname"] == "node-0"
        assert labels["kubernetes.io/os"] == labels["beta.kubernetes.io/os"] == "linux"
        assert labels["simulation.localplane/node"] == "true"
        assert first["metadata"]["annotations"]["kwok.x-k8s.io/node"] == "fake"
        status = first["status"]
        assert status["nodeInfo"]["osImage"] == "Simulated (localplane)"
        assert status["nodeInfo"]["containerRuntimeVersion"] == "simulated://1.0"
        assert status["nodeInfo"]["kubeletVersion"] == "v1.37.0"
        assert status["capacity"]["pods"] == "110"
        assert status["allocatable"] == status["capacity"]
        assert condition(first, "Ready")["reason"] == "KubeletReady"
        assert condition(first, "MemoryPressure")["reason"] == "KubeletHasSufficientMemory"
        addresses = [each["status"]["addresses"] for each in nodes]
        assert addresses[0] != addresses[1]
        assert {each["type"] for each in addresses[0]} == {"InternalIP", "Hostname"}


async def test_a_nodes_lease_is_its_own_and_renewed() -> None:
    async with simulation(lease_duration=timedelta(seconds=1)) as world:
        lease = await heard(world, "node-0")
        owner = lease["metadata"]["ownerReferences"][0]
        assert (owner["kind"], owner["name"]) == ("Node", "node-0")
        assert lease["spec"]["holderIdentity"] == "node-0"
        await heard(world, "node-0", after=lease["spec"]["renewTime"])


async def test_pods_are_not_watched_before_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[str] = []
    informer = SharedInformerFactory.informer

    def noted(self: SharedInformerFactory, resource: GroupVersionResource) -> SharedInformer:
        watched.append(resource.resource)
        return informer(self, resource)

    monkeypatch.setattr(SharedInformerFactory, "informer", noted)
    async with simulation(lease_duration=timedelta(seconds=1)) as world:
        lease = await heard(world, "node-0")
        await heard(world, "node-0", after=lease["spec"]["renewTime"])
        assert "nodes" in watched
        assert "pods" not in watched
        await world.create("v1/pods", pod("web"))
        await world.becomes("v1/pods", "web", is_ready)
        assert "pods" in watched


async def test_a_fake_node_is_taken_over_with_the_size_that_it_has() -> None:
    size = {"cpu": "2", "memory": "4Gi", "pods": "7"}
    async with simulation(count=0) as world:
        await world.create("v1/nodes", node("mine", {"kwok.x-k8s.io/node": "fake"}, capacity=size), "")
        taken = await world.becomes("v1/nodes", "mine", is_ready, "")
        assert taken["status"]["capacity"] == taken["status"]["allocatable"] == size
        await heard(world, "mine")
        await world.create("v1/pods", pod("web", node="mine"))
        ready = await world.becomes("v1/pods", "web", is_ready)
        assert ready["status"]["hostIP"] in [each["address"] for each in taken["status"]["addresses"]]


async def test_extended_resources_can_be_had_as_soon_as_somebody_writes_the_capacity() -> None:
    reserved = {"cpu": "1", "memory": "3Gi", "pods": "7"}
    async with simulation(count=0) as world:
        given = node("mine", {"kwok.x-k8s.io/node": "fake"}, capacity=reserved | {"cpu": "2"}, allocatable=reserved)
        await world.create("v1/nodes", given, "")
        for said, wanted in (
            ({"example.com/foo": "5", "hugepages-2Mi": "4Mi"}, {"example.com/foo": "5", "hugepages-2Mi": "4Mi"}),
            ({"example.com/foo": "3", "hugepages-2Mi": "4Mi"}, {"example.com/foo": "3", "hugepages-2Mi": "4Mi"}),
            ({"example.com/foo": None, "hugepages-2Mi": None}, {}),
        ):
            await world.merge("v1/nodes", "mine", {"status": {"capacity": said}}, "", subresource="status")
            await world.becomes("v1/nodes", "mine", has_allocatable(reserved | wanted), "")


def has_allocatable(amounts: dict[str, str]) -> Any:
    return lambda each: each["status"].get("allocatable") == amounts


async def test_other_nodes_and_their_pods_are_never_touched() -> None:
    async with simulation() as world:
        real = await world.create("v1/nodes", node("real"), "")
        await world.create("v1/pods", pod("there", node="real"))
        await world.create("v1/pods", pod("here"))
        await world.becomes("v1/pods", "here", is_ready)
        await heard(world, "node-0")
        assert await world.get("v1/nodes", "real", "") == real
        there = await world.get("v1/pods", "there")
        assert there is not None
        assert there["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
        assert await world.get(LEASES, "real", "kube-node-lease") is None


async def test_a_node_that_comes_late_finds_its_pods() -> None:
    async with simulation(count=0) as world:
        await world.create("v1/pods", pod("web", node="node-7"))
        await control.add_node(world.client, "node-7")
        await world.becomes("v1/pods", "web", is_ready)


async def test_a_stopped_node_moves_no_pods_until_it_is_started() -> None:
    async with simulation(count=2, lease_duration=timedelta(seconds=1)) as world:
        await heard(world, "node-0")
        await world.create("v1/pods", pod("ending", simulation={"exit-after": "200ms"}, restartPolicy="Never"))
        await world.becomes("v1/pods", "ending", has_phase("Running"))
        await control.stop_node(world.client, "node-0")
        await world.create("v1/pods", pod("stuck"))
        # What happens on another node takes longer than what would happen here.
        await world.create(
            "v1/pods", pod("other", node="node-1", simulation={"exit-after": "1s"}, restartPolicy="Never")
        )
        await world.becomes("v1/pods", "other", has_phase("Succeeded"))
        stuck, ending = await world.get("v1/pods", "stuck"), await world.get("v1/pods", "ending")
        assert stuck is not None
        assert ending is not None
        assert "containerStatuses" not in stuck["status"]
        assert ending["status"]["phase"] == "Running"
        silent = await world.get(LEASES, "node-0", "kube-node-lease")
        assert silent is not None
        await control.start_node(world.client, "node-0")
        await world.becomes("v1/pods", "stuck", is_ready)
        await world.becomes("v1/pods", "ending", has_phase("Succeeded"))
        await heard(world, "node-0", after=silent["spec"]["renewTime"])


async def test_a_condition_that_somebody_wrote_is_corrected_when_the_node_is_started() -> None:
    async with simulation() as world:
        await heard(world, "node-0")
        await control.stop_node(world.client, "node-0")
        unknown = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}
        await world.merge("v1/nodes", "node-0", {"status": {"conditions": [unknown]}}, "", subresource="status")
        await control.start_node(world.client, "node-0")
        back = await world.becomes("v1/nodes", "node-0", is_ready, "")
        assert condition(back, "Ready")["reason"] == "KubeletReady"


async def test_nodes_are_added_under_the_next_free_name_and_removed() -> None:
    async with simulation() as world:
        added = await control.add_node(world.client, labels={"zone": "a"})
        assert added["metadata"]["name"] == "node-1"
        assert added["metadata"]["labels"]["zone"] == "a"
        names = [each["metadata"]["name"] for each in await control.simulated_nodes(world.client)]
        assert names == ["node-0", "node-1"]
        await control.remove_node(world.client, "node-1")
        await world.gone("v1/nodes", "node-1", "")
        await world.create("v1/nodes", node("real"), "")
        with pytest.raises(BadRequest, match='node "real" is not simulated'):
            await control.remove_node(world.client, "real")


async def test_pod_addresses_come_from_the_range_that_the_node_was_given() -> None:
    async with simulation(count=0) as world:
        given = node("mine", {"kwok.x-k8s.io/node": "fake"})
        given["spec"] = {"podCIDR": "10.7.0.0/30", "podCIDRs": ["10.7.0.0/30"]}
        await world.create("v1/nodes", given, "")
        await world.create("v1/pods", pod("first", node="mine"))
        first = await world.becomes("v1/pods", "first", is_ready)
        assert first["status"]["podIP"] == "10.7.0.2"
        await world.create("v1/pods", pod("second", node="mine"))
        second = await world.becomes("v1/pods", "second", is_ready)
        assert second["status"]["podIP"].startswith("100.")


async def test_images_that_were_pulled_are_known_to_the_node() -> None:
    async with simulation(lease_duration=timedelta(seconds=1)) as world:
        await world.create(
            "v1/pods", pod("web", {"name": "main", "image": "nginx:1", "imagePullPolicy": "IfNotPresent"})
        )
        await world.becomes("v1/pods", "web", is_ready)

        def has_image(each: JSONObject) -> bool:
            return [image["names"] for image in each["status"].get("images") or ()] == [["nginx:1"]]

        await world.becomes("v1/nodes", "node-0", has_image, "")
        await world.create(
            "v1/pods", pod("too", {"name": "main", "image": "nginx:1", "imagePullPolicy": "IfNotPresent"})
        )
        event = await world.event("too", "Pulled")
        assert event["message"] == 'Container image "nginx:1" already present on machine and can be accessed by the pod'
