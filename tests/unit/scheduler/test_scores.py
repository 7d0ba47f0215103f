"""Which of the nodes that will do is best."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from localplane.scheduler.attempt import NoPlace, Placement
from localplane.scheduler.plugins import image_locality, inter_pod_affinity, node_resources, topology_spread
from localplane.scheduler.sources import REPLICA_SETS, SERVICES
from tests.unit.scheduler.subjects import HOSTNAME, ZONE, Setting, node, pod

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
MEGABYTE = 1024 * 1024


def test_the_freer_node_is_better_and_a_silent_pod_counts_for_something() -> None:
    setting = Setting(node("a", allocatable={"cpu": "1", "memory": "2000Mi"}))
    info = setting.cluster.nodes["a"]
    assert node_resources.least_allocated(pod(), info) == (90 + 90) // 2
    setting.put("a", requests={"cpu": "400m"})
    assert node_resources.least_allocated(pod(), info) == (50 + 80) // 2


def test_a_node_whose_resources_are_used_up_alike_is_better() -> None:
    setting = Setting(node("a", allocatable={"cpu": "1", "memory": "1000"}))
    info = setting.cluster.nodes["a"]
    # Before, both are unused: 100. With the pod they are used by 60 and 20 per cent: 80.
    assert node_resources.balanced(pod(requests={"cpu": "600m", "memory": "200"}), info) == 50 + (50 + 80 - 100) // 2
    assert node_resources.balanced(pod(), info) == 0


def test_a_node_that_has_the_image_is_better_the_more_nodes_have_it() -> None:
    images = [{"names": ["app:1"], "sizeBytes": 500 * MEGABYTE}]
    setting = Setting(node("a", images=images), node("b"))
    nodes = setting.cluster.nodes
    assert image_locality.score(pod(), nodes["a"], setting.cluster) == 100 * (250 - 23) // (1000 - 23)
    assert image_locality.score(pod(), nodes["b"], setting.cluster) == 0
    setting.cluster.set_node(node("b", images=images))
    assert image_locality.score(pod(), nodes["a"], setting.cluster) == 100 * (500 - 23) // (1000 - 23)


async def test_a_taint_that_asks_to_be_avoided_is_avoided() -> None:
    setting = Setting(node("a", taints=[{"key": "x", "effect": "PreferNoSchedule"}]), node("b"))
    setting.put("b", requests={"cpu": "3"})
    assert await setting.where(pod()) == "b"
    tolerant = pod(tolerations=[{"key": "x", "operator": "Exists"}])
    assert await setting.where(tolerant) == "a"


async def test_a_node_that_the_pod_prefers_is_taken() -> None:
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
    affinity = {"nodeAffinity": {PREFERRED: [{"weight": 1, "preference": term}]}}
    setting = Setting(node("a"), node("b", labels={"disk": "ssd"}))
    setting.put("b", requests={"cpu": "3"})
    assert await setting.where(pod(affinity=affinity)) == "b"


def _weighted(kind: str, weight: int) -> dict[str, Any]:
    term = {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {"app": "web"}}}
    return {kind: {PREFERRED: [{"weight": weight, "podAffinityTerm": term}]}}


def test_neighbours_are_preferred_or_avoided_by_both_sides() -> None:
    setting = Setting(node("a"), node("b"), node("c"))
    nodes = setting.cluster.in_order()
    setting.put("a", labels={"app": "web"})
    setting.put("b", affinity=_weighted("podAntiAffinity", 10))

    def scores(info: Any) -> list[int] | None:
        return inter_pod_affinity.scores(info, nodes, setting.cluster, setting.sources)

    assert scores(pod(affinity=_weighted("podAffinity", 5))) == [100, 0, 0]
    assert scores(pod(labels={"app": "web"}, affinity=_weighted("podAffinity", 5))) == [100, 0, 66]
    assert scores(pod(labels={"app": "other"})) is None


def test_pods_of_a_service_are_spread_though_nobody_asked() -> None:
    setting = Setting(node("a", labels={ZONE: "one"}), node("b", labels={ZONE: "one"}), node("c", labels={ZONE: "two"}))
    nodes = setting.cluster.in_order()
    assert topology_spread.scores(pod(labels={"app": "web"}), nodes, setting.cluster, setting.sources) is None
    service = {"metadata": {"name": "web", "namespace": "default"}, "spec": {"selector": {"app": "web"}}}
    setting.sources.put(SERVICES, service)
    setting.put("a", labels={"app": "web"})
    scores = topology_spread.scores(pod(labels={"app": "web"}), nodes, setting.cluster, setting.sources)
    assert scores is not None
    by_name = dict(zip((each.name for each in nodes), scores, strict=True))
    assert by_name["c"] == 100
    assert by_name["a"] < by_name["b"] < by_name["c"]


async def test_replicas_are_spread_over_nodes() -> None:
    setting = Setting(*(node(name) for name in "abc"))
    labels = {"app": "web"}
    spec = {"selector": {"matchLabels": labels}}
    setting.sources.put(REPLICA_SETS, {"metadata": {"name": "web", "namespace": "default"}, "spec": spec})
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": True}
    places = []
    for _ in range(6):
        info = pod(labels=labels)
        info.pod["metadata"]["ownerReferences"] = [owner]
        placement = await setting.place(info)
        setting.cluster.assume(info, placement.node_name)
        places.append(placement.node_name)
    assert sorted(places) == ["a", "a", "b", "b", "c", "c"]


@pytest.mark.parametrize("seed", range(5))
async def test_what_is_remembered_is_what_would_be_worked_out_anew(seed: int) -> None:
    """The same pods on the same nodes, once with a memory and once without, get the same places and excuses."""
    random = Random(seed)
    nodes = [
        node(f"n{number}", allocatable={"cpu": str(random.randint(1, 3)), "pods": "6"}, labels={ZONE: str(number % 2)})
        for number in range(6)
    ]
    kinds: list[dict[str, Any]] = [
        {"requests": {"cpu": "300m"}},
        {"requests": {"cpu": "500m"}, "nodeSelector": {ZONE: "1"}},
        {"containers": [{"name": "main", "image": "app:1", "ports": [{"hostPort": 80}]}]},
        {},
    ]
    pods = [random.choice(kinds) for _ in range(40)]
    assert await _places(Setting(*nodes), pods, forgets=False) == await _places(Setting(*nodes), pods, forgets=True)


async def _places(setting: Setting, kinds: list[dict[str, Any]], *, forgets: bool) -> list[str]:
    places: list[str] = []
    for number, kind in enumerate(kinds):
        info = pod(f"p{number}", **kind)
        if forgets:
            setting.search = setting.new_search()
        try:
            placement: Placement = await setting.place(info)
        except NoPlace as failure:
            places.append(failure.diagnosis.message)
        else:
            setting.cluster.assume(info, placement.node_name)
            places.append(placement.node_name)
    return places


async def test_of_many_nodes_some_are_enough_and_all_get_their_turn() -> None:
    setting = Setting(*(node(f"n{number:03}") for number in range(300)))
    seen = set()
    for _ in range(60):
        info = pod()
        placement = await setting.place(info)
        seen.add(placement.node_name)
        setting.cluster.assume(info, placement.node_name)
    assert len(seen) == 60
