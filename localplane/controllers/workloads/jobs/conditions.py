"""The conditions in a job's status: a job that is to end says so first, and has ended when all its pods are counted.

Kubernetes: pkg/controller/job/job_controller.go, newCondition and ensureJobConditionStatus.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time

# The first two announce the end, which the other two are.
SUCCESS_CRITERIA_MET: Final = "SuccessCriteriaMet"
FAILURE_TARGET: Final = "FailureTarget"
COMPLETE: Final = "Complete"
FAILED: Final = "Failed"
SUSPENDED: Final = "Suspended"


def new_condition(kind: str, status: str, reason: str, message: str, moment: datetime) -> JSONObject:
    time = format_time(moment)
    return {
        "type": kind,
        "status": status,
        "lastProbeTime": time,
        "lastTransitionTime": time,
        "reason": reason,
        "message": message,
    }


def of_kind(condition: Mapping[str, Any], kind: str, moment: datetime) -> JSONObject:
    """The same reason and message, said by a condition of another type that is true."""
    return new_condition(kind, "True", condition.get("reason", ""), condition.get("message", ""), moment)


def ensure_condition(status: JSONObject, condition: JSONObject) -> bool:
    """Put it in the place of the one of its type; whether that changed anything. That something is not so need not be
    said if it was never so."""
    conditions: list[JSONObject] = status.setdefault("conditions", [])
    for place, present in enumerate(conditions):
        if present.get("type") == condition["type"]:
            if all(present.get(key) == condition[key] for key in ("status", "reason", "message")):
                return False
            conditions[place] = condition
            return True
    if condition["status"] == "False":
        return False
    conditions.append(condition)
    return True
