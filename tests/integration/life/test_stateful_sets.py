"""Stateful sets: pods with numbers, one after the other, each with its claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.kubelet import gone_for_good, kubelet
from tests.integration.life.world import World, cluster

SETS, PODS, CLAIMS = "apps/v1/statefulsets", "v1/pods", "v1/persistentvolumeclaims"
REVISIONS = "apps/v1/controllerrevisions"
CONTROLLER = "statefulset-controller"
OWNING = (CONTROLLER, "garbage-collector-controller")
PROTECTION = ("StorageObjectInUseProtection",)
"""Another controller would have to say that a claim is no longer in use."""
LABELS = {"app": "web"}
REVISION_LABEL = "controller-revision-hash"


def stateful_set(replicas: int = 1, *, image: str = "i", **spec: Any) -> JSONObject:
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "c", "image": image}]}}
    common = {"replicas": replicas, "selector": {"matchLabels": LABELS}, "template": template, "serviceName": "web"}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"}, "spec": common | spec}


def claim_template(**labels: str) -> JSONObject:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": {"name": "data", **({"labels": labels} if labels else {})}, "spec": spec}


def image(name: str) -> JSONObject:
    return {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": name}]}}}}


def rolling(**options: Any) -> JSONObject:
    return {"type": "RollingUpdate", "rollingUpdate": options}


def names(objects: list[JSONObject]) -> list[str]:
    return sorted(obj["metadata"]["name"] for obj in objects)


def images(pods: list[JSONObject]) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["spec"]["containers"][0]["image"] for pod in pods}


def status_is(**fields: Any) -> Callable[[JSONObject], bool]:
    def so(obj: JSONObject) -> bool:
        status = obj.get("status") or {}
        return all(status.get(name) == value for name, value in fields.items())

    return so


def is_complete(obj: JSONObject) -> bool:
    """All pods are there, ready and new, and the controller knows the latest generation."""
    status, wanted = obj.get("status") or {}, obj["spec"]["replicas"]
    return (
        status.get("observedGeneration") == obj["metadata"]["generation"]
        and status.get("currentRevision") == status.get("updateRevision")
        and all(status.get(key) == wanted for key in ("replicas", "readyReplicas", "updatedReplicas"))
    )


def is_outdated(obj: JSONObject) -> bool:
    return bool(obj["status"]["updateRevision"] != obj["status"]["currentRevision"])


async def pods_are(world: World, *expected: str) -> list[JSONObject]:
    return await world.until(PODS, lambda pods: names(pods) == sorted(expected))


async def observed(world: World) -> JSONObject:
    """The set once the controller has seen its latest generation."""
    return await world.becomes(
        SETS, "web", lambda obj: obj.get("status", {}).get("observedGeneration") == obj["metadata"]["generation"]
    )


async def test_a_pod_comes_when_the_one_before_it_is_ready() -> None:
    async with cluster(CONTROLLER) as world:
        await world.create(SETS, stateful_set(2))
        (first,) = await pods_are(world, "web-0")
        await world.becomes(SETS, "web", status_is(replicas=1, availableReplicas=0, updatedReplicas=1))
        first = await world.play(first, ready=False)
        await world.event("web", "SuccessfulCreate")
        assert names(await world.items(PODS)) == ["web-0"]
        await world.play(first)
        pods = await pods_are(world, "web-0", "web-1")
        await world.becomes(SETS, "web", status_is(replicas=2, readyReplicas=1, availableReplicas=1))
        for number, pod in enumerate(sorted(pods, key=lambda each: each["metadata"]["name"])):
            name, labels = pod["metadata"]["name"], pod["metadata"]["labels"]
            assert labels["statefulset.kubernetes.io/pod-name"] == name == pod["spec"]["hostname"]
            assert labels["apps.kubernetes.io/pod-index"] == str(number)
            assert pod["spec"]["subdomain"] == "web"
            assert pod["metadata"]["ownerReferences"][0]["controller"] is True


async def test_events_tell_of_pods_and_claims() -> None:
    async with cluster(CONTROLLER) as world:
        await world.create(SETS, stateful_set(volumeClaimTemplates=[claim_template()]))
        await pods_are(world, "web-0")
        items = await world.until("v1/events", lambda items: len(list(filter(is_about_the_set, items))) == 2)
        events = list(filter(is_about_the_set, items))
        assert sorted(event["message"] for event in events) == [
            "Create Claim data-web-0 Pod web-0 in StatefulSet web success",
            "Create Pod web-0 in StatefulSet web successful",
        ]
        assert {event["source"]["component"] for event in events} == {CONTROLLER}


def is_about_the_set(event: JSONObject) -> bool:
    return bool(event["involvedObject"]["kind"] == "StatefulSet")


async def test_a_parallel_set_makes_all_pods_at_once() -> None:
    async with cluster(CONTROLLER) as world:
        await world.create(SETS, stateful_set(3, podManagementPolicy="Parallel", ordinals={"start": 5}))
        await pods_are(world, "web-5", "web-6", "web-7")


async def test_pods_go_from_the_highest_number_down() -> None:
    async with cluster(CONTROLLER) as world:
        async with kubelet(world):
            await world.create(SETS, stateful_set(3))
            await world.becomes(SETS, "web", is_complete)
        await world.merge(SETS, "web", {"spec": {"replicas": 1}})
        last = await world.becomes(PODS, "web-2", lambda pod: "deletionTimestamp" in pod["metadata"])
        await observed(world)
        assert [name for name, pod in (await by_name(world)).items() if "deletionTimestamp" in pod["metadata"]] == [
            "web-2"
        ]
        await gone_for_good(world, last)
        middle = await world.becomes(PODS, "web-1", lambda pod: "deletionTimestamp" in pod["metadata"])
        await gone_for_good(world, middle)
        await pods_are(world, "web-0")
        await world.becomes(SETS, "web", is_complete)


async def by_name(world: World) -> dict[str, JSONObject]:
    return {pod["metadata"]["name"]: pod for pod in await world.items(PODS)}


async def test_a_rolling_update_replaces_all_pods_and_is_then_complete() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await world.create(SETS, stateful_set(2))
        before = await world.becomes(SETS, "web", is_complete)
        await world.merge(SETS, "web", image("new"))
        after = await world.becomes(SETS, "web", is_complete)
        assert images(await world.items(PODS)) == {"web-0": "new", "web-1": "new"}
        assert after["status"]["currentRevision"] != before["status"]["currentRevision"]
        assert after["status"]["collisionCount"] == 0
        revisions = {each["metadata"]["name"]: each for each in await world.items(REVISIONS)}
        assert {name: each["revision"] for name, each in revisions.items()} == {
            before["status"]["currentRevision"]: 1,
            after["status"]["currentRevision"]: 2,
        }
        for pod in await world.items(PODS):
            assert pod["metadata"]["labels"][REVISION_LABEL] == after["status"]["updateRevision"]


async def test_going_back_gives_the_old_revision_the_highest_number() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await world.create(SETS, stateful_set())
        first = await world.becomes(SETS, "web", is_complete)
        await world.merge(SETS, "web", image("new"))
        await world.becomes(SETS, "web", is_complete)
        await world.merge(SETS, "web", image("i"))
        again = await world.becomes(SETS, "web", is_complete)
        assert again["status"]["currentRevision"] == first["status"]["currentRevision"]
        numbers = {each["metadata"]["name"]: each["revision"] for each in await world.items(REVISIONS)}
        assert len(numbers) == 2
        assert numbers[first["status"]["currentRevision"]] == 3


async def test_only_so_many_old_revisions_are_kept() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await world.create(SETS, stateful_set(revisionHistoryLimit=1))
        await world.becomes(SETS, "web", is_complete)
        for version in ("two", "three", "four"):
            await world.merge(SETS, "web", image(version))
            await world.becomes(SETS, "web", is_complete)
        revisions = await world.until(REVISIONS, lambda items: len(items) == 2)
        assert sorted(each["revision"] for each in revisions) == [3, 4]


async def test_pods_below_the_partition_stay_as_they_are_even_if_made_anew() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await world.create(SETS, stateful_set(3, updateStrategy=rolling(partition=2)))
        await world.becomes(SETS, "web", is_complete)
        await world.merge(SETS, "web", image("new"))
        await world.becomes(SETS, "web", status_is(currentReplicas=2, updatedReplicas=1, readyReplicas=3))
        assert images(await world.items(PODS)) == {"web-0": "i", "web-1": "i", "web-2": "new"}
        old = (await by_name(world))["web-0"]
        await world.of(PODS).delete("web-0")
        await world.becomes(PODS, "web-0", lambda pod: pod["metadata"]["uid"] != old["metadata"]["uid"])
        assert images(await world.items(PODS))["web-0"] == "i"
        await world.merge(SETS, "web", {"spec": {"updateStrategy": rolling(partition=0)}})
        await world.becomes(SETS, "web", is_complete)
        assert images(await world.items(PODS)) == {"web-0": "new", "web-1": "new", "web-2": "new"}


async def test_as_many_pods_are_replaced_at_a_time_as_may_be_unavailable() -> None:
    async with cluster(CONTROLLER) as world:
        async with kubelet(world):
            await world.create(SETS, stateful_set(4, updateStrategy=rolling(maxUnavailable="50%")))
            await world.becomes(SETS, "web", is_complete)
        await world.merge(SETS, "web", image("new"))
        await world.until(PODS, lambda pods: len([pod for pod in pods if going(pod)]) == 2)
        await world.becomes(SETS, "web", status_is(currentReplicas=2))
        assert [name for name, pod in (await by_name(world)).items() if going(pod)] == ["web-2", "web-3"]
        async with kubelet(world):
            await world.becomes(SETS, "web", is_complete)


def going(pod: JSONObject) -> bool:
    return "deletionTimestamp" in pod["metadata"]


async def test_on_delete_leaves_old_pods_alone() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await world.create(SETS, stateful_set(2, updateStrategy={"type": "OnDelete"}))
        await world.becomes(SETS, "web", is_complete)
        await world.merge(SETS, "web", image("new"))
        await world.becomes(
            SETS, "web", lambda obj: obj["status"]["updateRevision"] != obj["status"]["currentRevision"]
        )
        await world.of(PODS).delete("web-0")
        await world.becomes(SETS, "web", status_is(updatedReplicas=1, readyReplicas=2))
        assert images(await world.items(PODS)) == {"web-0": "new", "web-1": "i"}


async def test_a_pod_that_has_ended_is_made_anew() -> None:
    async with cluster(CONTROLLER) as world:
        await world.create(SETS, stateful_set())
        (pod,) = await pods_are(world, "web-0")
        await world.play(pod, phase="Failed", ready=False)
        await world.becomes(PODS, "web-0", lambda each: each["metadata"]["uid"] != pod["metadata"]["uid"])


async def test_claims_come_before_their_pod_and_stay_after_it() -> None:
    async with cluster(*OWNING) as world, kubelet(world):
        await world.create(SETS, stateful_set(2, volumeClaimTemplates=[claim_template(tier="back")]))
        await world.becomes(SETS, "web", is_complete)
        claims = await world.items(CLAIMS)
        assert names(claims) == ["data-web-0", "data-web-1"]
        assert all(claim["metadata"]["labels"] == LABELS | {"tier": "back"} for claim in claims)
        assert all("ownerReferences" not in claim["metadata"] for claim in claims)
        volumes = (await by_name(world))["web-1"]["spec"]["volumes"]
        assert volumes == [{"name": "data", "persistentVolumeClaim": {"claimName": "data-web-1"}}]
        await world.merge(SETS, "web", {"spec": {"replicas": 0}})
        await pods_are(world)
        assert names(await world.items(CLAIMS)) == ["data-web-0", "data-web-1"]


async def test_claims_belong_to_the_set_if_they_go_with_it() -> None:
    policy = {"whenDeleted": "Delete", "whenScaled": "Retain"}
    wanted = stateful_set(2, volumeClaimTemplates=[claim_template()], persistentVolumeClaimRetentionPolicy=policy)
    async with cluster(*OWNING, without_admission=PROTECTION) as world, kubelet(world):
        made = await world.create(SETS, wanted)
        await world.becomes(SETS, "web", is_complete)
        await world.until(CLAIMS, lambda claims: len(claims) == 2 and all(map(owners, claims)))
        assert {uid for claim in await world.items(CLAIMS) for uid in owners(claim)} == {made["metadata"]["uid"]}
        await world.merge(SETS, "web", {"spec": {"replicas": 1}})
        await pods_are(world, "web-0")
        assert names(await world.items(CLAIMS)) == ["data-web-0", "data-web-1"]
        keep = {"spec": {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain"}}}
        await world.merge(SETS, "web", keep)
        await world.becomes(CLAIMS, "data-web-0", lambda claim: not owners(claim))
        await world.merge(SETS, "web", {"spec": {"persistentVolumeClaimRetentionPolicy": policy}})
        await world.becomes(CLAIMS, "data-web-0", lambda claim: bool(owners(claim)))
        await world.of(SETS).delete("web")
        await world.until(CLAIMS, lambda claims: not claims)


def owners(obj: JSONObject) -> list[str]:
    return [reference["uid"] for reference in obj["metadata"].get("ownerReferences") or ()]


async def test_claims_go_with_a_pod_that_is_scaled_away_and_come_back_new() -> None:
    policy = {"whenDeleted": "Retain", "whenScaled": "Delete"}
    wanted = stateful_set(2, volumeClaimTemplates=[claim_template()], persistentVolumeClaimRetentionPolicy=policy)
    async with cluster(*OWNING, without_admission=PROTECTION) as world, kubelet(world):
        await world.create(SETS, wanted)
        await world.becomes(SETS, "web", is_complete)
        old = await world.get(CLAIMS, "data-web-1")
        assert old is not None
        await world.merge(SETS, "web", {"spec": {"replicas": 1}})
        await world.gone(CLAIMS, "data-web-1")
        await world.merge(SETS, "web", {"spec": {"replicas": 2}})
        await world.becomes(SETS, "web", is_complete)
        new = await world.get(CLAIMS, "data-web-1")
        assert new is not None
        assert new["metadata"]["uid"] != old["metadata"]["uid"]


async def test_a_pod_counts_as_available_after_its_time() -> None:
    async with cluster(CONTROLLER) as world:
        await world.create(SETS, stateful_set(2, minReadySeconds=2))
        (pod,) = await pods_are(world, "web-0")
        await world.play(pod)
        seen = await world.becomes(SETS, "web", status_is(readyReplicas=1))
        if seen["status"]["availableReplicas"] == 0:
            assert names(await world.items(PODS)) == ["web-0"]
        await world.becomes(SETS, "web", status_is(availableReplicas=1))
        await pods_are(world, "web-0", "web-1")


async def test_orphans_with_the_right_name_are_adopted_and_others_are_not() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        spec = {"containers": [{"name": "c", "image": "i"}]}
        for name in ("web-0", "other-0"):
            orphan = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": LABELS}, "spec": spec}
            await world.create(PODS, orphan)
        made = await world.create(SETS, stateful_set(updateStrategy={"type": "OnDelete"}))
        await world.becomes(PODS, "web-0", lambda pod: owners(pod) == [made["metadata"]["uid"]])
        labelled = "statefulset.kubernetes.io/pod-name"
        await world.becomes(PODS, "web-0", lambda pod: pod["metadata"]["labels"].get(labelled) == "web-0")
        other = await world.get(PODS, "other-0")
        assert other is not None
        assert not owners(other)


async def test_a_set_that_is_made_anew_takes_over_what_was_left() -> None:
    async with cluster(*OWNING) as world, kubelet(world):
        await world.create(SETS, stateful_set(2))
        old = await world.becomes(SETS, "web", is_complete)
        before = {name: pod["metadata"]["uid"] for name, pod in (await by_name(world)).items()}
        await world.of(SETS).delete("web", propagation_policy="Orphan")
        await world.gone(SETS, "web")
        await world.create(SETS, stateful_set(2))
        new = await world.becomes(SETS, "web", is_complete)
        assert {name: pod["metadata"]["uid"] for name, pod in (await by_name(world)).items()} == before
        assert new["status"]["currentRevision"] == old["status"]["currentRevision"]
        assert all(owners(each) == [new["metadata"]["uid"]] for each in await world.items(REVISIONS))


async def test_what_people_write_into_the_conditions_stays() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await world.create(SETS, stateful_set())
        await world.becomes(SETS, "web", is_complete)
        condition = {"type": "StatusUpdate", "status": "True", "reason": "E2E"}
        await world.merge(SETS, "web", {"status": {"conditions": [condition]}}, subresource="status")
        await world.merge(SETS, "web", {"spec": {"replicas": 2}})
        after = await world.becomes(SETS, "web", is_complete)
        assert [each["reason"] for each in after["status"]["conditions"]] == ["E2E"]


async def test_what_the_server_refuses_is_told() -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {"hard": {"pods": "0"}}}
    async with cluster(CONTROLLER, "resourcequota-controller") as world:
        await world.create("v1/resourcequotas", quota)
        await world.becomes("v1/resourcequotas", "none", lambda obj: bool(obj.get("status", {}).get("hard")))
        await world.create(SETS, stateful_set())
        event = await world.event("web", "FailedCreate")
        assert event["message"].startswith("Create Pod web-0 in StatefulSet web failed error: ")
        assert 'pods "web-0" is forbidden: exceeded quota' in event["message"]
        assert event["type"] == "Warning"


async def test_a_parallel_set_replaces_broken_pods_first_and_keeps_to_its_budget() -> None:
    strategy = rolling(maxUnavailable=2)
    async with cluster(CONTROLLER) as world:
        async with kubelet(world):
            await world.create(SETS, stateful_set(4, podManagementPolicy="Parallel", updateStrategy=strategy))
            await world.becomes(SETS, "web", is_complete)
        await world.play((await by_name(world))["web-0"], ready=False)
        await world.becomes(SETS, "web", status_is(readyReplicas=3))
        await world.merge(SETS, "web", image("new"))
        await world.becomes(SETS, "web", status_is(currentReplicas=2))
        assert [name for name, pod in (await by_name(world)).items() if going(pod)] == ["web-0", "web-3"]
        async with kubelet(world):
            await world.becomes(SETS, "web", is_complete)


async def test_an_ordered_set_shrinks_only_while_those_that_stay_are_well() -> None:
    async with cluster(CONTROLLER) as world:
        async with kubelet(world):
            await world.create(SETS, stateful_set(3))
            await world.becomes(SETS, "web", is_complete)
        await world.play((await by_name(world))["web-0"], ready=False)
        await world.becomes(SETS, "web", status_is(readyReplicas=2))
        await world.merge(SETS, "web", {"spec": {"replicas": 1}})
        await observed(world)
        assert not any(map(going, await world.items(PODS)))
        await world.play((await by_name(world))["web-0"])
        async with kubelet(world):
            await pods_are(world, "web-0")


async def test_a_claim_that_is_lost_is_made_anew_for_a_pod_that_waits() -> None:
    async with cluster(CONTROLLER, without_admission=PROTECTION) as world:
        await world.create(SETS, stateful_set(volumeClaimTemplates=[claim_template()]))
        await world.becomes(SETS, "web", status_is(replicas=1))
        old = await world.get(CLAIMS, "data-web-0")
        assert old is not None
        await world.of(CLAIMS).delete("data-web-0")
        await world.becomes(CLAIMS, "data-web-0", lambda claim: claim["metadata"]["uid"] != old["metadata"]["uid"])


async def test_a_claim_that_another_controls_is_left_to_it_and_that_is_told() -> None:
    policy = {"whenDeleted": "Delete", "whenScaled": "Delete"}
    wanted = stateful_set(volumeClaimTemplates=[claim_template()], persistentVolumeClaimRetentionPolicy=policy)
    async with cluster(CONTROLLER) as world, kubelet(world):
        made = await world.create(SETS, wanted)
        await world.becomes(CLAIMS, "data-web-0", lambda claim: owners(claim) == [made["metadata"]["uid"]])
        other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other"}}
        stranger = await world.create("v1/configmaps", other)
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": stranger["metadata"]["uid"]}
        ours = (await world.of(CLAIMS).get("data-web-0"))["metadata"]["ownerReferences"][0]
        references = [{**ours, "controller": False}, {**reference, "controller": True}]
        await world.merge(CLAIMS, "data-web-0", {"metadata": {"ownerReferences": references}})
        await world.merge(SETS, "web", {"metadata": {"annotations": {"touched": "yes"}}})
        event = await world.event("web", "ConflictingController")
        assert event["message"] == (
            "PersistentVolumeClaim data-web-0 has a conflicting OwnerReference that acts as a manging controller, "
            "the retention policy is ignored for this claim"
        )
        await world.becomes(CLAIMS, "data-web-0", lambda claim: owners(claim) == [stranger["metadata"]["uid"]])


async def test_a_set_that_waits_for_its_dependents_makes_no_new_ones() -> None:
    async with cluster(*OWNING) as world, kubelet(world):
        await world.create(SETS, stateful_set(2))
        await world.becomes(SETS, "web", is_complete)
        await world.of(SETS).delete("web", propagation_policy="Foreground")
        await world.gone(SETS, "web")
        await pods_are(world)
        assert not await world.items(REVISIONS)
