"""Measurements as the APIs metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io tell them, in thousandths.

Kubernetes: pkg/controller/podautoscaler/metrics/client.go and k8s.io/metrics/pkg/client.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import InvalidQuantity, parse
from localplane.apimachinery.times import InvalidDuration, InvalidTime, parse_duration, parse_time
from localplane.client import Client, ClientError, DiscoveryMapper, GroupVersionResource, ListOptions

_POD_METRICS: Final = GroupVersionResource("metrics.k8s.io", "v1beta1", "pods")
_CUSTOM: Final = "custom.metrics.k8s.io"
_CUSTOM_VERSIONS: Final = ("v1beta2", "v1beta1")
_EXTERNAL: Final = "external.metrics.k8s.io"
_DEFAULT_WINDOW: Final = timedelta(minutes=1)
_EVERYTHING: Final = "*"


class NoMeasurement(Exception):
    """Why there is none, in Kubernetes' words."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one pod used, on average in the window before the timestamp."""

    timestamp: datetime
    window: timedelta
    value: int


@dataclass(frozen=True, slots=True)
class WantedMetric:
    """Which metric; `selector` chooses pods, and `metric_selector` among values of one metric."""

    metric: str
    namespace: str
    selector: str = ""
    metric_selector: str = ""


class Measurements:
    """All methods raise NoMeasurement."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._mapper = DiscoveryMapper(client.discovery())

    async def of_resource(
        self, resource: str, namespace: str, selector: str, container: str = ""
    ) -> dict[str, Measurement]:
        """What pods use of a resource, or one container of each, by their names."""
        try:
            metrics = await self._client.resource(_POD_METRICS, namespace).list(ListOptions(label_selector=selector))
        except (APIError, ClientError) as error:
            raise NoMeasurement(f"unable to fetch metrics from resource metrics API: {error}") from error
        if not metrics.get("items"):
            raise NoMeasurement("no metrics returned from resource metrics API")
        measured = {}
        for item in metrics["items"]:
            value = _used(item, resource, container)
            if value is not None:
                window = _duration(item.get("window", ""))
                measured[item["metadata"]["name"]] = Measurement(_time(item.get("timestamp", "")), window, value)
        return measured

    async def of_pods(self, wanted: WantedMetric) -> dict[str, Measurement]:
        items = await self._custom(GroupKind("", "Pod"), _EVERYTHING, wanted)
        if not items:
            raise NoMeasurement("no metrics returned from custom metrics API")
        return {
            item["describedObject"]["name"]: Measurement(
                _time(item.get("timestamp", "")),
                timedelta(seconds=item["windowSeconds"]) if item.get("windowSeconds") is not None else _DEFAULT_WINDOW,
                _milli(item.get("value", "0")),
            )
            for item in items
        }

    async def of_object(self, reference: Mapping[str, Any], wanted: WantedMetric) -> int:
        group = str(reference.get("apiVersion", "")).rpartition("/")[0]
        items = await self._custom(GroupKind(group, reference["kind"]), reference["name"], wanted)
        if len(items) != 1:
            raise NoMeasurement(
                "unable to fetch metrics from custom metrics API: the custom metrics API server returned "
                f"{len(items)} results when we asked for exactly one"
            )
        return _milli(items[0].get("value", "0"))

    async def of_outside(self, wanted: WantedMetric) -> list[int]:
        resource = GroupVersionResource(_EXTERNAL, "v1beta1", wanted.metric)
        options = ListOptions(label_selector=wanted.metric_selector)
        try:
            metrics = await self._client.resource(resource, wanted.namespace).list(options)
        except (APIError, ClientError) as error:
            raise NoMeasurement(f"unable to fetch metrics from external metrics API: {error}") from error
        if not metrics.get("items"):
            raise NoMeasurement("no metrics returned from external metrics API")
        return [_milli(item.get("value", "0")) for item in metrics["items"]]

    async def _custom(self, kind: GroupKind, name: str, wanted: WantedMetric) -> list[JSONObject]:
        try:
            version = await self._custom_version()
            place = "metrics" if kind == GroupKind("", "Namespace") else await self._resource(kind, name)
            path = f"/apis/{_CUSTOM}/{version}/namespaces/{quote(wanted.namespace)}/{place}/{quote(wanted.metric)}"
            selectors = (("labelSelector", wanted.selector), ("metricLabelSelector", wanted.metric_selector))
            query = [(key, text) for key, text in selectors if text]
            answer = (await self._client.request("GET", path, query=query)).json()
        except (APIError, ClientError) as error:
            raise NoMeasurement(f"unable to fetch metrics from custom metrics API: {error}") from error
        items: list[JSONObject] = answer.get("items") or []
        return items

    async def _resource(self, kind: GroupKind, name: str) -> str:
        resource = (await self._mapper.mapping(kind)).resource.group_resource
        return f"{quote(str(resource))}/{name if name == _EVERYTHING else quote(name)}"

    async def _custom_version(self) -> str:
        try:
            group = (await self._client.request("GET", f"/apis/{_CUSTOM}")).json()
        except NotFound as error:
            reason = f"no custom metrics API ({_CUSTOM}) registered"
            raise NoMeasurement(f"unable to fetch metrics from custom metrics API: {reason}") from error
        served = [str(each["version"]) for each in group.get("versions") or ()]
        preferred = str((group.get("preferredVersion") or {}).get("version", ""))
        known = [each for each in (preferred, *served) if each in _CUSTOM_VERSIONS]
        if not known:
            reason = "no known available metric versions found"
            raise NoMeasurement(f"unable to fetch metrics from custom metrics API: {reason}")
        return known[0]


def _used(item: Mapping[str, Any], resource: str, container: str) -> int | None:
    """The sum over all containers, if all have it; or what one of them uses."""
    containers = item.get("containers") or []
    if container:
        containers = [each for each in containers if each.get("name") == container][:1]
    usages = [(each.get("usage") or {}).get(resource) for each in containers]
    if not usages or any(usage is None for usage in usages):
        return None
    return sum(_milli(usage) for usage in usages)


def _milli(text: object) -> int:
    try:
        return parse(str(text)).milli_value()
    except InvalidQuantity as error:
        raise NoMeasurement(str(error)) from error


def _time(text: str) -> datetime:
    try:
        return parse_time(text)
    except InvalidTime:
        return datetime.min.replace(tzinfo=UTC)


def _duration(text: str) -> timedelta:
    try:
        return parse_duration(text)
    except InvalidDuration:
        return timedelta(0)
