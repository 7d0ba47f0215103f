"""Services of the type LoadBalancer get an address, if somebody wants that."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.backends import node, service
from tests.integration.life.world import cluster

SERVICES = "v1/services"
FINALIZER = "service.kubernetes.io/load-balancer-cleanup"


def ips(found: JSONObject) -> list[str]:
    balancer = (found.get("status") or {}).get("loadBalancer") or {}
    return [each["ip"] for each in balancer.get("ingress") or ()]


async def test_a_service_gets_an_address_and_loses_it_with_its_type() -> None:
    async with cluster("service-lb-controller", nodes=0) as world:
        await node(world)
        await service(world, type="LoadBalancer")
        found = await world.becomes(SERVICES, "web", lambda it: bool(ips(it)))
        (address,) = ips(found)
        assert address.startswith(("203.0.113.", "198.51.100."))
        assert found["status"]["loadBalancer"]["ingress"][0]["ipMode"] == "VIP"
        assert found["metadata"]["finalizers"] == [FINALIZER]
        assert (await world.event("web", "EnsuringLoadBalancer"))["message"] == "Ensuring load balancer"
        ensured = await world.event("web", "EnsuredLoadBalancer")
        assert (ensured["message"], ensured["source"]["component"]) == ("Ensured load balancer", "service-controller")
        await world.merge(SERVICES, "web", {"spec": {"type": "ClusterIP"}})
        await world.becomes(SERVICES, "web", lambda it: not ips(it) and not it["metadata"].get("finalizers"))
        assert (await world.event("web", "DeletedLoadBalancer"))["message"] == "Deleted load balancer"


async def test_a_service_that_goes_is_let_go_and_its_address_is_given_again() -> None:
    async with cluster("service-lb-controller", nodes=0) as world:
        await service(world, type="LoadBalancer")
        first = ips(await world.becomes(SERVICES, "web", lambda it: bool(ips(it))))
        await world.event("web", "UnAvailableLoadBalancer")
        await world.of(SERVICES).delete("web")
        await world.gone(SERVICES, "web")
        await world.event("web", "DeletingLoadBalancer")
        await service(world, type="LoadBalancer")
        assert ips(await world.becomes(SERVICES, "web", lambda it: bool(ips(it)))) == first


async def test_every_service_has_an_address_of_its_own_and_some_have_none() -> None:
    async with cluster("service-lb-controller", nodes=0) as world:
        await service(world, "plain")
        await service(world, "elsewhere", type="LoadBalancer", loadBalancerClass="example.com/lb")
        await service(world, "wish", type="LoadBalancer", loadBalancerIP="192.0.2.77")
        names = [f"web-{number}" for number in range(20)]
        for name in names:
            await service(world, name, type="LoadBalancer")
        items = await world.until(
            SERVICES, lambda items: all(ips(it) for it in items if it["metadata"]["name"] in {*names, "wish"})
        )
        by_name = {each["metadata"]["name"]: ips(each) for each in items}
        assert len({by_name[name][0] for name in names}) == len(names)
        assert by_name["wish"] == ["192.0.2.77"]
        assert by_name["plain"] == by_name["elsewhere"] == []
