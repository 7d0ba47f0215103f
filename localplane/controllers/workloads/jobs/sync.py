"""Looking at one job: what its pods say, whether that is its end, which pods it needs, and writing it down.

Kubernetes: pkg/controller/job/job_controller.go, syncJob.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_of
from localplane.apimachinery.times import format_time
from localplane.client import Client, Indexer, Lister, split_key
from localplane.controllers.events import EventRecorder
from localplane.controllers.ownership import Claims, controlled_or_orphaned, is_controlled_by
from localplane.controllers.pods import PODS, PodControl
from localplane.controllers.workloads.expectations import Expectations

from .backoff import Failures
from .conditions import SUSPENDED, ensure_condition, new_condition
from .finalizers import Removals
from .parallelism import Parallelism, PodsOutcome
from .survey import Survey, surveyed
from .terms import JOBS, TRACKING, is_finished, is_foreign, is_suspended, is_tracked
from .tracker import Tracking
from .verdict import completion, deadline_in, verdict


@dataclass(frozen=True, slots=True)
class _Step:
    """What was done about a job's pods, with which condition it is to end, if it is, and whether its status has
    changed."""

    outcome: PodsOutcome
    end: JSONObject | None
    is_news: bool = False


class JobSync:
    """`look_again` is called with the key of a job that has to be looked at after a while, and that while."""

    def __init__(
        self,
        client: Client,
        events: EventRecorder,
        jobs: Lister,
        pods: Indexer,
        *,
        expectations: Expectations,
        removals: Removals,
        look_again: Callable[[str, timedelta], None],
        clock: Callable[[], datetime],
    ) -> None:
        self._client = client
        self._events = events
        self._jobs = jobs
        self._pods = pods
        self._expectations = expectations
        self._removals = removals
        self._look_again = look_again
        self._clock = clock
        self._parallelism = Parallelism(client, PodControl(client, events), expectations, clock)
        self._tracking = Tracking(client, events, removals, clock)

    async def sync(self, key: str) -> None:
        """Raises APIError and NotYet."""
        namespace, name = split_key(key)
        shared = self._jobs.namespaced(namespace).get(name)
        if shared is None or is_foreign(shared):
            return
        if is_finished(shared):
            self.forget(shared["metadata"]["uid"])
            return
        if self._tracking.is_stale(shared):  # the newer one will be heard of
            return
        if shared["spec"].get("completionMode") not in (None, "Indexed", "NonIndexed"):
            self._events.warn(shared, "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown")
            return
        status = deepcopy(shared.get("status") or {})
        status.setdefault("uncountedTerminatedPods", {})
        await self._sync(key, {**shared, "status": status})

    def forget(self, uid: str) -> None:
        """The job with this uid is over or gone."""
        self._expectations.forget(uid)
        self._removals.forget(uid)
        self._tracking.forget(uid)

    async def _sync(self, key: str, job: JSONObject) -> None:
        # Both are asked before the pods are listed: what is seen later than this does not count as seen.
        uid = job["metadata"]["uid"]
        is_up_to_date, released = self._expectations.satisfied(uid), self._removals.of(uid)
        survey = await surveyed(job, await self._claimed(job), released)
        status = job["status"]
        before = [status.get("active", 0), status.get("ready"), status.get("terminating")]
        if "startTime" not in status and not is_suspended(job):
            status["startTime"] = format_time(self._clock())
        failures = self._tracking.failures(uid).after(survey.new_succeeded, survey.new_failed)
        end = verdict(survey, self._clock())
        if end is not None:
            step = await self._end(survey, end, is_up_to_date=is_up_to_date)
        else:
            step = await self._go_on(key, survey, failures, is_up_to_date=is_up_to_date)
        now = [step.outcome.active, survey.ready, survey.terminating]
        status.update(zip(("active", "ready", "terminating"), now, strict=True))
        await self._tracking.track(survey, step.end, failures, is_news=step.is_news or before != now)
        if step.outcome.error is not None:
            raise step.outcome.error

    async def _end(self, survey: Survey, end: JSONObject, *, is_up_to_date: bool) -> _Step:
        """A job can't end while there may be pods that nobody has seen or that could not be deleted."""
        outcome = await self._parallelism.end(survey)
        return _Step(outcome, end if is_up_to_date and not outcome.active else None)

    async def _go_on(self, key: str, survey: Survey, failures: Failures, *, is_up_to_date: bool) -> _Step:
        job = survey.job
        if (left := deadline_in(job, self._clock())) is not None:
            self._look_again(key, left)
        outcome = PodsOutcome(len(survey.active))
        may_adjust = is_up_to_date and "deletionTimestamp" not in job["metadata"]
        if may_adjust:
            outcome = await self._parallelism.adjust(survey, failures)
        if outcome.wait is not None:
            self._look_again(key, outcome.wait)
        end = completion(survey, outcome.active, self._clock())
        is_news = end is None and may_adjust and self._tell_whether_suspended(job)
        return _Step(outcome, end, is_news)

    async def _claimed(self, job: JSONObject) -> list[JSONObject]:
        """The job's pods. Orphans that it selects become its own, with the finalizer."""
        selector = selector_of(job["spec"].get("selector"))
        metadata = job["metadata"]
        claims = Claims(
            self._client,
            PODS,
            job,
            matches=lambda pod: selector is not None and selector.matches(pod["metadata"].get("labels") or {}),
            fresh=lambda: self._client.resource(JOBS, metadata["namespace"]).get(metadata["name"]),
            finalizers=(TRACKING,),
        )
        pods = await claims.claim(controlled_or_orphaned(self._pods, job))
        return [pod if is_controlled_by(pod, job) else _adopted(pod) for pod in pods]

    def _tell_whether_suspended(self, job: JSONObject) -> bool:
        """Whether that is new. A job that goes on begins anew, so that its deadline does not count the pause."""
        status, moment = job["status"], self._clock()
        if is_suspended(job):
            condition = new_condition(SUSPENDED, "True", "JobSuspended", "Job suspended", moment)
            if not ensure_condition(status, condition):
                return False
            self._events.normal(job, "Suspended", "Job suspended")
            status.pop("startTime", None)
            return True
        if not ensure_condition(status, new_condition(SUSPENDED, "False", "JobResumed", "Job resumed", moment)):
            return False
        self._events.normal(job, "Resumed", "Job resumed")
        status["startTime"] = format_time(moment)
        return True


def _adopted(pod: JSONObject) -> JSONObject:
    """As it will be seen in a moment."""
    if is_tracked(pod):
        return pod
    metadata = pod["metadata"]
    return {**pod, "metadata": {**metadata, "finalizers": [*(metadata.get("finalizers") or ()), TRACKING]}}
