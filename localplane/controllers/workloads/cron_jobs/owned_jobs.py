"""The jobs of a cron job: those that run are in its status, and of those that are over only the last few are kept.

Kubernetes: pkg/controller/cronjob/cronjob_controllerv2.go, syncCronJob's first half, cleanupFinishedJobs and deleteJob;
utils.go, getJobFromTemplate2.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from datetime import datetime
from typing import Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import parse_time
from localplane.catalog.batch.time_zones import load_location
from localplane.client import Client, GroupVersionResource
from localplane.controllers.events import EventRecorder
from localplane.controllers.ownership import controller_reference
from localplane.controllers.pods import has_condition
from localplane.controllers.worker import NotYet

JOBS: Final = GroupVersionResource("batch", "v1", "jobs")
_CRON_JOBS: Final = GroupVersionResource("batch", "v1", "cronjobs")
_SCHEDULED: Final = "batch.kubernetes.io/cronjob-scheduled-timestamp"


class OwnedJobs:
    """Each changes the status of the cron job that it is given, and nothing else of it."""

    def __init__(self, client: Client, events: EventRecorder) -> None:
        self._client = client
        self._events = events

    async def clear(self, cron_job: JSONObject, jobs: Sequence[JSONObject]) -> None:
        """Delete all that are over but the last few."""
        for kind, limit in (("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")):
            kept = cron_job["spec"].get(limit)
            over = [job for job in jobs if _end_of(job) == kind]
            if kept is not None:
                for job in sorted(over, key=_age)[: max(0, len(over) - kept)]:
                    await self._delete(cron_job, job)

    async def replace(self, cron_job: JSONObject) -> None:
        """Delete all that run. Raises APIError, and NotYet if one could not be deleted."""
        for reference in list(cron_job["status"].get("active") or ()):
            try:
                job = await self._client.resource(JOBS, reference["namespace"]).get(reference["name"])
            except APIError as error:
                self._events.warn(cron_job, "FailedGet", f"Get job: {error}")
                raise
            if not await self._delete(cron_job, job):
                raise NotYet(f"could not replace job {reference['namespace']}/{reference['name']}")

    async def follow(self, cron_job: JSONObject, jobs: Sequence[JSONObject]) -> None:
        """Write down which have ended or are gone. Raises APIError."""
        status = cron_job["status"]
        for job in jobs:
            is_active, end = _is_active(status, job["metadata"]["uid"]), _end_of(job)
            if end and is_active:
                _remove(status, job["metadata"]["uid"])
                message = f"Saw completed job: {job['metadata']['name']}, condition: {end}"
                self._events.normal(cron_job, "SawCompletedJob", message)
            elif not end and not is_active:
                await self._tell_of_unexpected(cron_job, job)
            if has_condition(job, "Complete"):
                _note_success(status, (job.get("status") or {}).get("completionTime"))
        await self._forget_missing(cron_job, {job["metadata"]["uid"] for job in jobs})

    async def _tell_of_unexpected(self, cron_job: JSONObject, job: JSONObject) -> None:
        """It is ours by its owner; perhaps only we don't know yet that we made it."""
        metadata = cron_job["metadata"]
        latest = await self._client.resource(_CRON_JOBS, metadata["namespace"]).get(metadata["name"])
        if _is_active(latest.get("status") or {}, job["metadata"]["uid"]):
            return
        message = f"Saw a job that the controller did not create or forgot: {job['metadata']['name']}"
        self._events.warn(cron_job, "UnexpectedJob", message)

    async def _forget_missing(self, cron_job: JSONObject, seen: set[str]) -> None:
        for reference in list(cron_job["status"].get("active") or ()):
            if reference["uid"] in seen:
                continue
            try:
                await self._client.resource(JOBS, reference["namespace"]).get(reference["name"])
            except NotFound:
                self._events.normal(cron_job, "MissingJob", f"Active job went missing: {reference['name']}")
                _remove(cron_job["status"], reference["uid"])

    async def _delete(self, cron_job: JSONObject, job: JSONObject) -> bool:
        metadata = job["metadata"]
        try:
            await self._client.resource(JOBS, metadata["namespace"]).delete(
                metadata["name"], propagation_policy="Background"
            )
        except NotFound:
            _remove(cron_job["status"], metadata["uid"])
            return True
        except APIError as error:
            self._events.warn(cron_job, "FailedDelete", f"Deleted job: {error}")
            return False
        _remove(cron_job["status"], metadata["uid"])
        self._events.normal(cron_job, "SuccessfulDelete", f"Deleted job {metadata['name']}")
        return True


def job_for(cron_job: JSONObject, moment: datetime) -> JSONObject:
    """The job that is due then. Its name says when, so that there is only one."""
    template = cron_job["spec"].get("jobTemplate") or {}
    given = template.get("metadata") or {}
    zone = load_location(cron_job["spec"].get("timeZone") or "")
    local = moment.astimezone(zone).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{cron_job['metadata']['name']}-{int(moment.timestamp()) // 60}",
            "labels": dict(given.get("labels") or {}),
            "annotations": {**(given.get("annotations") or {}), _SCHEDULED: local},
            "ownerReferences": [controller_reference(cron_job)],
        },
        "spec": deepcopy(template.get("spec") or {}),
    }


def reference_to(job: JSONObject) -> JSONObject:
    metadata = job["metadata"]
    return {
        "kind": "Job",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "apiVersion": "batch/v1",
        "resourceVersion": metadata["resourceVersion"],
    }


def _end_of(job: JSONObject) -> str:
    """The condition that says that it is over, or nothing."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition.get("type") in ("Complete", "Failed") and condition.get("status") == "True":
            return str(condition["type"])
    return ""


def _age(job: JSONObject) -> tuple[bool, str, str]:
    """Sorts the oldest first; those that never began are the youngest."""
    start = (job.get("status") or {}).get("startTime") or ""
    return not start, start, job["metadata"]["name"]


def _is_active(status: JSONObject, uid: str) -> bool:
    return any(reference.get("uid") == uid for reference in status.get("active") or ())


def _remove(status: JSONObject, uid: str) -> None:
    left = [reference for reference in status.get("active") or () if reference.get("uid") != uid]
    if left:
        status["active"] = left
    else:
        status.pop("active", None)


def _note_success(status: JSONObject, time: str | None) -> None:
    before = status.get("lastSuccessfulTime")
    if time and (not before or parse_time(time) > parse_time(before)):
        status["lastSuccessfulTime"] = time
