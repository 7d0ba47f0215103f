"""Disruption budgets as an eviction sees them: which one guards a pod, and whether it has something left.

Kubernetes: pkg/registry/core/pod/storage/eviction.go (getPodDisruptionBudgets, checkAndDecrement).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from localplane.apimachinery.errors import APIError, Cause, Forbidden, TooManyRequests, resource_details
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.selectors.labels import InvalidSelector, selector_of
from localplane.apimachinery.times import now
from localplane.apiserver.registry import reads, update
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import ListOptions, Update, WriteOptions
from localplane.apiserver.request import Request
from localplane.catalog.policy.status import PodDisruptionBudgetStatusStrategy, tell_whether_disruption_is_allowed

_RESOURCE = GroupResource("policy", "poddisruptionbudget")
_MOST_PENDING = 2000
_CAUSE = "DisruptionBudget"
_WOULD_VIOLATE = "Cannot evict pod as it would violate the pod's disruption budget."


class Budgets:
    """`definition` finds the budgets' own, once they are served."""

    def __init__(self, definition: Callable[[], Definition]) -> None:
        self._definition = definition

    async def of_pod(self, request: Request, pod: JSONObject) -> list[JSONObject]:
        definition = self._definition()
        listed = await reads.list_objects(definition, request, ListOptions())
        budgets = [definition.converter.hub_of(stored) for stored in listed.items]
        labels = pod["metadata"].get("labels") or {}
        return [budget for budget in budgets if _selects(budget, labels)]

    async def take(self, request: Request, name: str, pod: str, *, dry_run: bool) -> None:
        """Count one disruption more, or raise why there may be none."""
        definition = self._definition()

        async def taken(old: JSONObject) -> JSONObject:
            check(old)
            budget: JSONObject = copied(old)
            status = budget["status"]
            status["disruptionsAllowed"] -= 1
            if not status["disruptionsAllowed"]:
                tell_whether_disruption_is_allowed(budget)
            status.setdefault("disruptedPods", {})[pod] = now()
            return budget

        await update.update(
            definition.with_strategy(PodDisruptionBudgetStatusStrategy(definition.strategy)),
            request,
            Update(name, taken, options=WriteOptions(dry_run=dry_run)),
        )


def _selects(budget: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    try:
        selector = selector_of((budget.get("spec") or {}).get("selector"))
    except (InvalidSelector, KeyError):
        return False
    return selector is not None and selector.matches(labels)


def check(budget: Mapping[str, Any]) -> None:
    """Raise why this budget allows no disruption, if it does not."""
    name, status = budget["metadata"]["name"], budget.get("status") or {}
    allowed = status.get("disruptionsAllowed") or 0
    if (status.get("observedGeneration") or 0) < (budget["metadata"].get("generation") or 0):
        raise being_processed(name)
    if allowed < 0:
        why = "pdb disruptions allowed is negative"
        raise _forbidden(name, why, why)
    if len(status.get("disruptedPods") or ()) > _MOST_PENDING:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _forbidden(name, why, "too many pending evictions not confirmed by PDB controller")
    if allowed == 0:
        raise TooManyRequests(_WOULD_VIOLATE, causes=(Cause(_CAUSE, _shortage(name, status)),))


def being_processed(name: str) -> APIError:
    """Nobody has counted yet what this budget stands for, or what has changed since."""
    cause = Cause(_CAUSE, f"The disruption budget {name} is still being processed by the server.")
    return TooManyRequests(_WOULD_VIOLATE, causes=(cause,), retry_after_seconds=10)


def _forbidden(name: str, why: str, told: str) -> Forbidden:
    cause = Cause(_CAUSE, f"The disruption budget {name} does not allow evicting pods currently: {told}")
    message = f"{_RESOURCE} {go_quote(name)} is forbidden: {why}"
    return Forbidden(message, details=resource_details(_RESOURCE, name), causes=(cause,))


def _shortage(name: str, status: Mapping[str, Any]) -> str:
    """The numbers say it, unless they could not be counted or there is more to it than numbers."""
    conditions = status.get("conditions") or ()
    found: Mapping[str, Any] = next((each for each in conditions if each.get("type") == "DisruptionAllowed"), {})
    refused = found.get("status") == "False" and found.get("message")
    denied = f"The disruption budget {name} does not allow evicting pods currently"
    if refused and found.get("reason") == "SyncFailed":
        return f"{denied} because it failed sync: {found['message']}"
    desired, current = status.get("desiredHealthy") or 0, status.get("currentHealthy") or 0
    if current <= desired:
        return f"The disruption budget {name} needs {desired} healthy pods and has {current} currently"
    return f"{denied} ({found.get('reason', '')}): {found['message']}" if refused else denied
