"""What each metric of an autoscaler asks for: how many replicas, and what its status says of it.

Kubernetes: pkg/controller/podautoscaler/horizontal.go (computeReplicasForMetric, computeStatusFor...).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import Format, InvalidQuantity, Quantity, parse
from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, label_selector_text, selector_of
from localplane.client import Lister

from .measurements import Measurement, Measurements, NoMeasurement, WantedMetric
from .replicas import Patience, Tolerances, Workload, ratio_count, shared_count, usage_count, utilization_count

_MOST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ScaleTarget:
    """What is scaled: the replicas that its scale asks for and has, and which pods are its own."""

    namespace: str
    wanted: int
    present: int
    selector: Selector
    tolerances: Tolerances


@dataclass(frozen=True, slots=True)
class Proposal:
    """`name` is what the metric is called in messages, `status` stands in the autoscaler's currentMetrics."""

    replicas: int
    name: str
    status: JSONObject


class NoProposal(Exception):
    """`reason` and `cause` are for the condition and the event; the message says what failed for the whole."""

    def __init__(self, reason: str, cause: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.cause = cause


class Proposals:
    """`tolerance` is how far a ratio may be from one if an autoscaler says nothing about it."""

    def __init__(
        self,
        measurements: Measurements,
        pods: Lister,
        *,
        tolerance: float,
        patience: Patience,
        clock: Callable[[], datetime],
    ) -> None:
        self._measurements = measurements
        self._pods = pods
        self._tolerance = tolerance
        self._patience = patience
        self._clock = clock
        self._kinds: dict[str, Callable[[JSONObject, ScaleTarget], Awaitable[Proposal]]] = {
            "Resource": self._of_resource,
            "ContainerResource": self._of_container,
            "Pods": self._of_pods,
            "Object": self._of_object,
            "External": self._of_outside,
        }

    def tolerances(self, behavior: Mapping[str, Any] | None) -> Tolerances:
        def of(direction: str) -> float:
            text = ((behavior or {}).get(direction) or {}).get("tolerance")
            try:
                return self._tolerance if text is None else parse(str(text)).milli_value() / 1000
            except InvalidQuantity:
                return self._tolerance

        return Tolerances(down=of("scaleDown"), up=of("scaleUp"))

    async def of_metric(self, metric: JSONObject, target: ScaleTarget) -> Proposal:
        """Raises NoProposal."""
        propose = self._kinds.get(metric.get("type", ""))
        if propose is None:
            message = f"unknown metric source type {go_quote(metric.get('type', ''))}"
            raise NoProposal("InvalidMetricSourceType", message, message)
        return await propose(metric, target)

    def _pods_of(self, target: ScaleTarget) -> list[JSONObject]:
        return self._pods.namespaced(target.namespace).list(target.selector)

    def _workload(self, target: ScaleTarget, measured: Mapping[str, Measurement]) -> Workload:
        return Workload(
            current=target.wanted,
            tolerances=target.tolerances,
            pods=self._pods_of(target),
            measured=measured,
            patience=self._patience,
            moment=self._clock(),
        )

    async def _of_resource(self, metric: JSONObject, target: ScaleTarget) -> Proposal:
        source = metric["resource"]
        resource = source["name"]
        try:
            counted = await self._resource(source["target"], resource, "", target)
        except NoMeasurement as error:
            message = f"failed to get {resource} resource metric value: {error}"
            raise NoProposal("FailedGetResourceMetric", str(error), message) from error
        status = {"name": resource, "current": counted.current}
        return Proposal(counted.replicas, counted.name, {"type": "Resource", "resource": status})

    async def _of_container(self, metric: JSONObject, target: ScaleTarget) -> Proposal:
        source = metric["containerResource"]
        resource, container = source["name"], source["container"]
        try:
            counted = await self._resource(source["target"], resource, container, target)
        except NoMeasurement as error:
            message = f"failed to get {container} container metric value: {error}"
            raise NoProposal("FailedGetContainerResourceMetric", str(error), message) from error
        status = {"name": resource, "container": container, "current": counted.current}
        return Proposal(counted.replicas, counted.name, {"type": "ContainerResource", "containerResource": status})

    async def _resource(self, wanted: JSONObject, resource: str, container: str, target: ScaleTarget) -> _Counted:
        by_value = wanted.get("averageValue") is not None
        if not by_value and wanted.get("averageUtilization") is None:
            raise NoMeasurement(
                "invalid resource metric source: neither an average utilization target nor an average value (usage) "
                "target was set"
            )
        try:
            workload = self._workload(target, await self._measured(resource, container, target))
            if by_value:
                count = usage_count(workload, _milli(wanted["averageValue"]), resource)
            else:
                count = utilization_count(workload, wanted["averageUtilization"], resource, container)
        except NoMeasurement as error:
            what = "usage" if by_value else "utilization"
            raise NoMeasurement(f"failed to get {resource} {what}: {error}") from error
        form = Format.BINARY_SI if resource == "memory" else Format.DECIMAL_SI
        current: JSONObject = {"averageValue": _text(count.usage, form)}
        if by_value:
            return _Counted(count.replicas, current, f"{resource} resource")
        current["averageUtilization"] = count.utilization
        what = "container resource" if container else "resource"
        return _Counted(count.replicas, current, f"{resource} {what} utilization (percentage of request)")

    async def _measured(self, resource: str, container: str, target: ScaleTarget) -> Mapping[str, Measurement]:
        try:
            return await self._measurements.of_resource(resource, target.namespace, str(target.selector), container)
        except NoMeasurement as error:
            raise NoMeasurement(f"unable to get metrics for resource {resource}: {error}") from error

    async def _of_pods(self, metric: JSONObject, target: ScaleTarget) -> Proposal:
        source = metric["pods"]
        name = source["metric"]["name"]
        try:
            chosen = _selector(source["metric"].get("selector"))
            wanted = WantedMetric(name, target.namespace, str(target.selector), chosen)
            workload = self._workload(target, await self._pods_metric(wanted))
            count = usage_count(workload, _milli(source["target"].get("averageValue")))
        except NoMeasurement as error:
            raise NoProposal("FailedGetPodsMetric", str(error), f"failed to get pods metric value: {error}") from error
        current = {"averageValue": _text(count.usage)}
        status = {"type": "Pods", "pods": {"metric": dict(source["metric"]), "current": current}}
        return Proposal(count.replicas, f"pods metric {name}", status)

    async def _pods_metric(self, wanted: WantedMetric) -> Mapping[str, Measurement]:
        try:
            return await self._measurements.of_pods(wanted)
        except NoMeasurement as error:
            raise NoMeasurement(f"unable to get metric {wanted.metric}: {error}") from error

    async def _of_object(self, metric: JSONObject, target: ScaleTarget) -> Proposal:
        source = metric["object"]
        try:
            return await self._object(source, target)
        except NoMeasurement as error:
            prefix = ""
            if source["target"].get("type") == "AverageValue" and source["target"].get("averageValue") is not None:
                prefix = f"failed to get {source['metric']['name']} object metric: "
            message = f"failed to get object metric value: {prefix}{error}"
            raise NoProposal("FailedGetObjectMetric", str(error), message) from error

    async def _object(self, source: JSONObject, target: ScaleTarget) -> Proposal:
        name, wanted, described = source["metric"]["name"], source["target"], source["describedObject"]
        chosen = _selector(source["metric"].get("selector"))
        status = {"metric": dict(source["metric"]), "describedObject": described}
        match wanted:
            case {"type": "Value", "value": value}:
                usage = await self._object_metric(name, target, described, chosen)
                ratio = usage / _milli(value)
                replicas = ratio_count(target.wanted, ratio, target.tolerances, self._pods_of(target))
                told = {"type": "Object", "object": {**status, "current": {"value": _text(usage)}}}
                return Proposal(replicas, f"{described['kind']} metric {name}", told)
            case {"type": "AverageValue", "averageValue": value}:
                usage = await self._object_metric(name, target, described, chosen)
                count = shared_count(target.present, usage, _milli(value), target.tolerances)
                told = {"type": "Object", "object": {**status, "current": {"averageValue": _text(count.usage)}}}
                return Proposal(count.replicas, _external_name(source["metric"]), told)
        raise NoMeasurement("invalid object metric source: neither a value target nor an average value target was set")

    async def _object_metric(self, name: str, target: ScaleTarget, described: JSONObject, chosen: str) -> int:
        try:
            return await self._measurements.of_object(
                described, WantedMetric(name, target.namespace, metric_selector=chosen)
            )
        except NoMeasurement as error:
            where = f"{described['kind']} {target.namespace}/{described['name']}"
            raise NoMeasurement(f"unable to get metric {name} on {where}: {error}") from error

    async def _of_outside(self, metric: JSONObject, target: ScaleTarget) -> Proposal:
        source = metric["external"]
        name, wanted = source["metric"]["name"], source["target"]
        failed = f"failed to get {name} external metric value: "
        try:
            usage, by_average = await self._outside(source, target), wanted.get("averageValue") is not None
            if by_average:
                count = shared_count(target.present, usage, _milli(wanted["averageValue"]), target.tolerances)
                replicas, current = count.replicas, {"averageValue": _text(count.usage)}
            else:
                ratio = usage / _milli(wanted["value"])
                replicas = ratio_count(target.wanted, ratio, target.tolerances, self._pods_of(target))
                current = {"value": _text(usage)}
        except NoMeasurement as error:
            match wanted:
                case {"averageValue": _}:
                    failed += f"failed to get {name} external metric: "
                case {"value": _}:
                    failed += f"failed to get external metric {name}: "
            raise NoProposal("FailedGetExternalMetric", str(error), f"{failed}{error}") from error
        told = {"type": "External", "external": {"metric": dict(source["metric"]), "current": current}}
        return Proposal(replicas, _external_name(source["metric"]), told)

    async def _outside(self, source: JSONObject, target: ScaleTarget) -> int:
        """All values of the metric together."""
        if source["target"].get("averageValue") is None and source["target"].get("value") is None:
            raise NoMeasurement(
                "invalid external metric source: neither a value target nor an average value target was set"
            )
        name, selector = source["metric"]["name"], source["metric"].get("selector")
        chosen = _selector(selector)
        try:
            values = await self._measurements.of_outside(WantedMetric(name, target.namespace, metric_selector=chosen))
        except NoMeasurement as error:
            where = f"{target.namespace}/{name}/{label_selector_text(selector)}"
            raise NoMeasurement(f"unable to get external metric {where}: {error}") from error
        return min(_MOST, sum(values))


@dataclass(frozen=True, slots=True)
class _Counted:
    replicas: int
    current: JSONObject
    name: str


def _external_name(metric: JSONObject) -> str:
    return f"external metric {metric['name']}({label_selector_text(metric.get('selector'))})"


def _selector(selector: Mapping[str, Any] | None) -> str:
    """As text. None selects everything here, as an empty one does."""
    try:
        return str(selector_of(selector) or "")
    except InvalidSelector as error:
        raise NoMeasurement(str(error)) from error


def _milli(text: object) -> int:
    try:
        return parse(str(text)).milli_value()
    except InvalidQuantity as error:
        raise NoMeasurement(str(error)) from error


def _text(milli: int, form: Format = Format.DECIMAL_SI) -> str:
    return str(Quantity(milli, -3, form))


def first_failure(failures: Sequence[NoProposal], count: int) -> str:
    return f"invalid metrics ({len(failures)} invalid out of {count}), first error is: {failures[0]}"
