"""The metrics that an autoscaler looks at: one source each, and a target for it.

Kubernetes: pkg/apis/autoscaling/validation, validateMetrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_label, path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.catalog.core.pods.validation.resources import container_resource_name_errors

from .references import reference_errors

_SOURCES = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_TYPES = sorted(_SOURCES)


def metrics_errors(metrics: list[JSONObject], path: Path, *, forgive_versions: bool) -> Iterator[FieldError]:
    """`forgive_versions` when the apiVersion of a described object was wrong before."""
    for index, metric in enumerate(metrics):
        yield from _metric_errors(metric, path[index], forgive_versions=forgive_versions)


def _metric_errors(metric: JSONObject, path: Path, *, forgive_versions: bool) -> Iterator[FieldError]:
    kind = metric.get("type", "")
    if not kind:
        yield required(path / "type", "must specify a metric source type")
    if kind not in _SOURCES:
        yield not_supported(path / "type", kind, _TYPES)
    present = [name for name in _SOURCES.values() if name in metric]
    if present:
        name = present[0]
        yield from _source_errors(name, metric[name], path / name, forgive_versions=forgive_versions)
    expected = _SOURCES.get(kind, "")
    if not expected:
        yield not_supported(path / "type", kind, _TYPES)
    elif expected not in metric:
        yield required(path / expected, "must populate information for the given metric source")
    if len(present) != 1:
        for name in present:
            if name != expected:
                yield forbidden(path / name, "must populate the given metric source only")


def _source_errors(name: str, source: JSONObject, path: Path, *, forgive_versions: bool) -> Iterator[FieldError]:
    target, place = source.get("target") or {}, path / "target"
    match name:
        case "object":
            described = source.get("describedObject") or {}
            yield from reference_errors(
                described, path / "describedObject", skip_version=forgive_versions, allow_core=True
            )
            yield from _named_errors(source, path)
            yield from _target_errors(target, place)
            if "value" not in target and "averageValue" not in target:
                yield required(place / "averageValue", "must set either a target value or averageValue")
        case "external":
            yield from _named_errors(source, path)
            yield from _target_errors(target, place)
            yield from _external_errors(target, place)
        case "pods":
            yield from _named_errors(source, path)
            yield from _target_errors(target, place)
            if "averageValue" not in target:
                yield required(place / "averageValue", "must specify a positive target averageValue")
        case _:
            yield from _resource_errors(source, path, of_container=name == "containerResource")
            yield from _target_errors(target, place)
            yield from _utilization_errors(target, place)


def _external_errors(target: JSONObject, path: Path) -> Iterator[FieldError]:
    if "value" not in target and "averageValue" not in target:
        yield required(path / "averageValue", "must set either a target value for metric or a per-pod target")
    if "value" in target and "averageValue" in target:
        yield forbidden(path / "value", "may not set both a target value for metric and a per-pod target")


def _utilization_errors(target: JSONObject, path: Path) -> Iterator[FieldError]:
    if "averageUtilization" not in target and "averageValue" not in target:
        yield required(path / "averageUtilization", "must set either a target raw value or a target utilization")
    if "averageUtilization" in target and "averageValue" in target:
        yield forbidden(path / "averageValue", "may not set both a target raw value and a target utilization")


def _resource_errors(source: JSONObject, path: Path, *, of_container: bool) -> Iterator[FieldError]:
    name, container = source.get("name", ""), source.get("container", "")
    if not name:
        yield required(path / "name", "must specify a resource name")
    elif of_container:
        yield from container_resource_name_errors(name, path / "name")
    if not of_container:
        return
    if not container:
        yield required(path / "container", "must specify a container")
    else:
        yield from (invalid(path / "container", container, problem) for problem in dns1123_label(container))


def _named_errors(source: JSONObject, path: Path) -> Iterator[FieldError]:
    name, place = (source.get("metric") or {}).get("name", ""), path / "metric" / "name"
    if not name:
        yield required(place, "must specify a metric name")
    yield from (invalid(place, name, problem) for problem in path_segment_name(name))


def _target_errors(target: JSONObject, path: Path) -> Iterator[FieldError]:
    kind = target.get("type", "")
    if not kind:
        yield required(path / "type", "must specify a metric target type")
    if kind not in ("Utilization", "Value", "AverageValue"):
        yield invalid(path / "type", kind, "must be either Utilization, Value, or AverageValue")
    for name in ("value", "averageValue"):
        if name in target and parse(target[name]).sign != 1:
            yield invalid(path / name, target[name], "must be positive")
    utilization = target.get("averageUtilization")
    if utilization is not None and utilization < 1:
        yield invalid(path / "averageUtilization", utilization, "must be greater than 0")
