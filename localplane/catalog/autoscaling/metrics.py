"""The metrics that an autoscaler looks at: one source each, and a target for it. In short: `cpu: 10%/50%`.

Kubernetes: pkg/apis/autoscaling/validation, validateMetrics; pkg/printers/internalversion, formatHPAMetrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.catalog.core.pods.validation.resources import container_resource_name_errors
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    Always,
    AtLeast,
    Fields,
    Named,
    NotEmpty,
    OneOf,
    Present,
    Required,
    Struct,
)

_SOURCES = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_TYPES = sorted(_SOURCES)
_UNKNOWN = "<unknown>"
_SHOWN = 2

_REFERENCE = Fields(
    kind=Always(NotEmpty(), Named(path_segment_name)),
    name=Always(NotEmpty(), Named(path_segment_name)),
)


def reference_errors(
    reference: JSONObject, path: Path, *, skip_version: bool, allow_core: bool
) -> Iterator[FieldError]:
    """To an object of whatever kind and version. Kubernetes: ValidateCrossVersionObjectReference."""
    yield from _REFERENCE(reference, path)
    if not skip_version and (problem := version_problem(reference, allow_core=allow_core)):
        yield invalid(path / "apiVersion", reference.get("apiVersion", ""), problem)


def version_problem(reference: JSONObject, *, allow_core: bool) -> str:
    """What is wrong with its apiVersion; nothing if it is good. `allow_core` lets one without a group pass."""
    try:
        version = GroupVersion.parse(reference.get("apiVersion", ""))
    except ValueError as error:
        return str(error)
    return "" if version.group or allow_core else "apiVersion must specify API group"


def _positive_errors(quantity: str, path: Path) -> Iterator[FieldError]:
    if parse(quantity).sign != 1:
        yield invalid(path, quantity, "must be positive")


def _object_errors(target: JSONObject, path: Path) -> Iterator[FieldError]:
    if "value" not in target and "averageValue" not in target:
        yield required(path / "averageValue", "must set either a target value or averageValue")


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


_TARGET = Fields(
    type=Always(
        NotEmpty("must specify a metric target type"),
        OneOf("Utilization", "Value", "AverageValue", detail="must be either Utilization, Value, or AverageValue"),
    ),
    value=_positive_errors,
    averageValue=_positive_errors,
    averageUtilization=AtLeast(1, "must be greater than 0"),
)
_METRIC = Struct(Fields(name=Always(NotEmpty("must specify a metric name"), Named(path_segment_name))))
_PODS_TARGET = Fields(averageValue=Present(detail="must specify a positive target averageValue"))
_RESOURCE_TARGET = Struct(_TARGET, _utilization_errors)

_RULES = {
    "object": Fields(metric=_METRIC, target=Struct(_TARGET, _object_errors)),
    "external": Fields(metric=_METRIC, target=Struct(_TARGET, _external_errors)),
    "pods": Fields(metric=_METRIC, target=Struct(_TARGET, _PODS_TARGET)),
    "resource": Fields(name=Required(detail="must specify a resource name"), target=_RESOURCE_TARGET),
    "containerResource": Fields(
        name=Required(container_resource_name_errors, detail="must specify a resource name"),
        container=Required(DNS_LABEL, detail="must specify a container"),
        target=_RESOURCE_TARGET,
    ),
}
"""What each source is asked."""


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
        source, place = metric[present[0]], path / present[0]
        if present[0] == "object":
            described = source.get("describedObject") or {}
            yield from reference_errors(
                described, place / "describedObject", skip_version=forgive_versions, allow_core=True
            )
        yield from _RULES[present[0]](source, place)
    expected = _SOURCES.get(kind, "")
    if not expected:
        yield not_supported(path / "type", kind, _TYPES)
    elif expected not in metric:
        yield required(path / expected, "must populate information for the given metric source")
    if len(present) != 1:
        for name in present:
            if name != expected:
                yield forbidden(path / name, "must populate the given metric source only")


def metrics_text(metrics: list[JSONObject], statuses: list[JSONObject]) -> str:
    """Each with what is and what should be. A few are shown, the others counted."""
    if not metrics:
        return "<none>"
    padded: list[JSONObject] = [*statuses, *({} for _ in range(len(metrics) - len(statuses)))]
    texts = [_metric(metric, status) for metric, status in zip(metrics, padded, strict=False)]
    text = ", ".join(texts[:_SHOWN])
    return f"{text} + {len(texts) - _SHOWN} more..." if len(texts) > _SHOWN else text


def _metric(metric: JSONObject, status: JSONObject) -> str:
    kind = _SOURCES.get(metric.get("type", ""))
    if kind is None:
        return "<unknown type>"
    source, measured = metric.get(kind) or {}, status.get(kind)
    target, current = source.get("target") or {}, (measured or {}).get("current") or {}
    match kind:
        case "pods":
            return f"{_amount(measured, current, 'averageValue')}/{target.get('averageValue', '')}"
        case "external" | "object":
            if "averageValue" in target:
                return f"{current.get('averageValue', _UNKNOWN)}/{target['averageValue']} (avg)"
            return f"{_amount(measured, current, 'value')}/{target.get('value', '')}"
        case _:
            return f"{source.get('name', '')}: {_resource(target, measured, current)}"


def _amount(measured: JSONObject | None, current: JSONObject, name: str) -> str:
    """A quantity that was measured without a word of it is none."""
    return _UNKNOWN if measured is None else str(current.get(name, "0"))


def _resource(target: JSONObject, measured: JSONObject | None, current: JSONObject) -> str:
    if "averageValue" in target:
        return f"{_amount(measured, current, 'averageValue')}/{target['averageValue']}"
    used, wanted = current.get("averageUtilization"), target.get("averageUtilization")
    return f"{_UNKNOWN if used is None else f'{used}%'}/{'<auto>' if wanted is None else f'{wanted}%'}"
