"""How many pods a measurement is work for.

Pods that are not ready, and those that nobody measured, count so that they make changes smaller and never larger.
Kubernetes: pkg/controller/podautoscaler/replica_calculator.go and metrics/utilization.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import InvalidQuantity, parse
from localplane.apimachinery.times import InvalidTime, parse_time
from localplane.apis.pod_resources import requests as pod_requests
from localplane.controllers.pods import condition, is_ready, is_terminating, phase

from .measurements import Measurement, NoMeasurement

Values = dict[str, int]
"""Thousandths by the names of pods."""

_MOST: Final = 2**31 - 1
_POD_LEVEL: Final = ("cpu", "memory")


@dataclass(frozen=True, slots=True)
class Tolerances:
    """How far a ratio may be from one before anything is done."""

    down: float
    up: float

    def include(self, ratio: float) -> bool:
        return (1.0 - self.down) <= ratio <= (1.0 + self.up)


@dataclass(frozen=True, slots=True)
class Patience:
    """For pods that have just started: `cpu_initialization` is how long their CPU may be misleading, and
    `initial_readiness` how soon after its start a pod that is not ready has never been."""

    cpu_initialization: timedelta = timedelta(minutes=5)
    initial_readiness: timedelta = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Count:
    """`usage` is the average in thousandths, `utilization` in percent of what was requested."""

    replicas: int
    usage: int
    utilization: int = 0


@dataclass(slots=True)
class _Groups:
    ready: int = 0
    unready: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    ignored: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Ratio:
    ratio: float
    usage: int
    utilization: int = 0


@dataclass(frozen=True, slots=True)
class Workload:
    """Pods, how many of them are asked for now, and what was measured of each."""

    current: int
    tolerances: Tolerances
    pods: Sequence[JSONObject]
    measured: Mapping[str, Measurement]
    patience: Patience
    moment: datetime


def utilization_count(workload: Workload, target: int, resource: str, container: str) -> Count:
    """For a target in percent of the requests. Raises NoMeasurement."""
    groups = _grouped(workload, resource)
    values = _counted(workload.measured, groups)
    requests = {pod["metadata"]["name"]: _request(pod, container, resource) for pod in workload.pods}

    def ratio(values: Values) -> _Ratio:
        return _utilization(values, requests, target)

    fallback = {name: requests[name] * max(100, target) // 100 for name in groups.missing}
    return _count(workload, groups, values, ratio, fallback)


def usage_count(workload: Workload, target: int, resource: str = "") -> Count:
    """For a target in thousandths that each pod is to use. Raises NoMeasurement."""
    groups = _grouped(workload, resource)
    values = _counted(workload.measured, groups)

    def ratio(values: Values) -> _Ratio:
        usage = _quotient(sum(values.values()), len(values))
        return _Ratio(usage / target, usage)

    return _count(workload, groups, values, ratio, dict.fromkeys(groups.missing, target))


def _count(
    workload: Workload, groups: _Groups, values: Values, ratio_of: Callable[[Values], _Ratio], fallback: Values
) -> Count:
    """`fallback` is what pods are said to use that nobody measured, when there would be fewer."""
    current, tolerances, first = workload.current, workload.tolerances, ratio_of(values)
    counts_unready = bool(groups.unready) and first.ratio > 1.0
    if not counts_unready and not groups.missing:
        replicas = current if tolerances.include(first.ratio) else math.ceil(first.ratio * groups.ready)
        return Count(replicas, first.usage, first.utilization)
    if first.ratio < 1.0:
        values |= fallback
    elif first.ratio > 1.0:
        values |= dict.fromkeys(groups.missing, 0)
    if counts_unready:
        values |= dict.fromkeys(groups.unready, 0)
    again = ratio_of(values).ratio
    replicas = math.ceil(again * len(values))
    turns_round = (first.ratio < 1.0 < again) or (again < 1.0 < first.ratio)
    goes_wrong = (again < 1.0 and replicas > current) or (again > 1.0 and replicas < current)
    if tolerances.include(again) or turns_round or goes_wrong:
        replicas = current
    return Count(replicas, first.usage, first.utilization)


def ratio_count(current: int, ratio: float, tolerances: Tolerances, pods: Sequence[JSONObject]) -> int:
    """For a measurement of something else than pods, as many times the target as `ratio` says. Raises NoMeasurement."""
    if current == 0:
        return min(_MOST, math.ceil(ratio))
    if tolerances.include(ratio):
        return current
    if not pods:
        raise NoMeasurement(
            "unable to calculate ready pods: no pods returned by selector while calculating replica count"
        )
    ready = sum(phase(pod) == "Running" and is_ready(pod) for pod in pods)
    return min(_MOST, math.ceil(ratio * ready))


def shared_count(current: int, usage: int, target: int, tolerances: Tolerances) -> Count:
    """For a measurement of something else than pods of which each is to have so much."""
    ratio = usage / (target * current) if current else math.inf
    replicas = current if tolerances.include(ratio) else min(_MOST, math.ceil(usage / target))
    return Count(replicas, math.ceil(usage / current) if current else usage)


def _grouped(workload: Workload, resource: str) -> _Groups:
    if not workload.pods:
        raise NoMeasurement("no pods returned by selector while calculating replica count")
    groups = _Groups()
    for pod in workload.pods:
        name = pod["metadata"]["name"]
        measured = workload.measured.get(name)
        if is_terminating(pod) or phase(pod) == "Failed":
            groups.ignored.add(name)
        elif phase(pod) == "Pending":
            groups.unready.add(name)
        elif measured is None:
            groups.missing.add(name)
        elif resource == "cpu" and _is_starting(pod, measured, workload.patience, workload.moment):
            groups.unready.add(name)
        else:
            groups.ready += 1
    return groups


def _is_starting(pod: Mapping[str, Any], measured: Measurement, patience: Patience, moment: datetime) -> bool:
    """Whether its CPU says nothing yet of what it will be."""
    ready = condition(pod, "Ready")
    started = _time((pod.get("status") or {}).get("startTime"))
    if ready is None or started is None:
        return True
    is_unready = ready.get("status") == "False"
    changed = _time(ready.get("lastTransitionTime")) or datetime.min.replace(tzinfo=UTC)
    if started + patience.cpu_initialization > moment:
        return is_unready or measured.timestamp < changed + measured.window
    return is_unready and started + patience.initial_readiness > changed


def _counted(measured: Mapping[str, Measurement], groups: _Groups) -> Values:
    left_out = groups.ignored | groups.unready
    values = {name: measurement.value for name, measurement in measured.items() if name not in left_out}
    if not values:
        raise NoMeasurement("did not receive metrics for targeted pods (pods might be unready)")
    return values


def _utilization(values: Values, requests: Mapping[str, int], target: int) -> _Ratio:
    known = [name for name in values if name in requests]
    asked = sum(requests[name] for name in known)
    if not asked:
        raise NoMeasurement("no metrics returned matched known pods")
    used = sum(values[name] for name in known)
    percent = _quotient(used * 100, asked)
    return _Ratio(percent / target, _quotient(used, len(known)), percent)


def _quotient(number: int, divisor: int) -> int:
    """Towards zero, as Go divides."""
    return number // divisor if number >= 0 else -(-number // divisor)


def _request(pod: Mapping[str, Any], container: str, resource: str) -> int:
    """What a pod asks for, or one of its containers. Raises NoMeasurement."""
    name = pod["metadata"]["name"]
    at_pod_level = (pod["spec"].get("resources") or {}).get("requests") or {}
    if not container and any(key in _POD_LEVEL or key.startswith("hugepages-") for key in at_pod_level):
        amounts = pod_requests(pod)
        if resource not in amounts:
            raise NoMeasurement(f"missing pod-level request for {resource} in Pod {name}")
        return amounts[resource].milli_value()
    containers = [each for each in _lasting(pod) if container in ("", each["name"])]
    if not containers and container:
        raise NoMeasurement(f"container {container} not found in Pod {name}")
    return sum(_container_request(each, resource, name) for each in containers)


def _lasting(pod: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    yield from pod["spec"].get("containers") or ()
    yield from (each for each in pod["spec"].get("initContainers") or () if each.get("restartPolicy") == "Always")


def _container_request(container: Mapping[str, Any], resource: str, pod: str) -> int:
    asked = ((container.get("resources") or {}).get("requests") or {}).get(resource)
    if asked is None:
        raise NoMeasurement(f"missing request for {resource} in container {container['name']} of Pod {pod}")
    try:
        return parse(str(asked)).milli_value()
    except InvalidQuantity as error:
        raise NoMeasurement(str(error)) from error


def _time(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except InvalidTime:
        return None
