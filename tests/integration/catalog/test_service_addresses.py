"""Addresses of Services: where they come from, who has them, and when they are free again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from localplane.catalog.core.services.ip_objects import Owner
from localplane.catalog.core.services.pools import Pools
from localplane.catalog.core.services.storage import ServiceStore
from tests.integration.api.talk import API
from tests.integration.catalog.network import ADDRESSES, SERVICES, addresses, create, service, start

FULL = 'Internal error occurred: failed to allocate a serviceIP for Service "c": range is full'
FAILED = 'Service "{}" is invalid: spec.clusterIPs: Invalid value: ["{}"]: failed to allocate IP {}: {}'


async def test_an_address_comes_from_the_upper_band_and_has_an_object(api: API) -> None:
    spec = await create(api)
    assert int(spec["clusterIP"].rpartition(".")[2]) > 16
    assert spec["clusterIPs"] == [spec["clusterIP"]]
    assert (spec["ipFamilies"], spec["ipFamilyPolicy"]) == (["IPv4"], "SingleStack")
    found = (await api.get(f"{ADDRESSES}/{spec['clusterIP']}")).body
    assert found["spec"]["parentRef"] == {"resource": "services", "namespace": "default", "name": "web"}
    assert found["metadata"]["labels"]["ipaddress.kubernetes.io/managed-by"] == "ipallocator.k8s.io"


async def test_the_first_address_is_to_be_had_by_asking_for_it(api: API) -> None:
    assert (await create(api, "kubernetes", clusterIP="10.0.0.1"))["clusterIPs"] == ["10.0.0.1"]


@pytest.mark.parametrize(
    ("ip", "why"),
    [
        ("10.0.0.7", "provided IP is already allocated"),
        ("10.0.0.0", "the provided network does not match the current range"),
        ("10.0.0.255", "the provided network does not match the current range"),
        ("10.9.0.1", "the provided network does not match the current range"),
    ],
)
async def test_an_address_that_is_not_to_be_had(api: API, ip: str, why: str) -> None:
    await create(api, "first", clusterIP="10.0.0.7")
    reply = await api.post(SERVICES, service(clusterIP=ip))
    assert reply.error == (422, "Invalid", FAILED.format("web", ip, ip, why))
    assert await addresses(api) == {"10.0.0.7"}


async def test_a_full_range_says_so_and_lives_again_after_a_deletion(small: API) -> None:
    first = await create(small, "a")
    await create(small, "b")
    reply = await small.post(SERVICES, service("c"))
    assert reply.error == (500, "InternalError", FULL)
    await small.delete(f"{SERVICES}/a")
    assert (await create(small, "c"))["clusterIP"] == first["clusterIP"]


async def test_the_lower_band_is_used_when_the_upper_one_is_full() -> None:
    api = await start("10.0.0.0/27")
    found = [int((await create(api, f"s{number}"))["clusterIP"].rpartition(".")[2]) for number in range(30)]
    assert sorted(found[:14]) == list(range(17, 31))
    assert sorted(found[14:]) == list(range(1, 17))
    await api.close()


@pytest.mark.parametrize("url", [SERVICES, f"{SERVICES}?labelSelector=!x"])
async def test_a_deleted_collection_gives_everything_back(small: API, url: str) -> None:
    await create(small, "a", type="NodePort", ports=[{"port": 80, "nodePort": 30000}])
    await create(small, "b")
    await small.delete(url)
    assert await addresses(small) == set()
    await create(small, "c", type="NodePort", ports=[{"port": 80, "nodePort": 30000}])
    await create(small, "d")


async def test_an_object_that_waits_for_its_finalizer_keeps_its_address_until_it_goes(api: API) -> None:
    sent = service(clusterIP="10.0.0.9")
    sent["metadata"]["finalizers"] = ["example.com/wait"]
    await api.post(SERVICES, sent)
    await api.delete(f"{SERVICES}/web")
    assert await addresses(api) == {"10.0.0.9"}
    await api.merge(f"{SERVICES}/web", {"metadata": {"finalizers": None}})
    assert (await api.get(f"{SERVICES}/web")).status == 404
    assert await addresses(api) == set()
    await create(api, "next", clusterIP="10.0.0.9")


async def test_what_is_refused_leaves_nothing_behind(api: API) -> None:
    reply = await api.post(SERVICES, service(clusterIP="10.0.0.9", sessionAffinity="Sticky"))
    assert reply.status == 422
    assert await addresses(api) == set()
    await create(api, clusterIP="10.0.0.9")
    again = await api.post(SERVICES, service())
    assert again.error[1] == "AlreadyExists"
    assert await addresses(api) == {"10.0.0.9"}


async def test_a_dry_run_takes_nothing(api: API) -> None:
    made = await api.post(
        f"{SERVICES}?dryRun=All",
        service(type="LoadBalancer", externalTrafficPolicy="Local", ports=[{"name": "a", "port": 1}]),
    )
    spec = made.body["spec"]
    assert (spec["clusterIP"], spec["ports"][0]["nodePort"], spec["healthCheckNodePort"]) == ("10.0.0.0", 32769, 32770)
    assert await addresses(api) == set()
    outside = await api.post(f"{SERVICES}?dryRun=All", service(clusterIP="10.9.0.1"))
    assert (
        "the provided IP (10.9.0.1) is not in the valid range. The range of valid IPs is 10.0.0.0/24" in outside.message
    )


async def test_a_server_that_starts_on_old_data_knows_what_is_taken(api: API) -> None:
    """It also puts right what a dead one left between two writes."""
    await create(api, "a", clusterIP="10.0.0.5", type="NodePort", ports=[{"port": 80, "nodePort": 30001}])
    await api.cacher.resource("/ipaddresses/").delete("/ipaddresses/10.0.0.5")
    leaked = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IPAddress",
        "metadata": {"name": "10.0.0.6", "labels": {"ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}},
        "spec": {"parentRef": {"resource": "services", "namespace": "default", "name": "gone"}},
    }
    await api.cacher.resource("/ipaddresses/").create("/ipaddresses/10.0.0.6", leaked)
    for group in [installed.group for installed in api.installer._groups.values()]:
        api.installer.install(group)  # new stores, as after a restart
    refused = await api.post(SERVICES, service(clusterIP="10.0.0.5"))
    assert "provided IP is already allocated" in refused.message
    await create(api, "b", clusterIP="10.0.0.6")
    assert await addresses(api) == {"10.0.0.5", "10.0.0.6"}
    port = await api.post(SERVICES, service(type="NodePort", ports=[{"port": 80, "nodePort": 30001}]))
    assert "provided port is already allocated" in port.message


async def test_an_address_that_somebody_took_by_its_object_is_not_handed_out(small: API) -> None:
    await create(small, "a", clusterIP="10.0.0.1")
    taken = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IPAddress",
        "metadata": {"name": "10.0.0.2"},
        "spec": {"parentRef": {"group": "example.com", "resource": "gateways", "name": "g"}},
    }
    assert (await small.post(ADDRESSES, taken)).status == 201
    assert (await small.post(SERVICES, service("c"))).error == (500, "InternalError", FULL)


async def test_a_service_cidr_adds_addresses(small: API) -> None:
    await create(small, "a")
    await create(small, "b")
    more = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": "more"},
        "spec": {"cidrs": ["10.1.0.0/28"]},
    }
    assert (await small.post("/apis/networking.k8s.io/v1/servicecidrs", more)).status == 201
    assert (await create(small, "c", clusterIP="10.1.0.14"))["clusterIP"] == "10.1.0.14"
    assert (await create(small, "d"))["clusterIP"].startswith("10.1.0.")


async def test_many_at_once_get_different_addresses(api: API) -> None:
    specs = await asyncio.gather(*(create(api, f"s{number}", type="NodePort") for number in range(60)))
    assert len({spec["clusterIP"] for spec in specs}) == 60
    assert len({spec["ports"][0]["nodePort"] for spec in specs}) == 60
    assert await addresses(api) == {spec["clusterIP"] for spec in specs}


async def test_a_generated_name_owns_its_address(api: API) -> None:
    sent = service()
    sent["metadata"] = {"generateName": "web-"}
    made = (await api.post(SERVICES, sent)).body
    owner = (await api.get(f"{ADDRESSES}/{made['spec']['clusterIP']}")).body["spec"]["parentRef"]["name"]
    assert owner == made["metadata"]["name"]


@pytest.mark.parametrize(
    ("spec", "families", "policy"),
    [
        ({"clusterIP": "None", "selector": {"a": "b"}}, ["IPv4"], "SingleStack"),
        ({"clusterIP": "None"}, ["IPv4", "IPv6"], "RequireDualStack"),
        ({"ipFamilyPolicy": "PreferDualStack"}, ["IPv4"], "PreferDualStack"),
    ],
)
async def test_families_on_a_cluster_with_one(api: API, spec: dict[str, Any], families: list[str], policy: str) -> None:
    made = await create(api, **spec)
    assert (made["ipFamilies"], made["ipFamilyPolicy"]) == (families, policy)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (
            {"ipFamilyPolicy": "RequireDualStack"},
            (
                'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": '
                "this cluster is not configured for dual-stack services"
            ),
        ),
        ({"ipFamilies": ["IPv6"]}, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'),
        (
            {"clusterIP": "fd00::1"},
            'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
        ),
    ],
)
async def test_families_that_the_cluster_does_not_have(api: API, spec: dict[str, Any], why: str) -> None:
    assert (await api.post(SERVICES, service(**spec))).message == f'Service "web" is invalid: {why}'


async def test_two_families_and_back_to_one() -> None:
    api = await start("10.0.0.0/24,fd00::/112")
    both = await create(api, ipFamilyPolicy="PreferDualStack")
    assert [ip.startswith("fd00::") for ip in both["clusterIPs"]] == [False, True]
    assert both["ipFamilies"] == ["IPv4", "IPv6"]
    refused = await api.merge(f"{SERVICES}/web", {"spec": {"clusterIPs": both["clusterIPs"][:1]}})
    assert "must be 'SingleStack' to release the secondary cluster IP" in refused.message
    one = (await api.merge(f"{SERVICES}/web", {"spec": {"ipFamilyPolicy": "SingleStack"}})).body["spec"]
    assert (one["clusterIPs"], one["ipFamilies"]) == (both["clusterIPs"][:1], ["IPv4"])
    assert await addresses(api) == {one["clusterIP"]}
    again = (await api.merge(f"{SERVICES}/web", {"spec": {"ipFamilyPolicy": "RequireDualStack"}})).body["spec"]
    assert (len(again["clusterIPs"]), again["clusterIP"]) == (2, one["clusterIP"])
    assert await addresses(api) == set(again["clusterIPs"])
    await api.close()


async def test_an_address_that_is_claimed_while_orphans_are_looked_for_stays(
    api: API, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The claim comes before the Service: whoever reads in between sees an address that no Service has. It is one of
    the lower band, which nobody gets without asking for it."""
    await create(api, "first")
    served = api.installer.served("", ("v1", "services", ""))
    assert served is not None
    assert isinstance(served.storage, ServiceStore)
    pools = served.storage._pools
    assert isinstance(pools, Pools)
    listed = pools.objects._listed

    async def list_late() -> list[tuple[str, bool]]:
        pools.ips.pending.add("10.0.0.5")
        await pools.objects.create("10.0.0.5", Owner("default", "late"))
        return await listed()

    monkeypatch.setattr(pools.objects, "_listed", list_late)
    await pools.reread()
    assert "10.0.0.5" in await addresses(api)
    pools.ips.pending.discard("10.0.0.5")
    monkeypatch.undo()
    await pools.reread()
    assert "10.0.0.5" not in await addresses(api)
