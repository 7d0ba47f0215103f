"""Daemon sets: one pod on every node that is to have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.kubelet import gone_for_good, kubelet, node_of
from tests.integration.life.world import World, cluster

SETS, PODS, NODES = "apps/v1/daemonsets", "v1/pods", "v1/nodes"
REVISIONS = "apps/v1/controllerrevisions"
CONTROLLER = "daemonset-controller"
LABELS = {"app": "agent"}
REVISION_LABEL = "controller-revision-hash"


def daemon_set(*, pod: JSONObject | None = None, **spec: Any) -> JSONObject:
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "c", "image": "i"}], **(pod or {})}}
    common = {"selector": {"matchLabels": LABELS}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"}, "spec": common | spec}


def rolling(**options: Any) -> JSONObject:
    return {"type": "RollingUpdate", "rollingUpdate": options}


def image(name: str) -> JSONObject:
    return {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": name}]}}}}


async def nodes(world: World, *names: str, **labels: str) -> None:
    for name in names:
        await world.create(
            NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}, ""
        )
        # Who registers a node says when it is ready; nobody does here.
        await world.merge(NODES, name, {"spec": {"taints": None}}, "")


def going(pod: JSONObject) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def status_is(**fields: Any) -> Callable[[JSONObject], bool]:
    def so(obj: JSONObject) -> bool:
        status = obj.get("status") or {}
        return all(status.get(name) == value for name, value in fields.items())

    return so


def is_complete(obj: JSONObject) -> bool:
    status = obj.get("status") or {}
    wanted = status.get("desiredNumberScheduled", 0)
    counted = ("currentNumberScheduled", "updatedNumberScheduled", "numberAvailable")
    is_seen = status.get("observedGeneration") == obj["metadata"]["generation"]
    return is_seen and all(status.get(key, 0) == wanted for key in counted)


async def complete(world: World, count: int) -> JSONObject:
    return await world.becomes(
        SETS, "agent", lambda obj: is_complete(obj) and obj["status"]["desiredNumberScheduled"] == count
    )


async def pods_on(world: World, *names: str) -> dict[str, JSONObject]:
    """The pods that stay, by their nodes, once these are the nodes that have one."""

    def staying(pods: list[JSONObject]) -> list[JSONObject]:
        return [pod for pod in pods if not going(pod)]

    pods = await world.until(PODS, lambda pods: sorted(map(node_of, staying(pods))) == sorted(names))
    return {node_of(pod): pod for pod in staying(pods)}


def images(pods: list[JSONObject]) -> dict[str, str]:
    return {node_of(pod): pod["spec"]["containers"][0]["image"] for pod in pods}


async def test_every_node_gets_a_pod_that_only_it_can_run() -> None:
    async with cluster(CONTROLLER) as world:
        await nodes(world, "a", "b")
        made = await world.create(SETS, daemon_set())
        pods = await pods_on(world, "a", "b")
        term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}
        pod = pods["a"]
        assert pod["spec"]["affinity"] == {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        }
        assert pod["metadata"]["generateName"] == "agent-"
        assert pod["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
        assert pod["metadata"]["labels"]["pod-template-generation"] == "1"
        (revision,) = await world.items(REVISIONS)
        assert pod["metadata"]["labels"][REVISION_LABEL] == revision["metadata"]["labels"][REVISION_LABEL]
        assert revision["metadata"]["name"] == f"agent-{revision['metadata']['labels'][REVISION_LABEL]}"
        tolerated = {(each["key"], each["effect"]) for each in pod["spec"]["tolerations"]}
        assert tolerated == {
            ("node.kubernetes.io/not-ready", "NoExecute"),
            ("node.kubernetes.io/unreachable", "NoExecute"),
            ("node.kubernetes.io/disk-pressure", "NoSchedule"),
            ("node.kubernetes.io/memory-pressure", "NoSchedule"),
            ("node.kubernetes.io/pid-pressure", "NoSchedule"),
            ("node.kubernetes.io/unschedulable", "NoSchedule"),
        }
        event = await world.event("agent", "SuccessfulCreate")
        assert event["message"].startswith("Created pod: agent-")
        assert event["source"]["component"] == "daemonset-controller"
        await world.becomes(
            SETS,
            "agent",
            status_is(
                desiredNumberScheduled=2,
                currentNumberScheduled=2,
                updatedNumberScheduled=2,
                numberMisscheduled=0,
                numberReady=0,
                numberUnavailable=2,
                observedGeneration=1,
            ),
        )


async def test_a_node_that_comes_later_gets_a_pod_and_one_that_goes_does_not_count() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a")
        await world.create(SETS, daemon_set())
        await complete(world, 1)
        await nodes(world, "b")
        await complete(world, 2)
        await world.of(NODES, "").delete("b")
        await world.becomes(SETS, "agent", status_is(desiredNumberScheduled=1))


async def test_labels_of_nodes_bring_pods_and_take_them_away() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a", "b")
        await world.create(SETS, daemon_set(pod={"nodeSelector": {"color": "blue"}}))
        await world.becomes(SETS, "agent", status_is(observedGeneration=1, desiredNumberScheduled=0))
        await world.merge(NODES, "a", {"metadata": {"labels": {"color": "blue"}}}, "")
        await pods_on(world, "a")
        await complete(world, 1)
        await world.merge(NODES, "a", {"metadata": {"labels": {"color": "green"}}}, "")
        await pods_on(world)
        await complete(world, 0)
        assert (await world.event("agent", "SuccessfulDelete"))["message"].startswith("Deleted pod: agent-")


async def test_a_taint_keeps_new_pods_away_and_only_no_execute_drives_them_out() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a", "b")
        await world.merge(NODES, "b", {"spec": {"taints": [{"key": "own", "effect": "NoSchedule"}]}}, "")
        await world.create(SETS, daemon_set())
        await complete(world, 1)
        pods = await pods_on(world, "a")
        await world.merge(NODES, "a", {"spec": {"taints": [{"key": "own", "effect": "NoSchedule"}]}}, "")
        # Nothing calls for a look until something changes; then the pod counts as misplaced and stays.
        await world.merge(SETS, "agent", {"metadata": {"annotations": {"touched": "yes"}}})
        await world.becomes(SETS, "agent", status_is(numberMisscheduled=1, desiredNumberScheduled=0))
        assert (await pods_on(world, "a"))["a"]["metadata"]["uid"] == pods["a"]["metadata"]["uid"]
        await world.merge(NODES, "a", {"spec": {"taints": [{"key": "own", "effect": "NoExecute"}]}}, "")
        await pods_on(world)
        tolerated = {"spec": {"template": {"spec": {"tolerations": [{"key": "own", "operator": "Exists"}]}}}}
        await world.merge(SETS, "agent", tolerated)
        await pods_on(world, "a", "b")


async def test_a_failed_pod_is_killed_and_made_anew() -> None:
    async with cluster(CONTROLLER) as world:
        await nodes(world, "a")
        await world.create(SETS, daemon_set())
        pod = (await pods_on(world, "a"))["a"]
        await world.play(pod, phase="Failed", ready=False, node="a")
        event = await world.event("agent", "FailedDaemonPod")
        name = pod["metadata"]["name"]
        assert event["message"] == f"Found failed daemon pod default/{name} on node a, will try to kill it"
        assert event["type"] == "Warning"
        await world.gone(PODS, name)
        again = (await pods_on(world, "a"))["a"]
        await world.play(again, phase="Succeeded", ready=False, node="a")
        event = await world.event("agent", "SucceededDaemonPod")
        assert event["type"] == "Normal"
        await world.gone(PODS, again["metadata"]["name"])


async def test_a_pod_that_fails_again_and_again_waits_for_its_replacement() -> None:
    async with cluster(CONTROLLER) as world:
        await nodes(world, "a")
        await world.create(SETS, daemon_set())
        for _ in range(2):
            pod = (await pods_on(world, "a"))["a"]
            await world.becomes(SETS, "agent", status_is(observedGeneration=1, currentNumberScheduled=1))
            await world.play(pod, phase="Failed", ready=False, node="a")
            await world.gone(PODS, pod["metadata"]["name"])
        await pods_on(world, "a")


async def test_a_rolling_update_goes_node_by_node() -> None:
    async with cluster(CONTROLLER) as world:
        async with kubelet(world):
            await nodes(world, "a", "b", "c")
            await world.create(SETS, daemon_set())
            await complete(world, 3)
        await world.merge(SETS, "agent", image("new"))
        pods = await world.until(PODS, lambda pods: any(map(going, pods)))
        await world.becomes(SETS, "agent", status_is(observedGeneration=2))
        assert len([pod for pod in pods if going(pod)]) == 1
        async with kubelet(world):
            await complete(world, 3)
        assert images(await world.items(PODS)) == {"a": "new", "b": "new", "c": "new"}
        assert sorted(each["revision"] for each in await world.items(REVISIONS)) == [1, 2]


async def test_as_many_pods_go_at_a_time_as_may_be_unavailable() -> None:
    async with cluster(CONTROLLER) as world:
        async with kubelet(world):
            await nodes(world, "a", "b", "c", "d")
            await world.create(SETS, daemon_set(updateStrategy=rolling(maxUnavailable="50%")))
            await complete(world, 4)
        await world.merge(SETS, "agent", image("new"))
        await world.until(PODS, lambda pods: len(list(filter(going, pods))) == 2)
        async with kubelet(world):
            await complete(world, 4)


async def test_with_surge_the_new_pod_comes_before_the_old_one_goes() -> None:
    async with cluster(CONTROLLER) as world:
        async with kubelet(world):
            await nodes(world, "a", "b")
            await world.create(SETS, daemon_set(updateStrategy=rolling(maxSurge=1, maxUnavailable=0)))
            await complete(world, 2)
        await world.merge(SETS, "agent", image("new"))
        pods = await world.until(PODS, lambda pods: len(pods) == 3)
        assert not any(map(going, pods))
        (surging,) = [pod for pod in pods if pod["spec"]["containers"][0]["image"] == "new"]
        await world.play(surging, node=node_of(surging))
        pods = await world.until(PODS, lambda pods: any(map(going, pods)))
        (old,) = [pod for pod in pods if going(pod)]
        assert node_of(old) == node_of(surging)
        assert old["metadata"]["name"] != surging["metadata"]["name"]
        await gone_for_good(world, old)
        async with kubelet(world):
            await complete(world, 2)
            await world.until(PODS, lambda pods: len(pods) == 2)


async def test_on_delete_replaces_only_what_people_delete() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a", "b")
        await world.create(SETS, daemon_set(updateStrategy={"type": "OnDelete"}))
        await complete(world, 2)
        await world.merge(SETS, "agent", image("new"))
        await world.becomes(SETS, "agent", status_is(observedGeneration=2, updatedNumberScheduled=None))
        pods = await pods_on(world, "a", "b")
        await world.of(PODS).delete(pods["a"]["metadata"]["name"])
        await world.becomes(SETS, "agent", status_is(updatedNumberScheduled=1, numberReady=2))
        assert images(await world.items(PODS)) == {"a": "new", "b": "i"}


async def test_old_revisions_are_kept_as_many_as_the_limit_says() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a")
        await world.create(SETS, daemon_set(revisionHistoryLimit=1))
        await complete(world, 1)
        for version in ("two", "three"):
            await world.merge(SETS, "agent", image(version))
            await complete(world, 1)
        revisions = await world.until(REVISIONS, lambda items: len(items) == 2)
        assert sorted(each["revision"] for each in revisions) == [2, 3]
        await world.merge(SETS, "agent", image("two"))
        await complete(world, 1)
        assert sorted(each["revision"] for each in await world.items(REVISIONS)) == [3, 4]


async def test_of_two_equal_revisions_the_newer_stays_when_the_set_is_looked_at() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a")
        await world.create(SETS, daemon_set())
        await complete(world, 1)
        (first,) = await world.items(REVISIONS)
        metadata = {key: first["metadata"][key] for key in ("ownerReferences", "labels")}
        metadata |= {"name": "copy", "labels": metadata["labels"] | {REVISION_LABEL: "copy"}}
        copy = {**{key: first[key] for key in ("apiVersion", "kind", "data")}, "metadata": metadata, "revision": 2}
        await world.create(REVISIONS, copy)
        assert len(await world.items(REVISIONS)) == 2
        await world.of(REVISIONS).delete(first["metadata"]["name"])
        await world.merge(SETS, "agent", image("new"))
        await complete(world, 1)
        revisions = {each["metadata"]["name"]: each["revision"] for each in await world.items(REVISIONS)}
        assert sorted(revisions.values()) == [2, 3]
        assert revisions["copy"] == 2


async def test_a_name_that_another_revision_has_is_counted_as_a_collision() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a")
        await world.create(SETS, daemon_set())
        await complete(world, 1)
        (first,) = await world.items(REVISIONS)
        stranger = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "data": {"other": "thing"}, "revision": 1}
        metadata = {"name": first["metadata"]["name"], "labels": {"whose": "nobody"}}
        await world.create(REVISIONS, {**stranger, "metadata": metadata}, "kube-public")
        await world.create(SETS, daemon_set(), "kube-public")
        await world.becomes(SETS, "agent", status_is(collisionCount=1, currentNumberScheduled=1), "kube-public")
        assert len(await world.items(REVISIONS, "kube-public")) == 2


async def test_availability_waits_for_the_pods_time() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a")
        await world.create(SETS, daemon_set(minReadySeconds=1))
        await world.becomes(SETS, "agent", status_is(numberReady=1))
        await complete(world, 1)


async def test_conditions_that_people_write_stay() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a")
        await world.create(SETS, daemon_set())
        await complete(world, 1)
        condition = {"type": "StatusUpdate", "status": "True", "reason": "E2E"}
        await world.merge(SETS, "agent", {"status": {"conditions": [condition]}}, subresource="status")
        await nodes(world, "b")
        after = await complete(world, 2)
        assert [each["reason"] for each in after["status"]["conditions"]] == ["E2E"]


async def test_what_was_orphaned_is_adopted_by_a_set_of_the_same_selector() -> None:
    async with cluster(CONTROLLER, "garbage-collector-controller") as world, kubelet(world):
        await nodes(world, "a")
        await world.create(SETS, daemon_set())
        await complete(world, 1)
        before = (await pods_on(world, "a"))["a"]
        await world.of(SETS).delete("agent", propagation_policy="Orphan")
        await world.gone(SETS, "agent")
        new = await world.create(SETS, daemon_set())
        await complete(world, 1)
        after = (await pods_on(world, "a"))["a"]
        assert after["metadata"]["uid"] == before["metadata"]["uid"]
        assert after["metadata"]["ownerReferences"][0]["uid"] == new["metadata"]["uid"]
        (revision,) = await world.items(REVISIONS)
        assert revision["metadata"]["ownerReferences"][0]["uid"] == new["metadata"]["uid"]


async def test_a_set_that_waits_for_its_dependents_makes_no_new_ones() -> None:
    async with cluster(CONTROLLER, "garbage-collector-controller") as world, kubelet(world):
        await nodes(world, "a", "b")
        await world.create(SETS, daemon_set())
        await complete(world, 2)
        await world.of(SETS).delete("agent", propagation_policy="Foreground")
        await world.gone(SETS, "agent")
        await pods_on(world)
        assert not await world.items(REVISIONS)


async def test_of_two_revisions_that_keep_the_same_the_newer_stays_and_pods_are_of_it() -> None:
    async with cluster(CONTROLLER) as world, kubelet(world):
        await nodes(world, "a")
        await world.create(SETS, daemon_set())
        await complete(world, 1)
        (first,) = await world.items(REVISIONS)
        labels = first["metadata"]["labels"] | {REVISION_LABEL: "copy"}
        metadata = {"name": "copy", "labels": labels, "ownerReferences": first["metadata"]["ownerReferences"]}
        await world.create(REVISIONS, first | {"metadata": metadata, "revision": 2})
        await world.merge(SETS, "agent", {"metadata": {"annotations": {"touched": "yes"}}})
        await world.gone(REVISIONS, first["metadata"]["name"])
        pod = (await pods_on(world, "a"))["a"]
        assert pod["metadata"]["labels"][REVISION_LABEL] == "copy"
