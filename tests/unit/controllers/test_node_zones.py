"""Pods are driven from lost nodes no faster than the state of their zone allows."""

from __future__ import annotations

from localplane.controllers.nodes.node_lifecycle.zones import ClusterTurn, EvictionRates, Zones, zone_of

RATES = EvictionRates(normal=0.1, secondary=0.01, large_cluster=4, unhealthy_zone=0.55)


def zones(*, ready: int, lost: int, zone: str = "a") -> Zones:
    found = Zones(RATES)
    add(found, ready=ready, lost=lost, zone=zone)
    return found


def add(found: Zones, *, ready: int, lost: int, zone: str) -> None:
    for number in range(ready + lost):
        found.place(f"{zone}-{number}", zone, is_ready=number < ready, is_counted=True)


def test_one_node_after_the_other_has_its_turn() -> None:
    found = zones(ready=9, lost=2)
    assert found.settle(0.0) is ClusterTurn.NONE
    found.wait("a-9")
    found.wait("a-10")
    assert found.take(100.0) == ["a-9"]
    assert found.take(100.0) == []
    assert found.next_due() == 110.0
    assert found.take(110.0) == ["a-10"]
    assert found.next_due() == float("inf")


def test_who_is_well_again_waits_no_longer() -> None:
    found = zones(ready=9, lost=1)
    found.wait("a-9")
    found.leave("a-9")
    assert found.next_due() == float("inf")


def test_a_small_zone_that_is_mostly_lost_is_left_alone() -> None:
    found = zones(ready=1, lost=3)
    found.settle(0.0)
    found.wait("a-1")
    assert found.next_due() == float("inf")


def test_a_large_zone_that_is_mostly_lost_is_slow() -> None:
    found = zones(ready=1, lost=9)
    found.settle(0.0)
    found.wait("a-1")
    found.wait("a-2")
    assert found.take(0.0) == ["a-1"]
    assert found.next_due() == 100.0


def test_a_zone_that_is_wholly_lost_is_driven_at_the_normal_rate_if_another_is_not() -> None:
    found = zones(ready=0, lost=2)
    add(found, ready=1, lost=0, zone="b")
    assert found.settle(0.0) is ClusterTurn.NONE
    found.wait("a-0")
    assert found.take(0.0) == ["a-0"]


def test_if_all_are_lost_nobody_has_a_turn_until_one_is_back() -> None:
    found = zones(ready=2, lost=0)
    assert found.settle(0.0) is ClusterTurn.NONE
    for name in ("a-0", "a-1"):
        found.place(name, "a", is_ready=False, is_counted=True)
    found.wait("a-0")
    assert found.settle(1.0) is ClusterTurn.ALL_LOST
    assert found.settle(1.0) is ClusterTurn.NONE
    assert found.next_due() == float("inf")
    found.place("a-1", "a", is_ready=True, is_counted=True)
    assert found.settle(2.0) is ClusterTurn.SOME_BACK
    assert found.next_due() == 12.0


def test_what_is_not_counted_says_nothing_of_its_zone() -> None:
    found = zones(ready=0, lost=1)
    found.place("special", "a", is_ready=True, is_counted=False)
    assert found.settle(0.0) is ClusterTurn.ALL_LOST


def test_a_node_that_moves_counts_where_it_is() -> None:
    found = zones(ready=1, lost=0)
    add(found, ready=0, lost=1, zone="b")
    assert found.settle(0.0) is ClusterTurn.NONE
    found.remove("a-0")
    assert found.settle(0.0) is ClusterTurn.ALL_LOST
    found.place("b-0", "c", is_ready=True, is_counted=True)
    assert found.settle(0.0) is ClusterTurn.SOME_BACK


def test_a_zone_is_named_by_region_and_zone_whatever_the_labels_are_called() -> None:
    labels = {"topology.kubernetes.io/region": "r", "topology.kubernetes.io/zone": "z"}
    assert zone_of({"metadata": {"labels": labels}}) == "r:\x00:z"
    assert zone_of({"metadata": {"labels": {"failure-domain.beta.kubernetes.io/zone": "z"}}}) == ":\x00:z"
    assert zone_of({"metadata": {}}) == ""
