"""Ranges of addresses for nodes are parts of the cluster's, each given out once."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from localplane.controllers.nodes.node_ipam import CIDRSet, NodeIPAMOptions, NoneLeft, OutOfRange


def given(cidr_set: CIDRSet, count: int) -> list[str]:
    return [str(cidr_set.allocate()) for _ in range(count)]


def test_parts_are_given_out_in_turn_until_none_is_left() -> None:
    cidr_set = CIDRSet(ip_network("10.0.0.0/22"), 24)
    assert given(cidr_set, 4) == ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]
    with pytest.raises(NoneLeft, match="there are no remaining CIDRs left to allocate in the accepted range"):
        cidr_set.allocate()


def test_what_came_back_is_given_out_after_the_others() -> None:
    cidr_set = CIDRSet(ip_network("10.0.0.0/22"), 24)
    assert given(cidr_set, 2) == ["10.0.0.0/24", "10.0.1.0/24"]
    cidr_set.release(ip_network("10.0.0.0/24"))
    assert given(cidr_set, 3) == ["10.0.2.0/24", "10.0.3.0/24", "10.0.0.0/24"]


def test_what_is_occupied_is_not_given_out_whatever_its_size() -> None:
    cidr_set = CIDRSet(ip_network("10.0.0.0/21"), 24)
    cidr_set.occupy(ip_network("10.0.0.0/23"))
    cidr_set.occupy(ip_network("10.0.3.128/25"))
    cidr_set.occupy(ip_network("10.0.3.128/25"))
    assert given(cidr_set, 5) == ["10.0.2.0/24", "10.0.4.0/24", "10.0.5.0/24", "10.0.6.0/24", "10.0.7.0/24"]
    with pytest.raises(NoneLeft):
        cidr_set.allocate()


def test_what_is_around_the_whole_occupies_all_of_it() -> None:
    cidr_set = CIDRSet(ip_network("10.0.0.0/22"), 24)
    cidr_set.occupy(ip_network("10.0.0.0/8"))
    with pytest.raises(NoneLeft):
        cidr_set.allocate()


def test_what_is_elsewhere_is_out_of_range() -> None:
    cidr_set = CIDRSet(ip_network("10.0.0.0/22"), 24)
    with pytest.raises(OutOfRange, match=r"cidr 192.168.0.0/24 is out the range of cluster cidr 10.0.0.0/22"):
        cidr_set.occupy(ip_network("192.168.0.0/24"))
    with pytest.raises(OutOfRange):
        cidr_set.occupy(ip_network("fd00::/64"))


def test_the_other_family_is_divided_alike() -> None:
    cidr_set = CIDRSet(ip_network("fd00:1234::/62"), 64)
    assert given(cidr_set, 2) == ["fd00:1234::/64", "fd00:1234:0:1::/64"]


def test_a_range_that_cannot_be_divided_is_refused() -> None:
    with pytest.raises(ValueError, match="mask size of clusterCIDR must be less than or equal"):
        NodeIPAMOptions(cluster_cidrs=("10.0.0.0/25",))
    with pytest.raises(ValueError, match="the node CIDR size is too big"):
        NodeIPAMOptions(cluster_cidrs=("fd00::/32",))


def test_what_services_have_is_not_for_nodes() -> None:
    options = NodeIPAMOptions(cluster_cidrs=("10.0.0.0/22",), service_cidrs=("10.0.0.0/23", "fd00::/112"))
    (cidr_set,) = options.cidr_sets()
    assert given(cidr_set, 2) == ["10.0.2.0/24", "10.0.3.0/24"]
