"""Ranges for the addresses of services are ready when they are there, and go when no address is left without one."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.world import World, cluster

NAME = "service-cidr-controller"
RANGES = "networking.k8s.io/v1/servicecidrs"
FINALIZER = "networking.k8s.io/service-cidr-finalizer"


async def made(world: World, name: str, cidr: str) -> JSONObject:
    return await world.create(RANGES, {"metadata": {"name": name}, "spec": {"cidrs": [cidr]}}, "")


def ready(service_range: JSONObject) -> JSONObject:
    conditions = (service_range.get("status") or {}).get("conditions") or []
    return next((each for each in conditions if each["type"] == "Ready"), {})


async def test_a_new_range_is_ready_and_kept_until_it_is_let_go() -> None:
    async with cluster(NAME) as world:
        await made(world, "more", "10.99.0.0/24")
        found = await world.becomes(RANGES, "more", lambda each: bool(ready(each)), "")
        assert found["metadata"]["finalizers"] == [FINALIZER]
        said = ready(found)
        assert (said["status"], said["message"]) == ("True", "Kubernetes Service CIDR is ready")
        first = await world.becomes(RANGES, "kubernetes", lambda each: bool(ready(each)), "")
        assert first["metadata"]["finalizers"] == [FINALIZER]
        await world.of(RANGES, "").delete("more")
        await world.gone(RANGES, "more", "")


async def test_a_range_with_an_address_that_no_other_has_stays() -> None:
    async with cluster(NAME) as world:
        await made(world, "more", "172.30.0.0/24")
        await world.becomes(RANGES, "more", lambda each: bool(ready(each)), "")
        labels = {
            "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
            "ipaddress.kubernetes.io/ip-family": "IPv4",
        }
        parent = {"group": "", "resource": "services", "namespace": "default", "name": "web"}
        address = {"metadata": {"name": "172.30.0.7", "labels": labels}, "spec": {"parentRef": parent}}
        await world.create("networking.k8s.io/v1/ipaddresses", address, "")
        await world.of(RANGES, "").delete("more")
        found = await world.becomes(RANGES, "more", lambda each: ready(each)["status"] == "False", "")
        assert ready(found)["reason"] == "Terminating"
        assert ready(found)["message"].startswith("There are still IPAddresses referencing the ServiceCIDR")
        await world.of("networking.k8s.io/v1/ipaddresses", "").delete("172.30.0.7")
        await world.gone(RANGES, "more", "")
