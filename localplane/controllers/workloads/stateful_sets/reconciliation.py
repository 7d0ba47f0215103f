"""Bringing the pods of one stateful set where they should be, as far as one look allows.

    replicas      the set's numbers in order, with the pod that is there or the one that is to be made
    condemned     pods with other numbers, the highest first
    then          pods of an older revision go, from the highest number down, as many as may be missing at a time

A set that is not Parallel does one thing at a time, and nothing while a pod is not available. What stands in the way
raises nothing: the next news of a pod calls for the next look. Kubernetes:
pkg/controller/statefulset/stateful_set_control.go, updateStatefulSet.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.apps.int_or_percent import scaled
from localplane.controllers.pods import (
    SlowStartFailed,
    is_available,
    is_terminal,
    is_terminating,
    phase,
    slow_start,
)
from localplane.controllers.workloads.revisions import with_revision

from .history import SetRevisions
from .identity import (
    has_identity,
    has_storage,
    is_created,
    is_parallel,
    is_running_and_ready,
    is_unavailable,
    min_ready,
    new_pod,
    ordinal_of,
    ordinals,
    replicas_of,
    revision_of,
)
from .pod_control import StatefulPodControl
from .status import PodCounts, counts_of


class Reconciliation:
    """One look at one set. `counts` are those of the pods that were there, less those that it deletes to update."""

    def __init__(
        self,
        control: StatefulPodControl,
        stateful_set: JSONObject,
        revisions: SetRevisions,
        pods: Sequence[JSONObject],
        moment: datetime,
    ) -> None:
        self._control = control
        self._set = stateful_set
        self._updated_set = with_revision(stateful_set, revisions.update)
        self._update = revisions.update["metadata"]["name"]
        self._moment = moment
        self._is_ordered = not is_parallel(stateful_set)
        self._replicas = _replicas(stateful_set, revisions, pods)
        self._condemned = _condemned(stateful_set, pods)
        everyone = [*self._replicas, *reversed(self._condemned)]
        self._first_unavailable = next(filter(self._is_unavailable, everyone), None)
        self.counts: PodCounts = counts_of(stateful_set, revisions, everyone, moment)

    async def run(self) -> None:
        """Raises APIError and NotYet."""
        if "deletionTimestamp" in self._set["metadata"]:
            return
        if not await self._goes_on(self._replicas, self._establish):
            return
        if not await self._goes_on(self._condemned, self._settle_condemned):
            return
        if not await self._goes_on(self._condemned, self._remove_condemned):
            return
        if self._set["spec"]["updateStrategy"].get("type") != "OnDelete":
            await self._roll()

    async def _goes_on(self, pods: Sequence[JSONObject], process: Callable[[JSONObject], Awaitable[bool]]) -> bool:
        """One after the other until one says to wait; a parallel set waits for none."""
        if self._is_ordered:
            for pod in pods:
                if not await process(pod):
                    return False
            return True
        try:
            await slow_start(len(pods), lambda index: process(pods[index]))
        except SlowStartFailed as failed:
            raise failed.error from failed
        return True

    async def _establish(self, pod: JSONObject) -> bool:
        """Make a replica, or see that it is well. Whether the next may follow."""
        if is_terminal(pod):
            # It is made anew when it is gone, whatever it ended with: even a good end is that of an evicted pod.
            if not is_terminating(pod):
                await self._control.delete(self._set, pod)
            return False
        if not is_created(pod):
            if self._control.has_claims_of_earlier_pod(self._set, pod):
                return False
            await self._control.create(self._set, pod)
            return False
        if phase(pod) == "Pending":
            await self._control.create_missing_claims(self._set, pod)
        is_well = not is_terminating(pod) and is_running_and_ready(pod) and self._is_available(pod)
        if self._is_ordered and not is_well:
            return False
        settled = self._control.are_owners_settled(self._updated_set, pod)
        if not (has_identity(self._set, pod) and has_storage(self._set, pod) and settled):
            await self._control.mend(self._updated_set, pod)
        return True

    async def _settle_condemned(self, pod: JSONObject) -> bool:
        if not self._control.are_owners_settled(self._updated_set, pod):
            await self._control.settle_owners(self._updated_set, pod)
        return True

    async def _remove_condemned(self, pod: JSONObject) -> bool:
        """An ordered set removes one at a time, and one that is not well only if it is the first such."""
        if is_terminating(pod):
            return False
        is_well = is_running_and_ready(pod) and self._is_available(pod)
        if is_well or not self._is_ordered or pod is self._first_unavailable:
            await self._control.delete(self._set, pod)
        return False

    async def _roll(self) -> None:
        """Delete pods of an older revision; the next look makes them anew."""
        rolling = self._set["spec"]["updateStrategy"].get("rollingUpdate") or {}
        outdated = [pod for pod in self._replicas[rolling.get("partition", 0) :] if revision_of(pod) != self._update]
        outdated.reverse()
        may_be_missing = max(1, scaled(rolling.get("maxUnavailable", 1), replicas_of(self._set), round_up=False))
        budget = may_be_missing - sum(map(self._is_unavailable, self._replicas))
        staying = [pod for pod in outdated if is_created(pod) and not is_terminating(pod)]
        if self._is_ordered:
            await self._delete_outdated(staying[: max(0, budget)])
            return
        # Those that are missing anyway cost nothing; only then some that are well.
        await self._delete_outdated([pod for pod in staying if not self._is_available(pod)])
        await self._delete_outdated([pod for pod in staying if self._is_available(pod)][: max(0, budget)])

    async def _delete_outdated(self, pods: Sequence[JSONObject]) -> None:
        for pod in pods:
            await self._control.delete(self._set, pod)
            self.counts.current -= 1

    def _is_available(self, pod: JSONObject) -> bool:
        return is_available(pod, min_ready(self._set), self._moment)

    def _is_unavailable(self, pod: JSONObject) -> bool:
        return is_unavailable(pod, min_ready(self._set), self._moment)


def _replicas(stateful_set: JSONObject, revisions: SetRevisions, pods: Sequence[JSONObject]) -> list[JSONObject]:
    there = {ordinal_of(pod): pod for pod in pods}
    return [there.get(ordinal) or _versioned(stateful_set, revisions, ordinal) for ordinal in ordinals(stateful_set)]


def _condemned(stateful_set: JSONObject, pods: Sequence[JSONObject]) -> list[JSONObject]:
    """Pods with other numbers; one whose number can't be read is nobody's business."""
    wanted = ordinals(stateful_set)
    others = [pod for pod in pods if ordinal_of(pod) >= 0 and ordinal_of(pod) not in wanted]
    return sorted(others, key=ordinal_of, reverse=True)


def _versioned(stateful_set: JSONObject, revisions: SetRevisions, ordinal: int) -> JSONObject:
    """A pod below the partition is made as it was before the update."""
    strategy = stateful_set["spec"]["updateStrategy"]
    rolling, kept = strategy.get("rollingUpdate"), 0
    if rolling is not None:
        kept = rolling.get("partition", 0)
    elif strategy.get("type") == "RollingUpdate":
        kept = (stateful_set.get("status") or {}).get("currentReplicas", 0)
    is_kept = ordinal - ordinals(stateful_set).start < kept
    revision = revisions.current if is_kept else revisions.update
    return new_pod(with_revision(stateful_set, revision), ordinal, revision["metadata"]["name"])
