"""What is said of a budget: by a controller that counts, and by evictions. Kubernetes: the status strategy of
pkg/registry/policy/poddisruptionbudget; component-helpers/apps/poddisruptionbudget, UpdateDisruptionAllowedCondition.
"""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.fieldpath import FieldError, collected
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.request import Request
from localplane.catalog.strategy import STATUS, BuiltinStatusStrategy
from localplane.catalog.validation.conditions import CONDITIONS, set_condition
from localplane.catalog.validation.rules import All, Counts, Fields


class PodDisruptionBudgetStatusStrategy(BuiltinStatusStrategy):
    """Only the spec is out of its reach."""

    rules = All(
        Fields(conditions=CONDITIONS),
        Counts("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
    )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        """Metadata is not asked."""
        return collected(self.rules(obj.get("status") or {}, STATUS))


def tell_whether_disruption_is_allowed(budget: JSONObject) -> None:
    """In place, from the number that is left."""
    status = budget["status"]
    allowed = (status.get("disruptionsAllowed") or 0) > 0
    condition: JSONObject = {
        "type": "DisruptionAllowed",
        "reason": "SufficientPods" if allowed else "InsufficientPods",
        "status": "True" if allowed else "False",
    }
    if status.get("observedGeneration"):
        condition["observedGeneration"] = status["observedGeneration"]
    set_condition(status.setdefault("conditions", []), condition)
