"""Requests, limits, and what a pod as a whole asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.quantity import MILLI, Quantity, parse

Amounts = dict[str, Quantity]


def default_resources(resources: Mapping[str, Any] | None) -> None:
    if resources:
        default_resource_list(resources.get("limits"))
        default_resource_list(resources.get("requests"))


def default_resource_list(resources: dict[str, str] | None) -> None:
    """Nothing is counted finer than in thousandths; what is over counts as one."""
    if not resources:
        return
    for name, amount in resources.items():
        quantity = parse(amount)
        if quantity.exponent < MILLI:
            resources[name] = str(quantity.round_up(MILLI))


def default_requests(container: dict[str, Any]) -> None:
    """In a pod, who sets a limit and no request requests the limit."""
    resources = container.get("resources") or {}
    if limits := resources.get("limits"):
        resources["requests"] = limits | (resources.get("requests") or {})


def default_pod_level_resources(spec: dict[str, Any]) -> None:
    """When a pod as a whole has requests or limits, the ones it left out follow from its containers.

    Runs when the pod is created, after admission. Kubernetes: pkg/api/pod, DefaultPodLevelResources.
    """
    resources = spec.get("resources") or {}
    if not resources.get("requests") and not resources.get("limits"):
        return
    requests, limits = dict(resources.get("requests") or {}), dict(resources.get("limits") or {})
    container_limits = aggregate_resources(spec, "limits")
    for name, amount in container_limits.items():
        if name.startswith("hugepages-") and name not in requests:
            limits.setdefault(name, str(amount))
    for name, amount in aggregate_resources(spec, "requests").items():
        if name in _OVERCOMMITTED:
            requests.setdefault(name, str(amount))
    for name, text in limits.items():
        if is_pod_level(name):
            requests.setdefault(name, text)
    for name, text in requests.items():
        if is_pod_level(name) and name not in limits and _all_have_limit(spec, name):
            limits[name] = str(max(parse(text), container_limits[name]))
    resources |= {"requests": requests} if requests else {}
    resources |= {"limits": limits} if limits else {}


_OVERCOMMITTED = frozenset({"cpu", "memory"})


def is_pod_level(name: str) -> bool:
    """Whether a pod as a whole can ask for it."""
    return name in _OVERCOMMITTED or name.startswith("hugepages-")


def _all_have_limit(spec: Mapping[str, Any], name: str) -> bool:
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    containers += spec.get("ephemeralContainers") or ()
    return bool(containers) and all(name in _amounts(each, "limits") for each in containers)


def _amounts(container: Mapping[str, Any], part: str) -> dict[str, str]:
    return (container.get("resources") or {}).get(part) or {}


def aggregate_resources(spec: Mapping[str, Any], part: str) -> Amounts:
    """What the containers need together at the worst moment: `part` is `requests` or `limits`.

    Init containers run one by one, each beside the sidecars started before it. Kubernetes: component-helpers/resource,
    aggregateContainerResourcesByFn.
    """
    total: Amounts = {}
    for container in spec.get("containers") or ():
        _add(total, _parsed(container, part))
    sidecars: Amounts = {}
    while_starting: Amounts = {}
    for container in spec.get("initContainers") or ():
        amounts = _parsed(container, part)
        if container.get("restartPolicy") == "Always":
            _add(total, amounts)
            _add(sidecars, amounts)
            amounts = sidecars
        else:
            _add(amounts, sidecars)
        _raise(while_starting, amounts)
    _raise(total, while_starting)
    return total


def _parsed(container: Mapping[str, Any], part: str) -> Amounts:
    return {name: parse(text) for name, text in _amounts(container, part).items()}


def _add(total: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        total[name] = total[name] + amount if name in total else amount


def _raise(total: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        if name not in total or amount > total[name]:
            total[name] = amount
