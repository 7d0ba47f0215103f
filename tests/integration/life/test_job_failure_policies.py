"""What a job does about pods that fail is in its rules."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.jobs_at_work import JOBS, a_job, active, active_pods, complete, end, failed, true_conditions
from tests.integration.life.world import cluster

DISRUPTED = {"type": "DisruptionTarget", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}


async def test_an_exit_code_ends_the_whole_job() -> None:
    rules = [{"action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "In", "values": [7, 42]}}]
    async with cluster("job-controller") as world:
        spec: JSONObject = {"parallelism": 2, "completions": 2, "backoffLimit": 5}
        await world.create(JOBS, a_job(podFailurePolicy={"rules": rules}, **spec))
        one, other = await active_pods(world, 2)
        await end(world, one, code=42)
        job = await failed(world)
        name = one["metadata"]["name"]
        told = f"Container main for pod default/{name} failed with exit code 42 matching FailJob rule at index 0"
        for kind in ("FailureTarget", "Failed"):
            condition = true_conditions(job)[kind]
            assert (condition["reason"], condition["message"]) == ("PodFailurePolicy", told)
        assert (await world.event("work", "PodFailurePolicy"))["message"] == told
        await world.gone("v1/pods", other["metadata"]["name"])


async def test_a_condition_ends_the_whole_job() -> None:
    rules = [
        {"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}},
        {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]},
    ]
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(podFailurePolicy={"rules": rules}))
        [pod] = await active_pods(world, 1)
        await end(world, pod, code=2, conditions=[DISRUPTED])
        job = await failed(world)
        name = pod["metadata"]["name"]
        told = f"Pod default/{name} has condition DisruptionTarget matching FailJob rule at index 1"
        assert true_conditions(job)["Failed"]["message"] == told


async def test_a_disruption_does_not_count_if_the_rules_say_so() -> None:
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(backoffLimit=0, podFailurePolicy={"rules": rules}))
        [pod] = await active_pods(world, 1)
        await end(world, pod, code=137, conditions=[DISRUPTED])
        pods = await world.until("v1/pods", lambda pods: len(pods) == 2 and len(active(pods)) == 1)
        await end(world, active(pods)[0])
        job = await complete(world)
        assert "failed" not in job["status"]


async def test_what_no_rule_is_about_counts() -> None:
    rules = [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}]
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(backoffLimit=0, podFailurePolicy={"rules": rules}))
        [pod] = await active_pods(world, 1)
        await end(world, pod, code=1)
        job = await failed(world)
        assert true_conditions(job)["Failed"]["reason"] == "BackoffLimitExceeded"
