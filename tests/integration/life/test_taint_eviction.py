"""Pods go from nodes with taints that they don't tolerate."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.world import World, cluster

NAME = "taint-eviction-controller"
TAINT = {"key": "maintenance", "value": "now", "effect": "NoExecute"}


async def node(world: World, name: str = "node-1", *, taints: list[JSONObject] | None = None) -> JSONObject:
    return await world.create("v1/nodes", {"metadata": {"name": name}, "spec": {"taints": taints or []}}, "")


async def taint(world: World, *taints: JSONObject, name: str = "node-1") -> None:
    await world.merge("v1/nodes", name, {"spec": {"taints": list(taints)}}, "")


async def pod(world: World, name: str, *tolerations: JSONObject, node: str = "node-1") -> JSONObject:
    spec = {"containers": [{"name": "c", "image": "i"}], "tolerations": list(tolerations), "nodeName": node}
    # A finalizer keeps what is deleted where a test can look at it.
    metadata = {"name": name, "finalizers": ["example.com/look"]}
    return await world.create("v1/pods", {"metadata": metadata, "spec": spec})


def is_going(pod: JSONObject) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def tolerating(**more: Any) -> JSONObject:
    return {"key": "maintenance", "operator": "Exists", "effect": "NoExecute"} | more


async def test_a_pod_that_does_not_tolerate_a_taint_goes_at_once_and_says_why() -> None:
    async with cluster(NAME) as world:
        await node(world)
        await pod(world, "goes")
        await pod(world, "stays", tolerating())
        await pod(world, "elsewhere", node="node-2")
        await taint(world, TAINT)
        gone = await world.becomes("v1/pods", "goes", is_going)
        (target,) = (each for each in gone["status"]["conditions"] if each["type"] == "DisruptionTarget")
        assert target.pop("lastTransitionTime")
        assert target.pop("lastProbeTime", None) is None
        assert target.pop("observedGeneration") in (1, gone["metadata"]["generation"])
        assert target == {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "DeletionByTaintManager",
            "message": "Taint manager: deleting due to NoExecute taint",
        }
        event = await world.event("goes", "TaintManagerEviction")
        assert event["message"] == "Marking for deletion Pod default/goes"
        assert event["source"] == {"component": NAME}
        assert event["type"] == "Normal"
        left = [each["metadata"]["name"] for each in await world.items("v1/pods") if not is_going(each)]
        assert left == ["elsewhere", "stays"]


async def test_a_taint_without_execution_drives_nobody_away() -> None:
    async with cluster(NAME) as world:
        await node(world)
        await pod(world, "stays")
        await taint(world, TAINT | {"effect": "NoSchedule"})
        await node(world, "node-2", taints=[TAINT])
        await pod(world, "goes", node="node-2")
        await world.becomes("v1/pods", "goes", is_going)
        assert not is_going(await world.get("v1/pods", "stays") or {})


async def test_a_pod_that_comes_to_a_tainted_node_goes_again() -> None:
    async with cluster(NAME) as world:
        await node(world, taints=[TAINT])
        await pod(world, "early")
        await world.becomes("v1/pods", "early", is_going)
        await pod(world, "late")
        await world.becomes("v1/pods", "late", is_going)


async def test_a_toleration_for_a_time_is_a_stay_for_that_time() -> None:
    async with cluster(NAME) as world:
        await node(world)
        await pod(world, "short", tolerating(tolerationSeconds=1))
        await pod(world, "long", tolerating(tolerationSeconds=3600))
        await taint(world, TAINT)
        await world.becomes("v1/pods", "short", is_going)
        assert not is_going(await world.get("v1/pods", "long") or {})


async def test_a_taint_that_is_taken_away_in_time_lets_the_pod_stay() -> None:
    async with cluster(NAME) as world:
        await node(world)
        await pod(world, "stays", tolerating(tolerationSeconds=3600))
        await pod(world, "goes")
        await taint(world, TAINT)
        await world.becomes("v1/pods", "goes", is_going)  # so the taint was seen
        await taint(world)
        event = await world.event("stays", "TaintManagerEviction")
        assert event["message"] == "Cancelling deletion of Pod default/stays"
        assert not is_going(await world.get("v1/pods", "stays") or {})


async def test_a_second_taint_that_is_not_tolerated_ends_the_stay() -> None:
    async with cluster(NAME) as world:
        await node(world)
        await pod(world, "goes", tolerating(tolerationSeconds=3600))
        await pod(world, "first")
        await taint(world, TAINT)
        await world.becomes("v1/pods", "first", is_going)
        await taint(world, TAINT, {"key": "fire", "effect": "NoExecute"})
        await world.becomes("v1/pods", "goes", is_going)
        messages = [
            event["message"] for event in await world.items("v1/events") if event["involvedObject"]["name"] == "goes"
        ]
        assert messages[0] == "Cancelling deletion of Pod default/goes"


async def test_a_toleration_that_is_added_in_time_lets_the_pod_stay() -> None:
    async with cluster(NAME) as world:
        await node(world)
        await pod(world, "stays", tolerating(tolerationSeconds=3600))
        await pod(world, "goes")
        await taint(world, TAINT)
        await world.becomes("v1/pods", "goes", is_going)
        stays = await world.get("v1/pods", "stays") or {}
        wanted = [{"operator": "Exists"}, *stays["spec"]["tolerations"]]
        await world.merge("v1/pods", "stays", {"spec": {"tolerations": wanted}})
        event = await world.event("stays", "TaintManagerEviction")
        assert event["message"] == "Cancelling deletion of Pod default/stays"
