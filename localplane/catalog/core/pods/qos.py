"""The quality of service that a pod's requests and limits amount to. Kubernetes: pkg/apis/core/helper/qos."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from localplane.apimachinery.quantity import ZERO, Quantity, parse

BEST_EFFORT, BURSTABLE, GUARANTEED = "BestEffort", "Burstable", "Guaranteed"

_COUNTED = ("cpu", "memory")
_AT_POD_LEVEL = ("cpu", "memory", "hugepages-")


def qos_class(pod: Mapping[str, Any]) -> str:
    """The pod's own resources decide if it has any, else those of its containers together."""
    spec = pod.get("spec") or {}
    if has_pod_level_resources(spec):
        return _of_requirements(spec["resources"])
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return _agreed(_of_requirements(each.get("resources") or {}) for each in containers)


def has_pod_level_resources(spec: Mapping[str, Any]) -> bool:
    """Kubernetes: pkg/apis/core/helper, IsPodLevelResourcesSet."""
    resources = spec.get("resources") or {}
    names = [*(resources.get("requests") or ()), *(resources.get("limits") or ())]
    return any(name.startswith(_AT_POD_LEVEL[2]) or name in _AT_POD_LEVEL[:2] for name in names)


def _of_requirements(resources: Mapping[str, Any]) -> str:
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    if not requests and not limits:
        return BEST_EFFORT
    return _agreed(_of_amounts(_amount(requests, name), _amount(limits, name)) for name in _COUNTED)


def _of_amounts(request: Quantity, limit: Quantity) -> str:
    if request != limit:
        return BURSTABLE
    return GUARANTEED if request != ZERO else BEST_EFFORT


def _amount(amounts: Mapping[str, str], name: str) -> Quantity:
    return parse(amounts[name]) if name in amounts else ZERO


def _agreed(classes: Iterable[str]) -> str:
    """What all say; if they differ, they burst."""
    found = set(classes)
    if not found:
        return BEST_EFFORT
    return found.pop() if len(found) == 1 else BURSTABLE
