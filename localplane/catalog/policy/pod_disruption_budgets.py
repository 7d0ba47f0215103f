"""PodDisruptionBudget: how many pods of a kind may be away at a time.

Kubernetes: pkg/apis/policy/validation and pkg/registry/policy/poddisruptionbudget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.apps.int_or_percent import positive_errors, share_errors
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import All, Fields, OneOf
from localplane.catalog.validation.selectors import selector_errors

from .status import PodDisruptionBudgetStatusStrategy

_SPEC = Path("spec")
# How a selector of nothing is told from one of everything, which policy/v1beta1 had the other way round.
_OLD_LABEL = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"


def _only_one_limit(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        yield invalid(path, _shown(spec), "minAvailable and maxUnavailable cannot be both set")


_LIMIT = All(positive_errors, share_errors)
_LIMITS = All(_only_one_limit, Fields(minAvailable=_LIMIT, maxUnavailable=_LIMIT))
_EVICTION_POLICY = Fields(unhealthyPodEvictionPolicy=OneOf("AlwaysAllow", "IfHealthyBudget"))


class PodDisruptionBudgetStrategy(BuiltinStrategy):
    on_update = (Asked.RULES,)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        _strip_old_label((obj.get("spec") or {}).get("selector"))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        selector = (obj.get("spec") or {}).get("selector")
        if selector != (old.get("spec") or {}).get("selector"):
            _strip_old_label(selector)

    def metadata_errors(self, obj: JSONObject) -> list[FieldError]:
        """Nothing but what the server asks of all objects."""
        return []

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        spec, before = obj.get("spec") or {}, (old or {}).get("spec") or {}
        forgive = any(selector_errors(before.get("selector"), _SPEC))
        yield from _LIMITS(spec, _SPEC)
        yield from selector_errors(spec.get("selector"), _SPEC / "selector", forgive_values=forgive)
        yield from _EVICTION_POLICY(spec, _SPEC)


def _strip_old_label(selector: JSONObject | None) -> None:
    """Alone it is kept, since it selects nothing; among others it would be wrong."""
    if not selector or selector == {"matchExpressions": [{"key": _OLD_LABEL, "operator": "Exists"}]}:
        return
    kept = [label for label in selector.pop("matchExpressions", ()) if label.get("key") != _OLD_LABEL]
    if kept:
        selector["matchExpressions"] = kept


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


POD_DISRUPTION_BUDGETS = builtin(
    "policy/poddisruptionbudgets",
    strategy=PodDisruptionBudgetStrategy(),
    status_strategy=PodDisruptionBudgetStatusStrategy,
    cells=_cells,
)
