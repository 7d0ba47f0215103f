"""Whether a budget allows disruptions, as its condition tells it.

Kubernetes: k8s.io/component-helpers/apps/poddisruptionbudget, UpdateDisruptionAllowedCondition.
"""

from __future__ import annotations

from typing import Any

from localplane.catalog.validation.conditions import set_condition


def tell_whether_disruption_is_allowed(budget: dict[str, Any]) -> None:
    """In place, from the number that is left."""
    status = budget["status"]
    allowed = (status.get("disruptionsAllowed") or 0) > 0
    condition: dict[str, Any] = {
        "type": "DisruptionAllowed",
        "reason": "SufficientPods" if allowed else "InsufficientPods",
        "status": "True" if allowed else "False",
    }
    if status.get("observedGeneration"):
        condition["observedGeneration"] = status["observedGeneration"]
    set_condition(status.setdefault("conditions", []), condition)
