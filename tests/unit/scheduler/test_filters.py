"""Which nodes a pod may go to, and what is said about the others."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.scheduler.attempt import NoPlace
from localplane.scheduler.sources import NAMESPACES
from localplane.scheduler.state.pod_info import PodInfo
from tests.unit.scheduler.subjects import HOSTNAME, ZONE, Setting, node, pod

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


async def excuse(setting: Setting, info: PodInfo) -> str:
    with pytest.raises(NoPlace) as failure:
        await setting.place(info)
    return failure.value.diagnosis.message


def _ports(*ports: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": "main", "image": "app:1", "ports": list(ports)}]


async def test_all_that_a_node_lacks_is_told_and_what_never_fits_is_final() -> None:
    setting = Setting(node("a", allocatable={"cpu": "1", "memory": "1Gi", "pods": "0"}))
    info = pod(requests={"cpu": "2", "memory": "512Mi", "example.com/gpu": "1"})
    with pytest.raises(NoPlace) as failure:
        await setting.place(info)
    rejection = failure.value.diagnosis.rejections["a"]
    assert rejection.reasons == ("Too many pods", "Insufficient cpu", "Insufficient example.com/gpu")
    assert rejection.final


async def test_without_nodes_there_is_one_sentence() -> None:
    assert await excuse(Setting(), pod()) == "no nodes available to schedule pods"


@pytest.mark.parametrize(
    ("wanted", "taken", "free"),
    [
        ({"hostPort": 80}, {"hostPort": 80}, False),
        ({"hostPort": 80}, {"hostPort": 81}, True),
        ({"hostPort": 80}, {"hostPort": 80, "protocol": "UDP"}, True),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80, "hostIP": "10.0.0.2"}, True),
        ({"hostPort": 80, "hostIP": "10.0.0.1"}, {"hostPort": 80}, False),
        ({"hostPort": 80}, {"hostPort": 80, "hostIP": "10.0.0.2"}, False),
    ],
)
async def test_a_port_is_taken_on_its_address_and_protocol(
    wanted: dict[str, Any],
    taken: dict[str, Any],
    free: bool,  # noqa: FBT001 - a row of the table
) -> None:
    setting = Setting(node("a"))
    setting.put("a", containers=_ports(taken))
    info = pod(containers=_ports(wanted))
    if free:
        assert await setting.where(info) == "a"
    else:
        assert "1 node(s) didn't have free ports for the requested pod ports" in await excuse(setting, info)


async def test_a_port_is_free_again_when_its_pod_is_gone() -> None:
    setting = Setting(node("a"))
    first = setting.put("a", containers=_ports({"hostPort": 80}))
    setting.cluster.remove_pod(first.uid)
    assert await setting.where(pod(containers=_ports({"hostPort": 80}))) == "a"


async def test_a_cordoned_node_takes_pods_that_tolerate_it() -> None:
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    setting = Setting(node("a", unschedulable=True, taints=[taint]))
    assert "1 node(s) were unschedulable" in await excuse(setting, pod())
    tolerant = pod(tolerations=[{"key": taint["key"], "operator": "Exists"}])
    assert await setting.where(tolerant) == "a"


async def test_a_pod_that_names_its_node_says_of_the_others_that_they_are_not_it() -> None:
    setting = Setting(node("a", taints=[{"key": "x", "effect": "NoSchedule"}]), node("b"), node("c"))
    field = {"key": "metadata.name", "operator": "In", "values": ["a"]}
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchFields": [field]}]}}}
    assert await excuse(setting, pod(affinity=affinity)) == (
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), "
        "2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )


async def test_a_pod_that_names_two_nodes_at_once_has_no_place() -> None:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in ("a", "b")]
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchFields": fields}]}}}
    setting = Setting(node("a"), node("b"))
    assert await excuse(setting, pod(affinity=affinity)) == "0/2 nodes are available: pod affinity terms conflict."


def _spread(**more: Any) -> list[dict[str, Any]]:
    constraint = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    return [constraint | more]


async def test_a_zone_that_is_ahead_gets_no_more() -> None:
    setting = Setting(node("a", labels={ZONE: "one"}), node("b", labels={ZONE: "two"}), node("c"))
    setting.put("a", labels={"app": "web"})
    info = pod(labels={"app": "web"}, topologySpreadConstraints=_spread())
    assert await setting.where(info) == "b"
    setting.cluster.remove_node("b")
    setting.put("a", labels={"app": "web"})
    assert await setting.where(pod(labels={"app": "web"}, topologySpreadConstraints=_spread())) == "a"


async def test_too_few_zones_count_as_if_one_were_empty() -> None:
    setting = Setting(node("a", labels={ZONE: "one"}), node("c"))
    setting.put("a", labels={"app": "web"})
    info = pod(labels={"app": "web"}, topologySpreadConstraints=_spread(minDomains=2))
    assert await excuse(setting, info) == (
        "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, "
        "1 node(s) didn't match pod topology spread constraints (missing required label)."
    )


@pytest.mark.parametrize(("policy", "place"), [("Ignore", None), ("Honor", "a")])
async def test_whether_tainted_nodes_count_is_for_the_pod_to_say(policy: str, place: str | None) -> None:
    tainted = node("b", labels={ZONE: "two"}, taints=[{"key": "x", "effect": "NoSchedule"}])
    setting = Setting(node("a", labels={ZONE: "one"}), tainted)
    setting.put("a", labels={"app": "web"})
    info = pod(labels={"app": "web"}, topologySpreadConstraints=_spread(nodeTaintsPolicy=policy))
    if place is None:
        assert "1 node(s) didn't match pod topology spread constraints" in await excuse(setting, info)
    else:
        assert await setting.where(info) == place


async def test_pods_of_another_revision_do_not_count() -> None:
    setting = Setting(node("a", labels={ZONE: "one"}), node("b", labels={ZONE: "two"}, unschedulable=True))
    setting.put("a", labels={"app": "web", "hash": "1"})
    spread = _spread(matchLabelKeys=["hash"])
    assert await setting.where(pod(labels={"app": "web", "hash": "2"}, topologySpreadConstraints=spread)) == "a"
    info = pod(labels={"app": "web", "hash": "1"}, topologySpreadConstraints=spread)
    assert "topology spread" in await excuse(setting, info)


def _near(term: dict[str, Any], kind: str = "podAffinity") -> dict[str, Any]:
    return {kind: {REQUIRED: [{"topologyKey": HOSTNAME} | term]}}


WEB = {"labelSelector": {"matchLabels": {"app": "web"}}}


async def test_a_pod_goes_to_the_one_it_wants_to_be_near_to() -> None:
    setting = Setting(node("a"), node("b"))
    setting.put("b", labels={"app": "web"})
    assert await setting.where(pod(affinity=_near(WEB))) == "b"


async def test_the_first_of_a_group_has_nobody_to_be_near_to() -> None:
    setting = Setting(node("a"))
    assert await setting.where(pod(labels={"app": "web"}, affinity=_near(WEB))) == "a"
    assert await excuse(setting, pod(affinity=_near(WEB))) == (
        "0/1 nodes are available: 1 node(s) didn't match pod affinity rules."
    )


async def test_pods_of_other_namespaces_count_if_their_namespaces_are_selected() -> None:
    setting = Setting(node("a"), node("b"))
    labels = {"team": "x"}
    setting.sources.put(NAMESPACES, {"metadata": {"name": "other", "labels": labels}})
    setting.sources.put(NAMESPACES, {"metadata": {"name": "default"}})
    setting.put("b", labels={"app": "web"}, namespace="other")
    assert "affinity rules" in await excuse(setting, pod(affinity=_near(WEB)))
    selected = WEB | {"namespaceSelector": {"matchLabels": labels}}
    assert await setting.where(pod(affinity=_near(selected))) == "b"
    assert await setting.where(pod(affinity=_near(WEB | {"namespaces": ["other"]}))) == "b"
    assert await setting.where(pod(affinity=_near(WEB | {"namespaceSelector": {}}))) == "b"


async def test_those_who_are_there_may_not_want_company() -> None:
    setting = Setting(node("a"), node("b"))
    loner = setting.put("a", affinity=_near(WEB, "podAntiAffinity"))
    assert await setting.where(pod(labels={"app": "web"})) == "b"
    setting.cluster.remove_node("b")
    assert "1 node(s) didn't satisfy existing pods anti-affinity rules" in await excuse(
        setting, pod(labels={"app": "web"})
    )
    setting.cluster.remove_pod(loner.uid)
    assert await setting.where(pod(labels={"app": "web"})) == "a"


async def test_a_place_that_is_kept_for_an_important_pod_is_not_free() -> None:
    setting = Setting(node("a", allocatable={"cpu": "1"}))
    setting.cluster.nominations.set(pod(priority=10, requests={"cpu": "1"}), "a")
    assert "Insufficient cpu" in await excuse(setting, pod(priority=5, requests={"cpu": "500m"}))
    assert await setting.where(pod(priority=20, requests={"cpu": "500m"})) == "a"


async def test_a_pod_takes_the_node_that_it_was_nominated_for_if_it_will_do() -> None:
    setting = Setting(node("a", allocatable={"cpu": "2"}), node("b", allocatable={"cpu": "64"}))
    info = pod(requests={"cpu": "1"}, status={"nominatedNodeName": "a"})
    assert await setting.where(info) == "a"


async def test_a_pod_that_needs_something_of_its_kubelet_goes_where_that_is_declared() -> None:
    able = node("b")
    able["status"]["declaredFeatures"] = ["UserNamespacesHostNetworkSupport"]
    setting = Setting(node("a"), able)
    demanding: dict[str, Any] = {"hostNetwork": True, "hostUsers": False}
    assert await setting.where(pod(**demanding)) == "b"
    setting.cluster.remove_node("b")
    assert await excuse(setting, pod(**demanding)) == (
        "0/1 nodes are available: 1 node(s) didn't match Pod's required features."
    )
