"""What the pods of a job say at one moment: who is at work, who has ended since the last count, and how.

All pods are looked at once, in slices of time: a job may have many thousand that ended long ago.
Kubernetes: pkg/controller/job/job_controller.go, syncJobCtx.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.controllers.pods import is_active, is_ready

from .backoff import finish_time
from .indexes import NO_INDEXES, Indexes
from .policies import fails_index, failure_match
from .terms import (
    all_index_failures,
    completion_index,
    has_failed,
    has_succeeded,
    is_ending,
    is_indexed,
    is_tracked,
    limits_each_index,
    valid_index,
)


@dataclass(frozen=True, slots=True)
class Uncounted:
    """The uids in a job's status whose pods are on their way into the counters."""

    succeeded: frozenset[str]
    failed: frozenset[str]

    @classmethod
    def of(cls, status: JSONObject) -> Uncounted:
        uncounted = status.get("uncountedTerminatedPods") or {}
        return cls(frozenset(uncounted.get("succeeded") or ()), frozenset(uncounted.get("failed") or ()))


@dataclass(slots=True)
class Survey:
    """`tracked` are the pods that are not counted yet; all other lists of pods that ended are among them. `succeeded`
    and `failed` are all that ever did. `delayed` is, by index, the last pod that failed there: it is kept until its
    replacement is made, which has to know how often the index failed."""

    job: JSONObject
    pods: list[JSONObject]
    uncounted: Uncounted
    active: list[JSONObject] = field(default_factory=list)
    ending: list[JSONObject] = field(default_factory=list)
    tracked: list[JSONObject] = field(default_factory=list)
    new_succeeded: list[JSONObject] = field(default_factory=list)
    new_failed: list[JSONObject] = field(default_factory=list)
    ready: int = 0
    terminating: int = 0
    succeeded: int = 0
    failed: int = 0
    failure_message: str = ""
    succeeded_before: Indexes = NO_INDEXES
    succeeded_indexes: Indexes = NO_INDEXES
    failed_indexes: Indexes | None = None
    delayed: dict[int, JSONObject] = field(default_factory=dict)


async def surveyed(job: JSONObject, pods: list[JSONObject], released: Collection[str]) -> Survey:
    """`released` are the uids of pods whose finalizer was removed, which is perhaps not seen yet."""
    survey = Survey(job, pods, Uncounted.of(job["status"]))
    slices = TimeSlices()
    for pod in pods:
        _look_at(survey, pod, released)
        if slices.is_over:
            await slices.next()
    status = job["status"]
    survey.terminating = len(survey.ending)
    survey.succeeded = status.get("succeeded", 0) + len(survey.new_succeeded) + len(survey.uncounted.succeeded)
    counted = sum(failure_match(job, pod).is_counted for pod in survey.new_failed)
    survey.failed = status.get("failed", 0) + counted + len(survey.uncounted.failed)
    if is_indexed(job):
        _look_at_indexes(survey)
    return survey


def _look_at(survey: Survey, pod: JSONObject, released: Collection[str]) -> None:
    job, failed = survey.job, has_failed(pod, survey.job)
    if is_active(pod):
        survey.active.append(pod)
        survey.ready += is_ready(pod)
    elif is_ending(pod):
        survey.ending.append(pod)
    if failed and not survey.failure_message and job["spec"].get("podFailurePolicy"):
        survey.failure_message = failure_match(job, pod).message
    uid = pod["metadata"]["uid"]
    if not is_tracked(pod) or uid in released:
        return
    survey.tracked.append(pod)
    if is_indexed(job) and valid_index(pod, job) is None:
        return
    if has_succeeded(pod) and uid not in survey.uncounted.succeeded:
        survey.new_succeeded.append(pod)
    if failed and uid not in survey.uncounted.failed:
        survey.new_failed.append(pod)


def _look_at_indexes(survey: Survey) -> None:
    job, completions = survey.job, survey.job["spec"]["completions"]
    survey.succeeded_before = Indexes.parse(job["status"].get("completedIndexes"), completions)
    done = (index for pod in survey.tracked if has_succeeded(pod) and (index := valid_index(pod, job)) is not None)
    survey.succeeded_indexes = survey.succeeded_before | Indexes.of(set(done))
    survey.succeeded = len(survey.succeeded_indexes)
    if limits_each_index(job):
        failed = (
            index for pod in survey.tracked if (index := valid_index(pod, job)) is not None and fails_index(job, pod)
        )
        before = Indexes.parse(job["status"].get("failedIndexes"), completions)
        survey.failed_indexes = before | Indexes.of(set(failed))
        survey.delayed = dict(_delayed(survey))


def _delayed(survey: Survey) -> Iterator[tuple[int, JSONObject]]:
    """Of several pods of one index the last that failed, which knows of most failures."""
    job, failed_indexes = survey.job, survey.failed_indexes or NO_INDEXES
    busy = set(indexes_of(survey.active))
    last: dict[int, JSONObject] = {}
    for pod in survey.tracked:
        index = valid_index(pod, job)
        if index is None or index in busy or not has_failed(pod, job):
            continue
        if index in survey.succeeded_indexes or index in failed_indexes:
            continue
        if index not in last or _is_later(pod, last[index]):
            last[index] = pod
    yield from last.items()


def _is_later(pod: JSONObject, other: JSONObject) -> bool:
    return all_index_failures(other) <= all_index_failures(pod) and finish_time(pod) >= finish_time(other)


def indexes_of(pods: Iterable[JSONObject]) -> Iterator[int]:
    return (index for pod in pods if (index := completion_index(pod)) is not None)
