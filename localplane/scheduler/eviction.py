"""Moving less important pods out of the way of one that is more important.

Kubernetes: pkg/scheduler/framework/preemption/executor.go.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.times import now
from localplane.client import Client, ClientError, PatchType
from localplane.controllers.worker import together

from .events import SchedulerEvents
from .pod_status import PodStatuses, with_condition
from .preemption import Candidate
from .queue import SchedulingQueue
from .sources import PODS
from .state.cluster import ClusterState
from .state.pod_info import PodInfo

_log = logging.getLogger(__name__)
_REASON: Final = "PreemptionByScheduler"


class Eviction:
    """Works beside the loop. The pod that wants the place is not tried before all calls are made; then it is the end of
    the victims that wakes it."""

    def __init__(
        self,
        client: Client,
        cluster: ClusterState,
        queue: SchedulingQueue,
        events: SchedulerEvents,
        statuses: PodStatuses,
    ) -> None:
        self._client = client
        self._cluster = cluster
        self._queue = queue
        self._events = events
        self._statuses = statuses

    def begin(self, candidate: Candidate, preemptor: PodInfo, tasks: asyncio.TaskGroup) -> None:
        victims = [victim for victim in candidate.victims if not victim.is_terminating]
        if victims:
            self._queue.hold(preemptor.uid)
            tasks.create_task(self._carry_out(candidate.node_name, victims, preemptor))

    async def _carry_out(self, node_name: str, victims: list[PodInfo], preemptor: PodInfo) -> None:
        failed = True
        try:
            await self._clear_nominations(node_name, preemptor)
            await together([self._evict(victim, node_name, preemptor) for victim in victims])
            failed = False
        except (APIError, ClientError) as error:
            _log.info("not all could be moved out of the way of %s: %s", preemptor.key, error)
        finally:
            self._queue.release(preemptor.uid, wake=failed)

    async def _clear_nominations(self, node_name: str, preemptor: PodInfo) -> None:
        """Less important pods that wait for this node may not fit any more: they look for another."""
        for pod in self._cluster.nominations.on(node_name):
            if pod.priority < preemptor.priority and pod.nominated_node:
                try:
                    await self._statuses.nominate(pod, "")
                except (APIError, ClientError) as error:
                    _log.info("%s stays nominated for %s: %s", pod.key, node_name, error)

    async def _evict(self, victim: PodInfo, node_name: str, preemptor: PodInfo) -> None:
        pods = self._client.resource(PODS, victim.namespace)
        try:
            await pods.patch(victim.name, self._target(victim, preemptor), PatchType.STRATEGIC, subresource="status")
            await pods.delete(victim.name, uid=victim.uid)
        except NotFound:
            return
        note = f"Preempted by pod {preemptor.uid} on node {node_name}"
        self._events.normal("Preempted", "Preempting", victim.pod, note)

    @staticmethod
    def _target(victim: PodInfo, preemptor: PodInfo) -> dict[str, Any]:
        scheduler = preemptor.spec.get("schedulerName", "")
        condition: dict[str, Any] = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": _REASON,
            "message": f"{scheduler}: preempting to accommodate a higher priority pod",
            "lastTransitionTime": now(),
        }
        if generation := victim.pod["metadata"].get("generation"):
            condition["observedGeneration"] = generation
        return {"metadata": {"uid": victim.uid}, "status": with_condition(victim, condition)}
