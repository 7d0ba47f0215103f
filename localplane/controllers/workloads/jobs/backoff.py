"""How long a job waits before it replaces a pod that failed: 10 seconds, and twice as long after each failure that no
success came after, up to 10 minutes.

Kubernetes: pkg/controller/job/backoff_utils.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.pods import condition

from .terms import all_index_failures, moment_of

_FIRST: Final = timedelta(seconds=10)
_LONGEST: Final = timedelta(minutes=10)
_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Failures:
    """How many pods failed since one succeeded, and when the last of them did."""

    count: int = 0
    last: datetime | None = None

    def after(self, succeeded: Iterable[JSONObject], failed: Iterable[JSONObject]) -> Failures:
        """What is known when these pods have ended too."""
        successes = [finish_time(pod) for pod in succeeded]
        failures = [finish_time(pod) for pod in failed]
        if successes:
            last_success = max(successes)
            later = [moment for moment in failures if moment > last_success]
            return Failures(len(later), max(later, default=None))
        if not failures:
            return self
        return replace(self, count=self.count + len(failures), last=max(failures))

    def remaining(self, moment: datetime) -> timedelta:
        """How long a new pod has to wait; zero if it has not."""
        if not self.count or self.last is None:
            return timedelta(0)
        doublings = min(self.count - 1, 16)  # a few are more than the longest pause
        pause = min(_LONGEST, _FIRST * (1 << doublings))
        return max(timedelta(0), pause - (moment - self.last))


def index_failures_of(pod: Mapping[str, Any] | None) -> Failures:
    """The same for one index, where the last pod that failed there knows of those before it."""
    return Failures() if pod is None else Failures(all_index_failures(pod) + 1, finish_time(pod))


def finish_time(pod: Mapping[str, Any]) -> datetime:
    """When its containers ended, or it ceased to be ready, or was deleted, or was made: what of these is known."""
    return _of_containers(pod) or _of_readiness(pod) or _of_deletion(pod) or _created(pod)


def _of_containers(pod: Mapping[str, Any]) -> datetime | None:
    """The last of them, if all have ended; what runs beside them ends later than they do."""
    status = pod.get("status") or {}
    lasting = {
        container["name"]
        for container in (pod.get("spec") or {}).get("initContainers") or ()
        if container.get("restartPolicy") == "Always"
    }
    states = [container.get("state") or {} for container in status.get("containerStatuses") or ()]
    states += [
        container.get("state") or {}
        for container in status.get("initContainerStatuses") or ()
        if container.get("name") in lasting
    ]
    ends = [moment_of((state.get("terminated") or {}).get("finishedAt")) for state in states]
    known = [end for end in ends if end is not None]
    return max(known) if known and len(known) == len(ends) else None


def _of_readiness(pod: Mapping[str, Any]) -> datetime | None:
    ready = condition(pod, "Ready")
    if ready is None or ready.get("status") != "False":
        return None
    return moment_of(ready.get("lastTransitionTime"))


def _of_deletion(pod: Mapping[str, Any]) -> datetime | None:
    metadata = pod["metadata"]
    deleted = moment_of(metadata.get("deletionTimestamp"))
    if deleted is None:
        return None
    return deleted - timedelta(seconds=metadata.get("deletionGracePeriodSeconds") or 0)


def _created(pod: Mapping[str, Any]) -> datetime:
    return moment_of(pod["metadata"].get("creationTimestamp")) or _LONG_AGO
