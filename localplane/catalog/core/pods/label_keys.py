"""Label keys of affinities and spread constraints, turned into requirements with the values that the pod has.

Kubernetes: pkg/registry/core/pod, mutatePodAffinity and mutateTopologySpreadConstraints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def apply_label_keys(pod: dict[str, Any]) -> None:
    """In place, when a pod is created: its labels may change later, the requirements don't."""
    labels = (pod.get("metadata") or {}).get("labels") or {}
    spec = pod.get("spec") or {}
    for term in (*_affinity_terms(spec.get("affinity") or {}), *(spec.get("topologySpreadConstraints") or ())):
        selector = term.get("labelSelector")
        if selector is None:
            continue  # it selects nothing, and would go on doing so
        _require(selector, term.get("matchLabelKeys") or (), "In", labels)
        _require(selector, term.get("mismatchLabelKeys") or (), "NotIn", labels)


def _affinity_terms(affinity: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(name) or {}
        yield from (each.get("podAffinityTerm") or {} for each in terms.get(_PREFERRED) or ())
        yield from terms.get(_REQUIRED) or ()


def _require(selector: dict[str, Any], keys: Any, operator: str, labels: Mapping[str, str]) -> None:
    for key in keys:
        if key in labels:
            requirement = {"key": key, "operator": operator, "values": [labels[key]]}
            selector.setdefault("matchExpressions", []).append(requirement)
