"""Deployments move their pods from one replica set to the next. The test plays scheduler and kubelet."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client import ListOptions
from tests.integration.life.world import World, cluster

DEPLOYMENTS = "apps/v1/deployments"
SETS = "apps/v1/replicasets"
PODS = "v1/pods"
LABELS = {"app": "web"}
PREFIX = "deployment.kubernetes.io/"


def deployment(image: str = "one", replicas: int = 1, **spec: Any) -> JSONObject:
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "c", "image": image}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": LABELS}, "template": template} | spec,
    }


def rolling(surge: int | str, unavailable: int | str) -> JSONObject:
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


def image(name: str) -> JSONObject:
    return {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": name}]}}}}


def image_of(replica_set: JSONObject) -> str:
    return str(replica_set["spec"]["template"]["spec"]["containers"][0]["image"])


def annotation(obj: JSONObject, name: str) -> str | None:
    found: str | None = (obj["metadata"].get("annotations") or {}).get(PREFIX + name)
    return found


def condition(obj: JSONObject, kind: str) -> JSONObject:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == kind), {})


def has_reason(reason: str, kind: str = "Progressing") -> Callable[[JSONObject], bool]:
    return lambda obj: condition(obj, kind).get("reason") == reason


def is_done(obj: JSONObject) -> bool:
    """Rolled out, as `kubectl rollout status` sees it, and told so."""
    status, replicas = obj.get("status") or {}, obj["spec"]["replicas"]
    counts = [status.get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")]
    is_seen = status.get("observedGeneration", 0) >= obj["metadata"]["generation"]
    return is_seen and counts == [replicas] * 3 and has_reason("NewReplicaSetAvailable")(obj)


async def done(world: World) -> JSONObject:
    return await world.becomes(DEPLOYMENTS, "web", is_done)


async def sets_by_image(world: World) -> dict[str, JSONObject]:
    return {image_of(each): each for each in await world.items(SETS)}


async def until_sizes(world: World, **sizes: int) -> dict[str, JSONObject]:
    """Until the replica sets of these images ask for so many pods."""

    def so(sets: list[JSONObject]) -> bool:
        return {image_of(each): each["spec"]["replicas"] for each in sets} == sizes

    return {image_of(each): each for each in await world.until(SETS, so)}


@contextlib.asynccontextmanager
async def living(*controllers: str, broken: str = "broken") -> AsyncIterator[World]:
    """Pods run at once, and end at once when they are deleted; but those of the `broken` image are never ready."""
    async with cluster("deployment-controller", "replicaset-controller", *controllers, nodes=0) as world:
        kubelet = asyncio.create_task(_play(world, broken))
        try:
            yield world
        finally:
            kubelet.cancel()
            await asyncio.wait([kubelet])


async def _play(world: World, broken: str) -> None:
    pods = world.of(PODS)
    while True:  # a watch may end
        listed = await pods.list()
        for pod in listed["items"]:
            await _live(world, pod, broken)
        async with pods.watch(ListOptions(resource_version=listed["metadata"]["resourceVersion"])) as stream:
            async for event in stream:
                if event.type != "DELETED":
                    await _live(world, event.object, broken)


async def _live(world: World, pod: JSONObject, broken: str) -> None:
    with contextlib.suppress(APIError):
        if "deletionTimestamp" in pod["metadata"]:
            await world.of(PODS).delete(pod["metadata"]["name"], grace_period_seconds=0)
        elif not pod["spec"].get("nodeName") and pod["spec"]["containers"][0]["image"] != broken:
            await world.play(pod)


async def test_a_new_deployment_makes_a_replica_set_that_is_its_own() -> None:
    async with living() as world:
        created = await world.create(DEPLOYMENTS, deployment(replicas=3))
        rolled_out = await done(world)
        (replica_set,) = await world.items(SETS)
        metadata, spec = replica_set["metadata"], replica_set["spec"]
        template_hash = metadata["labels"]["pod-template-hash"]
        assert metadata["name"] == f"web-{template_hash}"
        assert metadata["labels"] == spec["template"]["metadata"]["labels"] == spec["selector"]["matchLabels"]
        assert metadata["labels"] == LABELS | {"pod-template-hash": template_hash}
        assert metadata["annotations"] == {
            PREFIX + "desired-replicas": "3",
            PREFIX + "max-replicas": "4",
            PREFIX + "revision": "1",
        }
        assert metadata["ownerReferences"][0] == {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "web",
            "uid": created["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        assert annotation(rolled_out, "revision") == "1"
        assert rolled_out["metadata"]["generation"] == 1
        status = dict(rolled_out["status"])
        conditions = {each["type"]: each for each in status.pop("conditions")}
        assert status == {
            "observedGeneration": 1,
            "replicas": 3,
            "updatedReplicas": 3,
            "readyReplicas": 3,
            "availableReplicas": 3,
            "terminatingReplicas": 0,
        }
        assert conditions.keys() == {"Available", "Progressing"}
        assert conditions["Available"]["reason"] == "MinimumReplicasAvailable"
        assert conditions["Available"]["message"] == "Deployment has minimum availability."
        assert conditions["Progressing"]["status"] == "True"
        assert conditions["Progressing"]["message"] == f'ReplicaSet "web-{template_hash}" has successfully progressed.'
        event = await world.event("web", "ScalingReplicaSet")
        assert event["message"] == f"Scaled up replica set web-{template_hash} from 0 to 3"
        assert event["source"]["component"] == "deployment-controller"


async def test_a_deployment_whose_pods_do_not_come_up_says_so() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment("broken", replicas=2))
        waiting = await world.becomes(
            DEPLOYMENTS, "web", lambda obj: (obj.get("status") or {}).get("unavailableReplicas") == 2
        )
        available = condition(waiting, "Available")
        assert (available["status"], available["reason"]) == ("False", "MinimumReplicasUnavailable")
        assert available["message"] == "Deployment does not have minimum availability."


async def test_a_rolling_update_keeps_to_its_limits() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment(replicas=10, strategy=rolling(3, 2)))
        await done(world)
        await world.merge(DEPLOYMENTS, "web", image("broken"))
        sets = await until_sizes(world, one=8, broken=5)
        assert annotation(sets["broken"], "revision") == "2"
        stuck = await world.becomes(
            DEPLOYMENTS, "web", lambda obj: obj["status"].get("replicas") == 13 and annotation(obj, "revision") == "2"
        )
        assert condition(stuck, "Available")["status"] == "True"
        await world.merge(DEPLOYMENTS, "web", image("two"))
        rolled_out = await done(world)
        assert annotation(rolled_out, "revision") == "3"
        await until_sizes(world, one=0, broken=0, two=10)
        messages = {
            event["message"] for event in await world.items("v1/events") if event["reason"] == "ScalingReplicaSet"
        }
        name = sets["broken"]["metadata"]["name"]
        assert f"Scaled up replica set {name} from 0 to 3" in messages
        assert f"Scaled down replica set {sets['one']['metadata']['name']} from 10 to 8" in messages
        assert f"Scaled up replica set {name} from 3 to 5" in messages


async def test_scaling_a_rollout_that_is_stuck_gives_every_replica_set_its_share() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment(replicas=10, strategy=rolling(3, 2)))
        await done(world)
        await world.merge(DEPLOYMENTS, "web", image("broken"))
        await until_sizes(world, one=8, broken=5)
        await world.becomes(DEPLOYMENTS, "web", lambda obj: obj["status"].get("updatedReplicas") == 5)
        await world.merge(DEPLOYMENTS, "web", {"spec": {"replicas": 30}})
        sets = await until_sizes(world, one=20, broken=13)
        assert {annotation(each, "desired-replicas") for each in sets.values()} == {"30"}
        assert {annotation(each, "max-replicas") for each in sets.values()} == {"33"}


async def test_without_room_for_more_pods_old_ones_go_first() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment(replicas=2, strategy=rolling(0, "1%")))
        await done(world)
        await world.merge(DEPLOYMENTS, "web", image("broken"))
        await until_sizes(world, one=1, broken=1)


async def test_going_back_uses_the_old_replica_set_and_gives_it_a_new_revision() -> None:
    async with living() as world:
        first = deployment()
        first["metadata"]["annotations"] = {"kubernetes.io/change-cause": "the first"}
        await world.create(DEPLOYMENTS, first)
        await done(world)
        change = image("two") | {"metadata": {"annotations": {"kubernetes.io/change-cause": "the second"}}}
        await world.merge(DEPLOYMENTS, "web", change)
        await done(world)
        sets = await sets_by_image(world)
        causes = {key: each["metadata"]["annotations"]["kubernetes.io/change-cause"] for key, each in sets.items()}
        assert causes == {"one": "the first", "two": "the second"}
        await world.merge(DEPLOYMENTS, "web", image("one"))
        rolled_back = await done(world)
        again = await until_sizes(world, one=1, two=0)
        assert again["one"]["metadata"]["uid"] == sets["one"]["metadata"]["uid"]
        assert annotation(rolled_back, "revision") == annotation(again["one"], "revision") == "3"
        assert annotation(again["one"], "revision-history") == "1"
        assert annotation(again["two"], "revision") == "2"


async def test_the_annotation_of_old_brings_back_the_last_revision_and_its_annotations() -> None:
    async with living() as world:
        first = deployment()
        first["metadata"]["annotations"] = {"why": "first"}
        await world.create(DEPLOYMENTS, first)
        await done(world)
        await world.merge(DEPLOYMENTS, "web", image("two") | {"metadata": {"annotations": {"why": "second"}}})
        await done(world)
        back = {"metadata": {"annotations": {"deprecated.deployment.rollback.to": "0"}}}
        await world.merge(DEPLOYMENTS, "web", back)
        event = await world.event("web", "DeploymentRollback")
        assert event["message"] == 'Rolled back deployment "web" to revision 1'
        await world.becomes(DEPLOYMENTS, "web", lambda obj: image_of(obj) == "one" and is_done(obj))
        rolled_back = await world.becomes(DEPLOYMENTS, "web", lambda obj: annotation(obj, "revision") == "3")
        assert rolled_back["metadata"]["annotations"] == {"why": "first", PREFIX + "revision": "3"}
        await world.merge(DEPLOYMENTS, "web", {"metadata": {"annotations": {"deprecated.deployment.rollback.to": "9"}}})
        event = await world.event("web", "DeploymentRollbackRevisionNotFound")
        assert event["message"] == "Unable to find the revision to rollback to."


async def test_recreating_waits_until_all_old_pods_have_gone() -> None:
    async with cluster("deployment-controller", "replicaset-controller", nodes=0) as world:
        await world.create(DEPLOYMENTS, deployment(replicas=2, strategy={"type": "Recreate"}))
        pods = await world.until(PODS, lambda pods: len(pods) == 2)
        for pod in pods:
            await world.play(pod)
        await done(world)
        await world.merge(DEPLOYMENTS, "web", image("two"))
        first, second = await world.until(
            PODS, lambda pods: len(pods) == 2 and all("deletionTimestamp" in pod["metadata"] for pod in pods)
        )
        await world.becomes(DEPLOYMENTS, "web", lambda obj: obj["status"].get("terminatingReplicas") == 2)
        await world.of(PODS).delete(first["metadata"]["name"], grace_period_seconds=0)
        await world.becomes(DEPLOYMENTS, "web", lambda obj: obj["status"].get("terminatingReplicas") == 1)
        assert len(await world.items(SETS)) == 1
        await world.of(PODS).delete(second["metadata"]["name"], grace_period_seconds=0)
        sets = await until_sizes(world, one=0, two=2)
        assert annotation(sets["two"], "max-replicas") == "2"


async def test_a_paused_deployment_makes_no_new_replica_set_but_is_scaled() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment())
        await done(world)
        await world.merge(DEPLOYMENTS, "web", {"spec": {"paused": True}})
        paused = await world.becomes(DEPLOYMENTS, "web", has_reason("DeploymentPaused"))
        assert condition(paused, "Progressing")["status"] == "Unknown"
        assert condition(paused, "Progressing")["message"] == "Deployment is paused"
        changed = await world.merge(DEPLOYMENTS, "web", image("two") | {"spec": {"replicas": 2} | image("two")["spec"]})
        generation = changed["metadata"]["generation"]
        await world.becomes(DEPLOYMENTS, "web", lambda obj: obj["status"].get("observedGeneration") == generation)
        await until_sizes(world, one=2)
        await world.merge(DEPLOYMENTS, "web", {"spec": {"paused": None}})
        await done(world)
        await until_sizes(world, one=0, two=2)


async def test_resuming_is_told_while_nothing_moves() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment("broken", paused=True))
        await world.becomes(DEPLOYMENTS, "web", has_reason("DeploymentPaused"))
        assert await world.items(SETS) == []
        await world.merge(DEPLOYMENTS, "web", {"spec": {"paused": False}})
        resumed = await world.becomes(
            DEPLOYMENTS, "web", lambda obj: condition(obj, "Progressing").get("reason") != "DeploymentPaused"
        )
        assert condition(resumed, "Progressing")["reason"] in (
            "DeploymentResumed",
            "NewReplicaSetCreated",
            "ReplicaSetUpdated",
        )
        await until_sizes(world, broken=1)


async def test_only_so_many_old_replica_sets_are_kept() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment("i0", revisionHistoryLimit=1))
        await done(world)
        for number in range(1, 4):
            await world.merge(DEPLOYMENTS, "web", image(f"i{number}"))
            await done(world)
        await until_sizes(world, i2=0, i3=1)
        await world.merge(DEPLOYMENTS, "web", {"spec": {"revisionHistoryLimit": 0}})
        await until_sizes(world, i3=1)


async def test_a_rollout_that_takes_too_long_is_told_and_recovers() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment("broken", progressDeadlineSeconds=1))
        late = await world.becomes(DEPLOYMENTS, "web", has_reason("ProgressDeadlineExceeded"))
        (replica_set,) = await world.items(SETS)
        progressing = condition(late, "Progressing")
        assert progressing["status"] == "False"
        assert progressing["message"] == f'ReplicaSet "{replica_set["metadata"]["name"]}" has timed out progressing.'
        await world.merge(DEPLOYMENTS, "web", image("one"))
        await done(world)


async def test_what_a_replica_set_may_not_make_is_told_by_the_deployment() -> None:
    async with living("resourcequota-controller") as world:
        quota = {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "q"},
            "spec": {"hard": {"pods": "1"}},
        }
        await world.create("v1/resourcequotas", quota)
        await world.becomes("v1/resourcequotas", "q", lambda obj: "hard" in (obj.get("status") or {}))
        await world.create(DEPLOYMENTS, deployment(replicas=2))
        failed = await world.becomes(DEPLOYMENTS, "web", has_reason("FailedCreate", "ReplicaFailure"))
        failure = condition(failed, "ReplicaFailure")
        assert failure["status"] == "True"
        assert "exceeded quota: q" in failure["message"]
        await world.merge(DEPLOYMENTS, "web", {"spec": {"replicas": 1}})
        await world.becomes(DEPLOYMENTS, "web", lambda obj: is_done(obj) and not condition(obj, "ReplicaFailure"))


async def test_a_replica_set_that_may_not_be_made_is_told() -> None:
    async with living("resourcequota-controller") as world:
        hard = {"count/replicasets.apps": "0"}
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}}
        await world.create("v1/resourcequotas", quota)
        await world.becomes("v1/resourcequotas", "q", lambda obj: "hard" in (obj.get("status") or {}))
        await world.create(DEPLOYMENTS, deployment())
        failed = await world.becomes(DEPLOYMENTS, "web", has_reason("ReplicaSetCreateError"))
        message = condition(failed, "Progressing")["message"]
        assert message.startswith('Failed to create new replica set "web-')
        assert condition(failed, "Progressing")["status"] == "False"
        event = await world.event("web", "ReplicaSetCreateError")
        assert (event["type"], event["message"]) == ("Warning", message)
        await world.of("v1/resourcequotas").delete("q")
        await done(world)


async def test_an_orphaned_replica_set_with_the_same_template_is_adopted() -> None:
    async with living("garbage-collector-controller") as world:
        await world.create(DEPLOYMENTS, deployment())
        await done(world)
        (before,) = await world.items(SETS)
        await world.of(DEPLOYMENTS).delete("web", propagation_policy="Orphan")
        await world.gone(DEPLOYMENTS, "web")
        await world.until(SETS, lambda sets: not any(each["metadata"].get("ownerReferences") for each in sets))
        created = await world.create(DEPLOYMENTS, deployment())
        await done(world)
        (after,) = await world.items(SETS)
        assert after["metadata"]["uid"] == before["metadata"]["uid"]
        assert [owner["uid"] for owner in after["metadata"]["ownerReferences"]] == [created["metadata"]["uid"]]


async def test_a_replica_set_of_another_template_is_adopted_and_emptied() -> None:
    async with living() as world:
        old = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": "before", "labels": LABELS},
            "spec": {key: deployment("zero")["spec"][key] for key in ("replicas", "selector", "template")},
        }
        await world.create(SETS, old)
        await world.becomes(SETS, "before", lambda obj: obj["status"].get("readyReplicas") == 1)
        await world.create(DEPLOYMENTS, deployment(replicas=2))
        rolled_out = await done(world)
        await until_sizes(world, zero=0, one=2)
        assert annotation(rolled_out, "revision") == "1"


async def test_a_foreign_replica_set_of_the_same_name_is_a_collision() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment(replicas=0))
        await done(world)
        (first,) = await world.items(SETS)
        await world.of(DEPLOYMENTS).delete("web")
        await world.of(SETS).delete(first["metadata"]["name"])
        await world.gone(SETS, first["metadata"]["name"])
        foreign = deployment("other", replicas=0, selector={"matchLabels": {"app": "x"}})
        template = {"metadata": {"labels": {"app": "x"}}, "spec": foreign["spec"]["template"]["spec"]}
        await world.create(
            SETS,
            {
                "apiVersion": "apps/v1",
                "kind": "ReplicaSet",
                "metadata": {"name": first["metadata"]["name"]},
                "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "x"}}, "template": template},
            },
        )
        await world.create(DEPLOYMENTS, deployment(replicas=0))
        rolled_out = await done(world)
        assert rolled_out["status"]["collisionCount"] == 1
        sets = await sets_by_image(world)
        assert sets["one"]["metadata"]["name"] != first["metadata"]["name"]


async def test_a_change_of_annotations_and_ready_time_reaches_the_replica_set_without_a_rollout() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment())
        await done(world)
        await world.merge(DEPLOYMENTS, "web", {"metadata": {"annotations": {"a": "b"}}, "spec": {"minReadySeconds": 1}})

        def so(sets: list[JSONObject]) -> bool:
            return all(
                each["spec"].get("minReadySeconds") == 1 and "a" in each["metadata"]["annotations"] for each in sets
            )

        (replica_set,) = await world.until(SETS, so)
        assert annotation(replica_set, "revision") == "1"
        await done(world)


async def test_what_others_write_into_the_status_is_kept_or_mended() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment())
        told = await done(world)
        mine = {"type": "StatusUpdate", "status": "True", "reason": "E2E", "message": "Set from e2e test"}
        patch = {"status": {"conditions": [*told["status"]["conditions"], mine], "updatedReplicas": None}}
        await world.merge(DEPLOYMENTS, "web", patch, subresource="status")
        mended = await world.becomes(DEPLOYMENTS, "web", lambda obj: obj["status"].get("updatedReplicas") == 1)
        assert condition(mended, "StatusUpdate")["reason"] == "E2E"


async def test_a_deployment_without_a_deadline_tells_no_progress() -> None:
    async with living() as world:
        await world.create(DEPLOYMENTS, deployment(progressDeadlineSeconds=2**31 - 1))
        told = await world.becomes(
            DEPLOYMENTS, "web", lambda obj: (obj.get("status") or {}).get("availableReplicas") == 1
        )
        assert [each["type"] for each in told["status"]["conditions"]] == ["Available"]
