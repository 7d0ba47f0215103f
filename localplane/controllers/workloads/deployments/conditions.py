"""The conditions of a deployment. Kubernetes: pkg/controller/deployment/util."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now

AVAILABLE: Final = "Available"
PROGRESSING: Final = "Progressing"
REPLICA_FAILURE: Final = "ReplicaFailure"

MINIMUM_AVAILABLE: Final = "MinimumReplicasAvailable"
MINIMUM_UNAVAILABLE: Final = "MinimumReplicasUnavailable"
NEW_CREATED: Final = "NewReplicaSetCreated"
NEW_FOUND: Final = "FoundNewReplicaSet"
NEW_AVAILABLE: Final = "NewReplicaSetAvailable"
UPDATED: Final = "ReplicaSetUpdated"
CREATE_FAILED: Final = "ReplicaSetCreateError"
TIMED_OUT: Final = "ProgressDeadlineExceeded"
PAUSED: Final = "DeploymentPaused"
RESUMED: Final = "DeploymentResumed"

_NO_DEADLINE: Final = 2**31 - 1


def has_deadline(deployment: JSONObject) -> bool:
    """Without one, nobody tells of progress."""
    deadline = deployment["spec"].get("progressDeadlineSeconds")
    return deadline is not None and deadline != _NO_DEADLINE


def new_condition(kind: str, status: str, reason: str, message: str) -> JSONObject:
    moment = now()
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": moment,
        "lastTransitionTime": moment,
        "reason": reason,
        "message": message,
    }


def conditions_of(deployment: JSONObject) -> list[JSONObject]:
    return list((deployment.get("status") or {}).get("conditions") or ())


def condition_in(conditions: Iterable[JSONObject], kind: str) -> JSONObject | None:
    return next((condition for condition in conditions if condition.get("type") == kind), None)


def with_condition(conditions: Iterable[JSONObject], condition: JSONObject) -> list[JSONObject]:
    """The same status for the same reason stays as it was; the same status keeps the time since when it is so."""
    conditions = list(conditions)
    before = condition_in(conditions, condition["type"])
    if before is not None and before.get("status") == condition["status"]:
        if before.get("reason") == condition["reason"]:
            return conditions
        condition = condition | {"lastTransitionTime": before.get("lastTransitionTime")}
    return [*without_condition(conditions, condition["type"]), condition]


def without_condition(conditions: Iterable[JSONObject], kind: str) -> list[JSONObject]:
    return [condition for condition in conditions if condition.get("type") != kind]
