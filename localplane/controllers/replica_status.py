"""What the status of a replica set or replication controller says of its pods.

Kubernetes: pkg/controller/replicaset/replica_set_utils.go, calculateStatus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.labels import from_labels
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apimachinery.times import format_time

from .pods import condition, is_available, is_ready

_FAILURE: Final = "ReplicaFailure"


@dataclass(frozen=True, slots=True)
class OwnedPods:
    """`terminating` is None if the kind does not tell it."""

    active: Sequence[JSONObject]
    terminating: int | None


@dataclass(slots=True)
class _Counts:
    labelled: int = 0
    ready: int = 0
    available: int = 0


async def replica_status(
    owner: Mapping[str, Any], pods: OwnedPods, failure: Exception | None, moment: datetime
) -> JSONObject:
    """In the form of the wire: what is zero is left out, but for the replicas. `failure` is why pods could not be made
    or deleted."""
    counts = await _counts(owner, pods.active, moment)
    told = {
        "fullyLabeledReplicas": counts.labelled,
        "readyReplicas": counts.ready,
        "availableReplicas": counts.available,
        "observedGeneration": owner["metadata"].get("generation", 0),
    }
    status: JSONObject = {"replicas": len(pods.active)} | {name: count for name, count in told.items() if count}
    if pods.terminating is not None:
        status["terminatingReplicas"] = pods.terminating
    if conditions := _conditions(owner, len(pods.active), failure, moment):
        status["conditions"] = conditions
    return status


async def _counts(owner: Mapping[str, Any], pods: Sequence[JSONObject], moment: datetime) -> _Counts:
    spec, counts, slices = owner["spec"], _Counts(), TimeSlices()
    min_ready = timedelta(seconds=spec.get("minReadySeconds") or 0)
    is_labelled = from_labels((spec["template"].get("metadata") or {}).get("labels") or {}).matches
    for pod in pods:
        if slices.is_over:
            await slices.next()
        counts.labelled += is_labelled(pod["metadata"].get("labels") or {})
        if is_ready(pod):
            counts.ready += 1
            counts.available += is_available(pod, min_ready, moment)
    return counts


def _conditions(
    owner: Mapping[str, Any], replicas: int, failure: Exception | None, moment: datetime
) -> list[JSONObject]:
    """A failure that goes on keeps its first words."""
    conditions: list[JSONObject] = (owner.get("status") or {}).get("conditions") or []
    if failure is None:
        return [each for each in conditions if each.get("type") != _FAILURE]
    if condition(owner, _FAILURE) is not None:
        return conditions
    surplus = replicas - owner["spec"].get("replicas", 1)
    why: JSONObject = {"type": _FAILURE, "status": "True", "lastTransitionTime": format_time(moment)}
    if surplus:
        why["reason"] = "FailedCreate" if surplus < 0 else "FailedDelete"
    why["message"] = str(failure)
    return [*conditions, why]
