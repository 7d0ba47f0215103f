"""Jobs run pods to their end, and count each of them once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

from localplane.controllers.workloads import jobs
from tests.integration.life.jobs_at_work import (
    JOBS,
    PODS,
    TRACKING,
    a_job,
    active,
    active_pods,
    complete,
    end,
    failed,
    true_conditions,
)
from tests.integration.life.running import running
from tests.integration.life.world import cluster


async def test_a_job_runs_a_pod_and_is_complete_when_it_succeeds() -> None:
    async with cluster("job-controller") as world:
        job = await world.create(JOBS, a_job())
        [pod] = await active_pods(world, 1)
        assert pod["metadata"]["finalizers"] == [TRACKING]
        assert pod["metadata"]["generateName"] == "work-"
        assert pod["metadata"]["labels"]["batch.kubernetes.io/job-name"] == "work"
        assert pod["metadata"]["labels"]["batch.kubernetes.io/controller-uid"] == job["metadata"]["uid"]
        [owner] = pod["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("Job", job["metadata"]["uid"], True)
        event = await world.event("work", "SuccessfulCreate")
        assert event["message"] == f"Created pod: {pod['metadata']['name']}"
        assert event["source"]["component"] == "job-controller"
        running = await world.becomes(JOBS, "work", lambda job: job["status"].get("active") == 1)
        assert running["status"]["ready"] == 0
        assert running["status"]["startTime"]
        await world.play(pod)
        await world.becomes(JOBS, "work", lambda job: job["status"]["ready"] == 1)
        await end(world, pod)
        job = await complete(world)
        status = job["status"]
        assert status["succeeded"] == 1
        assert "active" not in status
        assert status["uncountedTerminatedPods"] == {}
        assert (status["ready"], status["terminating"]) == (0, 0)
        assert status["completionTime"] >= status["startTime"]
        for kind in ("SuccessCriteriaMet", "Complete"):
            condition = true_conditions(job)[kind]
            assert condition["reason"] == "CompletionsReached"
            assert condition["message"] == "Reached expected number of succeeded pods"
        assert [each["type"] for each in status["conditions"]] == ["SuccessCriteriaMet", "Complete"]
        assert (await world.event("work", "Completed"))["message"] == "Job completed"
        [pod] = await world.items(PODS)
        assert "finalizers" not in pod["metadata"]


async def test_only_as_many_pods_run_at_once_as_the_job_allows() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(parallelism=2, completions=5))
        for left in (5, 4, 3, 2, 1):
            pods = await active_pods(world, min(2, left))
            await end(world, pods[0])
        job = await complete(world)
        assert job["status"]["succeeded"] == 5
        assert len(await world.items(PODS)) == 5


async def test_more_and_fewer_pods_run_when_the_job_says_so() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(parallelism=1, completions=10))
        [first] = await active_pods(world, 1)
        await world.play(first)
        await world.merge(JOBS, "work", {"spec": {"parallelism": 3}})
        await active_pods(world, 3)
        await world.merge(JOBS, "work", {"spec": {"parallelism": 1}})
        [left] = await active_pods(world, 1)
        assert left["metadata"]["uid"] == first["metadata"]["uid"]  # the others were not even scheduled
        assert await world.event("work", "SuccessfulDelete")
        job = await world.becomes(JOBS, "work", lambda job: job["status"].get("active") == 1)
        assert "failed" not in job["status"]


async def test_a_job_without_a_number_of_completions_is_done_with_its_first_success_and_waits_for_the_others() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(parallelism=2))
        one, other = await active_pods(world, 2)
        await end(world, one)
        job = await world.becomes(JOBS, "work", lambda job: job["status"].get("succeeded") == 1)
        assert not true_conditions(job)
        assert len(await world.items(PODS)) == 2
        await end(world, other, code=3)
        job = await complete(world)
        assert (job["status"]["succeeded"], job["status"]["failed"]) == (1, 1)


async def test_a_pod_that_fails_is_replaced_until_the_limit_is_reached() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(backoffLimit=1))
        for _ in range(2):
            [pod] = await active_pods(world, 1)
            await end(world, pod, code=1)
        job = await failed(world)
        assert job["status"]["failed"] == 2
        assert [each["type"] for each in job["status"]["conditions"]] == ["FailureTarget", "Failed"]
        for condition in job["status"]["conditions"]:
            assert condition["reason"] == "BackoffLimitExceeded"
            assert condition["message"] == "Job has reached the specified backoff limit"
        assert "completionTime" not in job["status"]
        event = await world.event("work", "BackoffLimitExceeded")
        assert (event["type"], event["message"]) == ("Warning", "Job has reached the specified backoff limit")


async def test_containers_that_start_again_too_often_end_the_job() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(restart="OnFailure", backoffLimit=2))
        [pod] = await active_pods(world, 1)
        await world.play(pod, ready=False)
        restarted = {"name": "main", "image": "busybox", "imageID": "", "ready": False, "restartCount": 2}
        change = {"status": {"containerStatuses": [restarted]}}
        await world.merge(PODS, pod["metadata"]["name"], change, subresource="status")
        await world.becomes(JOBS, "work", lambda job: "FailureTarget" in true_conditions(job))
        await world.of(PODS).delete(pod["metadata"]["name"], grace_period_seconds=0)
        job = await failed(world)
        assert true_conditions(job)["Failed"]["reason"] == "BackoffLimitExceeded"
        assert job["status"]["failed"] == 1


async def test_a_job_that_fails_ends_its_other_pods_and_waits_until_they_are_gone() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(parallelism=2, completions=2, backoffLimit=0))
        one, other = await active_pods(world, 2)
        await world.play(other)
        await end(world, one, code=1)
        waiting = await world.becomes(JOBS, "work", lambda job: job["status"].get("terminating") == 1)
        assert set(true_conditions(waiting)) == {"FailureTarget"}
        await world.of(PODS).delete(other["metadata"]["name"], grace_period_seconds=0)
        job = await failed(world)
        assert job["status"]["failed"] == 2
        assert job["status"]["terminating"] == 0


async def test_a_deleted_pod_is_a_failure_and_replaced_when_the_pause_is_over() -> None:
    ahead = timedelta(0)

    def clock() -> datetime:
        return datetime.now(UTC) + ahead

    async with cluster() as world, running(world, partial(jobs.start, clock=clock)):
        await world.create(JOBS, a_job(backoffLimit=1))
        [pod] = await active_pods(world, 1)
        ahead = timedelta(minutes=-10)  # the pause is not over for a long time
        await world.of(PODS).delete(pod["metadata"]["name"])  # nobody runs it yet: it goes without waiting
        job = await world.becomes(JOBS, "work", lambda job: job["status"].get("failed") == 1)
        assert "active" not in job["status"]
        assert await world.items(PODS) == []
        ahead = timedelta(minutes=10)
        await world.merge(JOBS, "work", {"metadata": {"annotations": {"look": "again"}}})
        [replacement] = await active_pods(world, 1)
        await end(world, replacement)
        job = await complete(world)
        assert (job["status"]["failed"], job["status"]["succeeded"]) == (1, 1)


async def test_a_job_that_replaces_only_what_failed_waits_for_a_pod_that_ends() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(podReplacementPolicy="Failed"))
        [pod] = await active_pods(world, 1)
        await world.play(pod)
        await world.of(PODS).delete(pod["metadata"]["name"])
        job = await world.becomes(JOBS, "work", lambda job: job["status"].get("terminating") == 1)
        assert "active" not in job["status"]
        assert len(await world.items(PODS)) == 1
        await end(world, pod, code=1)
        await world.becomes(JOBS, "work", lambda job: job["status"].get("failed") == 1)
        await active_pods(world, 1)


async def test_a_deadline_ends_the_job() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(activeDeadlineSeconds=1))
        job = await failed(world)
        assert true_conditions(job)["Failed"]["reason"] == "DeadlineExceeded"
        assert true_conditions(job)["Failed"]["message"] == "Job was active longer than specified deadline"
        assert (await world.event("work", "DeadlineExceeded"))["type"] == "Warning"
        assert job["status"]["failed"] == 1


async def test_a_suspended_job_has_no_pods_and_begins_anew_when_it_goes_on() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job(parallelism=2, completions=2, suspend=True))
        job = await world.becomes(JOBS, "work", lambda job: "Suspended" in true_conditions(job))
        condition = true_conditions(job)["Suspended"]
        assert (condition["reason"], condition["message"]) == ("JobSuspended", "Job suspended")
        assert "startTime" not in job["status"]
        assert (await world.event("work", "Suspended"))["message"] == "Job suspended"
        assert await world.items(PODS) == []
        await world.merge(JOBS, "work", {"spec": {"suspend": False}})
        await active_pods(world, 2)
        job = await world.becomes(JOBS, "work", lambda job: "Suspended" not in true_conditions(job))
        [condition] = job["status"]["conditions"]
        assert (condition["status"], condition["reason"]) == ("False", "JobResumed")
        assert job["status"]["startTime"]
        assert (await world.event("work", "Resumed"))["message"] == "Job resumed"
        await world.merge(JOBS, "work", {"spec": {"suspend": True}})
        await world.until(PODS, lambda pods: not pods)
        job = await world.becomes(JOBS, "work", lambda job: "Suspended" in true_conditions(job))
        assert "failed" not in job["status"]
        assert "startTime" not in job["status"]


async def test_somebody_elses_job_is_left_alone() -> None:
    async with cluster("job-controller") as world:
        await world.create(JOBS, a_job("theirs", managedBy="example.com/batch"))
        await world.create(JOBS, a_job("ours"))
        await world.becomes(JOBS, "ours", lambda job: job["status"].get("active") == 1)
        theirs = await world.get(JOBS, "theirs")
        assert theirs is not None
        assert theirs.get("status", {}) == {}
        assert {pod["metadata"]["labels"]["job-name"] for pod in await world.items(PODS)} == {"ours"}


async def test_orphans_are_adopted_and_pods_that_do_not_match_are_released() -> None:
    async with cluster("job-controller") as world:
        job = await world.create(JOBS, a_job(parallelism=2, completions=2))
        one, other = await active_pods(world, 2)
        name = one["metadata"]["name"]
        await world.merge(PODS, name, {"metadata": {"ownerReferences": None}})
        pod = await world.becomes(PODS, name, lambda pod: bool(pod["metadata"].get("ownerReferences")))
        assert pod["metadata"]["ownerReferences"][0]["uid"] == job["metadata"]["uid"]
        await world.merge(PODS, name, {"metadata": {"labels": None}})
        pod = await world.becomes(PODS, name, lambda pod: not pod["metadata"].get("ownerReferences"))
        assert "finalizers" not in pod["metadata"]
        pods = await world.until(PODS, lambda pods: len(active(pods)) == 3)
        assert other["metadata"]["uid"] in {pod["metadata"]["uid"] for pod in pods}


async def test_pods_of_a_deleted_job_lose_what_keeps_them() -> None:
    async with cluster("job-controller", "garbage-collector-controller") as world:
        await world.create(JOBS, a_job(parallelism=2, completions=2))
        one, _ = await active_pods(world, 2)
        await world.play(one)
        await end(world, one, code=1)
        await world.of(JOBS).delete("work", propagation_policy="Background")
        await world.until(PODS, lambda pods: not pods)


async def test_a_job_that_goes_after_its_pods_lets_them_go() -> None:
    async with cluster("job-controller", "garbage-collector-controller") as world:
        await world.create(JOBS, a_job(parallelism=2, completions=2))
        await active_pods(world, 2)
        await world.of(JOBS).delete("work", propagation_policy="Foreground")
        await world.until(PODS, lambda pods: not pods)
        await world.gone(JOBS, "work")


async def test_pods_that_stay_when_their_job_goes_are_kept_by_nothing() -> None:
    async with cluster("job-controller", "garbage-collector-controller") as world:
        await world.create(JOBS, a_job())
        [pod] = await active_pods(world, 1)
        await world.of(JOBS).delete("work", propagation_policy="Orphan")
        pod = await world.becomes(PODS, pod["metadata"]["name"], lambda pod: "finalizers" not in pod["metadata"])
        assert "ownerReferences" not in pod["metadata"]


async def test_a_pod_of_a_job_that_went_long_ago_can_go_too() -> None:
    async with cluster("job-controller", "garbage-collector-controller") as world:
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "work", "uid": "long-gone", "controller": True}
        metadata = {"name": "left", "finalizers": [TRACKING], "ownerReferences": [owner]}
        spec = {"containers": [{"name": "main", "image": "busybox"}]}
        await world.create(PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
        await world.gone(PODS, "left")


async def test_a_refused_pod_is_told_and_made_later() -> None:
    async with cluster("job-controller", "resourcequota-controller", admission=("ResourceQuota",)) as world:
        quota = {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "few"},
            "spec": {"hard": {"pods": "0"}},
        }
        await world.create("v1/resourcequotas", quota)
        await world.becomes("v1/resourcequotas", "few", lambda quota: bool(quota.get("status", {}).get("hard")))
        await world.create(JOBS, a_job())
        event = await world.event("work", "FailedCreate")
        assert event["message"].startswith("Error creating: pods ")
        await world.of("v1/resourcequotas").delete("few")
        await active_pods(world, 1)
