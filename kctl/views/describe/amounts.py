"""What a pod asks for and may use at most. Kubernetes: component-helpers/resource, PodRequests and PodLimits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kctl.views.describe.page import of
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import Quantity, parse

Amounts = dict[str, Quantity]


def pod_amounts(pod: JSONObject, field: str, *, from_status: bool = False) -> Amounts:
    """`field` is requests or limits. With `from_status` what was granted counts as well as what is wanted."""
    spec = of(pod, "spec")
    total = _containers(pod, field, from_status=from_status)
    if own := {name: value for name, value in _read(of(spec, "resources").get(field)).items() if _is_pod_level(name)}:
        total |= own
    overhead = _read(spec.get("overhead"))
    if field == "limits":
        overhead = {name: value for name, value in overhead.items() if name in total and total[name].sign}
    return added((total, overhead))


def _is_pod_level(name: str) -> bool:
    return name in ("cpu", "memory") or name.startswith("hugepages-")


class _View(NamedTuple):
    """Where the amounts of a container are looked for, first to last, before its specification."""

    allocated: bool = False
    actual: bool = False


def _containers(pod: JSONObject, field: str, *, from_status: bool) -> Amounts:
    if not from_status:
        return _by_view(pod, field, _View(), infeasible=False)
    infeasible = any(
        one.get("type") == "PodResizePending" and one.get("reason") == "Infeasible"
        for one in of(pod, "status").get("conditions") or ()
    )
    views = [_View(actual=True, allocated=field == "requests")]
    if field == "requests":
        views.append(_View(allocated=True))
    if not infeasible:
        views.append(_View())
    total: Amounts = {}
    for view in views:
        total = _most(total, _by_view(pod, field, view, infeasible=infeasible))
    return total


def _by_view(pod: JSONObject, field: str, view: _View, *, infeasible: bool) -> Amounts:
    """Containers together, or what one of those before them needs if that is more."""
    spec, status = of(pod, "spec"), of(pod, "status")
    every = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    statuses = {one.get("name"): one for one in every}

    def amounts(container: JSONObject) -> Amounts:
        return _of_container(container, statuses.get(container.get("name")), field, view, infeasible=infeasible)

    total = added(amounts(one) for one in spec.get("containers") or ())
    beside: Amounts = {}
    peak: Amounts = {}
    for one in spec.get("initContainers") or ():
        needed = amounts(one)
        if one.get("restartPolicy") == "Always":
            beside = added((beside, needed))
            total = added((total, needed))
            needed = beside
        else:
            needed = added((needed, beside))
        peak = _most(peak, needed)
    return _most(total, peak)


def _of_container(
    container: JSONObject, status: JSONObject | None, field: str, view: _View, *, infeasible: bool
) -> Amounts:
    granted = of(status, "resources").get(field) if view.actual else None
    if granted is None and view.allocated:
        granted = of(status).get("allocatedResources")
    if granted is None and not (infeasible and (view.actual or view.allocated)):
        granted = of(container, "resources").get(field)
    return _read(granted)


def _read(amounts: JSONObject | None) -> Amounts:
    return {name: parse(str(value)) for name, value in (amounts or {}).items()}


def added(every: Iterable[Amounts]) -> Amounts:
    total: Amounts = {}
    for amounts in every:
        for name, amount in amounts.items():
            total[name] = total[name] + amount if name in total else amount
    return total


def _most(one: Amounts, other: Amounts) -> Amounts:
    found = dict(one)
    for name, amount in other.items():
        if name not in found or found[name] < amount:
            found[name] = amount
    return found
