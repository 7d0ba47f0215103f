"""How much of each resource a pod asks for, as plain numbers: thousandths of a CPU, whole units of everything else.

Kubernetes: component-helpers/resource/helpers.go, PodRequests; pkg/scheduler/framework/types.go, Resource.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.memoization import remembered
from localplane.apimachinery.quantity import InvalidQuantity, parse

Amounts = dict[str, int]
_Container = Mapping[str, Any]

CPU: Final = "cpu"
MEMORY: Final = "memory"
EPHEMERAL_STORAGE: Final = "ephemeral-storage"
PODS: Final = "pods"

# pkg/scheduler/util/pod_resources.go: what a container that says nothing is taken to use, when nodes are compared.
DEFAULT_CPU: Final = 100
DEFAULT_MEMORY: Final = 200 * 1024 * 1024
_DEFAULTS: Final = {CPU: DEFAULT_CPU, MEMORY: DEFAULT_MEMORY}
_HUGE_PAGES: Final = "hugepages-"


@remembered
def _thousandths(text: str) -> int:
    try:
        return parse(text).milli_value()
    except InvalidQuantity:
        return 0


@remembered
def whole(text: str) -> int:
    """A quantity in whole units; what is none counts for nothing."""
    try:
        return parse(text).value()
    except InvalidQuantity:
        return 0


def amounts(quantities: Mapping[str, Any] | None) -> Amounts:
    """A ResourceList in numbers."""
    if not quantities:
        return {}
    return {
        name: _thousandths(str(quantity)) if name == CPU else whole(str(quantity))
        for name, quantity in quantities.items()
    }


def is_counted(name: str) -> bool:
    """Whether nodes have so much of it and no more. Kubernetes: Resource.Add and util.IsScalarResourceName."""
    return (
        name in (CPU, MEMORY, EPHEMERAL_STORAGE) or "/" in name or name.startswith((_HUGE_PAGES, "attachable-volumes-"))
    )


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """`asked` is what the specification says, `held` what the pod takes of a node that it is on: more while it is being
    resized. `guessed` is `held` with something for those containers that say nothing, and of CPU and memory only;
    `compared` is the same of `asked`."""

    asked: Amounts
    held: Amounts
    guessed: Amounts
    compared: Amounts


def request_of(pod: Mapping[str, Any]) -> ResourceRequest:
    """Everything that is counted about one pod."""
    asked = _counted(_total(pod, {}))
    if _tells_of_resources(pod):
        held = _counted(_held(pod, {}))
        guessed = _held(pod, _missing(pod, held))
    else:
        held = asked
        guessed = _total(pod, _missing(pod, held))
    if held is asked and not pod["spec"].get("resources"):
        compared = guessed
    else:
        # The score of free resources does not look at what is asked for the pod as a whole: NewFit never tells it to.
        compared = _added(_containers(pod, _specified, _DEFAULTS), amounts(pod["spec"].get("overhead")))
    return ResourceRequest(
        asked=asked,
        held=held,
        guessed={name: guessed.get(name, 0) for name in (CPU, MEMORY)},
        compared={name: compared.get(name, 0) for name in (CPU, MEMORY)},
    )


def _tells_of_resources(pod: Mapping[str, Any]) -> bool:
    status = pod.get("status") or {}
    statuses = [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]
    return (
        any("allocatedResources" in each or "resources" in each for each in statuses)
        or "allocatedResources" in status
        or "resources" in status
    )


def _counted(requested: Amounts) -> Amounts:
    return {name: amount for name, amount in requested.items() if is_counted(name)}


def _missing(pod: Mapping[str, Any], held: Amounts) -> Amounts:
    """What is assumed of a container that asks for nothing. Kubernetes: getNonMissingContainerRequests."""
    if not _pod_level(pod):
        return _DEFAULTS
    return {name: amount for name, amount in _DEFAULTS.items() if name not in held}


_Of = Callable[[_Container, Mapping[str, Any] | None, bool], Mapping[str, Any] | None]


def _specified(container: _Container, _status: Mapping[str, Any] | None, _infeasible: bool) -> Mapping[str, Any] | None:  # noqa: FBT001 - one shape for three
    requests: Mapping[str, Any] | None = (container.get("resources") or {}).get("requests")
    return requests


def _allocated(container: _Container, status: Mapping[str, Any] | None, infeasible: bool) -> Mapping[str, Any] | None:  # noqa: FBT001
    if status is not None and status.get("allocatedResources") is not None:
        found: Mapping[str, Any] = status["allocatedResources"]
        return found
    return None if infeasible else _specified(container, status, infeasible)


def _actuated(container: _Container, status: Mapping[str, Any] | None, infeasible: bool) -> Mapping[str, Any] | None:  # noqa: FBT001
    requests = ((status or {}).get("resources") or {}).get("requests")
    if requests is not None:
        found: Mapping[str, Any] = requests
        return found
    return _allocated(container, status, infeasible)


def _held(pod: Mapping[str, Any], missing: Mapping[str, int]) -> Amounts:
    """The most of what was asked for, given and used, as long as a resize is under way."""
    status = pod.get("status") or {}
    infeasible = _resize_is_infeasible(status)
    given, used = status.get("allocatedResources"), (status.get("resources") or {}).get("requests")
    if given is not None and used is not None:
        parts = [amounts(given), amounts(used)]
    else:
        parts = [_containers(pod, of, missing, infeasible=infeasible) for of in (_allocated, _actuated)]
    if not infeasible:
        parts.append(_containers(pod, _specified, missing))
    total = _most(parts)
    level = _pod_level(pod)
    if level:
        if status.get("resources") is not None:
            level = _most([{} if infeasible else level, amounts(used), amounts(given)])
        total.update({name: amount for name, amount in level.items() if _is_pod_level(name)})
    return _added(total, amounts(pod["spec"].get("overhead")))


def _total(pod: Mapping[str, Any], missing: Mapping[str, int]) -> Amounts:
    """By its specification."""
    total = _containers(pod, _specified, missing)
    total.update(_pod_level(pod))
    _add(total, amounts(pod["spec"].get("overhead")))
    return total


def _containers(pod: Mapping[str, Any], of: _Of, missing: Mapping[str, int], *, infeasible: bool = False) -> Amounts:
    """All containers together, or whatever the preparation needs at its most: init containers run one after another,
    beside those of them that stay."""
    statuses = {} if of is _specified else _statuses(pod)
    spec = pod["spec"]

    def asked(container: _Container) -> Amounts:
        own = amounts(of(container, statuses.get(container["name"]), infeasible))
        return {**missing, **own} if missing else own

    total: Amounts = {}
    for container in spec["containers"]:
        _add(total, asked(container))
    lasting: Amounts = {}
    peak: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = asked(container)
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(lasting, own)
            own = lasting
        else:
            own = _added(own, lasting)
        peak = _most([peak, own])
    return _most([total, peak]) if peak else total


def _statuses(pod: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    status = pod.get("status") or {}
    every: Iterable[Mapping[str, Any]] = [
        *(status.get("initContainerStatuses") or ()),
        *(status.get("containerStatuses") or ()),
    ]
    return {each["name"]: each for each in every}


def _is_pod_level(name: str) -> bool:
    return name in (CPU, MEMORY) or name.startswith(_HUGE_PAGES)


def _pod_level(pod: Mapping[str, Any]) -> Amounts:
    requests = amounts((pod["spec"].get("resources") or {}).get("requests"))
    return {name: amount for name, amount in requests.items() if _is_pod_level(name)}


def _resize_is_infeasible(status: Mapping[str, Any]) -> bool:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodResizePending":
            return bool(condition.get("reason") == "Infeasible")
    return False


def _add(total: Amounts, more: Mapping[str, int]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> Amounts:
    total = dict(one)
    _add(total, other)
    return total


def _most(parts: Iterable[Mapping[str, int]]) -> Amounts:
    result: Amounts = {}
    for part in parts:
        for name, amount in part.items():
            if amount > result.get(name, -1):
                result[name] = amount
    return result
