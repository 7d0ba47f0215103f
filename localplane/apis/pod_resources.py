"""What a pod asks for in all: its containers together, its init containers one after the other, its own say over both.

While a pod is being resized it counts with the most of what it asks for, was granted and has. Kubernetes:
component-helpers/resource, PodRequests and PodLimits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from localplane.apimachinery.quantity import ZERO
from localplane.apis.amounts import Amounts, add, raise_to, read

JSONObject = Mapping[str, Any]
_Of = Callable[[JSONObject, JSONObject], Amounts]
"""The amounts of a container, given its status as well."""

_POD_LEVEL: Final = ("cpu", "memory")
_HUGE_PAGES: Final = "hugepages-"


def requests(pod: JSONObject, *, from_status: bool = True) -> Amounts:
    """Without `from_status` only what it asks for counts."""
    spec = pod.get("spec") or {}
    others = (_allocated, _actual_requests) if from_status else ()
    total = _most(pod, _asked("requests"), *others)
    total |= _at_pod_level(spec, "requests")
    add(total, read(spec.get("overhead")))
    return total


def limits(pod: JSONObject, *, from_status: bool = True) -> Amounts:
    """As `requests`. Overhead is only added to what is limited."""
    spec = pod.get("spec") or {}
    total = _most(pod, _asked("limits"), *((_actual_limits,) if from_status else ()))
    total |= _at_pod_level(spec, "limits")
    limited = {name for name, amount in total.items() if amount != ZERO}
    add(total, {name: amount for name, amount in read(spec.get("overhead")).items() if name in limited})
    return total


def _at_pod_level(spec: JSONObject, which: str) -> Amounts:
    amounts = read((spec.get("resources") or {}).get(which))
    return {name: amount for name, amount in amounts.items() if name in _POD_LEVEL or name.startswith(_HUGE_PAGES)}


def _most(pod: JSONObject, asked: _Of, *others: _Of) -> Amounts:
    """Of what can't be granted nothing counts but what is there already."""
    infeasible = bool(others) and _is_resize_infeasible(pod)
    total: Amounts = {}
    for amounts_of in others if infeasible else (asked, *others):
        raise_to(total, _aggregated(pod, amounts_of, asked=None if infeasible else asked))
    return total


def _aggregated(pod: JSONObject, amounts_of: _Of, *, asked: _Of | None) -> Amounts:
    spec, statuses = pod.get("spec") or {}, _statuses(pod)

    def amounts(container: JSONObject) -> Amounts:
        status = statuses.get(container.get("name", ""), {})
        return amounts_of(container, status) or (asked(container, status) if asked else {})

    total: Amounts = {}
    for container in spec.get("containers") or ():
        add(total, amounts(container))
    beside, first = dict[str, Any](), dict[str, Any]()
    for container in spec.get("initContainers") or ():
        needed = amounts(container)
        if container.get("restartPolicy") == "Always":  # it runs on beside the others
            add(total, needed)
            add(beside, needed)
            needed = dict(beside)
        else:
            needed = dict(needed)
            add(needed, beside)
        raise_to(first, needed)
    raise_to(total, first)
    return total


def _asked(which: str) -> _Of:
    return lambda container, _: read((container.get("resources") or {}).get(which))


def _allocated(_: JSONObject, status: JSONObject) -> Amounts:
    return read(status.get("allocatedResources"))


def _actual_requests(container: JSONObject, status: JSONObject) -> Amounts:
    return read((status.get("resources") or {}).get("requests")) or _allocated(container, status)


def _actual_limits(_: JSONObject, status: JSONObject) -> Amounts:
    return read((status.get("resources") or {}).get("limits"))


def _statuses(pod: JSONObject) -> dict[str, JSONObject]:
    status = pod.get("status") or {}
    both = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return {each.get("name", ""): each for each in both}


def _is_resize_infeasible(pod: JSONObject) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    pending = (each for each in conditions if each.get("type") == "PodResizePending")
    return next((each.get("reason") == "Infeasible" for each in pending), False)
