"""The loop of the scheduler: takes the next pod, finds its place and tells the server, or says why there is none.

Kubernetes: pkg/scheduler/schedule_one.go.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import ExitStack
from functools import partial
from random import Random
from typing import Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.time_slices import TimeSlices
from localplane.client import Client, ClientError, GroupVersionResource, SharedInformer
from localplane.client.workqueue.supervision import Contained
from localplane.controllers.context import ControllerContext

from .attempt import NoPlace, Placement, Search
from .binding import Assumption, Binding
from .diagnosis import SchedulerError
from .events import SchedulerEvents
from .eviction import Eviction
from .handlers import Handlers
from .plugins import names
from .plugins.devices import Devices
from .plugins.volumes import VolumeViews
from .pod_status import ERROR, UNSCHEDULABLE, PodStatuses
from .preemption import Preemption, PreemptionOutcome
from .queue import QueuedPod, SchedulingQueue
from .queueing_hints import DELETED, Happening, Wakes
from .sources import ALWAYS, NODES, PODS, Sources
from .state.cluster import ClusterState
from .state.pod_info import PodInfo

_log = logging.getLogger(__name__)
NAME: Final = "default-scheduler"
_USER: Final = "system:kube-scheduler"
_AGENT: Final = "kube-scheduler"


async def start(context: ControllerContext, seed: int | None = None) -> None:
    """Until it is cancelled. Of nodes that are equally good one is taken by chance; a `seed` makes it the same one
    every time."""
    client = context.client.acting_as(_USER, groups=("system:authenticated",), agent=_AGENT)
    with ExitStack() as stack:
        await Scheduler(context, client, Random(seed), stack).run()  # noqa: S311 - not for secrets


class Scheduler:
    def __init__(self, context: ControllerContext, client: Client, random: Random, stack: ExitStack) -> None:
        self._cluster = ClusterState()
        self._queue = SchedulingQueue(Wakes(), self._gate)
        self._sources = Sources(context.informers, self._hear)
        self._views = VolumeViews(self._sources)
        self._devices = Devices(self._sources)
        self._handlers = Handlers(self._cluster, self._queue, self._views, scheduler_name=NAME, stack=stack)
        self._events = SchedulerEvents(client, NAME)
        self._statuses = PodStatuses(client)
        self._search = Search(self._cluster, self._sources, self._views, self._devices, random)
        self._preemption = Preemption(self._cluster, self._sources, random)
        self._eviction = Eviction(client, self._cluster, self._queue, self._events, self._statuses)
        self._binding = Binding(client, self._views, self._devices, self._statuses, self._events)

    async def run(self) -> None:
        """Until it is cancelled."""
        await self._sources.ready(ALWAYS)
        # Nodes first, so that no pod is told that there are none while they are only not known yet.
        await self._handlers.hear_nodes(self._sources.informer(NODES)).wait_for_sync()
        await self._handlers.hear_pods(self._sources.informer(PODS)).wait_for_sync()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._events.run())
            tasks.create_task(self._schedule_all(tasks))

    def _hear(self, resource: GroupVersionResource, informer: SharedInformer) -> None:
        self._handlers.hear(resource, informer)

    def _gate(self, pod: PodInfo) -> str:
        """Which plugin keeps a pod from being tried; empty if none does."""
        if pod.spec.get("schedulingGates"):
            return names.SCHEDULING_GATES
        if pod.spec.get("resourceClaims") and not self._devices.gate(pod):
            return names.DYNAMIC_RESOURCES
        return ""

    async def _schedule_all(self, tasks: asyncio.TaskGroup) -> None:
        slices = TimeSlices()
        while True:
            queued = await self._queue.pop()
            contained = Contained(partial("the scheduling of {}".format, queued.info.key))
            with contained:
                await self._schedule(queued, tasks)
            if contained.error is not None:
                self._queue.put_back(queued, queued.info, frozenset())
            if slices.is_over:
                await slices.next()

    async def _schedule(self, queued: QueuedPod, tasks: asyncio.TaskGroup) -> None:
        pod = queued.info
        if pod.is_terminating:
            self._events.warn("FailedScheduling", "Scheduling", pod.pod, f"skip schedule deleting pod: {pod.key}")
            self._queue.done(queued)
            return
        if self._cluster.is_assumed(pod.uid):
            self._queue.done(queued)
            return
        try:
            placement = await self._search.place(pod)
        except NoPlace as failure:
            await self._make_room(queued, failure, tasks)
        except SchedulerError as error:
            await self._fail(queued, ERROR, str(error), nomination="")
        else:
            self._assume(queued, placement, tasks)

    # A place

    def _assume(self, queued: QueuedPod, placement: Placement, tasks: asyncio.TaskGroup) -> None:
        pod = queued.info
        self._cluster.assume(pod, placement.node_name)
        assumption = self._binding.reserve(pod, placement)
        self._queue.done(queued)
        tasks.create_task(self._bind(queued, assumption))

    async def _bind(self, queued: QueuedPod, assumption: Assumption) -> None:
        pod = assumption.pod
        contained = Contained(partial("the binding of {}".format, pod.key))
        with contained:
            try:
                await self._binding.carry_out(assumption)
            except SchedulerError as error:
                await self._unbind(queued, assumption, str(error))
        if contained.error is not None:
            await self._unbind(queued, assumption, str(contained.error))

    async def _unbind(self, queued: QueuedPod, assumption: Assumption, reason: str) -> None:
        pod = assumption.pod
        _log.info("%s is not bound: %s", pod.key, reason)
        self._binding.revert(assumption)
        self._cluster.forget(pod)
        self._queue.move(Happening(PODS, DELETED, pod=pod))
        await self._fail(queued, ERROR, reason, nomination="")

    # No place

    async def _make_room(self, queued: QueuedPod, failure: NoPlace, tasks: asyncio.TaskGroup) -> None:
        diagnosis = failure.diagnosis
        outcome = PreemptionOutcome("", nomination="")
        if diagnosis.nodes:
            current = self._seen(queued.info)
            outcome = await self._preemption.find(current or queued.info, failure.cycle, diagnosis)
            diagnosis.after = outcome.message
            if outcome.candidate is not None:
                self._eviction.begin(outcome.candidate, queued.info, tasks)
        await self._fail(
            queued, UNSCHEDULABLE, diagnosis.message, nomination=outcome.nomination, rejectors=diagnosis.plugins
        )

    async def _fail(
        self,
        queued: QueuedPod,
        reason: str,
        message: str,
        *,
        nomination: str | None,
        rejectors: frozenset[str] = frozenset(),
    ) -> None:
        """The pod goes back to the queue, as it is now, and people are told. `nomination` as in PodStatuses.tell."""
        current = self._seen(queued.info)
        if current is None or current.node_name:
            self._queue.done(queued)
            return
        self._queue.put_back(queued, current, rejectors)
        self._cluster.nominations.set(current, current.nominated_node if nomination is None else nomination)
        self._events.warn("FailedScheduling", "Scheduling", current.pod, message)
        try:
            await self._statuses.tell(current, reason, message, nomination=nomination)
        except (APIError, ClientError) as error:
            _log.info("the status of %s does not say why it waits: %s", current.key, error)

    def _seen(self, pod: PodInfo) -> PodInfo | None:
        """The pod as it is now, if it is still there."""
        found = self._sources.lister(PODS).namespaced(pod.namespace).get(pod.name)
        return PodInfo(found) if found is not None and found["metadata"]["uid"] == pod.uid else None
