"""Replica sets and replication controllers have as many pods as they ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.world import World, cluster

SETS = "apps/v1/replicasets"
CONTROLLERS = "v1/replicationcontrollers"
PODS = "v1/pods"
LABELS = {"app": "web"}
CONTAINERS = [{"name": "c", "image": "i"}]


def template(**labels: str) -> JSONObject:
    return {"metadata": {"labels": LABELS | labels}, "spec": {"containers": CONTAINERS}}


def replica_set(name: str = "web", replicas: int = 1, **spec: Any) -> JSONObject:
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": LABELS}, "template": template()} | spec,
    }


def replication_controller(replicas: int) -> JSONObject:
    return {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": LABELS, "template": template()},
    }


def bare_pod(name: str, **labels: str) -> JSONObject:
    metadata = {"name": name, "labels": labels or LABELS}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": CONTAINERS}}


def status_is(**fields: Any) -> Callable[[JSONObject], bool]:
    """These fields; None is one that is not there."""

    def so(obj: JSONObject) -> bool:
        status = obj.get("status") or {}
        return all(status.get(name) == value for name, value in fields.items())

    return so


def owners(pod: JSONObject) -> list[str]:
    return [owner["name"] for owner in pod["metadata"].get("ownerReferences") or ()]


def of(owner: str) -> Callable[[JSONObject], bool]:
    return lambda pod: owners(pod) == [owner]


async def owned(world: World, owner: str, count: int) -> list[JSONObject]:
    """The owner's pods that stay, once there are so many."""

    def staying(pods: list[JSONObject]) -> list[JSONObject]:
        return [pod for pod in pods if owners(pod) == [owner] and "deletionTimestamp" not in pod["metadata"]]

    return staying(await world.until(PODS, lambda pods: len(staying(pods)) == count))


@pytest.mark.parametrize(
    ("controller", "plural", "obj", "terminating"),
    [
        ("replicaset-controller", SETS, replica_set(replicas=3), 0),
        ("replicationcontroller-controller", CONTROLLERS, replication_controller(3), None),
    ],
)
async def test_pods_are_made_from_the_template_and_counted(
    controller: str, plural: str, obj: JSONObject, terminating: int | None
) -> None:
    async with cluster(controller, nodes=0) as world:
        created = await world.create(plural, obj)
        await world.becomes(
            plural, "web", status_is(replicas=3, fullyLabeledReplicas=3, readyReplicas=None, observedGeneration=1)
        )
        pods = await owned(world, "web", 3)
        for pod in pods:
            assert pod["metadata"]["generateName"] == "web-"
            assert pod["metadata"]["labels"] == LABELS
            assert pod["metadata"]["ownerReferences"] == [
                {
                    "apiVersion": obj["apiVersion"],
                    "kind": obj["kind"],
                    "name": "web",
                    "uid": created["metadata"]["uid"],
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ]
        await world.play(pods[0])
        told = await world.becomes(plural, "web", status_is(readyReplicas=1, availableReplicas=1))
        assert told["status"].get("terminatingReplicas") == terminating
        event = await world.event("web", "SuccessfulCreate")
        assert event["message"].startswith("Created pod: web-")
        component = controller.replace("replicationcontroller-controller", "replication-controller")
        assert event["source"]["component"] == component


async def test_a_pod_that_goes_or_fails_is_replaced() -> None:
    async with cluster("replicaset-controller", nodes=0) as world:
        await world.create(SETS, replica_set(replicas=2))
        first, second = await owned(world, "web", 2)
        await world.play(first, phase="Failed", ready=False)
        await world.of(PODS).delete(second["metadata"]["name"], grace_period_seconds=0)
        gone = {first["metadata"]["name"], second["metadata"]["name"]}

        def replaced(pods: list[JSONObject]) -> bool:
            return len({pod["metadata"]["name"] for pod in pods} - gone) == 2

        await world.until(PODS, replaced)
        await world.becomes(SETS, "web", status_is(replicas=2))


async def test_pods_that_end_slowly_are_told_as_terminating() -> None:
    async with cluster("replicaset-controller", nodes=0) as world:
        await world.create(SETS, replica_set(replicas=1))
        (pod,) = await owned(world, "web", 1)
        await world.play(pod)
        await world.of(PODS).delete(pod["metadata"]["name"])
        await world.becomes(SETS, "web", status_is(replicas=1, terminatingReplicas=1, readyReplicas=None))
        await world.of(PODS).delete(pod["metadata"]["name"], grace_period_seconds=0)
        await world.becomes(SETS, "web", status_is(replicas=1, terminatingReplicas=0))


async def test_scaling_down_takes_the_pods_that_are_least_useful() -> None:
    async with cluster("replicaset-controller", nodes=0) as world:
        await world.create(SETS, replica_set(replicas=3))
        ready, cheap, _ = await owned(world, "web", 3)
        await world.play(ready)
        await world.play(cheap)
        cost = {"metadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "-1"}}}
        await world.merge(PODS, cheap["metadata"]["name"], cost)
        await world.becomes(SETS, "web", status_is(readyReplicas=2))
        await world.merge(SETS, "web", {"spec": {"replicas": 2}})
        left = await owned(world, "web", 2)
        assert {pod["metadata"]["name"] for pod in left} == {ready["metadata"]["name"], cheap["metadata"]["name"]}
        await world.merge(SETS, "web", {"spec": {"replicas": 1}})
        (last,) = await owned(world, "web", 1)
        assert last["metadata"]["name"] == ready["metadata"]["name"]
        event = await world.event("web", "SuccessfulDelete")
        assert event["message"].startswith("Deleted pod: web-")


async def test_scaling_down_takes_pods_from_nodes_that_siblings_are_on() -> None:
    async with cluster("replicaset-controller", nodes=0) as world:
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "d", "controller": True}
        for name, replicas in (("web", 2), ("sibling", 1)):
            labels = {"app": name}
            made_from = {"metadata": {"labels": labels}, "spec": {"containers": CONTAINERS}}
            obj = replica_set(name, replicas, selector={"matchLabels": labels}, template=made_from)
            obj["metadata"]["ownerReferences"] = [deployment]
            await world.create(SETS, obj)
        alone, beside = await owned(world, "web", 2)
        (sibling,) = await owned(world, "sibling", 1)
        await world.play(alone, node="node-1")
        await world.play(beside, node="node-2")
        await world.play(sibling, node="node-2")
        await world.becomes(SETS, "web", status_is(readyReplicas=2))
        await world.becomes(SETS, "sibling", status_is(readyReplicas=1))
        await world.merge(SETS, "web", {"spec": {"replicas": 1}})
        (left,) = await owned(world, "web", 1)
        assert left["metadata"]["name"] == alone["metadata"]["name"]


async def test_a_replica_set_that_is_going_makes_no_more_pods() -> None:
    async with cluster("replicaset-controller", nodes=0) as world:
        obj = replica_set(replicas=1)
        obj["metadata"]["finalizers"] = ["example.com/keep"]
        await world.create(SETS, obj)
        (pod,) = await owned(world, "web", 1)
        await world.becomes(SETS, "web", status_is(replicas=1))
        await world.of(SETS).delete("web")
        await world.of(PODS).delete(pod["metadata"]["name"], grace_period_seconds=0)
        await world.becomes(SETS, "web", status_is(replicas=0))
        assert await world.items(PODS) == []


async def test_a_matching_orphan_is_adopted_and_released_when_it_no_longer_matches() -> None:
    async with cluster("replicaset-controller", nodes=0) as world:
        await world.create(PODS, bare_pod("lonely"))
        await world.create(SETS, replica_set(replicas=1))
        await world.becomes(PODS, "lonely", of("web"))
        await world.becomes(SETS, "web", status_is(replicas=1, observedGeneration=1))
        assert len(await world.items(PODS)) == 1
        await world.merge(PODS, "lonely", {"metadata": {"labels": {"app": "else"}}})
        released = await world.becomes(PODS, "lonely", lambda pod: not owners(pod))
        assert "deletionTimestamp" not in released["metadata"]
        await owned(world, "web", 1)


async def test_a_replication_controller_adopts_a_pod_that_comes_later_and_deletes_what_is_too_much() -> None:
    async with cluster("replicationcontroller-controller", nodes=0) as world:
        await world.create(CONTROLLERS, replication_controller(1))
        (pod,) = await owned(world, "web", 1)
        await world.play(pod)
        await world.becomes(CONTROLLERS, "web", status_is(readyReplicas=1))
        await world.create(PODS, bare_pod("late"))
        await world.gone(PODS, "late")
        await owned(world, "web", 1)


async def test_what_is_refused_becomes_a_condition_until_it_is_allowed() -> None:
    async with cluster("replicaset-controller", "resourcequota-controller", nodes=0) as world:
        quota = {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "q"},
            "spec": {"hard": {"pods": "2"}},
        }
        await world.create("v1/resourcequotas", quota)
        await world.becomes("v1/resourcequotas", "q", lambda quota: "hard" in (quota.get("status") or {}))
        await world.create(SETS, replica_set(replicas=3))
        failed = await world.becomes(SETS, "web", lambda obj: bool((obj.get("status") or {}).get("conditions")))
        (condition,) = failed["status"]["conditions"]
        assert condition["type"] == "ReplicaFailure"
        assert condition["status"] == "True"
        assert condition["reason"] == "FailedCreate"
        assert (
            "is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2" in condition["message"]
        )
        event = await world.event("web", "FailedCreate")
        assert event["type"] == "Warning"
        assert event["message"].startswith('Error creating: pods "web-')
        await world.merge(SETS, "web", {"spec": {"replicas": 2}})
        await world.becomes(SETS, "web", status_is(conditions=None, replicas=2, observedGeneration=2))


async def test_a_pod_is_available_when_it_has_been_ready_for_long_enough() -> None:
    async with cluster("replicaset-controller", nodes=0) as world:
        await world.create(SETS, replica_set(replicas=1, minReadySeconds=1))
        (pod,) = await owned(world, "web", 1)
        await world.play(pod)
        await world.becomes(SETS, "web", status_is(readyReplicas=1, availableReplicas=None))
        await world.becomes(SETS, "web", status_is(readyReplicas=1, availableReplicas=1))


async def test_a_pod_without_all_labels_of_the_template_is_not_fully_labelled() -> None:
    async with cluster("replicaset-controller", nodes=0) as world:
        await world.create(SETS, replica_set(replicas=2, template=template(tier="front")))
        await owned(world, "web", 2)
        pods = await world.items(PODS)
        await world.merge(PODS, pods[0]["metadata"]["name"], {"metadata": {"labels": {"tier": None}}})
        await world.becomes(SETS, "web", status_is(replicas=2, fullyLabeledReplicas=1))


async def test_many_pods_are_made_once_each() -> None:
    async with cluster("replicaset-controller", nodes=0) as world:
        await world.create(SETS, replica_set(replicas=60))
        await world.becomes(SETS, "web", status_is(replicas=60))
        assert len(await world.items(PODS)) == 60
        await world.merge(SETS, "web", {"spec": {"replicas": 0}})
        await world.becomes(SETS, "web", status_is(replicas=0, terminatingReplicas=0, observedGeneration=2))
        assert await world.items(PODS) == []
