"""Jobs whose pods each have a part of the work by its number."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.jobs_at_work import (
    JOBS,
    PODS,
    a_job,
    active,
    active_pods,
    complete,
    end,
    failed,
    index_of,
    true_conditions,
)
from tests.integration.life.world import World, cluster

INDEX = "batch.kubernetes.io/job-completion-index"
FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"


def an_indexed_job(*, completions: int, **spec: Any) -> JSONObject:
    spec.setdefault("parallelism", completions)
    return a_job(completionMode="Indexed", completions=completions, **spec)


async def pods_by_index(world: World, *indexes: int) -> dict[int, JSONObject]:
    """When the pods at work are those of these indexes."""

    def at_work(pods: list[JSONObject]) -> dict[int, JSONObject]:
        return {int(index_of(pod)): pod for pod in active(pods)}

    return at_work(await world.until(PODS, lambda pods: sorted(at_work(pods)) == sorted(indexes)))


async def test_every_index_has_a_pod_that_knows_it() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, an_indexed_job(completions=3, parallelism=2))
        pods = await pods_by_index(world, 0, 1)
        for index, pod in pods.items():
            assert pod["metadata"]["name"].startswith(f"work-{index}-")
            assert pod["metadata"]["labels"][INDEX] == str(index)
            assert pod["spec"]["hostname"] == f"work-{index}"
            [variable] = pod["spec"]["containers"][0]["env"]
            assert variable["name"] == "JOB_COMPLETION_INDEX"
            assert variable["valueFrom"]["fieldRef"]["fieldPath"] == f"metadata.labels['{INDEX}']"
            assert FAILURES not in pod["metadata"]["annotations"]
        await end(world, pods[1])
        pods = await pods_by_index(world, 0, 2)
        job = await world.becomes(JOBS, "work", lambda job: job["status"].get("completedIndexes") == "1")
        assert job["status"]["succeeded"] == 1
        await end(world, pods[0])
        await end(world, pods[2])
        job = await complete(world)
        assert job["status"]["completedIndexes"] == "0-2"
        assert job["status"]["succeeded"] == 3
        assert "failedIndexes" not in job["status"]


async def test_an_index_that_fails_is_tried_again() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, an_indexed_job(completions=2))
        pods = await pods_by_index(world, 0, 1)
        await end(world, pods[0])
        await end(world, pods[1], code=1)
        again = await pods_by_index(world, 1)
        assert again[1]["metadata"]["uid"] != pods[1]["metadata"]["uid"]
        await end(world, again[1])
        job = await complete(world)
        assert (job["status"]["succeeded"], job["status"]["failed"]) == (2, 1)
        assert job["status"]["completedIndexes"] == "0,1"


async def test_every_index_has_failures_of_its_own() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, an_indexed_job(completions=2, backoffLimitPerIndex=1))
        pods = await pods_by_index(world, 0, 1)
        assert {pod["metadata"]["annotations"][FAILURES] for pod in pods.values()} == {"0"}
        await end(world, pods[0], code=1)
        again = await world.until(PODS, lambda pods: len(active(pods)) == 2 and len(pods) == 3)
        [second] = [pod for pod in active(again) if index_of(pod) == "0"]
        assert second["metadata"]["annotations"][FAILURES] == "1"
        await end(world, second, code=1)
        job = await world.becomes(JOBS, "work", lambda job: job["status"].get("failedIndexes") == "0")
        assert not true_conditions(job)
        await end(world, pods[1])
        job = await failed(world)
        condition = true_conditions(job)["Failed"]
        assert (condition["reason"], condition["message"]) == ("FailedIndexes", "Job has failed indexes")
        status = job["status"]
        assert (status["completedIndexes"], status["failedIndexes"]) == ("1", "0")
        assert (status["succeeded"], status["failed"]) == (1, 2)


async def test_too_many_failed_indexes_end_the_job() -> None:
    async with cluster("job-controller") as world:
        job = an_indexed_job(completions=4, parallelism=2, backoffLimitPerIndex=0, maxFailedIndexes=1)
        await world.create(JOBS, job)
        pods = await pods_by_index(world, 0, 1)
        await end(world, pods[0], code=1)
        pods = await pods_by_index(world, 1, 2)
        await end(world, pods[2], code=1)
        job = await failed(world)
        condition = true_conditions(job)["Failed"]
        assert condition["reason"] == "MaxFailedIndexesExceeded"
        assert condition["message"] == "Job has exceeded the specified maximal number of failed indexes"
        assert job["status"]["failedIndexes"] == "0,2"
        assert await world.event("work", "MaxFailedIndexesExceeded")


async def test_a_failure_that_is_ignored_is_noted_but_not_counted() -> None:
    rules = [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}]
    async with cluster("job-controller") as world:
        job = an_indexed_job(completions=1, backoffLimitPerIndex=0, podFailurePolicy={"rules": rules})
        await world.create(JOBS, job)
        pods = await pods_by_index(world, 0)
        await end(world, pods[0], code=42)
        again = await world.until(PODS, lambda pods: len(active(pods)) == 1 and len(pods) == 2)
        [second] = active(again)
        assert second["metadata"]["annotations"][FAILURES] == "0"
        assert second["metadata"]["annotations"][IGNORED] == "1"
        await end(world, second)
        job = await complete(world)
        assert "failed" not in job["status"]
        assert job["status"]["failedIndexes"] == ""


async def test_a_rule_ends_an_index_at_its_first_failure() -> None:
    rules = [{"action": "FailIndex", "onExitCodes": {"operator": "NotIn", "values": [3, 4]}}]
    async with cluster("job-controller") as world:
        job = an_indexed_job(completions=2, backoffLimitPerIndex=5, podFailurePolicy={"rules": rules})
        await world.create(JOBS, job)
        pods = await pods_by_index(world, 0, 1)
        await end(world, pods[0], code=42)
        await world.becomes(JOBS, "work", lambda job: job["status"].get("failedIndexes") == "0")
        await end(world, pods[1])
        job = await failed(world)
        assert true_conditions(job)["Failed"]["reason"] == "FailedIndexes"


async def test_a_success_policy_ends_the_job_before_all_indexes_are_done() -> None:
    async with cluster("job-controller") as world:
        rules = [{"succeededIndexes": "2"}, {"succeededIndexes": "0,1", "succeededCount": 1}]
        await world.create(JOBS, an_indexed_job(completions=4, successPolicy={"rules": rules}))
        pods = await pods_by_index(world, 0, 1, 2, 3)
        await end(world, pods[3])
        job = await world.becomes(JOBS, "work", lambda job: job["status"].get("completedIndexes") == "3")
        assert not true_conditions(job)
        await end(world, pods[1])
        job = await complete(world)
        for kind in ("SuccessCriteriaMet", "Complete"):
            condition = true_conditions(job)[kind]
            assert (condition["reason"], condition["message"]) == ("SuccessPolicy", "Matched rules at index 1")
        status = job["status"]
        assert (status["succeeded"], status["completedIndexes"]) == (2, "1,3")
        assert "failed" not in status
        assert await world.event("work", "Completed")


async def test_a_job_of_indexes_grows_and_shrinks() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, an_indexed_job(completions=2))
        await pods_by_index(world, 0, 1)
        await world.merge(JOBS, "work", {"spec": {"completions": 4, "parallelism": 4}})
        pods = await pods_by_index(world, 0, 1, 2, 3)
        await end(world, pods[3])
        await world.becomes(JOBS, "work", lambda job: job["status"].get("completedIndexes") == "3")
        await world.merge(JOBS, "work", {"spec": {"completions": 2, "parallelism": 2}})
        pods = await pods_by_index(world, 0, 1)
        await world.becomes(JOBS, "work", lambda job: "completedIndexes" not in job["status"])
        for pod in pods.values():
            await end(world, pod)
        job = await complete(world)
        assert (job["status"]["succeeded"], job["status"]["completedIndexes"]) == (2, "0,1")


async def test_of_two_pods_with_one_index_one_goes() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, an_indexed_job(completions=2))
        pods = await pods_by_index(world, 0, 1)
        twin = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "twin",
                "labels": pods[0]["metadata"]["labels"],
                "annotations": pods[0]["metadata"]["annotations"],
            },
            "spec": {"containers": [{"name": "main", "image": "busybox"}], "restartPolicy": "Never"},
        }
        await world.play(pods[0])
        await world.create(PODS, twin)
        await world.gone(PODS, "twin")
        remaining = await active_pods(world, 2)
        assert {pod["metadata"]["uid"] for pod in remaining} == {pod["metadata"]["uid"] for pod in pods.values()}
