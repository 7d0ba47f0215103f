"""A pod's conditions, found and set. Kubernetes: pkg/api/pod, UpdatePodCondition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.times import now


def condition_of(pod: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each.get("type") == kind), None)


def is_true(pod: Mapping[str, Any], kind: str) -> bool:
    """Whether the first condition of a kind says so."""
    return (condition_of(pod, kind) or {}).get("status") == "True"


def set_condition(pod: dict[str, Any], kind: str, status: str, *, reason: str = "", message: str = "") -> None:
    """In place. A condition that keeps its status keeps the time of its last transition."""
    conditions: list[dict[str, Any]] = pod.setdefault("status", {}).setdefault("conditions", [])
    new: dict[str, Any] = {"type": kind, "status": status, "lastProbeTime": None, "lastTransitionTime": now()}
    new |= {name: value for name, value in (("reason", reason), ("message", message)) if value}
    for index, old in enumerate(conditions):
        if old.get("type") == kind:
            if old.get("status") == status:
                new["lastTransitionTime"] = old.get("lastTransitionTime")
            conditions[index] = new
            return
    conditions.append(new)
