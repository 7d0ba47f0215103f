"""EndpointSlices follow the pods that a service selects, and mirror Endpoints that somebody wrote."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.backends import CONTAINER, node, pod, service
from tests.integration.life.world import World, cluster

SLICES = "discovery.k8s.io/v1/endpointslices"
CONTROLLER = "endpointslice-controller"
MIRRORING = "endpointslice-mirroring-controller"


def of(name: str, items: list[JSONObject]) -> list[JSONObject]:
    return [item for item in items if item["metadata"]["labels"].get("kubernetes.io/service-name") == name]


def endpoints(items: list[JSONObject], name: str = "web") -> list[JSONObject]:
    return [endpoint for item in of(name, items) for endpoint in item["endpoints"] or ()]


def ips(items: list[JSONObject], name: str = "web") -> set[str]:
    return {address for endpoint in endpoints(items, name) for address in endpoint["addresses"]}


async def test_an_endpoint_says_where_it_is_and_how_it_is() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await node(world, zone="z1")
        made = await service(world, labels={"team": "a", "kubernetes.io/service-name": "no"})
        ready = await pod(world, "one", ips=("10.0.0.1",))
        await pod(world, "two", ips=("10.0.0.2",), ready=False)
        items = await world.until(SLICES, lambda items: len(endpoints(items)) == 2)
        (only,) = of("web", items)
        metadata = only["metadata"]
        assert metadata["generateName"] == "web-"
        assert metadata["labels"] == {
            "team": "a",
            "kubernetes.io/service-name": "web",
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        }
        (owner,) = metadata["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("Service", made["metadata"]["uid"], True)
        assert "endpoints.kubernetes.io/last-change-trigger-time" in metadata["annotations"]
        assert only["addressType"] == "IPv4"
        assert only["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP"}]
        by_address = {each["addresses"][0]: each for each in only["endpoints"]}
        assert by_address["10.0.0.1"] == {
            "addresses": ["10.0.0.1"],
            "conditions": {"ready": True, "serving": True, "terminating": False},
            "nodeName": "node-1",
            "targetRef": {"kind": "Pod", "namespace": "default", "name": "one", "uid": ready["metadata"]["uid"]},
            "zone": "z1",
        }
        unready = {"ready": False, "serving": False, "terminating": False}
        assert by_address["10.0.0.2"]["conditions"] == unready


async def test_a_pod_that_is_going_still_serves_but_is_not_ready() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await node(world)
        await service(world)
        await pod(world, "one")
        await world.until(SLICES, lambda items: len(endpoints(items)) == 1)
        await world.of("v1/pods").delete("one", grace_period_seconds=30)
        going = {"ready": False, "serving": True, "terminating": True}
        await world.until(SLICES, lambda items: [each["conditions"] for each in endpoints(items)] == [going])
        await world.of("v1/pods").delete("one", grace_period_seconds=0)
        await world.until(SLICES, lambda items: bool(of("web", items)) and not endpoints(items))


async def test_pods_with_other_ports_have_other_slices() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await service(world, publishNotReadyAddresses=True)
        await pod(world, "one", ips=("10.0.0.1",), ready=False)
        other = {**CONTAINER, "ports": [{"name": "web", "containerPort": 9090}]}
        await pod(world, "two", ips=("10.0.0.2",), ready=False, containers=[other])
        items = await world.until(SLICES, lambda items: len(endpoints(items)) == 2)
        assert {each["ports"][0]["port"] for each in of("web", items)} == {8080, 9090}
        assert all(each["conditions"]["ready"] for each in endpoints(items))


async def test_a_pod_on_an_unknown_node_waits_for_its_node() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await service(world)
        await pod(world, "one", node="late")
        event = await world.event("web", "FailedToUpdateEndpointSlices")
        assert event["message"] == (
            "Error updating Endpoint Slices for Service default/web: "
            "skipping Pod one for Service default/web: Node late Not Found"
        )
        await node(world, "late")
        await world.until(SLICES, lambda items: len(endpoints(items)) == 1)


async def test_slices_that_somebody_deletes_or_changes_are_mended() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await node(world)
        await service(world)
        await pod(world, "one")
        (first,) = of("web", await world.until(SLICES, lambda items: len(endpoints(items)) == 1))
        await world.of(SLICES).delete(first["metadata"]["name"])
        items = await world.until(
            SLICES,
            lambda items: (
                len(endpoints(items)) == 1 and of("web", items)[0]["metadata"]["uid"] != first["metadata"]["uid"]
            ),
        )
        name = of("web", items)[0]["metadata"]["name"]
        await world.merge(SLICES, name, {"endpoints": []})
        await world.until(SLICES, lambda items: len(endpoints(items)) == 1)


async def test_a_service_with_traffic_distribution_gives_hints_and_takes_them_back() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await node(world, zone="z1")
        await service(world, trafficDistribution="PreferSameNode")
        await pod(world, "one")
        await world.until(
            SLICES,
            lambda items: (
                [each.get("hints") for each in endpoints(items)]
                == [{"forZones": [{"name": "z1"}], "forNodes": [{"name": "node-1"}]}]
            ),
        )
        await world.merge("v1/services", "web", {"spec": {"trafficDistribution": None}})
        await world.until(SLICES, lambda items: len(endpoints(items)) == 1 and "hints" not in endpoints(items)[0])


async def test_the_topology_annotation_spreads_endpoints_over_zones() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        await node(world, "a", zone="z1")
        await node(world, "b", zone="z2")
        made = await service(world)
        annotation = {"service.kubernetes.io/topology-mode": "Auto"}
        await world.merge("v1/services", "web", {"metadata": {"annotations": annotation}})
        event = await world.event("web", "TopologyAwareHintsDisabled")
        assert event["message"].endswith("addressType: IPv4")
        for number in range(4):
            await pod(world, f"p{number}", ips=(f"10.0.0.{number}",), node="a")
        items = await world.until(SLICES, lambda items: len([e for e in endpoints(items) if "hints" in e]) == 4)
        zones = [each["hints"]["forZones"][0]["name"] for each in endpoints(items)]
        assert sorted(zones) == ["z1", "z1", "z2", "z2"]
        enabled = await world.event("web", "TopologyAwareHintsEnabled")
        assert enabled["message"] == "Topology Aware Hints has been enabled, addressType: IPv4"
        assert made["spec"].get("trafficDistribution") is None


def custom(name: str, *subsets: JSONObject, **metadata: Any) -> JSONObject:
    return {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {"name": name, **metadata},
        "subsets": list(subsets),
    }


async def mirrored(world: World, so: Any) -> list[JSONObject]:
    return await world.until(SLICES, lambda items: bool(so(of("external", items))))


async def test_custom_endpoints_are_mirrored_through_their_life() -> None:
    async with cluster(MIRRORING, nodes=0) as world:
        await service(world, "external", selector=None)
        ports = [{"port": 80, "name": "http", "protocol": "TCP"}]
        one = {"addresses": [{"ip": "10.1.2.3"}], "notReadyAddresses": [{"ip": "fd00::2"}], "ports": ports}
        await world.create("v1/endpoints", custom("external", one, labels={"a": "b"}, annotations={"c": "d"}))
        items = await mirrored(world, lambda slices: len(slices) == 2)
        by_type = {each["addressType"]: each for each in of("external", items)}
        four = by_type["IPv4"]
        assert four["endpoints"] == [{"addresses": ["10.1.2.3"], "conditions": {"ready": True}}]
        assert four["ports"] == ports
        assert by_type["IPv6"]["endpoints"][0]["conditions"] == {"ready": False}
        assert four["metadata"]["labels"] == {
            "a": "b",
            "kubernetes.io/service-name": "external",
            "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
        }
        assert four["metadata"]["annotations"] == {"c": "d"}
        assert four["metadata"]["ownerReferences"][0]["kind"] == "Endpoints"
        name = four["metadata"]["name"]
        await world.merge("v1/endpoints", "external", {"subsets": [one | {"addresses": [{"ip": "10.2.3.4"}]}]})
        items = await mirrored(world, lambda slices: ips(slices, "external") == {"10.2.3.4", "fd00::2"})
        assert name in {each["metadata"]["name"] for each in of("external", items)}
        await world.of("v1/endpoints").delete("external")
        await mirrored(world, lambda slices: not slices)


async def test_endpoints_that_say_so_and_those_of_selecting_services_are_not_mirrored() -> None:
    async with cluster(MIRRORING, nodes=0) as world:
        subset = {"addresses": [{"ip": "10.1.2.3"}], "ports": [{"port": 80}]}
        await service(world, "external", selector=None)
        await service(world, "selecting")
        await service(world, "skipping", selector=None)
        skip = {"endpointslice.kubernetes.io/skip-mirror": "true"}
        await world.create("v1/endpoints", custom("skipping", subset, labels=skip))
        await world.create("v1/endpoints", custom("selecting", subset))
        await world.create("v1/endpoints", custom("orphan", subset))
        await world.create("v1/endpoints", custom("external", subset))
        items = await mirrored(world, lambda slices: len(slices) == 1)
        names = {each["metadata"]["labels"].get("kubernetes.io/service-name") for each in items}
        assert names - {"kubernetes"} == {"external"}
        await world.merge("v1/services", "external", {"spec": {"selector": {"app": "x"}}})
        await mirrored(world, lambda slices: not slices)
