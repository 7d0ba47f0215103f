"""Hearing of jobs and pods, and saying which jobs are to be looked at.

Kubernetes: pkg/controller/job/job_controller.go, addPod to deleteJob.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_of
from localplane.catalog.batch.job_defaults import CONTROLLER_UID
from localplane.client import HandlerFunctions, Indexer, Lister, SharedInformer, WorkQueue, deleted_object, object_key
from localplane.client.workqueue.rate_limiters import ItemExponentialFailureRateLimiter
from localplane.controllers.context import ControllerContext
from localplane.controllers.ownership import controller_of, index_by_controller, owner_of
from localplane.controllers.pods import PODS, is_terminating
from localplane.controllers.worker import work
from localplane.controllers.workloads.expectations import Expectations

from .finalizers import Orphans, OrphanSync, Removals
from .sync import JobSync
from .terms import JOBS, is_finished, is_tracked

_NAME: Final = "job-controller"
_WORKERS: Final = 5
_FIRST_RETRY: Final = timedelta(seconds=1)
_LAST_RETRY: Final = timedelta(minutes=1)
# Kubernetes waits a second for more news of the same job. Here a small job waits less: looking at a job costs as much
# as it has pods, so the pause grows with them, and looking takes no more than a small share of the time.
_SHORTEST_PAUSE: Final = timedelta(milliseconds=50)
_LONGEST_PAUSE: Final = timedelta(seconds=1)
_PAUSE_PER_POD: Final = timedelta(milliseconds=2)
_SELECTOR_INDEX: Final = "job-selector"


async def start(context: ControllerContext, *, clock: Callable[[], datetime] = present) -> None:
    """`clock` is what deadlines and pauses are measured with."""
    client = context.client_of(_NAME)
    jobs, pods = context.informers.informer(JOBS), context.informers.informer(PODS)
    hearing = _Hearing(jobs, pods)
    sync = JobSync(
        client,
        context.recorder(_NAME),
        jobs.lister,
        pods.indexer,
        expectations=hearing.expectations,
        removals=hearing.removals,
        look_again=hearing.look_again,
        clock=clock,
    )
    hearing.on_gone = sync.forget
    orphans = OrphanSync(client, jobs.lister, pods.indexer)
    with hearing.listening():
        await jobs.wait_for_sync()
        await pods.wait_for_sync()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(work(hearing.queue, sync.sync, workers=_WORKERS))
            tasks.create_task(work(hearing.orphans, orphans.sync, workers=_WORKERS))


class _Hearing:
    def __init__(self, jobs: SharedInformer, pods: SharedInformer) -> None:
        self.expectations = Expectations()
        self.removals = Removals()
        self.queue = WorkQueue[str](rate_limiter=ItemExponentialFailureRateLimiter(_FIRST_RETRY, _LAST_RETRY))
        self.orphans = WorkQueue[Orphans](rate_limiter=ItemExponentialFailureRateLimiter(_FIRST_RETRY, _LAST_RETRY))
        self.on_gone: Callable[[str], None] = lambda _: None
        self._job_informer = jobs
        self._pod_informer = pods
        self._jobs: Lister = jobs.lister
        self._selecting: Indexer = jobs.indexer
        index_by_controller(pods)
        if not jobs.indexer.has_index(_SELECTOR_INDEX):
            jobs.indexer.add_indexers({_SELECTOR_INDEX: _selector_keys})

    @contextmanager
    def listening(self) -> Iterator[None]:
        listeners = [
            self._job_informer.add_handler(HandlerFunctions(self._job_added, self._job_changed, self._job_gone)),
            self._pod_informer.add_handler(
                HandlerFunctions(
                    self._pod_added, self._pod_changed, lambda pod: self._pod_gone(deleted_object(pod), is_final=True)
                )
            ),
        ]
        try:
            yield
        finally:
            for listener in listeners:
                listener.remove()

    def look_again(self, key: str, delay: timedelta) -> None:
        self.queue.add_after(key, max(delay, _SHORTEST_PAUSE))

    def _look_soon(self, job: JSONObject) -> None:
        """There may be more news on the way."""
        status = job.get("status") or {}
        pods = status.get("active", 0) + status.get("succeeded", 0) + status.get("failed", 0)
        self.queue.add_after(object_key(job), min(_LONGEST_PAUSE, max(_SHORTEST_PAUSE, _PAUSE_PER_POD * pods)))

    def _job_added(self, job: JSONObject) -> None:
        self.queue.add(object_key(job))

    def _job_changed(self, old: JSONObject, job: JSONObject) -> None:
        if is_finished(job):  # all its pods should have been let go; this is for those that were not
            self.orphans.add(Orphans(job_uid=job["metadata"]["uid"]))
            self.queue.add(object_key(job))
        elif job["metadata"].get("generation") == old["metadata"].get("generation"):
            self._look_soon(job)
        else:
            self.queue.add(object_key(job))

    def _job_gone(self, obj: Any) -> None:
        job = deleted_object(obj)
        self.queue.add(object_key(job))
        self.orphans.add(Orphans(job_uid=job["metadata"]["uid"]))
        self.on_gone(job["metadata"]["uid"])

    def _pod_added(self, pod: JSONObject) -> None:
        if is_terminating(pod):
            self._pod_gone(pod, is_final=False)
            return
        if controller_of(pod) is not None:
            job = owner_of(pod, self._jobs, kind="Job")
            if job is not None:
                self.expectations.created(job["metadata"]["uid"])
                self._look_soon(job)
            return
        self._orphan_seen(pod, may_be_adopted=True)

    def _pod_changed(self, old: JSONObject, pod: JSONObject) -> None:
        if old["metadata"].get("resourceVersion") == pod["metadata"].get("resourceVersion"):
            return
        if is_terminating(pod):
            self._pod_gone(pod, is_final=False)
            return
        reference, before = controller_of(pod), controller_of(old)
        if before is not None and before != reference:
            self._tell(owner_of(old, self._jobs, kind="Job"), pod)
        if reference is not None:
            self._tell(owner_of(pod, self._jobs, kind="Job"), pod)
            return
        labels_changed = pod["metadata"].get("labels") != old["metadata"].get("labels")
        self._orphan_seen(pod, may_be_adopted=labels_changed or before is not None)

    def _tell(self, job: JSONObject | None, pod: JSONObject) -> None:
        if job is None:
            return
        if not is_tracked(pod):
            self.removals.observed(job["metadata"]["uid"], pod["metadata"]["uid"])
        self._look_soon(job)

    def _pod_gone(self, pod: JSONObject, *, is_final: bool) -> None:
        """Deleted: if that is not final, somebody is still to end it."""
        job = owner_of(pod, self._jobs, kind="Job")
        if job is None or is_finished(job):
            if is_tracked(pod):
                self.orphans.add(Orphans(pod=object_key(pod)))
            return
        job_uid, uid = job["metadata"]["uid"], pod["metadata"]["uid"]
        self.expectations.deleted(job_uid, uid)
        if is_final or not is_tracked(pod):
            self.removals.observed(job_uid, uid)
        self._look_soon(job)

    def _orphan_seen(self, pod: JSONObject, *, may_be_adopted: bool) -> None:
        if is_tracked(pod):
            self.orphans.add(Orphans(pod=object_key(pod)))
        if may_be_adopted:
            for job in self._jobs_selecting(pod):
                self._look_soon(job)

    def _jobs_selecting(self, pod: JSONObject) -> Iterable[JSONObject]:
        namespace, labels = pod["metadata"].get("namespace", ""), pod["metadata"].get("labels") or {}
        if not labels:
            return
        values = [f"{namespace}/"]
        if uid := labels.get(CONTROLLER_UID):
            values.append(f"{namespace}/{uid}")
        for value in values:
            for job in self._selecting.index(_SELECTOR_INDEX, value):
                selector = selector_of(job["spec"].get("selector"))
                if selector is not None and selector.matches(labels):
                    yield job


def _selector_keys(job: JSONObject) -> list[str]:
    """Jobs by the uid that their pods must have as a label, or by nothing if somebody wrote another selector."""
    wanted = ((job.get("spec") or {}).get("selector") or {}).get("matchLabels") or {}
    return [f"{job['metadata'].get('namespace', '')}/{wanted.get(CONTROLLER_UID, '')}"]
