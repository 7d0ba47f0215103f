"""PodDisruptionBudget: how many pods of a kind may be away at a time.

Kubernetes: pkg/apis/policy/validation and pkg/registry/policy/poddisruptionbudget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.apps.int_or_percent import positive_errors, share_errors
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.selectors import selector_errors
from localplane.catalog.validation.values import one_of

from .status import PodDisruptionBudgetStatusStrategy

_SPEC = Path("spec")
_POLICIES = ("AlwaysAllow", "IfHealthyBudget")
# How a selector of nothing is told from one of everything, which policy/v1beta1 had the other way round.
_OLD_LABEL = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"


class PodDisruptionBudgetStrategy(Strategy):
    validates_schema = False

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        _strip_old_label((obj.get("spec") or {}).get("selector"))

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return list(_spec_errors(obj.get("spec") or {}))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        selector = (obj.get("spec") or {}).get("selector")
        if selector != (old.get("spec") or {}).get("selector"):
            _strip_old_label(selector)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        known = (old.get("spec") or {}).get("selector")
        forgives = any(selector_errors(known, _SPEC))
        return list(_spec_errors(obj.get("spec") or {}, forgive_values=forgives))


def _strip_old_label(selector: JSONObject | None) -> None:
    """Alone it is kept, since it selects nothing; among others it would be wrong."""
    if not selector or selector == {"matchExpressions": [{"key": _OLD_LABEL, "operator": "Exists"}]}:
        return
    kept = [each for each in selector.pop("matchExpressions", ()) if each.get("key") != _OLD_LABEL]
    if kept:
        selector["matchExpressions"] = kept


def _spec_errors(spec: JSONObject, *, forgive_values: bool = False) -> Iterator[FieldError]:
    names = ("minAvailable", "maxUnavailable")
    if all(spec.get(name) is not None for name in names):
        yield invalid(_SPEC, _shown(spec), "minAvailable and maxUnavailable cannot be both set")
    for name in names:
        if spec.get(name) is not None:
            yield from positive_errors(spec[name], _SPEC / name)
            yield from share_errors(spec[name], _SPEC / name)
    yield from selector_errors(spec.get("selector"), _SPEC / "selector", forgive_values=forgive_values)
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None:
        yield from one_of(policy, _POLICIES, _SPEC / "unhealthyPodEvictionPolicy")


def _shown(spec: Mapping[str, Any]) -> JSONObject:
    """As Go prints the internal type."""
    return {
        "MinAvailable": spec.get("minAvailable"),
        "Selector": spec.get("selector"),
        "MaxUnavailable": spec.get("maxUnavailable"),
        "UnhealthyPodEvictionPolicy": spec.get("unhealthyPodEvictionPolicy"),
    }


def _cells(budget: JSONObject) -> list[Any]:
    """Kubernetes: pkg/printers/internalversion, printPodDisruptionBudget."""
    metadata, spec = budget.get("metadata") or {}, budget.get("spec") or {}
    shown = [str(spec.get(name, "N/A")) for name in ("minAvailable", "maxUnavailable")]
    allowed = (budget.get("status") or {}).get("disruptionsAllowed") or 0
    return [metadata.get("name", ""), *shown, allowed, age(metadata.get("creationTimestamp"))]


PODDISRUPTIONBUDGETS = builtin(
    "policy/poddisruptionbudgets",
    strategy=PodDisruptionBudgetStrategy(),
    status_strategy=PodDisruptionBudgetStatusStrategy,
    cells=_cells,
)
