"""Endpoints are put into as few slices as need be written."""

from __future__ import annotations

from functools import partial

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.networking.endpoint_slices.hints import SlicesOfFamily, ZoneHints, hint_closely
from localplane.controllers.networking.endpoint_slices.membership import (
    TriggerTimes,
    families,
    pod_addresses,
    target_port,
)
from localplane.controllers.networking.endpoint_slices.port_order import ordered_ports, ordered_slice_ports
from localplane.controllers.networking.endpoint_slices.slices import (
    SliceChanges,
    endpoint_key,
    new_slice,
    packed,
    ports_key,
)
from localplane.controllers.networking.endpoints import repacked

SERVICE: JSONObject = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "ns", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"clusterIP": "10.0.0.1"},
}
LABELS = {"kubernetes.io/service-name": "web"}


def endpoint(number: int, *, ready: bool = True, zone: str = "") -> JSONObject:
    made: JSONObject = {"addresses": [f"10.0.{number // 256}.{number % 256}"], "conditions": {"ready": ready}}
    return made | ({"zone": zone} if zone else {})


def existing(name: str, *numbers: int) -> JSONObject:
    made = new_slice(SERVICE, (), "IPv4", LABELS)
    return made | {
        "metadata": {**made["metadata"], "name": name},
        "endpoints": [endpoint(number) for number in numbers],
    }


async def pack(slices: list[JSONObject], *numbers: int, limit: int = 3, ready: bool = True) -> SliceChanges:
    wanted = {endpoint_key(each): each for each in (endpoint(number, ready=ready) for number in numbers)}
    return await packed(slices, wanted, partial(new_slice, SERVICE, (), "IPv4", LABELS), LABELS, limit=limit)


def sizes(slices: list[JSONObject]) -> list[int]:
    return [len(each["endpoints"]) for each in slices]


async def test_new_endpoints_fill_new_slices_up_to_the_limit() -> None:
    changes = await pack([], *range(250), limit=100)
    assert sizes(changes.create) == [100, 100, 50]
    assert not changes.update
    assert not changes.delete


async def test_a_slice_that_changes_anyway_takes_what_is_new() -> None:
    changes = await pack([existing("a", 1, 2), existing("b", 3)], 1, 3, 4)
    assert [each["metadata"]["name"] for each in changes.update] == ["a"]
    assert {each["addresses"][0] for each in changes.update[0]["endpoints"]} == {"10.0.0.1", "10.0.0.4"}
    assert not changes.create


async def test_what_is_new_goes_into_the_unchanged_slice_that_it_fills_best() -> None:
    changes = await pack([existing("a", 1), existing("b", 2, 3)], 1, 2, 3, 4)
    assert [each["metadata"]["name"] for each in changes.update] == ["b"]
    assert sizes(changes.update) == [3]


async def test_a_slice_without_wanted_endpoints_goes_and_full_ones_stay() -> None:
    changes = await pack([existing("a", 1, 2, 3), existing("b", 4)], 1, 2, 3)
    assert [each["metadata"]["name"] for each in changes.delete] == ["b"]
    assert not changes.create
    assert not changes.update


async def test_an_endpoint_whose_condition_changes_is_written_in_its_place() -> None:
    before = existing("a", 1)
    changes = await pack([before], 1, ready=False)
    assert changes.update[0]["endpoints"][0]["conditions"] == {"ready": False}
    assert before["endpoints"][0]["conditions"] == {"ready": True}


def test_the_order_of_ports_does_not_matter() -> None:
    one, two = {"name": "a", "port": 1, "protocol": "TCP"}, {"name": "b", "port": 2}
    assert ports_key([one, two]) == ports_key([two | {"protocol": "TCP"}, one])
    assert ports_key(None) == ports_key([])


def test_a_dual_stack_service_takes_addresses_of_both_families() -> None:
    service = {"spec": {"ipFamilies": ["IPv6", "IPv4"], "clusterIP": "fd00::9"}}
    pod = {"status": {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00:0::1"}]}}
    assert families(service) == ("IPv6", "IPv4")
    assert pod_addresses(pod, "IPv6") == ["fd00::1"]
    assert pod_addresses(pod, "IPv4") == ["10.0.0.1"]
    assert families({"spec": {"clusterIP": "None"}}) == ("IPv4", "IPv6")


def test_a_named_port_is_found_in_sidecars_but_not_in_other_init_containers() -> None:
    ports = [{"name": "web", "containerPort": 7, "protocol": "TCP"}]
    pod: JSONObject = {"spec": {"containers": [{}], "initContainers": [{"ports": ports}]}}
    assert target_port(pod, {"targetPort": "web", "protocol": "TCP"}) is None
    pod["spec"]["initContainers"].append({"ports": ports, "restartPolicy": "Always"})
    assert target_port(pod, {"targetPort": "web", "protocol": "TCP"}) == 7
    assert target_port(pod, {"targetPort": 9}) == 9


def test_the_trigger_time_is_the_oldest_new_change() -> None:
    def pod(name: str, when: str) -> JSONObject:
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": when}
        return {"metadata": {"name": name}, "status": {"conditions": [ready]}}

    times = TriggerTimes()
    old = pod("a", "2026-01-01T00:00:01Z")
    assert times.changed(SERVICE, [old]) == "2026-01-01T00:00:00Z"
    assert times.changed(SERVICE, [old]) is None
    newer = [old, pod("b", "2026-01-01T00:00:09Z"), pod("c", "2026-01-01T00:00:05Z")]
    assert times.changed(SERVICE, newer) == "2026-01-01T00:00:05Z"


def test_ports_are_in_the_order_in_which_kubernetes_writes_them() -> None:
    ports: list[JSONObject] = [
        {"name": f"p{number}", "port": 9000 + 7 * number, "protocol": ("TCP", "UDP", "SCTP")[number % 3]}
        for number in range(9)
    ]
    for port in ports[1::2]:
        port["appProtocol"] = "x.y/z"
    assert "".join(port["name"][1] for port in ordered_ports(ports)) == "165270384"
    assert "".join(port["name"][1] for port in ordered_slice_ports(ports)) == "842761503"


async def test_ports_that_the_same_addresses_have_stand_together() -> None:
    address, other = {"ip": "10.0.0.2"}, {"ip": "10.0.0.1"}
    http, https = {"name": "http", "port": 80}, {"name": "https", "port": 443}
    scattered = [
        {"addresses": [address], "ports": [http]},
        {"addresses": [other], "ports": [http]},
        {"addresses": [other, address], "ports": [https]},
    ]
    assert await repacked(scattered) == [{"addresses": [other, address], "ports": [http, https]}]


async def test_of_an_address_that_is_listed_twice_not_ready_counts() -> None:
    address, port = {"ip": "10.0.0.2"}, {"port": 80}
    twice = [{"addresses": [address], "ports": [port]}, {"notReadyAddresses": [address], "ports": [port]}]
    assert await repacked(twice) == [{"notReadyAddresses": [address], "ports": [port]}]


def node(zone: str, cpu: str) -> JSONObject:
    return {
        "metadata": {"labels": {"topology.kubernetes.io/zone": zone}},
        "status": {"conditions": [{"type": "Ready", "status": "True"}], "allocatable": {"cpu": cpu}},
    }


def zoned(*zones: str) -> JSONObject:
    made = new_slice(SERVICE, (), "IPv4", LABELS)
    return made | {"endpoints": [endpoint(number, zone=zone) for number, zone in enumerate(zones)]}


def hinted(endpoint_slice: JSONObject) -> list[str]:
    return [zone["name"] for each in endpoint_slice["endpoints"] for zone in each["hints"]["forZones"]]


def test_endpoints_are_spread_over_zones_as_cpus_are() -> None:
    hints = ZoneHints()
    hints.set_nodes([node("a", "2"), node("b", "1")])
    written = zoned(*"aaabbb")
    (told,) = hints.hint(SlicesOfFamily("ns/web", "IPv4", [written], []))
    assert told.reason == "TopologyAwareHintsEnabled"
    assert sorted(hinted(written)) == ["a"] * 4 + ["b"] * 2
    assert hints.overloaded() == []
    hints.set_nodes([node("a", "1"), node("b", "4")])
    assert hints.overloaded() == ["ns/web"]


def test_zones_without_enough_endpoints_get_no_hints() -> None:
    hints = ZoneHints()
    hints.set_nodes([node("a", "2"), node("b", "1"), node("c", "1")])
    written = zoned("a", "b")
    (told,) = hints.hint(SlicesOfFamily("ns/web", "IPv4", [written], []))
    assert told.type == "Warning"
    assert told.message == "Insufficient number of endpoints (2 endpoints, 3 zones), addressType: IPv4"
    assert all("hints" not in each for each in written["endpoints"])


def test_a_slice_that_has_the_right_hints_is_not_written_again() -> None:
    written = zoned("a", "b")
    hint_closely(SlicesOfFamily("ns/web", "IPv4", [written], []), "PreferSameZone")
    again = SlicesOfFamily("ns/web", "IPv4", [], [written])
    hint_closely(again, "PreferClose")
    assert not again.more
    moved = {**written, "endpoints": [written["endpoints"][0] | {"zone": "c"}]}
    changed = SlicesOfFamily("ns/web", "IPv4", [], [moved])
    hint_closely(changed, "PreferClose")
    assert hinted(changed.more[0]) == ["c"]
