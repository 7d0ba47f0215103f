"""What a deployment's status says, from what its replica sets say: how many pods there are, and whether a rollout gets
on, is done, or has taken too long.

Kubernetes: pkg/controller/deployment/sync.go, calculateStatus, and progress.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidTime, parse_time

from .conditions import (
    AVAILABLE,
    MINIMUM_AVAILABLE,
    MINIMUM_UNAVAILABLE,
    NEW_AVAILABLE,
    PROGRESSING,
    REPLICA_FAILURE,
    TIMED_OUT,
    UPDATED,
    condition_in,
    conditions_of,
    has_deadline,
    new_condition,
    with_condition,
    without_condition,
)
from .limits import max_unavailable, replicas, told, total
from .rollout import Rollout

_POINTERS: Final = frozenset({"terminatingReplicas", "collisionCount"})
_SKEW: Final = timedelta(seconds=1)
"""Moments in a status have no fractions of seconds."""


def calculated_status(rollout: Rollout) -> JSONObject:
    """In the form of the wire. Conditions are those that there were, and whether enough pods are available."""
    deployment, everything = rollout.deployment, rollout.all
    available = told(everything, "availableReplicas")
    status: JSONObject = {
        "observedGeneration": deployment["metadata"].get("generation", 0),
        "replicas": told(everything, "replicas"),
        "updatedReplicas": told([rollout.new], "replicas") if rollout.new is not None else 0,
        "readyReplicas": told(everything, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, total(everything) - available),
        "terminatingReplicas": _terminating(everything),
        "collisionCount": (deployment.get("status") or {}).get("collisionCount"),
        "conditions": with_condition(conditions_of(deployment), _availability(deployment, available)),
    }
    return as_on_the_wire(status)


def as_on_the_wire(status: Mapping[str, Any]) -> JSONObject:
    """Without what is zero, but for what may say zero in contrast to nothing."""
    return {key: value for key, value in status.items() if value or (key in _POINTERS and value is not None)}


def is_complete(deployment: JSONObject, status: Mapping[str, Any]) -> bool:
    """All pods that are wanted are new and available, and there are no others."""
    desired = replicas(deployment)
    counts = (status.get(name, 0) for name in ("updatedReplicas", "replicas", "availableReplicas"))
    is_seen = status.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 0)
    return is_seen and all(count == desired for count in counts)


def _availability(deployment: JSONObject, available: int) -> JSONObject:
    if available >= replicas(deployment) - max_unavailable(deployment):
        return new_condition(AVAILABLE, "True", MINIMUM_AVAILABLE, "Deployment has minimum availability.")
    return new_condition(AVAILABLE, "False", MINIMUM_UNAVAILABLE, "Deployment does not have minimum availability.")


def _terminating(replica_sets: Iterable[JSONObject]) -> int | None:
    """None if a replica set does not tell it, though its controller has seen it."""
    count = 0
    for replica_set in replica_sets:
        status = replica_set.get("status") or {}
        terminating = status.get("terminatingReplicas")
        if terminating is None and status.get("observedGeneration"):
            return None
        count += terminating or 0
    return count


def rollout_status(rollout: Rollout, moment: datetime | None = None) -> JSONObject:
    """The status, with what there is to say about progress and failures."""
    status = calculated_status(rollout)
    conditions = _with_progress(rollout, status, moment or present())
    if (failure := _failure(rollout)) is not None:
        conditions = with_condition(conditions, failure)
    else:
        conditions = without_condition(conditions, REPLICA_FAILURE)
    return as_on_the_wire(status | {"conditions": conditions})


def next_check(deployment: JSONObject, status: Mapping[str, Any], moment: datetime | None = None) -> timedelta | None:
    """How long until a rollout that stands still has taken too long; None if that can't be."""
    current = condition_in(conditions_of(deployment), PROGRESSING)
    if current is None or not has_deadline(deployment) or is_complete(deployment, status):
        return None
    if current.get("reason") == TIMED_OUT or (deadline := _deadline(deployment, current)) is None:
        return None
    return max(deadline - (moment or present()), timedelta(0)) + _SKEW


def _with_progress(rollout: Rollout, status: JSONObject, moment: datetime) -> list[JSONObject]:
    deployment, conditions = rollout.deployment, list(status["conditions"])
    if not has_deadline(deployment):
        return without_condition(conditions, PROGRESSING)
    current = condition_in(conditions_of(deployment), PROGRESSING)
    is_old_news = current is not None and current.get("reason") == NEW_AVAILABLE
    if is_old_news and status.get("replicas", 0) == status.get("updatedReplicas", 0):
        return conditions
    if is_complete(deployment, status):
        return with_condition(conditions, _progress(rollout, "True", NEW_AVAILABLE, "has successfully progressed."))
    if _gets_on(deployment.get("status") or {}, status):
        news = _progress(rollout, "True", UPDATED, "is progressing.")
        if current is not None and current.get("status") == "True":
            news["lastTransitionTime"] = current.get("lastTransitionTime")
        return [*without_condition(conditions, PROGRESSING), news]
    if _has_timed_out(deployment, condition_in(conditions, PROGRESSING), moment):
        return with_condition(conditions, _progress(rollout, "False", TIMED_OUT, "has timed out progressing."))
    return conditions


def _progress(rollout: Rollout, status: str, reason: str, what: str) -> JSONObject:
    if rollout.new is not None:
        subject = f'ReplicaSet "{rollout.new["metadata"]["name"]}"'
    else:
        subject = f'Deployment "{rollout.deployment["metadata"]["name"]}"'
    return new_condition(PROGRESSING, status, reason, f"{subject} {what}")


def _gets_on(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """There are more new pods, fewer old ones, or more that are ready or available."""

    def old_replicas(status: Mapping[str, Any]) -> int:
        return int(status.get("replicas", 0) - status.get("updatedReplicas", 0))

    grows = ("updatedReplicas", "readyReplicas", "availableReplicas")
    return any(after.get(name, 0) > before.get(name, 0) for name in grows) or old_replicas(after) < old_replicas(before)


def _has_timed_out(deployment: JSONObject, current: JSONObject | None, moment: datetime) -> bool:
    if (
        current is None or current.get("reason") == NEW_AVAILABLE
    ):  # nothing to measure from, or what began is not told yet
        return False
    if current.get("reason") == TIMED_OUT:
        return True
    deadline = _deadline(deployment, current)
    return deadline is not None and deadline < moment


def _deadline(deployment: JSONObject, current: JSONObject) -> datetime | None:
    try:
        since = parse_time(current.get("lastUpdateTime") or "")
    except InvalidTime:
        return None
    return since + timedelta(seconds=deployment["spec"]["progressDeadlineSeconds"])


def _failure(rollout: Rollout) -> JSONObject | None:
    """What a replica set could not do, the new one's before those of others."""
    for replica_set in ([rollout.new] if rollout.new is not None else []) + rollout.old:
        failure = condition_in((replica_set.get("status") or {}).get("conditions") or (), REPLICA_FAILURE)
        if failure is not None:
            return {
                "type": REPLICA_FAILURE,
                "status": failure.get("status"),
                "lastUpdateTime": failure.get("lastTransitionTime"),
                "lastTransitionTime": failure.get("lastTransitionTime"),
                "reason": failure.get("reason", ""),
                "message": failure.get("message", ""),
            }
    return None
