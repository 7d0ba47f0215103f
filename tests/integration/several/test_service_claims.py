"""What services hold is theirs alone, whichever server they were created on."""

from __future__ import annotations

import asyncio
import base64
from collections import Counter
from typing import Any

import pytest

from localplane.apimachinery.errors import Invalid, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import KeyNotFound
from localplane.catalog.core.services.claims import ServiceClaims
from localplane.catalog.core.services.port_range import KEY, PREFIX
from localplane.catalog.core.services.repair import ServiceRepair
from localplane.compose.server import Plane
from tests.integration.several.servers import Shared, eventually, of

pytestmark = pytest.mark.asyncio

BARE = {"controllers": ("none",), "service_cluster_ip_range": "10.0.0.0/20"}


def service(name: str, kind: str = "ClusterIP", **spec: Any) -> JSONObject:
    ports = [{"port": 80, **({"nodePort": spec.pop("node_port")} if "node_port" in spec else {})}]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"type": kind, "ports": ports, **spec},
    }


async def services(plane: Plane) -> list[JSONObject]:
    items: list[JSONObject] = (await of(plane, "v1/services").list())["items"]
    return items


async def taken_ports(plane: Plane) -> set[int]:
    try:
        stored = await plane.storage.cacher.resource(PREFIX).get(KEY)
    except KeyNotFound:
        return set()
    obj = stored.decode()
    bits = int.from_bytes(base64.b64decode(obj["data"]), "big")
    first = int(obj["range"].partition("-")[0])
    return {first + bit for bit in range(bits.bit_length()) if bits >> bit & 1}


async def taken_addresses(plane: Plane) -> set[str]:
    items = (await of(plane, "networking.k8s.io/v1/ipaddresses", "").list())["items"]
    return {item["metadata"]["name"] for item in items}


def repair_of(plane: Plane, clock: Any) -> ServiceRepair:
    ranges = plane.storage.cacher.resource(PREFIX)
    return ServiceRepair(plane.objects, ranges, range(30000, 32768), clock=clock)


async def test_no_two_services_of_two_servers_have_the_same(shared: Shared) -> None:
    async with shared.servers(2, **BARE) as planes:

        async def make(plane: Plane, name: str) -> None:
            await of(plane, "v1/services").create(service(name, "NodePort"))
            if name.endswith("3"):
                await of(plane, "v1/services").delete(name)

        async with asyncio.TaskGroup() as tasks:
            for number in range(100):
                for place, plane in enumerate(planes):
                    tasks.create_task(make(plane, f"s-{place}-{number}"))
        made = await services(planes[0])
        assert len(made) == 181
        addresses = Counter(each["spec"]["clusterIP"] for each in made)
        ports = Counter(port["nodePort"] for each in made for port in each["spec"]["ports"] if "nodePort" in port)
        assert [value for counter in (addresses, ports) for value, count in counter.items() if count > 1] == []
        assert await taken_ports(planes[1]) == set(ports)
        assert await taken_addresses(planes[1]) == set(addresses)


async def test_a_port_or_address_of_the_other_server_is_refused(shared: Shared) -> None:
    async with shared.servers(2, **BARE) as (first, second):
        await of(first, "v1/services").create(service("a", "NodePort", node_port=30080, clusterIP="10.0.0.80"))
        with pytest.raises(Invalid, match="30080: provided port is already allocated"):
            await of(second, "v1/services").create(service("b", "NodePort", node_port=30080))
        with pytest.raises(Invalid, match="provided IP is already allocated"):
            await of(second, "v1/services").create(service("b", clusterIP="10.0.0.80"))
        with pytest.raises(Invalid, match="30080: provided port is already allocated"):
            await of(second, "v1/services").create(service("b", "NodePort", node_port=30080), dry_run=True)
        await of(second, "v1/services").delete("a")
        await of(first, "v1/services").create(service("b", "NodePort", node_port=30080, clusterIP="10.0.0.80"))
        await of(second, "v1/services").delete_collection()
        assert await taken_ports(first) == set()
        assert await taken_addresses(first) == set()


async def test_what_is_given_up_by_a_change_is_free(shared: Shared) -> None:
    async with shared.server(**BARE) as plane:
        resource = of(plane, "v1/services")
        made = await resource.create(service("a", "NodePort", node_port=30081))
        await resource.update(made | {"spec": made["spec"] | {"ports": [{"port": 80, "nodePort": 30082}]}})
        assert await taken_ports(plane) == {30082}
        made = await resource.get("a")
        made["metadata"]["finalizers"] = ["example.com/wait"]
        await resource.update(made)
        await resource.delete("a")
        assert await taken_ports(plane) == {30082}
        waiting = await resource.get("a")
        waiting["metadata"]["finalizers"] = []
        await resource.update(waiting)
        with pytest.raises(NotFound):
            await resource.get("a")
        assert await taken_ports(plane) == set()
        assert "10.0.0.1" in await taken_addresses(plane)
        assert len(await taken_addresses(plane)) == 1


async def test_the_ports_of_services_from_before_there_was_a_range_are_taken(shared: Shared) -> None:
    async with shared.server(**BARE) as plane:
        await of(plane, "v1/services").create(service("a", "NodePort", node_port=30090))
        await plane.storage.cacher.resource(PREFIX).delete(KEY)
        with pytest.raises(Invalid, match="30090: provided port is already allocated"):
            await of(plane, "v1/services").create(service("b", "NodePort", node_port=30090))


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


async def heard(repair: ServiceRepair, *, anything: bool) -> None:
    """Nothing tells when it has heard of it."""

    async def so() -> bool:
        return bool(repair._since) is anything

    await eventually(so)


async def _leak(plane: Plane, name: str, port: int) -> str:
    """A server dies after it has claimed, and before it has written."""
    made = await of(plane, "v1/services").create(service(name, "NodePort", node_port=port))
    stored = plane.objects.definition("services")
    await stored.storage.delete(stored.key("default", name))
    return str(made["spec"]["clusterIP"])


async def test_claims_without_a_service_are_given_back_after_a_while_and_not_before(shared: Shared) -> None:
    async with shared.server(**BARE) as plane:
        clock = Clock()
        repair = repair_of(plane, clock)
        ip = await _leak(plane, "gone", 30100)
        following = asyncio.create_task(repair._follow())
        try:
            await heard(repair, anything=True)
            await repair.look()
            clock.seconds += 59
            await repair.look()
            assert (ip in await taken_addresses(plane), await taken_ports(plane)) == (True, {30100})
            # One that goes and is claimed again meanwhile is another claim.
            await of(plane, "v1/services").create(service("b", "NodePort", node_port=30101))
            clock.seconds += 1
            await repair.look()
            assert (ip in await taken_addresses(plane), await taken_ports(plane)) == (False, {30101})
        finally:
            following.cancel()
            await asyncio.wait([following])


async def test_a_claim_that_was_made_anew_meanwhile_is_another(shared: Shared) -> None:
    async with shared.server(**BARE) as plane:
        clock = Clock()
        repair = repair_of(plane, clock)
        ip = await _leak(plane, "gone", 30100)
        following = asyncio.create_task(repair._follow())
        try:
            await heard(repair, anything=True)
            await repair.look()
            clock.seconds += 59
            addresses = plane.objects.definition("networking.k8s.io/ipaddresses")
            await addresses.storage.delete(addresses.key("", ip))
            ranges = plane.storage.cacher.resource(PREFIX)
            await ranges.delete(KEY)
            await heard(repair, anything=False)
            made = await of(plane, "v1/services").create(service("new", "NodePort", node_port=30100, clusterIP=ip))
            stored = plane.objects.definition("services")
            await stored.storage.delete(stored.key("default", made["metadata"]["name"]))
            await heard(repair, anything=True)
            clock.seconds += 2
            await repair.look()
            assert (ip in await taken_addresses(plane), await taken_ports(plane)) == (True, {30100})
        finally:
            following.cancel()
            await asyncio.wait([following])


async def test_a_service_whose_claims_are_gone_gets_them_back(shared: Shared) -> None:
    async with shared.server(**BARE) as plane:
        repair = repair_of(plane, Clock())
        made = await of(plane, "v1/services").create(service("a", "NodePort", node_port=30100))
        ip = made["spec"]["clusterIP"]
        await of(plane, "v1/services").create(service("b", "NodePort", node_port=30101))
        addresses = plane.objects.definition("networking.k8s.io/ipaddresses")
        await addresses.storage.delete(addresses.key("", ip))

        async def without(current: JSONObject) -> JSONObject:
            return current | {"data": base64.b64encode((1 << 101).to_bytes(13, "big")).decode()}

        await plane.storage.cacher.resource(PREFIX).guaranteed_update(KEY, without)
        await repair.look()
        assert (ip in await taken_addresses(plane), await taken_ports(plane)) == (False, {30101})
        await repair.look()
        assert (ip in await taken_addresses(plane), await taken_ports(plane)) == (True, {30100, 30101})


async def test_a_write_that_waited_too_long_after_its_claim_is_done_anew(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused, and the client, which is asked to, sends it again."""
    checked: list[str] = []

    def age(claims: ServiceClaims) -> float:
        checked.append(*claims._ips)
        return 41.0 if len(checked) == 1 else 0.0

    async with shared.server(**BARE) as plane:
        monkeypatch.setattr(ServiceClaims, "_age", property(age))
        made = await of(plane, "v1/services").create(service("late"))
        first, second = checked
        assert made["spec"]["clusterIP"] == second != first
        assert await taken_addresses(plane) == {"10.0.0.1", first, second}, "the repair looks after the first"
