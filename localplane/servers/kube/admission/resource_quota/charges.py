"""What a write costs. Kubernetes: CheckRequest in apiserver/pkg/admission/plugin/resourcequota/controller.go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import ZERO
from localplane.apis.amounts import add, read
from localplane.apiserver.admission import Attributes, Operation
from localplane.catalog.quota import EVALUATORS, Amounts, Evaluator, counting
from localplane.catalog.quota.evaluators import compute_usage
from localplane.servers.kube.admission.plugin import CLAIMS, PODS, refused, spec, written

_SERVICES: Final = GroupResource("", "services")
_BY_RESOURCE: Final = {evaluator.resource: evaluator for evaluator in EVALUATORS}
_MUST_BE_SAID: Final = frozenset(
    {f"{prefix}{name}" for prefix in ("", "requests.", "limits.") for name in ("cpu", "memory")}
)


@dataclass(frozen=True, slots=True)
class Charge:
    """What a quota's `used` becomes."""

    quota: JSONObject
    used: Amounts


def evaluator_of(resource: GroupResource) -> Evaluator:
    return _BY_RESOURCE.get(resource) or counting(resource)


def may_cost(operation: Operation, resource: GroupResource) -> bool:
    """Most kinds are counted, so that only their creation costs anything."""
    return operation is Operation.CREATE or resource in (PODS, _SERVICES, CLAIMS)


def is_measured(attributes: Attributes) -> bool:
    """Whether this write can change what is used. Kubernetes: Handles of the evaluators."""
    resource, subresource = attributes.resource, attributes.subresource
    if attributes.operation is Operation.CREATE:
        return not subresource
    if resource == PODS:
        return subresource == "resize" or (not subresource and _changes_scope(attributes))
    return not subresource or (resource == CLAIMS and subresource == "status")


def _changes_scope(attributes: Attributes) -> bool:
    """From pods that end by themselves to those that don't, or back."""
    return _is_terminating(written(attributes)) != _is_terminating(attributes.old_object or {})


def _is_terminating(pod: JSONObject) -> bool:
    deadline = (pod.get("spec") or {}).get("activeDeadlineSeconds")
    return deadline is not None and deadline >= 0


def charges(quotas: Sequence[JSONObject], attributes: Attributes) -> list[Charge]:
    """Of all quotas that the write costs something. Raises Forbidden if one of them has no room for it."""
    evaluator, obj = evaluator_of(attributes.resource), written(attributes)
    concerned = [quota for quota in quotas if _matches(evaluator, quota, obj)]
    if not concerned:
        return []
    for quota in concerned:
        _check_is_known(evaluator, quota, attributes)
    usage = evaluator.usage(obj)
    negative = sorted(name for name, amount in usage.items() if amount < ZERO)
    if negative:
        raise refused(attributes, f"quota usage is negative for resource(s): {','.join(negative)}")
    found = (_charge(quota, _cost(evaluator, quota, usage, attributes), attributes) for quota in concerned)
    return [charge for charge in found if charge is not None]


def _matches(evaluator: Evaluator, quota: JSONObject, obj: JSONObject) -> bool:
    return bool(evaluator.matching(_status(quota, "hard"))) and evaluator.is_counted(quota, obj)


def _check_is_known(evaluator: Evaluator, quota: JSONObject, attributes: Attributes) -> None:
    """A pod must say what is limited, and the controller must have said what is used."""
    name, limited = quota["metadata"]["name"], evaluator.matching(_status(quota, "hard"))
    if attributes.resource == PODS:
        missing = _unsaid(spec(written(attributes)), limited)
        if missing:
            raise refused(attributes, f"failed quota: {name}: must specify {missing}")
    if not _status(quota, "used").keys() >= set(limited):
        raise refused(attributes, f"status unknown for quota: {name}, resources: {','.join(sorted(limited))}")


def _unsaid(pod: JSONObject, limited: Iterable[str]) -> str:
    resources = pod.get("resources") or {}
    if resources.get("requests") or resources.get("limits"):
        return ""  # it is said for the pod as a whole
    needed = _MUST_BE_SAID.intersection(limited)
    silent: dict[str, set[str]] = {}
    for container in (*(pod.get("containers") or ()), *(pod.get("initContainers") or ())):
        given = container.get("resources") or {}
        for name in needed - compute_usage(read(given.get("requests")), read(given.get("limits"))).keys():
            silent.setdefault(name, set()).add(container.get("name", ""))
    return "; ".join(f"{name} for: {','.join(sorted(silent[name]))}" for name in sorted(silent))


def _cost(evaluator: Evaluator, quota: JSONObject, usage: Amounts, attributes: Attributes) -> Amounts:
    """Of an update only what is more than before, if the quota was charged with that."""
    old = attributes.old_object
    if attributes.operation is not Operation.UPDATE or old is None or not evaluator.is_counted(quota, old):
        return usage
    before = evaluator.usage(old)
    return {name: max(amount - before.get(name, ZERO), ZERO) for name, amount in usage.items()}


def _charge(quota: JSONObject, cost: Amounts, attributes: Attributes) -> Charge | None:
    hard, used = read(_status(quota, "hard")), read(_status(quota, "used"))
    requested = {name: amount for name, amount in cost.items() if amount != ZERO and name in hard}
    if not requested:
        return None
    after = dict(used)
    add(after, requested)
    exceeded = [name for name in sorted(requested) if after[name] > hard[name]]
    if exceeded and attributes.subresource != "status":
        told = (
            f"{word}: {_listed(amounts, exceeded)}"
            for word, amounts in (("requested", requested), ("used", used), ("limited", hard))
        )
        raise refused(attributes, f"exceeded quota: {quota['metadata']['name']}, {', '.join(told)}")
    return Charge(quota, after)


def _listed(amounts: Amounts, names: Sequence[str]) -> str:
    return ",".join(f"{name}={amounts[name]}" for name in names if name in amounts)


def _status(quota: JSONObject, field: str) -> Mapping[str, Any]:
    return (quota.get("status") or {}).get(field) or {}
