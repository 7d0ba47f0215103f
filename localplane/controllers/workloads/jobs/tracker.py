"""Counting the pods that ended, each of them once, whatever dies in between.

A pod that ended is written down by its uid (or its index), then its finalizer is removed, then its uid becomes one more
in the counter. Whoever comes after a crash sees from the finalizers how far that got. The end of a job is announced
with the first of these writes, and happens when everything is counted and nothing runs any more.

Kubernetes: pkg/controller/job/job_controller.go, trackJobStatusAndRemoveFinalizers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, ClientError
from localplane.controllers.events import EventRecorder
from localplane.controllers.worker import together

from .backoff import Failures
from .conditions import COMPLETE, FAILED, FAILURE_TARGET, SUCCESS_CRITERIA_MET, ensure_condition, of_kind
from .finalizers import Removals, remove_finalizer
from .indexes import Indexes
from .policies import failure_match
from .survey import Survey
from .terms import JOBS, completion_index, has_failed, has_succeeded, is_indexed, limits_each_index, valid_index

_MOST_UNCOUNTED: Final = 500
"""So that a status stays small and a large job lets others have their turn."""

_KEPT_EMPTY: Final = ("ready", "terminating", "uncountedTerminatedPods", "failedIndexes")


@dataclass(slots=True)
class _Ended:
    """Pods whose finalizer may go, and the indexes that succeeded with them. `is_full` says that there are more."""

    pods: list[JSONObject] = field(default_factory=list)
    indexes: list[int] = field(default_factory=list)
    is_news: bool = False
    is_full: bool = False


class Tracking:
    """`written` remembers the version that a job's status was written as, so that nobody acts on an older one."""

    def __init__(
        self, client: Client, events: EventRecorder, removals: Removals, clock: Callable[[], datetime]
    ) -> None:
        self._client = client
        self._events = events
        self._removals = removals
        self._clock = clock
        self._failures: dict[str, Failures] = {}
        self._written: dict[str, int] = {}

    def is_stale(self, job: JSONObject) -> bool:
        """We know that there is a newer one."""
        return int(job["metadata"]["resourceVersion"]) < self._written.get(job["metadata"]["uid"], 0)

    def failures(self, uid: str) -> Failures:
        """Of the job's pods since one succeeded, as far as they are written down."""
        return self._failures.get(uid, Failures())

    def forget(self, uid: str) -> None:
        """The job is over or gone."""
        self._failures.pop(uid, None)
        self._written.pop(uid, None)

    async def track(self, survey: Survey, end: JSONObject | None, failures: Failures, *, is_news: bool) -> None:
        """`end` is the condition with which the job is to end, if it is; `is_news` says that the status has changed
        already. Raises APIError."""
        job = survey.job
        with_finalizer = {pod["metadata"]["uid"] for pod in survey.tracked}
        is_news |= _count_released(job["status"], with_finalizer)
        ended = _ended(survey, end)
        is_news |= ended.is_news
        if is_indexed(job):
            is_news |= _write_indexes(survey, ended.indexes)
        if end is not None:
            is_news |= _announce(job["status"], end)
            end = of_kind(end, COMPLETE if end["type"] == SUCCESS_CRITERIA_MET else FAILED, self._clock())
        if is_news:
            job = await self._write(job)
            self._failures[job["metadata"]["uid"]] = failures
        is_news = await self._release(job, ended.pods, with_finalizer)
        is_over = end is not None and not ended.is_full and not survey.terminating and _finish(job["status"], end)
        if is_news or is_over:
            job = await self._write(job)
        if is_over and end is not None:
            self._tell_end(job, end)

    async def _release(self, job: JSONObject, pods: Sequence[JSONObject], with_finalizer: set[str]) -> bool:
        """Remove the finalizers, and count whose are gone; whether any are. What was counted is written down even if
        some could not be removed, which is raised then."""
        job_uid, uids = job["metadata"]["uid"], [pod["metadata"]["uid"] for pod in pods]
        self._removals.expect(job_uid, uids)
        errors = await together([self._remove_finalizer(job_uid, pod) for pod in pods])
        with_finalizer.difference_update(uid for uid, error in zip(uids, errors, strict=True) if error is None)
        is_news = _count_released(job["status"], with_finalizer)
        error = next((error for error in errors if error is not None), None)
        if error is None:
            return is_news
        if is_news:
            await self._write(job)
        raise error

    async def _remove_finalizer(self, job_uid: str, pod: JSONObject) -> APIError | ClientError | None:
        try:
            await remove_finalizer(self._client, pod)
        except (APIError, ClientError) as error:
            self._removals.observed(job_uid, pod["metadata"]["uid"])
            return None if isinstance(error, NotFound) else error
        return None

    async def _write(self, job: JSONObject) -> JSONObject:
        status = {key: value for key, value in job["status"].items() if value or key in _KEPT_EMPTY}
        jobs = self._client.resource(JOBS, job["metadata"]["namespace"])
        written = await jobs.update({**job, "status": status}, subresource="status")
        metadata = written["metadata"]
        self._written[metadata["uid"]] = int(metadata["resourceVersion"])
        own = deepcopy(written.get("status") or {})
        own.setdefault("uncountedTerminatedPods", {})
        return {**written, "status": own}

    def _tell_end(self, job: JSONObject, end: JSONObject) -> None:
        if end["type"] == FAILED:
            self._events.warn(job, end["reason"], end["message"])
            return
        completions = job["spec"].get("completions")
        if completions is not None and job["status"].get("succeeded", 0) > completions:
            message = "Too many succeeded pods running after completion count reached"
            self._events.warn(job, "TooManySucceededPods", message)
        self._events.normal(job, "Completed", "Job completed")


def _ended(survey: Survey, end: JSONObject | None) -> _Ended:
    """Write down who ended, in the order of the indexes."""
    job, ended = survey.job, _Ended()
    uncounted = job["status"]["uncountedTerminatedPods"]
    for pod in sorted(survey.tracked, key=_place) if is_indexed(job) else survey.tracked:
        if not _may_go(survey, pod, end):
            continue
        ended.pods.append(pod)
        uid = pod["metadata"]["uid"]
        if has_succeeded(pod) and uid not in survey.uncounted.failed:
            if not is_indexed(job):
                if uid not in survey.uncounted.succeeded:
                    uncounted.setdefault("succeeded", []).append(uid)
                    ended.is_news = True
            elif (index := valid_index(pod, job)) is not None and index not in survey.succeeded_before:
                ended.indexes.append(index)
                ended.is_news = True
        elif _is_to_count_as_failed(survey, pod, end):
            uncounted.setdefault("failed", []).append(uid)
            ended.is_news = True
        if len(ended.indexes) + sum(len(uids) for uids in uncounted.values()) >= _MOST_UNCOUNTED:
            ended.is_full = True
            break
    return ended


def _place(pod: JSONObject) -> int:
    index = completion_index(pod)
    return -1 if index is None else index


def _may_go(survey: Survey, pod: JSONObject, end: JSONObject | None) -> bool:
    """All when the job ends or goes; otherwise who has ended, but for the last that failed at an index and is not
    replaced yet."""
    job = survey.job
    if "deletionTimestamp" in job["metadata"] or end is not None or has_succeeded(pod):
        return True
    if not has_failed(pod, job):
        return False
    if not limits_each_index(job):
        return True
    index = completion_index(pod)
    delayed = survey.delayed.get(index) if index is not None else None
    return delayed is None or delayed["metadata"]["uid"] != pod["metadata"]["uid"]


def _is_to_count_as_failed(survey: Survey, pod: JSONObject, end: JSONObject | None) -> bool:
    """When a job fails, whoever still runs has failed with it."""
    job = survey.job
    if not has_failed(pod, job) and (end is None or end["type"] == SUCCESS_CRITERIA_MET):
        return False
    if pod["metadata"]["uid"] in survey.uncounted.failed:
        return False
    if is_indexed(job) and valid_index(pod, job) is None:
        return False
    return failure_match(job, pod).is_counted


def _count_released(status: JSONObject, with_finalizer: AbstractSet[str]) -> bool:
    """Whose finalizer is gone moves from the uids to the counters; whether any did."""
    uncounted, moved = status["uncountedTerminatedPods"], False
    for kind in ("succeeded", "failed"):
        before = uncounted.get(kind) or []
        left = [uid for uid in before if uid in with_finalizer]
        if len(left) < len(before):
            moved = True
            status[kind] = status.get(kind, 0) + len(before) - len(left)
        if left:
            uncounted[kind] = left
        else:
            uncounted.pop(kind, None)
    return moved


def _write_indexes(survey: Survey, succeeded: Sequence[int]) -> bool:
    """Whether the texts of the indexes have changed."""
    status = survey.job["status"]
    before = status.get("completedIndexes", ""), status.get("failedIndexes")
    survey.succeeded_indexes |= Indexes.of(succeeded)
    status["succeeded"] = len(survey.succeeded_indexes)
    status["completedIndexes"] = str(survey.succeeded_indexes)
    if survey.failed_indexes is None:
        status.pop("failedIndexes", None)
    else:
        status["failedIndexes"] = str(survey.failed_indexes)
    return before != (status["completedIndexes"], status.get("failedIndexes"))


def _announce(status: JSONObject, end: JSONObject) -> bool:
    """Say that the job will end and why, if that was not said before."""
    return end["type"] in (FAILURE_TARGET, SUCCESS_CRITERIA_MET) and ensure_condition(status, end)


def _finish(status: JSONObject, end: JSONObject) -> bool:
    """Whether the job is over now: nobody may be left uncounted."""
    if any(status["uncountedTerminatedPods"].values()):
        return False
    ensure_condition(status, end)
    if end["type"] == COMPLETE:
        status["completionTime"] = end["lastTransitionTime"]
    return True
