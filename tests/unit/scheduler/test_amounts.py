"""What a pod asks of a node, in numbers."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.scheduler.state.amounts import request_of
from tests.unit.scheduler.subjects import pod_object

MEBI = 1024 * 1024


def _container(name: str, *, sidecar: bool = False, **requests: str) -> JSONObject:
    policy = {"restartPolicy": "Always"} if sidecar else {}
    return {"name": name, "resources": {"requests": requests}} | policy


def test_containers_run_together_and_init_containers_one_after_another() -> None:
    containers = [_container("a", cpu="200m"), _container("b", cpu="300m")]
    init = [_container("first", cpu="700m"), _container("second", cpu="600m", memory="1Mi")]
    asked = request_of(pod_object(containers=containers, initContainers=init)).asked
    assert asked == {"cpu": 700, "memory": MEBI}


def test_a_sidecar_runs_beside_all_that_come_after_it() -> None:
    init = [
        _container("before", cpu="1"),
        _container("mesh", sidecar=True, cpu="200m"),
        _container("after", cpu="900m"),
    ]
    asked = request_of(pod_object(containers=[_container("a", cpu="300m")], initContainers=init)).asked
    assert asked["cpu"] == 1100


def test_what_the_pod_as_a_whole_asks_for_counts_instead_of_the_sum() -> None:
    pod = pod_object(containers=[_container("a", cpu="1", memory="1Mi")], resources={"requests": {"cpu": "300m"}})
    assert request_of(pod).asked == {"cpu": 300, "memory": MEBI}


def test_overhead_comes_on_top() -> None:
    pod = pod_object(requests={"cpu": "1"}, overhead={"cpu": "250m", "memory": "2Mi"})
    assert request_of(pod).asked == {"cpu": 1250, "memory": 2 * MEBI}


def test_a_container_that_says_nothing_is_taken_to_use_something_when_nodes_are_compared() -> None:
    request = request_of(pod_object())
    assert request.asked == {}
    assert request.guessed == {"cpu": 100, "memory": 200 * MEBI}
    assert request.compared == request.guessed


def test_a_pod_that_shrinks_holds_what_it_was_given_until_it_is_done() -> None:
    given = {"name": "main", "allocatedResources": {"cpu": "2"}, "resources": {"requests": {"cpu": "2"}}}
    request = request_of(pod_object(requests={"cpu": "1"}, status={"containerStatuses": [given]}))
    assert request.asked["cpu"] == 1000
    assert request.held["cpu"] == 2000


def test_a_resize_that_can_not_be_done_does_not_count() -> None:
    given = {"name": "main", "allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "1"}}}
    pending = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}
    status = {"containerStatuses": [given], "conditions": [pending]}
    assert request_of(pod_object(requests={"cpu": "9"}, status=status)).held["cpu"] == 1000


def test_only_what_nodes_count_is_counted() -> None:
    pod = pod_object(requests={"example.com/gpu": "2", "hugepages-2Mi": "4Mi", "bananas": "3"})
    assert request_of(pod).asked == {"example.com/gpu": 2, "hugepages-2Mi": 4 * MEBI}
