"""What a controller may say of a budget. Kubernetes: pkg/registry/policy/poddisruptionbudget, its status strategy."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.fieldpath import FieldError, Path
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.validation.conditions import CONDITIONS
from localplane.catalog.validation.values import not_negative

_STATUS = Path("status")
_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


class PodDisruptionBudgetStatusStrategy(StatusStrategy):
    """Only the spec is out of its reach."""

    def __init__(self, main: Strategy) -> None:
        super().__init__(main, changes_metadata=True)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        status = obj.get("status") or {}
        errors = list(CONDITIONS(status.get("conditions") or (), _STATUS / "conditions"))
        for name in _COUNTS:
            errors += not_negative(status.get(name), _STATUS / name)
        return errors
