"""An autoscaler gives its target as many replicas as metrics ask for, and says why."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.apiserver.registry.rest import Lister, ListOptions, ResultList
from localplane.apiserver.request import Request
from localplane.apiserver.resource import APIGroup, Resource, Version
from localplane.client.workqueue.supervision import Background
from localplane.controllers import ControllerContext
from localplane.controllers.workloads.horizontal_pod_autoscalers import AutoscalerOptions, start
from tests.integration.life.backends import pod
from tests.integration.life.measuring import measured_cluster, simulated_node
from tests.integration.life.world import World

AUTOSCALERS = "autoscaling/v2/horizontalpodautoscalers"
DEPLOYMENTS = "apps/v1/deployments"
LABELS = {"app": "web"}
SOON = timedelta(milliseconds=20)
LONG_AGO = format_time(datetime.now(UTC) - timedelta(hours=1))


@asynccontextmanager
async def autoscaling(**options: Any) -> AsyncIterator[World]:
    """A cluster with a simulated node and an autoscaler controller that does not wait long."""
    async with measured_cluster("none") as world:
        await simulated_node(world)
        plane = world.plane
        context = ControllerContext(plane.observer, plane.informers, strict=plane.client)
        chosen = AutoscalerOptions(sync_period=SOON, **options)
        async with Background(context.events.run), Background(lambda: start(context, chosen)):
            yield world


async def deployment(world: World, name: str = "web", replicas: int = 1) -> None:
    containers = [{"name": "c", "image": "i"}]
    made = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": LABELS},
            "template": {"metadata": {"labels": LABELS}, "spec": {"containers": containers}},
        },
    }
    await world.create(DEPLOYMENTS, made)


async def busy_pod(world: World, name: str = "one", *containers: str, **usage: str) -> None:
    """Asks for 100m and 100Mi in each container, and has run for long."""
    resources = {"requests": {"cpu": "100m", "memory": "100Mi"}}
    named = [{"name": each, "image": "i", "resources": resources} for each in containers or ("c",)]
    await pod(world, name, containers=named)
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": LONG_AGO}]
    status = {"startTime": LONG_AGO, "conditions": conditions}
    await world.merge("v1/pods", name, {"status": status}, subresource="status")
    await use(world, name, **usage)


async def use(world: World, name: str = "one", **usage: str) -> None:
    annotations = {f"simulation.localplane/{key.replace('_', '.')}": value for key, value in usage.items()}
    await world.merge("v1/pods", name, {"metadata": {"annotations": annotations}})


async def autoscaler(world: World, *metrics: JSONObject, name: str = "web", **spec: Any) -> None:
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    made = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name},
        "spec": {"scaleTargetRef": reference, "minReplicas": 1, "maxReplicas": 10, "metrics": list(metrics)} | spec,
    }
    await world.create(AUTOSCALERS, made)


def resource(name: str = "cpu", **target: Any) -> JSONObject:
    kind = "Utilization" if "averageUtilization" in target else "AverageValue"
    return {"type": "Resource", "resource": {"name": name, "target": {"type": kind, **target}}}


def condition(found: JSONObject, kind: str) -> JSONObject:
    conditions = (found.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == kind), {})


def told(found: JSONObject, kind: str) -> tuple[str | None, str | None]:
    one = condition(found, kind)
    return one.get("status"), one.get("reason")


async def scaled(world: World, replicas: int) -> None:
    await world.becomes(DEPLOYMENTS, "web", lambda it: it["spec"]["replicas"] == replicas)


async def test_a_busy_target_grows_no_faster_than_it_may_and_says_so() -> None:
    async with autoscaling() as world:
        await deployment(world)
        await busy_pod(world, cpu="300m")
        await autoscaler(world, resource(averageUtilization=50))
        await scaled(world, 4)
        event = await world.event("web", "SuccessfulRescale")
        reason = "cpu resource utilization (percentage of request) above target"
        assert event["message"] == f"New size: 4; reason: {reason}"
        assert event["source"]["component"] == "horizontal-pod-autoscaler"
        found = await world.becomes(AUTOSCALERS, "web", lambda it: told(it, "AbleToScale")[1] == "SucceededRescale")
        assert told(found, "ScalingLimited") == ("True", "ScaleUpLimit")
        assert told(found, "ScaledToZero") == ("False", "NotScaledToZero")
        active = condition(found, "ScalingActive")
        what = "cpu resource utilization (percentage of request)"
        assert active["message"] == f"the HPA was able to successfully calculate a replica count from {what}"
        status = found["status"]
        assert (status["currentReplicas"], status["desiredReplicas"]) == (1, 4)
        assert status["observedGeneration"] == found["metadata"]["generation"] == 1
        assert "lastScaleTime" in status
        measured = {"name": "cpu", "current": {"averageUtilization": 300, "averageValue": "300m"}}
        assert status["currentMetrics"] == [{"type": "Resource", "resource": measured}]


async def test_an_idle_target_shrinks_when_no_recent_recommendation_was_higher() -> None:
    moment = datetime.now(UTC)

    async with autoscaling(clock=lambda: moment) as world:
        await deployment(world, replicas=4)
        for number in range(4):
            await busy_pod(world, f"p{number}", cpu="10m")
        await autoscaler(world, resource(averageUtilization=50), maxReplicas=4)
        found = await world.becomes(AUTOSCALERS, "web", lambda it: told(it, "AbleToScale")[1] == "ScaleDownStabilized")
        assert found["status"]["desiredReplicas"] == 4
        moment += timedelta(minutes=6)
        await scaled(world, 1)
        assert (await world.event("web", "SuccessfulRescale"))["message"] == (
            "New size: 1; reason: All metrics below target"
        )


async def test_the_metric_that_asks_for_most_counts() -> None:
    async with autoscaling() as world:
        await deployment(world, replicas=2)
        await busy_pod(world, "one", "a", "b", cpu_a="400m", cpu_b="10m", memory="50Mi")
        await busy_pod(world, "two", "a", "b", cpu_a="400m", cpu_b="10m", memory="50Mi")
        target = {"type": "Utilization", "averageUtilization": 200}
        contained = {"name": "cpu", "container": "a", "target": target}
        await autoscaler(
            world,
            resource("memory", averageValue="50Mi"),
            {"type": "ContainerResource", "containerResource": contained},
        )
        await scaled(world, 4)
        found = await world.becomes(AUTOSCALERS, "web", lambda it: bool(it["status"].get("currentMetrics")))
        memory, container = found["status"]["currentMetrics"]
        assert memory["resource"]["current"] == {"averageValue": "50Mi"}
        assert container["containerResource"]["current"] == {"averageUtilization": 400, "averageValue": "400m"}
        event = await world.event("web", "SuccessfulRescale")
        assert event["message"].endswith("cpu container resource utilization (percentage of request) above target")


async def test_bounds_hold_whatever_metrics_say() -> None:
    async with autoscaling() as world:
        await deployment(world, replicas=20)
        await autoscaler(world, resource(averageUtilization=50), minReplicas=3)
        await scaled(world, 10)
        reason = "Current number of replicas above Spec.MaxReplicas"
        assert (await world.event("web", "SuccessfulRescale"))["message"] == f"New size: 10; reason: {reason}"
        await world.merge(DEPLOYMENTS, "web", {"spec": {"replicas": 1}})
        await scaled(world, 3)


async def test_a_target_that_somebody_scaled_to_zero_is_left_alone() -> None:
    async with autoscaling() as world:
        await deployment(world, replicas=0)
        await autoscaler(world, resource(averageUtilization=50))
        found = await world.becomes(AUTOSCALERS, "web", lambda it: told(it, "ScalingActive")[1] == "ScalingDisabled")
        assert condition(found, "ScalingActive")["message"] == (
            "scaling is disabled since the replica count of the target is zero"
        )


async def test_a_target_that_is_not_there_is_told() -> None:
    async with autoscaling() as world:
        await autoscaler(world, resource(averageUtilization=50))
        found = await world.becomes(AUTOSCALERS, "web", lambda it: told(it, "AbleToScale")[1] == "FailedGetScale")
        why = 'deployments.apps "web" not found'
        assert condition(found, "AbleToScale")["message"] == (
            f"the HPA controller was unable to get the target's current scale: {why}"
        )
        assert (await world.event("web", "FailedGetScale"))["message"] == why
        await world.merge(AUTOSCALERS, "web", {"spec": {"scaleTargetRef": {"kind": "Rocket"}}})
        why = 'no matches for kind "Rocket" in group "apps"'
        await world.becomes(AUTOSCALERS, "web", lambda it: condition(it, "AbleToScale")["message"].endswith(why))


async def test_metrics_that_are_missing_are_told_and_nothing_is_scaled() -> None:
    async with autoscaling() as world:
        await deployment(world, replicas=2)
        await autoscaler(world, resource(averageUtilization=50))
        found = await world.becomes(AUTOSCALERS, "web", lambda it: told(it, "ScalingActive")[0] == "False")
        why = (
            "failed to get cpu utilization: unable to get metrics for resource cpu: "
            "no metrics returned from resource metrics API"
        )
        assert told(found, "ScalingActive")[1] == "FailedGetResourceMetric"
        message = condition(found, "ScalingActive")["message"]
        assert message == f"the HPA was unable to compute the replica count: {why}"
        assert (await world.event("web", "FailedGetResourceMetric"))["message"] == why
        whole = "invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value"
        assert (await world.event("web", "FailedComputeMetricsReplicas"))["message"] == f"{whole}: {why}"
        assert found["status"]["currentMetrics"] == [{"type": ""}]
        await pod(world, "one", containers=[{"name": "c", "image": "i"}])
        status = {"startTime": LONG_AGO, "conditions": [{"type": "Ready", "status": "True"}]}
        await world.merge("v1/pods", "one", {"status": status}, subresource="status")
        why = "missing request for cpu in container c of Pod one"
        await world.becomes(AUTOSCALERS, "web", lambda it: condition(it, "ScalingActive")["message"].endswith(why))


async def test_metrics_of_other_programs_that_nobody_serves_are_told() -> None:
    async with autoscaling() as world:
        await deployment(world)
        await busy_pod(world)
        pods = {"metric": {"name": "qps"}, "target": {"type": "AverageValue", "averageValue": "10"}}
        await autoscaler(world, {"type": "Pods", "pods": pods})
        found = await world.becomes(AUTOSCALERS, "web", lambda it: told(it, "ScalingActive")[0] == "False")
        assert condition(found, "ScalingActive")["message"] == (
            "the HPA was unable to compute the replica count: unable to get metric qps: unable to fetch metrics from "
            "custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered"
        )
        outside = {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "10"}}
        await world.merge(AUTOSCALERS, "web", {"spec": {"metrics": [{"type": "External", "external": outside}]}})
        found = await world.becomes(
            AUTOSCALERS, "web", lambda it: told(it, "ScalingActive")[1] == "FailedGetExternalMetric"
        )
        assert condition(found, "ScalingActive")["message"] == (
            "the HPA was unable to compute the replica count: unable to get external metric default/queue/nil: "
            "unable to fetch metrics from external metrics API: the server could not find the requested resource "
            "(get queue.external.metrics.k8s.io)"
        )


class Queue(Lister):
    """An external metric that a test fills."""

    def __init__(self) -> None:
        self.length = "0"

    async def list(self, request: Request, options: ListOptions) -> ResultList:
        value = {"metricName": "queue", "timestamp": LONG_AGO, "value": self.length, "metadata": {}}
        return ResultList([value])


async def test_a_metric_from_outside_scales_to_zero_and_back() -> None:
    queue = Queue()
    version = Version("v1beta1", {"type": "object", "x-kubernetes-preserve-unknown-fields": True})
    served = Resource("queue", "ExternalMetricValue", [version], storage=lambda _: queue)
    group = APIGroup("external.metrics.k8s.io", [served])
    async with autoscaling(downscale_stabilization=timedelta(0)) as world:
        world.plane.installer.install(group)
        await deployment(world)
        await busy_pod(world)
        target = {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "10"}}
        await autoscaler(world, {"type": "External", "external": target}, minReplicas=0)
        await scaled(world, 0)
        found = await world.becomes(AUTOSCALERS, "web", lambda it: told(it, "ScaledToZero")[0] == "True")
        assert found["status"]["desiredReplicas"] == 0
        queue.length = "25"
        await scaled(world, 3)
        found = await world.becomes(AUTOSCALERS, "web", lambda it: told(it, "ScaledToZero")[0] == "False")
        assert found["status"]["currentMetrics"][0]["external"]["current"] == {"value": "25"}
        event = await world.event("web", "SuccessfulRescale")
        assert event["reason"] == "SuccessfulRescale"


async def test_two_autoscalers_of_the_same_pods_both_give_up() -> None:
    async with autoscaling() as world:
        await deployment(world)
        await busy_pod(world, cpu="300m")
        await autoscaler(world, resource(averageUtilization=300))
        await autoscaler(world, resource(averageUtilization=300), name="twin")
        found = await world.becomes(AUTOSCALERS, "twin", lambda it: told(it, "ScalingActive")[1] == "AmbiguousSelector")
        message = condition(found, "ScalingActive")["message"]
        assert message.startswith("pods by selector app=web are controlled by more than one HPA (e.g. [default/")
        await world.of(AUTOSCALERS).delete("web")
        await world.becomes(AUTOSCALERS, "twin", lambda it: told(it, "ScalingActive")[1] == "ValidMetricFound")


async def test_the_controller_of_a_cluster_does_the_same() -> None:
    async with measured_cluster("horizontal-pod-autoscaler-controller") as world:
        await simulated_node(world)
        await deployment(world, replicas=20)
        await autoscaler(world, resource(averageUtilization=50))
        await scaled(world, 10)
