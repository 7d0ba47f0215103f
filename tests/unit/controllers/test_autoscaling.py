"""How many replicas measurements are work for, and how fast they may come and go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.controllers.workloads.horizontal_pod_autoscalers.behavior import Bounds, Paced, Pacing
from localplane.controllers.workloads.horizontal_pod_autoscalers.measurements import (
    Measurement,
    Measurements,
    NoMeasurement,
    WantedMetric,
)
from localplane.controllers.workloads.horizontal_pod_autoscalers.replicas import (
    Patience,
    Tolerances,
    Workload,
    ratio_count,
    shared_count,
    usage_count,
    utilization_count,
)
from tests.unit.client.in_process import Asked, ScriptedTransport, answer, client_over

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
OLD = timedelta(hours=1)
TENTH = Tolerances(0.1, 0.1)


def pod(
    name: str, *, phase: str = "Running", ready: str = "True", age: timedelta = OLD, ready_for: timedelta = OLD
) -> JSONObject:
    conditions = [{"type": "Ready", "status": ready, "lastTransitionTime": format_time(NOW - ready_for)}]
    containers = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]
    return {
        "metadata": {"name": name},
        "spec": {"containers": containers},
        "status": {"phase": phase, "startTime": format_time(NOW - age), "conditions": conditions},
    }


def workload(
    pods: Sequence[JSONObject], *values: int, current: int | None = None, tolerances: Tolerances = TENTH
) -> Workload:
    """The first pods use so many thousandths each."""
    window = timedelta(seconds=15)
    names = [each["metadata"]["name"] for each in pods]
    measured = {name: Measurement(NOW, window, value) for name, value in zip(names, values, strict=False)}
    return Workload(len(pods) if current is None else current, tolerances, pods, measured, Patience(), NOW)


def replicas(load: Workload, target: int) -> int:
    return utilization_count(load, target, "cpu", "").replicas


def pods(count: int) -> list[JSONObject]:
    return [pod(f"p{number}") for number in range(count)]


def test_replicas_follow_the_ratio_of_use_to_target() -> None:
    load = workload(pods(3), 300, 500, 700)
    count = utilization_count(load, 30, "cpu", "")
    assert (count.replicas, count.utilization, count.usage) == (5, 50, 500)
    assert replicas(load, 100) == 2


def test_small_differences_are_tolerated() -> None:
    assert replicas(workload(pods(3), 1010, 1030, 1020), 100) == 3
    assert replicas(workload(pods(3), 1010, 1030, 1020, tolerances=Tolerances(0.1, 0.01)), 100) == 4


def test_pods_that_nobody_measured_never_make_changes_larger() -> None:
    assert replicas(workload(pods(4), 900, 900), 30) == 6  # up: they use nothing
    assert replicas(workload(pods(4), 100, 100), 50) == 4  # down: they use all that they ask for
    assert replicas(workload(pods(5), 0, 0, 0, 0), 50) == 2


def test_pods_that_are_not_ready_use_nothing_when_there_would_be_more() -> None:
    pending = [*pods(2), pod("late", phase="Pending")]
    assert replicas(workload(pending, 900, 900), 30) == 6
    assert replicas(workload(pending, 200, 200), 100) == 1
    starting = [*pods(2), pod("new", age=timedelta(minutes=1), ready_for=timedelta(seconds=5))]
    assert replicas(workload(starting, 900, 900, 5000), 90) == 3


def test_pods_that_ended_or_go_are_no_work() -> None:
    failed = [pod("a"), pod("b", phase="Failed")]
    assert replicas(workload(failed, 900, 900, current=1), 30) == 3


def test_what_can_not_be_counted_is_said() -> None:
    with pytest.raises(NoMeasurement, match="no pods returned by selector while calculating replica count"):
        replicas(workload([]), 50)
    with pytest.raises(NoMeasurement, match="did not receive metrics for targeted pods"):
        replicas(workload([pod("a", phase="Pending")], 5), 50)
    with pytest.raises(NoMeasurement, match="container x not found in Pod p0"):
        utilization_count(workload(pods(1), 5), 50, "cpu", "x")


def test_plain_values_are_averaged() -> None:
    count = usage_count(workload(pods(2), 10_000, 30_000), 10_000)
    assert (count.replicas, count.usage) == (4, 20_000)
    assert usage_count(workload(pods(4), 1_000, 1_000), 10_000).replicas == 3


def test_a_metric_of_something_else_counts_ready_pods() -> None:
    assert ratio_count(4, 2.0, TENTH, [*pods(3), pod("x", ready="False")]) == 6
    assert ratio_count(4, 1.05, TENTH, pods(4)) == 4
    assert ratio_count(0, 2.5, TENTH, []) == 3
    shared = shared_count(4, 90_000, 10_000, TENTH)
    assert (shared.replicas, shared.usage) == (9, 22_500)
    assert shared_count(0, 30_000, 10_000, TENTH).replicas == 3


def test_requests_of_the_whole_pod_count_before_those_of_containers() -> None:
    whole = pod("a")
    whole["spec"]["resources"] = {"requests": {"cpu": "4"}}
    assert utilization_count(workload([whole], 2000), 50, "cpu", "").utilization == 50
    assert utilization_count(workload([whole], 2000), 50, "cpu", "c").utilization == 200


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def paced(pacing: Pacing, current: int, desired: int, behavior: JSONObject | None = None, maximum: int = 100) -> Paced:
    return pacing.paced("ns/web", desired, Bounds(current, 2, maximum), behavior)


def rules(*policies: tuple[str, int, int], select: str = "Max", window: int = 0) -> JSONObject:
    shaped = [{"type": kind, "value": value, "periodSeconds": period} for kind, value, period in policies]
    return {"policies": shaped, "selectPolicy": select, "stabilizationWindowSeconds": window}


FREE = rules(("Percent", 100, 15))


def test_without_a_behavior_growth_is_at_most_twofold_but_four_in_any_case() -> None:
    pacing = Pacing(timedelta(minutes=5), Clock())
    assert (paced(pacing, 3, 50).replicas, paced(pacing, 3, 50).limited.reason) == (6, "ScaleUpLimit")
    assert paced(pacing, 2, 50).replicas == 4
    assert (paced(pacing, 60, 500).replicas, paced(pacing, 60, 500).limited.reason) == (100, "TooManyReplicas")


def test_without_a_behavior_the_highest_recent_recommendation_holds() -> None:
    clock = Clock()
    pacing = Pacing(timedelta(minutes=5), clock)
    pacing.begin("ns/web", 10)
    kept = paced(pacing, 10, 1)
    assert (kept.replicas, kept.able.reason) == (10, "ScaleDownStabilized")
    clock.pass_by(301)
    gone = paced(pacing, 10, 1)
    assert (gone.replicas, gone.able.reason, gone.limited.reason) == (2, "ReadyForNewScale", "TooFewReplicas")
    assert gone.is_limited


def test_policies_count_what_was_done_in_their_period() -> None:
    clock = Clock()
    pacing = Pacing(timedelta(minutes=5), clock)
    behavior = {"scaleUp": rules(("Pods", 3, 60)), "scaleDown": FREE}
    assert paced(pacing, 10, 50, behavior).replicas == 13
    pacing.scaled("ns/web", 10, 13, behavior)
    stopped = paced(pacing, 13, 50, behavior)
    assert (stopped.replicas, stopped.limited.reason) == (13, "ScaleUpLimit")
    clock.pass_by(61)
    assert paced(pacing, 13, 50, behavior).replicas == 16


def test_of_several_policies_one_is_selected() -> None:
    pacing = Pacing(timedelta(minutes=5), Clock())
    both = (("Pods", 4, 60), ("Percent", 100, 60))
    assert paced(pacing, 10, 50, {"scaleUp": rules(*both), "scaleDown": FREE}).replicas == 20
    assert paced(pacing, 10, 50, {"scaleUp": rules(*both, select="Min"), "scaleDown": FREE}).replicas == 14
    assert paced(pacing, 10, 50, {"scaleUp": rules(*both, select="Disabled"), "scaleDown": FREE}).replicas == 10
    down = rules(("Pods", 4, 60), ("Percent", 50, 60))
    assert paced(pacing, 20, 2, {"scaleUp": FREE, "scaleDown": down}).replicas == 10
    slow = paced(pacing, 20, 2, {"scaleUp": FREE, "scaleDown": {**down, "selectPolicy": "Min"}})
    assert (slow.replicas, slow.limited.reason) == (16, "ScaleDownLimit")


def test_windows_wait_for_a_recommendation_to_last() -> None:
    clock = Clock()
    pacing = Pacing(timedelta(minutes=5), clock)
    behavior = {"scaleUp": rules(("Percent", 100, 15), window=60), "scaleDown": rules(("Percent", 100, 15), window=30)}
    pacing.begin("ns/web", 10)
    waiting = paced(pacing, 10, 15, behavior)
    assert (waiting.replicas, waiting.able.reason) == (10, "ScaleUpStabilized")
    clock.pass_by(61)
    assert paced(pacing, 10, 15, behavior).replicas == 15
    kept = paced(pacing, 15, 5, behavior)
    assert (kept.replicas, kept.able.reason) == (15, "ScaleDownStabilized")
    clock.pass_by(31)
    assert paced(pacing, 15, 5, behavior).replicas == 5


GROUP = {"versions": [{"version": "v1beta1"}, {"version": "v1beta2"}], "preferredVersion": {"version": "v1beta2"}}


async def test_custom_metrics_are_asked_for_where_they_are_served() -> None:
    value = {"describedObject": {"name": "a"}, "timestamp": "2026-01-01T00:00:00Z", "value": "1500m"}

    def respond(asked: Asked) -> Any:
        if asked.path == "/apis/custom.metrics.k8s.io":
            return answer(200, GROUP)
        if asked.path.startswith("/apis/custom.metrics.k8s.io/"):
            return answer(200, {"items": [value]})
        pods = {"name": "pods", "kind": "Pod", "namespaced": True, "verbs": []}
        return answer(200, {"/api": {"versions": ["v1"]}, "/api/v1": {"resources": [pods]}}.get(asked.path, {}))

    transport = ScriptedTransport(respond)
    measurements = Measurements(client_over(transport))
    measured = await measurements.of_pods(WantedMetric("qps", "ns", "app=web", "verb=GET"))
    assert {name: each.value for name, each in measured.items()} == {"a": 1500}
    last = transport.asked[-1]
    assert last.path == "/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/pods/*/qps"
    assert last.query == {"labelSelector": "app=web", "metricLabelSelector": "verb=GET"}
    reference = {"kind": "Namespace", "name": "ignored", "apiVersion": "v1"}
    assert await measurements.of_object(reference, WantedMetric("qps", "ns")) == 1500
    assert transport.asked[-1].path == "/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/metrics/qps"


async def test_a_pods_use_is_that_of_all_its_containers() -> None:
    def item(name: str, *usages: JSONObject) -> JSONObject:
        containers = [{"name": f"c{number}", "usage": usage} for number, usage in enumerate(usages)]
        interval = {"timestamp": "2026-01-01T00:00:00Z", "window": "15s"}
        return {"metadata": {"name": name}, "containers": containers, **interval}

    items = [item("whole", {"cpu": "100m"}, {"cpu": "50m"}), item("part", {"cpu": "1"}, {"memory": "1"})]
    measurements = Measurements(client_over(ScriptedTransport(lambda _: answer(200, {"items": items}))))
    whole = await measurements.of_resource("cpu", "ns", "")
    assert {name: each.value for name, each in whole.items()} == {"whole": 150}
    assert whole["whole"].window == timedelta(seconds=15)
    one = await measurements.of_resource("cpu", "ns", "", "c0")
    assert {name: each.value for name, each in one.items()} == {"whole": 100, "part": 1000}
