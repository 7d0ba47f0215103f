"""Cron jobs start jobs when it is time. The time is the test's: it passes when the test says so."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time, parse_time
from localplane.controllers.workloads import cron_jobs
from tests.integration.life.running import running
from tests.integration.life.world import World, cluster

CRON_JOBS = "batch/v1/cronjobs"
JOBS = "batch/v1/jobs"
SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"


@dataclass
class Time:
    """Stands still at the full hour before the last cron job was made, since the server dates that by its own clock."""

    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    touches: count[int] = field(default_factory=count)

    def clock(self) -> datetime:
        return self.now

    async def create(self, world: World, cron_job: JSONObject) -> JSONObject:
        created = await world.create(CRON_JOBS, cron_job)
        self.now = parse_time(created["metadata"]["creationTimestamp"]).replace(minute=0, second=0)
        return created

    async def passes(self, world: World, duration: timedelta, name: str = "tick") -> None:
        """And somebody looks at the cron job."""
        self.now += duration
        await touch(world, name, str(next(self.touches)))


async def touch(world: World, name: str, text: str) -> None:
    await world.merge(CRON_JOBS, name, {"metadata": {"annotations": {"touched": text}}})


def a_cron_job(name: str = "tick", *, schedule: str = "0 * * * *", **spec: Any) -> JSONObject:
    pod = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}}
    template = {"metadata": {"labels": {"from": "cron"}, "annotations": {"a": "b"}}, "spec": {"template": pod}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": {"schedule": schedule, "jobTemplate": template, **spec},
    }


@contextlib.asynccontextmanager
async def at_work() -> AsyncIterator[tuple[World, Time]]:
    time = Time()
    async with cluster() as world, running(world, partial(cron_jobs.start, clock=time.clock)):
        yield world, time


async def finish(world: World, job: JSONObject, time: Time, *, kind: str = "Complete") -> None:
    """What the job controller would write in the end."""
    moment = format_time(time.now)
    announced = {"Complete": "SuccessCriteriaMet", "Failed": "FailureTarget"}[kind]
    conditions = [{"type": each, "status": "True", "lastTransitionTime": moment} for each in (announced, kind)]
    status = {"startTime": moment, "conditions": conditions}
    if kind == "Complete":
        status["completionTime"] = moment
    await world.merge(JOBS, job["metadata"]["name"], {"status": status}, subresource="status")


async def jobs_when(world: World, number: int) -> list[JSONObject]:
    jobs = await world.until(JOBS, lambda jobs: len(jobs) == number)
    return sorted(jobs, key=lambda job: str(job["metadata"]["name"]))


def active(cron_job: JSONObject) -> list[str]:
    return [reference["name"] for reference in cron_job.get("status", {}).get("active") or ()]


async def test_a_job_is_made_when_it_is_due_and_named_after_that_minute() -> None:
    async with at_work() as (world, time):
        created = await time.create(world, a_cron_job())
        await time.passes(world, timedelta(hours=1, minutes=5))
        [job] = await jobs_when(world, 1)
        due = time.now.replace(minute=0)
        assert job["metadata"]["name"] == f"tick-{int(due.timestamp()) // 60}"
        assert job["metadata"]["labels"]["from"] == "cron"
        assert job["metadata"]["annotations"] == {"a": "b", SCHEDULED: format_time(due)}
        [owner] = job["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("CronJob", created["metadata"]["uid"], True)
        cron_job = await world.becomes(CRON_JOBS, "tick", lambda cron_job: bool(active(cron_job)))
        assert cron_job["status"]["lastScheduleTime"] == format_time(due)
        [reference] = cron_job["status"]["active"]
        assert reference["uid"] == job["metadata"]["uid"]
        event = await world.event("tick", "SuccessfulCreate")
        assert event["message"] == f"Created job {job['metadata']['name']}"
        assert event["source"]["component"] == "cronjob-controller"
        await finish(world, job, time)
        cron_job = await world.becomes(CRON_JOBS, "tick", lambda cron_job: not active(cron_job))
        assert cron_job["status"]["lastSuccessfulTime"] == format_time(time.now)
        event = await world.event("tick", "SawCompletedJob")
        assert event["message"] == f"Saw completed job: {job['metadata']['name']}, condition: Complete"
        await time.passes(world, timedelta(hours=1))
        await jobs_when(world, 2)


async def test_jobs_may_run_beside_each_other_if_nobody_minds() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job())
        for number in (1, 2, 3):
            await time.passes(world, timedelta(hours=1))
            await world.until(CRON_JOBS, lambda cron_jobs: len(active(cron_jobs[0])) == number)  # noqa: B023
        await jobs_when(world, 3)


async def test_a_job_that_runs_forbids_the_next_until_it_is_over() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job(concurrencyPolicy="Forbid"))
        await time.passes(world, timedelta(hours=1))
        [job] = await jobs_when(world, 1)
        await world.becomes(CRON_JOBS, "tick", lambda cron_job: bool(active(cron_job)))
        await time.passes(world, timedelta(hours=1))
        event = await world.event("tick", "JobAlreadyActive")
        told = "Not starting job because prior execution is running and concurrency policy is Forbid"
        assert (event["type"], event["message"]) == ("Normal", told)
        assert len(await world.items(JOBS)) == 1
        await finish(world, job, time)
        await jobs_when(world, 2)


async def test_a_job_that_runs_is_replaced_by_the_next() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job(concurrencyPolicy="Replace"))
        await time.passes(world, timedelta(hours=1))
        [first] = await jobs_when(world, 1)
        await world.becomes(CRON_JOBS, "tick", lambda cron_job: bool(active(cron_job)))
        await time.passes(world, timedelta(hours=1))
        await world.gone(JOBS, first["metadata"]["name"])
        [second] = await jobs_when(world, 1)
        await world.becomes(CRON_JOBS, "tick", lambda cron_job: active(cron_job) == [second["metadata"]["name"]])
        event = await world.event("tick", "SuccessfulDelete")
        assert event["message"] == f"Deleted job {first['metadata']['name']}"


async def test_a_suspended_cron_job_starts_nothing_and_then_only_the_last_it_missed() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job(suspend=True))
        await time.create(world, a_cron_job("other"))
        time.now += timedelta(hours=3)
        await touch(world, "tick", "now")
        await touch(world, "other", "now")
        [other] = await jobs_when(world, 1)
        assert other["metadata"]["name"].startswith("other-")
        await world.merge(CRON_JOBS, "tick", {"spec": {"suspend": False}})
        _, job = await jobs_when(world, 2)
        assert job["metadata"]["name"] == f"tick-{int(time.now.timestamp()) // 60}"


async def test_what_is_too_late_is_not_started() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job(startingDeadlineSeconds=60))
        await time.passes(world, timedelta(hours=1, minutes=2))
        await time.passes(world, timedelta(minutes=58))
        [job] = await jobs_when(world, 1)
        assert job["metadata"]["name"] == f"tick-{int(time.now.timestamp()) // 60}"


async def test_too_many_missed_times_are_told_and_the_last_is_started() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job(schedule="* * * * *"))
        await time.passes(world, timedelta(hours=3))
        await jobs_when(world, 1)
        event = await world.event("tick", "TooManyMissedTimes")
        told = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
        assert (event["type"], event["message"]) == ("Warning", told)


async def test_only_the_last_few_jobs_are_kept() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job(successfulJobsHistoryLimit=1, failedJobsHistoryLimit=1))
        names = []
        for kind in ("Complete", "Failed", "Complete", "Failed"):
            await time.passes(world, timedelta(hours=1))
            cron_job = await world.becomes(CRON_JOBS, "tick", lambda cron_job: bool(active(cron_job)))
            names += active(cron_job)
            [job] = [job for job in await world.items(JOBS) if job["metadata"]["name"] == names[-1]]
            await finish(world, job, time, kind=kind)
            await world.becomes(CRON_JOBS, "tick", lambda cron_job: not active(cron_job))
        kept = await jobs_when(world, 2)
        assert [job["metadata"]["name"] for job in kept] == names[2:]
        assert await world.event("tick", "SuccessfulDelete")


async def test_a_job_that_is_gone_is_no_longer_active() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job())
        await time.passes(world, timedelta(hours=1))
        [job] = await jobs_when(world, 1)
        await world.becomes(CRON_JOBS, "tick", lambda cron_job: bool(active(cron_job)))
        await world.of(JOBS).delete(job["metadata"]["name"], propagation_policy="Background")
        await world.becomes(CRON_JOBS, "tick", lambda cron_job: not active(cron_job))
        event = await world.event("tick", "MissingJob")
        assert event["message"] == f"Active job went missing: {job['metadata']['name']}"
        assert await world.items(JOBS) == []


async def test_a_job_of_unknown_origin_is_told() -> None:
    async with at_work() as (world, time):
        cron_job = await time.create(world, a_cron_job(suspend=True))
        metadata = cron_job["metadata"]
        owner = {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "name": "tick",
            "uid": metadata["uid"],
            "controller": True,
        }
        template = cron_job["spec"]["jobTemplate"]["spec"]
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "manual", "ownerReferences": [owner]},
            "spec": template,
        }
        await world.create(JOBS, job)
        event = await world.event("tick", "UnexpectedJob")
        assert event["message"] == "Saw a job that the controller did not create or forgot: manual"


async def test_a_job_that_was_made_but_not_written_down_is_not_made_twice() -> None:
    time = Time()
    async with cluster() as world:
        created = await time.create(world, a_cron_job())
        time.now += timedelta(hours=1)
        async with running(world, partial(cron_jobs.start, clock=time.clock)):
            await world.becomes(CRON_JOBS, "tick", lambda cron_job: bool(active(cron_job)))
        # As if whoever made the job had died before that was written down.
        await world.merge(CRON_JOBS, "tick", {"status": None}, subresource="status")
        [job] = await world.items(JOBS)
        async with running(world, partial(cron_jobs.start, clock=time.clock)):
            cron_job = await world.becomes(CRON_JOBS, "tick", lambda cron_job: bool(active(cron_job)))
        assert active(cron_job) == [job["metadata"]["name"]]
        assert cron_job["status"]["lastScheduleTime"] == format_time(time.now)
        assert cron_job["metadata"]["uid"] == created["metadata"]["uid"]
        assert len(await world.items(JOBS)) == 1


async def test_a_schedule_that_never_comes_is_told() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job(schedule="0 0 31 2 *"))
        event = await world.event("tick", "InvalidSchedule")
        told = "invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second"
        assert event["message"] == told


async def test_a_time_zone_is_that_of_the_schedule_and_of_what_is_told() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job(schedule="30 * * * *", timeZone="Asia/Kolkata"))  # it is 5:30 there
        await time.passes(world, timedelta(hours=1, minutes=1))
        [job] = await jobs_when(world, 1)
        there = time.now + timedelta(hours=5, minutes=29)
        assert job["metadata"]["annotations"][SCHEDULED] == f"{there:%Y-%m-%dT%H}:30:00+05:30"


async def test_a_new_schedule_counts_from_now_on() -> None:
    async with at_work() as (world, time):
        await time.create(world, a_cron_job(schedule="0 0 31 2 *"))
        time.now += timedelta(hours=2)
        await world.merge(CRON_JOBS, "tick", {"spec": {"schedule": "0 * * * *"}})
        await touch(world, "tick", "now")
        [job] = await jobs_when(world, 1)
        assert job["metadata"]["name"] == f"tick-{int(time.now.timestamp()) // 60}"
