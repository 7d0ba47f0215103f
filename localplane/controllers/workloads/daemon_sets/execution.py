"""Making and deleting the pods that a plan names. Kubernetes: pkg/controller/daemon/daemon_controller.go, syncNodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from localplane.apimachinery.clock import elapsed
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import SharedInformer, object_key
from localplane.controllers.events import EventRecorder
from localplane.controllers.pods import PodControl, SlowStartFailed, phase, slow_start
from localplane.controllers.unseen_writes import UnseenWrites
from localplane.controllers.worker import together
from localplane.controllers.workloads.expectations import Expectations

from .placement import new_pod, node_of
from .plan import Plan

_AT_ONCE: Final = 250
"""More pods are made or deleted only when these were seen."""

_FIRST: Final = 1.0
_LONGEST: Final = 15 * 60.0
_FORGOTTEN_AFTER: Final = 2 * _LONGEST
_SWEEP_EVERY: Final = 60.0


@dataclass(slots=True)
class _Entry:
    delay: float
    at: float


class FailedPodsBackoff:
    """How long a daemon that fails on a node stays there before it is replaced, so that nobody fights with a kubelet
    that refuses it: a second, and twice as long each time. By any key; `clock` counts seconds. Kubernetes:
    client-go/util/flowcontrol/backoff.go."""

    def __init__(self, *, clock: Callable[[], float] = elapsed) -> None:
        self._clock = clock
        self._entries: dict[str, _Entry] = {}
        self._swept = clock()

    def delay(self, key: str) -> timedelta | None:
        """What there is to wait, or None if it may be replaced; then the next will have to wait for longer."""
        now = self._clock()
        self._sweep(now)
        entry = self._entries.get(key)
        if entry is None or now - entry.at > _FORGOTTEN_AFTER:
            self._entries[key] = _Entry(_FIRST, now)
            return None
        if (left := entry.at + entry.delay - now) > 0:
            return timedelta(seconds=left)
        entry.delay, entry.at = min(2 * entry.delay, _LONGEST), now
        return None

    def _sweep(self, now: float) -> None:
        if now - self._swept >= _SWEEP_EVERY:
            self._swept = now
            kept = {key: entry for key, entry in self._entries.items() if now - entry.at <= _FORGOTTEN_AFTER}
            self._entries = kept


class Execution:
    def __init__(
        self,
        control: PodControl,
        pods: SharedInformer,
        events: EventRecorder,
        expectations: Expectations,
        written: UnseenWrites,
    ) -> None:
        self._control = control
        self._pods = pods
        self._events = events
        self._expectations = expectations
        self._written = written
        self._backoff = FailedPodsBackoff()

    def ended_to_go(
        self, daemon_set: JSONObject, ended: Sequence[JSONObject], later: Callable[[timedelta], None]
    ) -> list[JSONObject]:
        """Those of the pods that have ended that may be replaced now; `later` is told when to look for the others."""
        to_go = []
        for pod in ended:
            name, node = object_key(pod), node_of(pod)
            if phase(pod) == "Succeeded":
                message = f"Found succeeded daemon pod {name} on node {node}, will try to delete it"
                self._events.normal(daemon_set, "SucceededDaemonPod", message)
            elif (delay := self._backoff.delay(_backoff_key(daemon_set, node))) is not None:
                later(delay)
                continue
            else:
                message = f"Found failed daemon pod {name} on node {node}, will try to kill it"
                self._events.warn(daemon_set, "FailedDaemonPod", message)
            to_go.append(pod)
        return to_go

    async def carry_out(self, daemon_set: JSONObject, plan: Plan, revision_hash: str) -> None:
        """Raises the first APIError, after all was tried that made sense."""
        key, nodes, pods = object_key(daemon_set), plan.nodes[:_AT_ONCE], plan.pods[:_AT_ONCE]
        uids = [pod["metadata"]["uid"] for pod in pods]
        self._expectations.expect(key, creations=len(nodes), deletions=uids)

        async def create(index: int) -> None:
            created = await self._control.create(new_pod(daemon_set, nodes[index], revision_hash), daemon_set)
            self._written.wrote(key, self._pods, created)

        refusals: list[APIError] = []
        try:
            await slow_start(len(nodes), create)
        except SlowStartFailed as failed:
            self._expectations.created(key, len(nodes) - failed.made)
            refusals.append(failed.error)
        refusals += filter(None, await together(self._deletion(daemon_set, pod) for pod in pods))
        if refusals:
            raise refusals[0]

    async def _deletion(self, daemon_set: JSONObject, pod: JSONObject) -> APIError | None:
        """Why it could not be deleted; that it is gone is no reason."""
        try:
            await self._control.delete(pod, daemon_set)
        except APIError as error:
            self._expectations.deleted(object_key(daemon_set), pod["metadata"]["uid"])
            return None if isinstance(error, NotFound) else error
        return None


def _backoff_key(daemon_set: JSONObject, node: str | None) -> str:
    observed = (daemon_set.get("status") or {}).get("observedGeneration", 0)
    return f"{daemon_set['metadata']['uid']}/{observed}/{node}"
