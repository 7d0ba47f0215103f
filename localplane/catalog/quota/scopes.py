"""Which objects a quota speaks of: `scopes` and `scopeSelector`.

Kubernetes: podMatchesScopeFunc and pvcMatchesScopeFunc in pkg/quota/v1/evaluator/core.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.catalog.core.pods.qos import BEST_EFFORT, qos_class

JSONObject = Mapping[str, Any]


def selectors_of(quota: JSONObject) -> Iterator[JSONObject]:
    """All of them as requirements; a bare scope is one that has to be there."""
    spec = quota.get("spec") or {}
    for scope in spec.get("scopes") or ():
        yield {"scopeName": scope, "operator": "Exists"}
    yield from (spec.get("scopeSelector") or {}).get("matchExpressions") or ()


def no_scope(_: JSONObject, __: JSONObject) -> bool:
    """Of kinds that are in no scope: a quota with scopes does not speak of them."""
    return False


def pod_scope(selector: JSONObject, pod: JSONObject) -> bool:
    spec = pod.get("spec") or {}
    match selector.get("scopeName"):
        case "Terminating":
            return is_terminating(pod)
        case "NotTerminating":
            return not is_terminating(pod)
        case "BestEffort":
            return qos_class(pod) == BEST_EFFORT
        case "NotBestEffort":
            return qos_class(pod) != BEST_EFFORT
        case "PriorityClass":
            return _selects(selector, {spec["priorityClassName"]} if spec.get("priorityClassName") else set())
        case "CrossNamespacePodAffinity":
            return any(map(_crosses_namespaces, _affinity_terms(spec.get("affinity") or {})))
        case _:
            return False


def claim_scope(selector: JSONObject, claim: JSONObject) -> bool:
    if selector.get("scopeName") != "VolumeAttributesClass":
        return False
    spec, status = claim.get("spec") or {}, claim.get("status") or {}
    target = (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName")
    names = (spec.get("volumeAttributesClassName"), status.get("currentVolumeAttributesClassName"), target)
    return _selects(selector, {name for name in names if name})


def is_terminating(pod: JSONObject) -> bool:
    """It has an end of its own."""
    deadline = (pod.get("spec") or {}).get("activeDeadlineSeconds")
    return deadline is not None and deadline >= 0


def _selects(selector: JSONObject, names: set[str]) -> bool:
    """As a label would be selected; of several names one is enough."""
    values = set(selector.get("values") or ())
    match selector.get("operator"):
        case "Exists":
            return bool(names)
        case "DoesNotExist":
            return not names
        case "In":
            return bool(names & values)
        case "NotIn":
            return not names or bool(names - values)
        case _:
            return False


def _affinity_terms(affinity: JSONObject) -> Iterator[JSONObject]:
    for which in ("podAffinity", "podAntiAffinity"):
        rules = affinity.get(which) or {}
        yield from rules.get("requiredDuringSchedulingIgnoredDuringExecution") or ()
        for weighted in rules.get("preferredDuringSchedulingIgnoredDuringExecution") or ():
            yield weighted.get("podAffinityTerm") or {}


def _crosses_namespaces(term: JSONObject) -> bool:
    return bool(term.get("namespaces")) or term.get("namespaceSelector") is not None
