"""How many pods a job has at once: new ones are made while it needs more, and the least useful go if it has too many.

Kubernetes: pkg/controller/job/job_controller.go, manageJob, deleteJobPods and deleteActivePods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, ClientError
from localplane.controllers.pods import (
    PodControl,
    SlowStartFailed,
    is_ready,
    namespace_is_going,
    phase,
    ready_since,
    slow_start,
)
from localplane.controllers.worker import together
from localplane.controllers.workloads.expectations import Expectations

from .backoff import Failures, index_failures_of
from .finalizers import remove_finalizer
from .indexes import NO_INDEXES, Indexes, pending_indexes
from .pods import new_pod
from .survey import Survey, indexes_of
from .terms import completion_index, is_indexed, is_suspended, limits_each_index, moment_of, replaces_only_failed

_MOST_AT_ONCE: Final = 500
_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}


@dataclass(frozen=True, slots=True)
class PodsOutcome:
    """How many pods are active now, and what went wrong on the way. `wait` is how long no new pod may be made."""

    active: int
    error: Exception | None = None
    wait: timedelta | None = None


class Parallelism:
    """`wait` of an outcome is for the caller, who looks again then."""

    def __init__(
        self, client: Client, pods: PodControl, expectations: Expectations, clock: Callable[[], datetime]
    ) -> None:
        self._client = client
        self._pods = pods
        self._expectations = expectations
        self._clock = clock

    async def adjust(self, survey: Survey, failures: Failures) -> PodsOutcome:
        """Delete or make pods, one of both. The survey's numbers of those that are ready and that are on their way
        out follow."""
        job, active = survey.job, len(survey.active)
        wanted = 0 if is_suspended(job) else _wanted(survey)
        surplus = surplus_pods(job, survey.active, max(0, active - wanted))
        if is_suspended(job):
            return await self._remove(survey, surplus)
        if surplus:
            return await self._remove(survey, surplus[:_MOST_AT_ONCE])
        leaving = survey.terminating if replaces_only_failed(job) else 0
        missing = wanted - leaving - active
        if missing <= 0:
            return PodsOutcome(active)
        return await self._add(survey, failures, min(missing, _MOST_AT_ONCE))

    async def end(self, survey: Survey) -> PodsOutcome:
        """Delete all that are active, because the job is over. Their finalizers stay until they are counted."""
        errors = await together([self._delete(survey.job, pod) for pod in survey.active])
        return _removed(survey, survey.active, errors)

    async def _remove(self, survey: Survey, pods: list[JSONObject]) -> PodsOutcome:
        """Nobody counts these."""
        uids = (pod["metadata"]["uid"] for pod in pods)
        self._expectations.expect(survey.job["metadata"]["uid"], deletions=uids)
        errors = await together([self._let_go(survey.job, pod) for pod in pods])
        return _removed(survey, pods, errors)

    async def _let_go(self, job: JSONObject, pod: JSONObject) -> Exception | None:
        try:
            await remove_finalizer(self._client, pod)
            await self._pods.delete(pod, job)
        except (APIError, ClientError) as error:
            self._expectations.deleted(job["metadata"]["uid"], pod["metadata"]["uid"])
            return None if isinstance(error, NotFound) else error
        return None

    async def _delete(self, job: JSONObject, pod: JSONObject) -> Exception | None:
        try:
            await self._pods.delete(pod, job)
        except NotFound:
            return None
        except (APIError, ClientError) as error:
            return error
        return None

    async def _add(self, survey: Survey, failures: Failures, count: int) -> PodsOutcome:
        job, active, moment = survey.job, len(survey.active), self._clock()
        indexes: list[int | None] = [None] * count
        if limits_each_index(job):
            free = _pending(survey, count)
            waits = {index: index_failures_of(survey.delayed.get(index)).remaining(moment) for index in free}
            indexes = [index for index in free if not waits[index]]
            if not indexes and free:
                return PodsOutcome(active, wait=min(waits.values()))
        else:
            wait = failures.remaining(moment)
            if wait:
                return PodsOutcome(active, wait=wait)
            if is_indexed(job):
                indexes = list(_pending(survey, count))
        return await self._create(survey, indexes)

    async def _create(self, survey: Survey, indexes: list[int | None]) -> PodsOutcome:
        job, attempts, made = survey.job, 0, 0
        uid = job["metadata"]["uid"]
        self._expectations.expect(uid, creations=len(indexes))

        async def create(number: int) -> None:
            nonlocal attempts, made
            attempts += 1
            index = indexes[number]
            replaced = survey.delayed.get(index) if index is not None else None
            try:
                await self._pods.create(new_pod(job, index, replaced), job)
            except (APIError, ClientError):
                self._expectations.created(uid)
                raise
            made += 1

        error: Exception | None = None
        try:
            await slow_start(len(indexes), create)
        except SlowStartFailed as failure:
            error = None if namespace_is_going(failure.error) else failure.error
        except ClientError as failure:
            error = failure
        self._expectations.created(uid, len(indexes) - attempts)
        return PodsOutcome(len(survey.active) + made, error)


def _removed(survey: Survey, pods: list[JSONObject], errors: list[Exception | None]) -> PodsOutcome:
    gone = [pod for pod, error in zip(pods, errors, strict=True) if error is None]
    survey.terminating += len(gone)
    survey.ready -= sum(map(is_ready, gone))
    return PodsOutcome(len(survey.active) - len(gone), next((error for error in errors if error is not None), None))


def _wanted(survey: Survey) -> int:
    """Without a number of completions as many as may be at once, until one succeeds; then those that are there end by
    themselves."""
    spec = survey.job["spec"]
    completions, parallelism = spec.get("completions"), int(spec["parallelism"])
    if completions is None:
        return len(survey.active) if survey.succeeded > 0 else parallelism
    return max(0, min(int(completions) - survey.succeeded, parallelism))


def _pending(survey: Survey, count: int) -> list[int]:
    job = survey.job
    taken = [survey.succeeded_indexes, Indexes.of(set(indexes_of(survey.active)))]
    if replaces_only_failed(job):
        taken.append(Indexes.of(set(indexes_of(survey.ending))))
    taken.append(survey.failed_indexes or NO_INDEXES)
    return pending_indexes(taken, count, job["spec"]["completions"])


def surplus_pods(job: JSONObject, active: Iterable[JSONObject], at_least: int) -> list[JSONObject]:
    """Those that go: with indexes all that have none, one that is not the job's (any more), or one that another has
    too; then as many more as there are too many, the least useful first."""
    surplus: list[JSONObject] = []
    kept = list(active)
    if is_indexed(job):
        surplus, kept = _misplaced(kept, job["spec"]["completions"])
    if len(surplus) < at_least:
        surplus += sorted(kept, key=_usefulness)[: at_least - len(surplus)]
    return surplus


def _misplaced(pods: list[JSONObject], completions: int) -> tuple[list[JSONObject], list[JSONObject]]:
    """Those that can't stay, and those that can."""
    misplaced: list[JSONObject] = []
    kept: list[JSONObject] = []

    def index_of(pod: JSONObject) -> int:
        index = completion_index(pod)
        return -1 if index is None else index

    for index, alike in groupby(sorted(pods, key=index_of), key=index_of):
        same = sorted(alike, key=_usefulness)
        if 0 <= index < completions:
            kept.append(same.pop())
        misplaced += same
    return misplaced, kept


def _usefulness(pod: JSONObject) -> tuple[Any, ...]:
    """In the order in which pods go. Kubernetes: pkg/controller/controller_utils.go, ActivePods."""
    created = moment_of(pod["metadata"].get("creationTimestamp"))
    ready = ready_since(pod) if is_ready(pod) else None
    status = pod.get("status") or {}
    restarts = max((each.get("restartCount", 0) for each in status.get("containerStatuses") or ()), default=0)
    return (
        bool(pod["spec"].get("nodeName")),
        _PHASES.get(phase(pod), 0),
        is_ready(pod),
        -ready.timestamp() if ready else float("-inf"),
        -restarts,
        -created.timestamp() if created else float("-inf"),
    )
