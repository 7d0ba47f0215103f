"""Endpoints follow the pods that a service selects."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.backends import pod, service
from tests.integration.life.world import World, cluster

ENDPOINTS = "v1/endpoints"


def ips(endpoints: JSONObject, field: str = "addresses") -> list[str]:
    return [address["ip"] for subset in endpoints.get("subsets") or () for address in subset.get(field) or ()]


async def test_ready_and_unready_pods_are_told_apart() -> None:
    async with cluster("endpoints-controller", nodes=0) as world:
        made = await service(world, labels={"team": "a"})
        first = await pod(world, "one", ips=("10.0.0.1",))
        await pod(world, "two", ips=("10.0.0.2",), ready=False)
        await pod(world, "other", ips=("10.0.0.3",), labels={"app": "db"})
        endpoints = await world.becomes(ENDPOINTS, "web", lambda it: bool(ips(it) and ips(it, "notReadyAddresses")))
        subset = endpoints["subsets"][0]
        uid = first["metadata"]["uid"]
        target = {"kind": "Pod", "namespace": "default", "name": "one", "uid": uid}
        assert subset["addresses"] == [{"ip": "10.0.0.1", "nodeName": "node-1", "targetRef": target}]
        assert [address["ip"] for address in subset["notReadyAddresses"]] == ["10.0.0.2"]
        assert subset["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP"}]
        labels = endpoints["metadata"]["labels"]
        assert labels == {"team": "a", "endpoints.kubernetes.io/managed-by": "endpoint-controller"}
        assert "endpoints.kubernetes.io/last-change-trigger-time" in endpoints["metadata"]["annotations"]
        assert made["spec"]["clusterIP"] != "None"


async def test_a_pod_that_goes_or_ends_leaves() -> None:
    async with cluster("endpoints-controller", nodes=0) as world:
        await service(world)
        await pod(world, "one", ips=("10.0.0.1",))
        two = await pod(world, "two", ips=("10.0.0.2",))
        await world.becomes(ENDPOINTS, "web", lambda it: ips(it) == ["10.0.0.1", "10.0.0.2"])
        await world.of("v1/pods").delete("one", grace_period_seconds=30)
        await world.becomes(ENDPOINTS, "web", lambda it: ips(it) == ["10.0.0.2"])
        await world.play(two, phase="Succeeded", ready=False)
        await world.becomes(ENDPOINTS, "web", lambda it: not it.get("subsets"))


async def test_a_headless_service_publishes_unready_pods_with_hostnames() -> None:
    async with cluster("endpoints-controller", nodes=0) as world:
        await service(world, clusterIP="None", publishNotReadyAddresses=True, ports=[])
        await pod(world, "one", ready=False, hostname="first", subdomain="web")
        endpoints = await world.becomes(ENDPOINTS, "web", lambda it: bool(ips(it)))
        assert endpoints["metadata"]["labels"]["service.kubernetes.io/headless"] == ""
        assert endpoints["subsets"][0]["addresses"][0]["hostname"] == "first"
        assert "ports" not in endpoints["subsets"][0]


async def test_endpoints_without_pods_exist_until_their_service_goes_and_are_made_again() -> None:
    async with cluster("endpoints-controller", nodes=0) as world:
        await service(world)
        await world.becomes(ENDPOINTS, "web", lambda it: not it.get("subsets"))
        before = await world.of(ENDPOINTS).get("web")
        await world.of(ENDPOINTS).delete("web")
        await world.becomes(ENDPOINTS, "web", lambda it: it["metadata"]["uid"] != before["metadata"]["uid"])
        await world.of("v1/services").delete("web")
        await world.gone(ENDPOINTS, "web")


async def test_what_somebody_wrote_for_a_service_without_a_selector_is_left_alone() -> None:
    async with cluster("endpoints-controller", nodes=0) as world:
        mine = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "mine"}, "subsets": []}
        await world.create(ENDPOINTS, mine)
        await world.create(ENDPOINTS, mine | {"metadata": {"name": "external"}})
        await service(world, "external", selector=None)
        await service(world)
        await world.becomes(ENDPOINTS, "web", lambda it: True)
        assert await managed(world) == {"web"}
        assert await world.get(ENDPOINTS, "mine") is not None


async def managed(world: World) -> set[str]:
    selector = "endpoints.kubernetes.io/managed-by=endpoint-controller"
    return {each["metadata"]["name"] for each in await world.items(ENDPOINTS, labels=selector)}


async def test_a_label_that_changes_moves_a_pod_between_services() -> None:
    async with cluster("endpoints-controller", nodes=0) as world:
        await service(world)
        await service(world, "db", selector={"app": "db"})
        await pod(world, "one")
        await world.becomes(ENDPOINTS, "web", lambda it: bool(ips(it)))
        await world.merge("v1/pods", "one", {"metadata": {"labels": {"app": "db"}}})
        await world.becomes(ENDPOINTS, "db", lambda it: bool(ips(it)))
        await world.becomes(ENDPOINTS, "web", lambda it: not ips(it))
