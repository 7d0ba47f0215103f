"""Hearing of cron jobs and their jobs. Kubernetes: pkg/controller/cronjob/cronjob_controllerv2.go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.batch.schedules import InvalidSchedule
from localplane.client import (
    GroupVersionResource,
    HandlerFunctions,
    SharedInformer,
    WorkQueue,
    deleted_object,
    object_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.ownership import controller_of, index_by_controller, owner_of
from localplane.controllers.worker import work

from .calendar import Calendar
from .due_times import next_in
from .sync import CRON_JOBS, CronJobSync

Clock = Callable[[], datetime]

_NAME: Final = "cronjob-controller"
_JOBS: Final = GroupVersionResource("batch", "v1", "jobs")
_WORKERS: Final = 5


async def start(context: ControllerContext, *, clock: Clock = present) -> None:
    """`clock` says what time it is; how long something takes is still measured by the machine's."""
    client, events = context.client_of(_NAME), context.recorder(_NAME)
    cron_jobs, jobs = context.informers.informer(CRON_JOBS), context.informers.informer(_JOBS)
    queue = WorkQueue[str]()
    sync = CronJobSync(
        client, events, cron_jobs.lister, index_by_controller(jobs), look_again=queue.add_after, clock=clock
    )
    with _listening(cron_jobs, jobs, _Hearing(queue, cron_jobs, events, clock)):
        await cron_jobs.wait_for_sync()
        await jobs.wait_for_sync()
        await work(queue, sync.sync, workers=_WORKERS)


class _Hearing:
    def __init__(self, queue: WorkQueue[str], cron_jobs: SharedInformer, events: EventRecorder, clock: Clock) -> None:
        self._queue = queue
        self._cron_jobs = cron_jobs.lister
        self._events = events
        self._clock = clock

    def changed(self, old: JSONObject, cron_job: JSONObject) -> None:
        """With a new schedule it is looked at when that is due; what changed otherwise is looked at now."""
        before, spec = old["spec"], cron_job["spec"]
        if (before.get("schedule"), before.get("timeZone")) == (spec.get("schedule"), spec.get("timeZone")):
            self._queue.add(object_key(cron_job))
            return
        try:
            calendar = Calendar.of(spec["schedule"], spec.get("timeZone"))
        except InvalidSchedule:
            message = f"unparseable schedule for cronjob: {spec['schedule']}"
            self._events.warn(cron_job, "UnParseableCronJobSchedule", message)
            return
        self._queue.add_after(object_key(cron_job), next_in(cron_job, calendar, self._clock()))

    def seen(self, cron_job: JSONObject) -> None:
        self._queue.add(object_key(cron_job))

    def job_seen(self, job: JSONObject) -> None:
        cron_job = owner_of(job, self._cron_jobs, kind="CronJob")
        if cron_job is not None:
            self._queue.add(object_key(cron_job))

    def job_changed(self, old: JSONObject, job: JSONObject) -> None:
        if controller_of(old) != controller_of(job):
            self.job_seen(old)
        self.job_seen(job)


@contextmanager
def _listening(cron_jobs: SharedInformer, jobs: SharedInformer, ears: _Hearing) -> Iterator[None]:
    listeners = (
        cron_jobs.add_handler(HandlerFunctions(ears.seen, ears.changed, lambda obj: ears.seen(deleted_object(obj)))),
        jobs.add_handler(
            HandlerFunctions(
                add=ears.job_seen, update=ears.job_changed, delete=lambda job: ears.job_seen(deleted_object(job))
            )
        ),
    )
    try:
        yield
    finally:
        for listener in listeners:
            listener.remove()
