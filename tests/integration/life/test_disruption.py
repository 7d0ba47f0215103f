"""A budget's status says how many of its pods may go."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.controllers.ownership import controller_reference
from tests.integration.life.backends import pod
from tests.integration.life.world import World, cluster

BUDGETS = "policy/v1/poddisruptionbudgets"
LABELS = {"app": "web"}
CONTAINERS = [{"name": "c", "image": "i"}]
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {"containers": CONTAINERS}}
CONTROLLER = "disruption-controller"


async def budget(world: World, name: str = "web", **spec: Any) -> JSONObject:
    made = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": LABELS}} | spec,
    }
    return await world.create(BUDGETS, made)


async def workload(
    world: World, plural: str, kind: str, replicas: int, owner: JSONObject | None = None, **spec: Any
) -> JSONObject:
    metadata: JSONObject = {"name": kind.lower()}
    if owner is not None:
        metadata["ownerReferences"] = [owner]
    api_version = plural.rpartition("/")[0]
    spec = {"replicas": replicas, "selector": {"matchLabels": LABELS}, "template": TEMPLATE} | spec
    made = {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
    return controller_reference(await world.create(plural, made))


def counts(allowed: int, healthy: int, desired: int, expected: int) -> Callable[[JSONObject], bool]:
    wanted = {
        "disruptionsAllowed": allowed,
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
    }

    def so(found: JSONObject) -> bool:
        status = found.get("status") or {}
        return all(status.get(name) == value for name, value in wanted.items())

    return so


def told(found: JSONObject) -> JSONObject:
    (only,) = found["status"]["conditions"]
    assert only["type"] == "DisruptionAllowed"
    return dict(only)


async def test_a_number_that_must_be_available_is_counted_from_the_pods_that_are_there() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await budget(world, minAvailable=1)
        empty = await world.becomes(BUDGETS, "web", counts(0, 0, 1, 0))
        assert (told(empty)["status"], told(empty)["reason"]) == ("False", "InsufficientPods")
        assert (await world.event("web", "NoPods"))["message"] == "No matching pods found"
        await pod(world, "one")
        await pod(world, "two", ready=False)
        await pod(world, "three")
        full = await world.becomes(BUDGETS, "web", counts(1, 2, 1, 3))
        assert (told(full)["status"], told(full)["reason"]) == ("True", "SufficientPods")
        assert full["status"]["observedGeneration"] == full["metadata"]["generation"] == 1
        assert told(full)["observedGeneration"] == 1
        await world.of("v1/pods").delete("one", grace_period_seconds=30)
        await world.becomes(BUDGETS, "web", counts(0, 1, 1, 3))
        await world.merge(BUDGETS, "web", {"spec": {"minAvailable": 0}})
        changed = await world.becomes(BUDGETS, "web", counts(1, 1, 0, 3))
        assert changed["status"]["observedGeneration"] == 2


async def test_a_share_is_of_what_the_controllers_above_ask_for() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        above = await workload(world, "apps/v1/deployments", "Deployment", 5)
        below = await workload(world, "apps/v1/replicasets", "ReplicaSet", 3, above)
        stateful = await workload(world, "apps/v1/statefulsets", "StatefulSet", 2, serviceName="x")
        old = await workload(world, "v1/replicationcontrollers", "ReplicationController", 3, selector=LABELS)
        await budget(world, maxUnavailable="25%")
        for number, owner in enumerate((below, below, stateful, old)):
            await pod(world, f"p{number}", owner=owner)
        await world.becomes(BUDGETS, "web", counts(0, 4, 7, 10))
        await world.merge(BUDGETS, "web", {"spec": {"maxUnavailable": None, "minAvailable": "35%"}})
        await world.becomes(BUDGETS, "web", counts(0, 4, 4, 10))
        await world.merge(BUDGETS, "web", {"spec": {"maxUnavailable": 7, "minAvailable": None}})
        await world.becomes(BUDGETS, "web", counts(1, 4, 3, 10))


async def test_a_custom_kind_tells_its_replicas_by_its_scale() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        paths = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
        version = {
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": schema},
            "subresources": {"scale": paths, "status": {}},
        }
        names = {"plural": "gangs", "singular": "gang", "kind": "Gang", "listKind": "GangList"}
        definition = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "gangs.example.com"},
            "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
        }
        definitions = "apiextensions.k8s.io/v1/customresourcedefinitions"
        await world.create(definitions, definition, "")
        await world.becomes(definitions, "gangs.example.com", is_established, "")
        gang = {"apiVersion": "example.com/v1", "kind": "Gang", "metadata": {"name": "g"}, "spec": {"replicas": 4}}
        owner = controller_reference(await world.create("example.com/v1/gangs", gang))
        await pod(world, "one", owner=owner)
        await pod(world, "two", owner=owner)
        await budget(world, maxUnavailable=3)
        await world.becomes(BUDGETS, "web", counts(1, 2, 1, 4))


def is_established(definition: JSONObject) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


async def test_nothing_may_go_while_the_number_of_pods_is_not_known() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "job"},
            "spec": {"template": {"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}},
        }
        await pod(world, "one", owner=controller_reference(await world.create("batch/v1/jobs", job)))
        await budget(world, maxUnavailable=1)
        event = await world.event("web", "CalculateExpectedPodCountFailed")
        reason = "jobs.batch does not implement the scale subresource"
        assert event["message"] == f"Failed to calculate the number of expected pods: {reason}"
        failed = await world.becomes(BUDGETS, "web", lambda it: bool((it.get("status") or {}).get("conditions")))
        assert (told(failed)["status"], told(failed)["reason"], told(failed)["message"]) == (
            "False",
            "SyncFailed",
            reason,
        )
        assert failed["status"]["disruptionsAllowed"] == 0


async def test_pods_of_nobody_are_told_about() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await pod(world, "one")
        await budget(world, maxUnavailable=1)
        event = await world.event("web", "UnmanagedPods")
        selector = (
            "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}"
        )
        assert f"(selector: {selector}) were found to be unmanaged" in event["message"]
        await world.becomes(BUDGETS, "web", counts(0, 1, 0, 0))


async def test_a_pod_with_two_budgets_is_told_about() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await budget(world, "a", minAvailable=0)
        await budget(world, "b", minAvailable=0)
        await world.becomes(BUDGETS, "a", counts(0, 0, 0, 0))
        await world.becomes(BUDGETS, "b", counts(0, 0, 0, 0))
        await pod(world, "one")
        event = await world.event("one", "MultiplePodDisruptionBudgets")
        assert event["message"].startswith('Pod "default"/"one" matches multiple PodDisruptionBudgets.  Chose "')
        assert event["source"]["component"] == "controllermanager"


async def test_an_eviction_that_was_allowed_counts_until_it_takes_too_long() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await budget(world, minAvailable=0)
        for name in ("soon", "late", "calm"):
            await pod(world, name)
        before = await world.becomes(BUDGETS, "web", counts(3, 3, 0, 3))
        moment = datetime.now(UTC)
        noted = {
            "soon": format_time(moment),
            "late": format_time(moment - timedelta(minutes=3)),
            "nobody": format_time(moment),
        }
        await world.of(BUDGETS).update(
            before | {"status": before["status"] | {"disruptedPods": noted}}, subresource="status"
        )
        after = await world.becomes(BUDGETS, "web", counts(2, 2, 0, 3))
        assert after["status"]["disruptedPods"] == {"soon": noted["soon"]}
        await world.event("late", "NotDeleted")


async def test_a_pod_that_was_not_disrupted_after_all_is_no_target_any_more() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await budget(world, minAvailable=0)
        stale, fresh = await pod(world, "stale"), await pod(world, "fresh")
        for each, ago in ((stale, timedelta(minutes=3)), (fresh, timedelta(0))):
            when = format_time(datetime.now(UTC) - ago)
            target = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}
            conditions = [*each["status"]["conditions"], target | {"lastTransitionTime": when}]
            name = each["metadata"]["name"]
            await world.merge("v1/pods", name, {"status": {"conditions": conditions}}, subresource="status")
        await world.becomes("v1/pods", "stale", lambda it: target_of(it)["status"] == "False")
        kept = await world.get("v1/pods", "fresh")
        assert kept is not None
        assert target_of(kept)["status"] == "True"


def target_of(found: JSONObject) -> JSONObject:
    return next(each for each in found["status"]["conditions"] if each["type"] == "DisruptionTarget")
