"""Pod IPs: nobody gets one that another has."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.nodes.addresses import NoFreeAddress, PodAddresses
from localplane.nodes.registration import address_of


def node(name: str, *ranges: str) -> JSONObject:
    return {"metadata": {"name": name}, "spec": {"podCIDR": ranges[0], "podCIDRs": list(ranges)} if ranges else {}}


def pod(uid: str, address: str) -> JSONObject:
    return {"metadata": {"uid": uid}, "spec": {}, "status": {"podIPs": [{"ip": address}]}}


def test_addresses_go_round_before_one_is_used_again() -> None:
    addresses = PodAddresses()
    small = node("a", "10.0.0.0/29")
    taken = [addresses.take(small, str(number))[0] for number in range(3)]
    assert taken == ["10.0.0.2", "10.0.0.3", "10.0.0.4"]
    addresses.release(pod("0", "10.0.0.2"))
    assert addresses.take(small, "3") == ("10.0.0.5",)


def test_what_pods_have_already_is_not_given_again() -> None:
    addresses = PodAddresses()
    addresses.note(pod("old", "10.0.0.2"))
    assert addresses.take(node("a", "10.0.0.0/24"), "new") == ("10.0.0.3",)


def test_only_its_holder_releases_an_address() -> None:
    addresses = PodAddresses()
    addresses.note(pod("old", "10.0.0.2"))
    addresses.release(pod("new", "10.0.0.2"))
    assert addresses.take(node("a", "10.0.0.0/24"), "third") == ("10.0.0.3",)


def test_nodes_without_ranges_have_different_ones() -> None:
    addresses = PodAddresses()
    taken = {addresses.take(node(f"node-{number}"), "x")[0] for number in range(50)}
    assert len(taken) == 50


def test_two_families_give_two_addresses() -> None:
    assert PodAddresses().take(node("a", "10.0.0.0/24", "fd00::/64"), "x") == ("10.0.0.2", "fd00::2")


def test_a_full_node_says_so() -> None:
    addresses = PodAddresses()
    full = node("a")
    for number in range(2**12 - 3):
        addresses.take(full, str(number))
    with pytest.raises(NoFreeAddress):
        addresses.take(full, "one more")


def test_nodes_get_addresses_by_their_number_and_never_the_same() -> None:
    assert address_of("node-3", set()) == "172.30.0.5"
    assert address_of("node-3", {"172.30.0.5"}) == "172.30.0.6"
    assert address_of("other", set()) == address_of("other", set())
