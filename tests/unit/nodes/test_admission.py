"""Which pods a node takes."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apis.amounts import read
from localplane.controllers.host_ports import HostPort, TakenPorts
from localplane.nodes.occupancy import Occupancy
from localplane.nodes.pods.admission import Others, PodRejection, rejection

NOBODY = Others(0, {}, TakenPorts())
WEB = HostPort("0.0.0.0", "TCP", 80)


def node(**allocatable: str) -> JSONObject:
    metadata = {"name": "node-0", "labels": {"kubernetes.io/os": "linux", "zone": "a"}}
    return {"metadata": metadata, "spec": {}, "status": {"allocatable": allocatable}}


def pod(requests: dict[str, str] | None = None, *, ports: list[JSONObject] | None = None, **spec: Any) -> JSONObject:
    container = {"name": "main", "resources": {"requests": requests or {}}, "ports": ports or []}
    return {"metadata": {"name": "web", "uid": "1"}, "spec": {"containers": [container], **spec}}


def test_a_pod_is_taken_if_all_that_it_asks_for_is_there() -> None:
    asking = pod({"cpu": "1", "memory": "1Gi"}, nodeSelector={"zone": "a"}, ports=[{"hostPort": 80}])
    assert rejection(asking, node(cpu="1", memory="1Gi", pods="1"), NOBODY) is None


@pytest.mark.parametrize(
    ("requests", "reason", "numbers"),
    [
        ({"cpu": "1500m"}, "OutOfcpu", "cpu, requested: 1500, used: 1000, capacity: 2000"),
        ({"memory": "1Ki", "zoo": "1"}, "OutOfmemory", "memory, requested: 1024, used: 2048, capacity: 2048"),
        ({"example.com/foo": "2"}, "OutOfexample.com/foo", "example.com/foo, requested: 2, used: 0, capacity: 1"),
    ],
)
def test_what_is_short_is_the_reason(requests: dict[str, str], reason: str, numbers: str) -> None:
    place = node(cpu="2", memory="2Ki", **{"example.com/foo": "1"})
    others = Others(1, read({"cpu": "1", "memory": "2Ki"}), TakenPorts())
    assert rejection(pod(requests), place, others) == PodRejection(
        reason, f"Node didn't have enough resource: {numbers}"
    )


def test_no_more_pods_are_taken_than_the_node_holds() -> None:
    message = "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3"
    assert rejection(pod(), node(pods="3"), Others(3, {}, TakenPorts())) == PodRejection("OutOfpods", message)
    assert rejection(pod(), node(pods="3"), Others(2, {}, TakenPorts())) is None


def test_resources_that_the_node_does_not_have_are_somebody_elses() -> None:
    assert rejection(pod({"example.com/foo": "1"}), node(cpu="1"), NOBODY) is None


@pytest.mark.parametrize(
    ("taken", "asked", "fits"),
    [
        (HostPort("0.0.0.0", "TCP", 80), {"hostPort": 80, "hostIP": "10.0.0.1"}, False),
        (HostPort("10.0.0.1", "TCP", 80), {"hostPort": 80}, False),
        (HostPort("10.0.0.1", "TCP", 80), {"hostPort": 80, "hostIP": "10.0.0.2"}, True),
        (HostPort("10.0.0.1", "TCP", 80), {"hostPort": 80, "protocol": "UDP"}, True),
        (HostPort("10.0.0.1", "TCP", 80), {"hostPort": 81}, True),
    ],
)
def test_a_port_is_taken_for_an_address_and_a_protocol(taken: HostPort, asked: JSONObject, fits: bool) -> None:  # noqa: FBT001
    ports = TakenPorts()
    ports.add([taken])
    others = Others(1, {}, ports)
    assert (rejection(pod(ports=[asked]), node(), others) is None) is fits


def test_a_node_that_the_pod_does_not_want_rejects_it() -> None:
    message = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
    assert rejection(pod(nodeSelector={"zone": "b"}), node(), NOBODY) == PodRejection("NodeAffinity", message)
    foreign = rejection(pod(os={"name": "windows"}), node(), NOBODY)
    assert foreign == PodRejection("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS")


def test_only_taints_that_evict_keep_pods_away() -> None:
    tainted = node()
    tainted["spec"]["taints"] = [{"key": "a", "effect": "NoSchedule"}]
    assert rejection(pod(), tainted, NOBODY) is None
    tainted["spec"]["taints"] = [{"key": "a", "effect": "NoExecute"}]
    message = "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
    assert rejection(pod(), tainted, NOBODY) == PodRejection("TaintToleration", message)
    assert rejection(pod(tolerations=[{"operator": "Exists"}]), tainted, NOBODY) is None


def test_a_pod_holds_room_and_ports_from_its_start_to_its_end() -> None:
    occupancy, held = Occupancy(), pod({"cpu": "1"}, ports=[{"hostPort": 80}], nodeName="node-0")
    occupancy.note(held)
    assert occupancy.others("node-0", "2").count == 0
    running = held | {"status": {"startTime": "2026-01-01T00:00:00Z", "phase": "Pending"}}
    occupancy.note(running)
    occupancy.note(running)
    others = occupancy.others("node-0", "2")
    assert (others.count, dict(others.amounts)) == (1, read({"cpu": "1"}))
    assert others.ports.conflict([WEB])
    itself = occupancy.others("node-0", "1")
    assert (itself.count, itself.amounts["cpu"].value()) == (0, 0)
    occupancy.note(running | {"status": running["status"] | {"phase": "Succeeded"}})
    others = occupancy.others("node-0", "2")
    assert (others.count, dict(others.amounts)) == (0, {})
    assert not others.ports.conflict([WEB])
