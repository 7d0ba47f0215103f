"""Looking at one cron job: old jobs go, those that run are followed, and a new one begins when it is due.

Kubernetes: pkg/controller/cronjob/cronjob_controllerv2.go, sync, syncCronJob and cleanupFinishedJobs.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Final

from localplane.apimachinery.errors import AlreadyExists, APIError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.catalog.batch.schedules import InvalidSchedule
from localplane.catalog.batch.time_zones import UnknownTimeZone, load_location
from localplane.client import Client, ClientError, GroupVersionResource, Indexer, Lister, split_key
from localplane.controllers.events import EventRecorder
from localplane.controllers.ownership import controlled, is_controlled_by
from localplane.controllers.pods import namespace_is_going
from localplane.controllers.worker import NotYet

from .calendar import Calendar
from .due_times import NeverDue, due, next_in
from .owned_jobs import JOBS, OwnedJobs, job_for, reference_to

CRON_JOBS: Final = GroupVersionResource("batch", "v1", "cronjobs")
_TOO_MANY: Final = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
_ZONE_IN_SCHEDULE: Final = (
    "CRON_TZ or TZ used in schedule {} is not officially supported, see "
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


class CronJobSync:
    """`look_again` is called with the key of a cron job and how long it is until it is due."""

    def __init__(
        self,
        client: Client,
        events: EventRecorder,
        cron_jobs: Lister,
        jobs: Indexer,
        *,
        look_again: Callable[[str, timedelta], None],
        clock: Callable[[], datetime],
    ) -> None:
        self._client = client
        self._events = events
        self._cron_jobs = cron_jobs
        self._jobs = jobs
        self._look_again = look_again
        self._clock = clock
        self._owned = OwnedJobs(client, events)
        self._written: dict[str, tuple[str, int]] = {}

    async def sync(self, key: str) -> None:
        """Raises APIError."""
        namespace, name = split_key(key)
        shared = self._cron_jobs.namespaced(namespace).get(name)
        if shared is None:
            self._written.pop(key, None)
            return
        if self._is_stale(key, shared):  # the newer one will be heard of
            return
        cron_job = {**shared, "status": deepcopy(shared.get("status") or {})}
        jobs = controlled(self._jobs, shared)
        before = deepcopy(cron_job["status"])
        again: timedelta | None = None
        failure: Exception | None = None
        try:
            await self._owned.clear(cron_job, jobs)
            await self._owned.follow(cron_job, jobs)
            if "deletionTimestamp" not in cron_job["metadata"]:
                again = await self._begin_if_due(cron_job)
        except (APIError, ClientError, NotYet) as error:
            failure = error
        if cron_job["status"] != before:
            await self._write(key, cron_job)
        if failure is not None:
            raise failure
        if again is not None:
            self._look_again(key, again)

    def _is_stale(self, key: str, cron_job: JSONObject) -> bool:
        metadata = cron_job["metadata"]
        uid, version = self._written.get(key, ("", 0))
        return uid == metadata["uid"] and int(metadata["resourceVersion"]) < version

    async def _write(self, key: str, cron_job: JSONObject) -> None:
        cron_jobs = self._client.resource(CRON_JOBS, cron_job["metadata"]["namespace"])
        written = await cron_jobs.update(cron_job, subresource="status")
        self._written[key] = written["metadata"]["uid"], int(written["metadata"]["resourceVersion"])

    async def _begin_if_due(self, cron_job: JSONObject) -> timedelta | None:
        """How long until it is due again, if it can be."""
        calendar = self._calendar(cron_job)
        if calendar is None:
            return None
        now, spec = self._clock(), cron_job["spec"]
        try:
            known = due(cron_job, calendar, now, within_deadline=True)
        except NeverDue as error:
            self._events.warn(cron_job, "InvalidSchedule", f"invalid schedule: {spec['schedule']} : {error}")
            return None
        if known.last is not None:
            if known.missed_many:
                self._events.warn(cron_job, "TooManyMissedTimes", _TOO_MANY)
            if self._may_begin(cron_job, known.last, now):
                await self._begin(cron_job, known.last)
        return next_in(cron_job, calendar, now)

    def _calendar(self, cron_job: JSONObject) -> Calendar | None:
        """None if it has none that can be read, or is not to be followed now."""
        spec, zone = cron_job["spec"], cron_job["spec"].get("timeZone")
        if zone is not None:
            try:
                load_location(zone)
            except UnknownTimeZone as error:
                message = f"invalid timeZone: {go_quote(zone)}: {error}"
                self._events.warn(cron_job, "UnknownTimeZone", message)
                return None
        if spec.get("suspend"):
            return None
        schedule = spec["schedule"]
        if "TZ" in schedule:
            self._events.warn(cron_job, "UnsupportedSchedule", _ZONE_IN_SCHEDULE.format(go_quote(schedule)))
        try:
            return Calendar.of(schedule, zone)
        except InvalidSchedule as error:
            message = f"unparseable schedule: {go_quote(schedule)} : {error}"
            self._events.warn(cron_job, "UnparseableSchedule", message)
            return None

    def _may_begin(self, cron_job: JSONObject, moment: datetime, now: datetime) -> bool:
        spec, status = cron_job["spec"], cron_job["status"]
        deadline = spec.get("startingDeadlineSeconds")
        if deadline is not None and (now - moment).total_seconds() > deadline:
            message = f"Missed scheduled time to start a job: {format_datetime(moment)}"
            self._events.warn(cron_job, "MissSchedule", message)
            return False
        job = job_for(cron_job, moment)
        names = {reference.get("name") for reference in status.get("active") or ()}
        if job["metadata"]["name"] in names or status.get("lastScheduleTime") == format_time(moment):
            return False
        if spec.get("concurrencyPolicy") == "Forbid" and names:
            message = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self._events.normal(cron_job, "JobAlreadyActive", message)
            return False
        return True

    async def _begin(self, cron_job: JSONObject, moment: datetime) -> None:
        """It may be there already, if whoever made it could not write that down."""
        if cron_job["spec"].get("concurrencyPolicy") == "Replace":
            await self._owned.replace(cron_job)
        job, jobs = job_for(cron_job, moment), self._client.resource(JOBS, cron_job["metadata"]["namespace"])
        try:
            created = await jobs.create(job)
            self._events.normal(cron_job, "SuccessfulCreate", f"Created job {created['metadata']['name']}")
        except AlreadyExists:
            created = await jobs.get(job["metadata"]["name"])
            if not is_controlled_by(created, cron_job):
                return
        except APIError as error:
            if not namespace_is_going(error):
                self._events.warn(cron_job, "FailedCreate", f"Error creating job: {error}")
            raise
        status = cron_job["status"]
        status.setdefault("active", []).append(reference_to(created))
        status["lastScheduleTime"] = format_time(moment)
