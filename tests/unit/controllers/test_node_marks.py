"""The taints and labels that a node should have, by what it says of itself."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.nodes.node_lifecycle import marks

NOW = "2026-01-01T00:00:00Z"
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"


def node(*taints: str, unschedulable: bool = False, **conditions: str) -> JSONObject:
    """Taints are told as `key:effect`."""
    split = [dict(zip(("key", "effect"), taint.split(":"), strict=True)) for taint in taints]
    said = [{"type": kind, "status": status} for kind, status in conditions.items()]
    spec: JSONObject = {"taints": split} | ({"unschedulable": True} if unschedulable else {})
    return {"metadata": {"name": "n"}, "spec": spec, "status": {"conditions": said}}


def wanted(obj: JSONObject, *, is_excused: bool = False, is_driven: bool = False) -> list[str]:
    taints = marks.taints(obj, NOW, is_excused=is_excused, is_driven=is_driven)
    return [f"{taint['key']}:{taint['effect']}" for taint in taints]


def test_a_ready_node_has_none() -> None:
    both = (f"{NOT_READY}:NoSchedule", f"{UNREACHABLE}:NoExecute")
    assert wanted(node(*both, Ready="True")) == []
    assert wanted(node(*both, Ready="True"), is_driven=True) == []


def test_a_node_that_is_not_ready_waits_for_the_taint_that_drives() -> None:
    assert wanted(node(Ready="False")) == [f"{NOT_READY}:NoSchedule"]
    assert wanted(node(Ready="False"), is_driven=True) == [f"{NOT_READY}:NoSchedule", f"{NOT_READY}:NoExecute"]


def test_the_taint_that_drives_follows_the_condition_at_once_when_it_is_there() -> None:
    tainted = node(f"{NOT_READY}:NoSchedule", f"{NOT_READY}:NoExecute", Ready="Unknown")
    assert wanted(tainted) == [f"{UNREACHABLE}:NoSchedule", f"{UNREACHABLE}:NoExecute"]


def test_who_is_excused_drives_nobody_away() -> None:
    tainted = node(f"{UNREACHABLE}:NoSchedule", f"{UNREACHABLE}:NoExecute", Ready="Unknown")
    assert wanted(tainted, is_excused=True, is_driven=True) == [f"{UNREACHABLE}:NoSchedule"]


def test_who_says_nothing_of_its_readiness_keeps_what_drives_and_no_more() -> None:
    tainted = node(f"{NOT_READY}:NoExecute", f"{NOT_READY}:NoSchedule")
    assert wanted(tainted) == [f"{NOT_READY}:NoExecute"]


def test_taints_of_others_stay_where_they_are() -> None:
    tainted = node("mine:NoSchedule", f"{NOT_READY}:PreferNoSchedule", Ready="True", unschedulable=True)
    expected = ["mine:NoSchedule", f"{NOT_READY}:PreferNoSchedule", "node.kubernetes.io/unschedulable:NoSchedule"]
    assert wanted(tainted) == expected


def test_what_is_there_keeps_its_time() -> None:
    tainted = node(Ready="False")
    tainted["spec"]["taints"] = [{"key": NOT_READY, "effect": "NoSchedule", "timeAdded": "then"}]
    assert marks.taints(tainted, NOW, is_excused=False, is_driven=False) == tainted["spec"]["taints"]


def test_only_labels_that_differ_are_written() -> None:
    labels = {"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64"}
    assert marks.labels({"metadata": {"labels": labels}}) == {"beta.kubernetes.io/arch": "arm64"}
    assert marks.labels({"metadata": {"labels": {"beta.kubernetes.io/os": "linux"}}}) == {}
    assert marks.labels({"metadata": {}}) == {}
