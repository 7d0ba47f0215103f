"""Horizontal pod autoscalers. Kubernetes: pkg/apis/autoscaling, pkg/registry/autoscaling/horizontalpodautoscaler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import Conversion, builtin
from localplane.catalog.strategy import BuiltinStatusStrategy, BuiltinStrategy
from localplane.catalog.validation import values
from localplane.catalog.validation.rules import (
    NOT_NEGATIVE,
    All,
    Always,
    AtLeast,
    Counts,
    Each,
    Fields,
    OneOf,
    Required,
    Rule,
)

from .defaults import default_v1, default_v2
from .metrics import metrics_errors, metrics_text, reference_errors, version_problem
from .v1 import from_hub, to_hub

_SPEC = Path("spec")


def _at_most(most: int) -> Rule:
    def errors(seconds: int, path: Path) -> Iterator[FieldError]:
        if seconds > most:
            yield invalid(path, seconds, f"must be less than or equal to {most}")

    return errors


def _tolerance_errors(tolerance: str, path: Path) -> Iterator[FieldError]:
    if parse(tolerance).sign < 0:
        yield invalid(path, tolerance, values.NOT_NEGATIVE)


_POSITIVE = AtLeast(1, "must be greater than zero")
_SCALING = Fields(
    stabilizationWindowSeconds=All(AtLeast(0, "must be greater than or equal to zero"), _at_most(3600)),
    selectPolicy=OneOf("Disabled", "Max", "Min"),
    policies=Required(
        Each(
            Fields(
                type=Always(OneOf("Percent", "Pods")),
                value=Always(_POSITIVE, absent=0),
                periodSeconds=Always(_POSITIVE, _at_most(1800), absent=0),
            )
        ),
        detail="must specify at least one Policy",
    ),
    tolerance=_tolerance_errors,
)
_BEHAVIOR = Fields(behavior=Fields(scaleUp=_SCALING, scaleDown=_SCALING))


def _spec_errors(spec: JSONObject, before: JSONObject | None) -> Iterator[FieldError]:
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and most < least:
        yield invalid(_SPEC / "maxReplicas", most, "must be greater than or equal to `minReplicas`")
    yield from _target_errors(spec.get("scaleTargetRef") or {}, before, _SPEC / "scaleTargetRef")
    metrics = spec.get("metrics") or []
    yield from metrics_errors(metrics, _SPEC / "metrics", forgive_versions=_had_bad_versions(before))
    if least == 0 and not any(metric.get("type") in ("Object", "External") for metric in metrics):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        yield forbidden(_SPEC / "metrics", detail)
    yield from _BEHAVIOR(spec, _SPEC)
    yield from _count_errors(least, most, before)


def _count_errors(least: int | None, most: int, before: JSONObject | None) -> Iterator[FieldError]:
    """Said last and shortly, by rules that come with the type and look only at what changes."""
    if least is not None and least < 0 and (before is None or before.get("minReplicas") != least):
        yield invalid(_SPEC / "minReplicas", least, "must be greater than or equal to 0")
    if before is not None and (before.get("maxReplicas") or 0) == most:
        return
    if most == 0:
        yield required(_SPEC / "maxReplicas")
    elif most < 0:
        yield invalid(_SPEC / "maxReplicas", most, "must be greater than or equal to 1")


def _target_errors(target: JSONObject, before: JSONObject | None, path: Path) -> Iterator[FieldError]:
    """What was said of the target's kind before may be said again. Replication controllers are the only ones to scale
    in the group without a name."""
    was = (before.get("scaleTargetRef") or {}) if before is not None else {}
    same_kind = all(was.get(name, "") == target.get(name, "") for name in ("apiVersion", "kind"))
    yield from reference_errors(
        target,
        path,
        skip_version=before is not None and same_kind,
        allow_core=target.get("kind") == "ReplicationController",
    )


def _had_bad_versions(before: JSONObject | None) -> bool:
    described = (
        (metric.get("object") or {}).get("describedObject") or {}
        for metric in (before or {}).get("metrics") or ()
        if metric.get("type") == "Object" and "object" in metric
    )
    return any(version_problem(reference, allow_core=True) for reference in described)


class HorizontalPodAutoscalerStrategy(BuiltinStrategy):
    allow_unconditional_update = True

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        """Whatever version it came in, it starts with a status of the hub's shape."""
        obj["status"] = {"desiredReplicas": 0}

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        return _spec_errors(obj["spec"], None if old is None else old["spec"])


class HorizontalPodAutoscalerStatusStrategy(BuiltinStatusStrategy):
    rules = Fields(
        conditions=Each(Counts("observedGeneration")),
        currentReplicas=NOT_NEGATIVE,
        desiredReplicas=NOT_NEGATIVE,
    )


def autoscaler_cells(obj: JSONObject) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    target = spec.get("scaleTargetRef") or {}
    least = spec.get("minReplicas")
    return [
        metadata.get("name", ""),
        f"{target.get('kind', '')}/{target.get('name', '')}",
        metrics_text(spec.get("metrics") or [], status.get("currentMetrics") or []),
        "<unset>" if least is None else str(least),
        spec.get("maxReplicas") or 0,
        status.get("currentReplicas") or 0,
        age(metadata.get("creationTimestamp")),
    ]


def autoscaler_cells_of_v1(obj: JSONObject) -> list[Any]:
    """A row is made of the hub's shape, which has all the metrics."""
    hub = to_hub(obj | {"metadata": dict(obj["metadata"])})
    return autoscaler_cells(hub)


HORIZONTAL_POD_AUTOSCALERS = builtin(
    "autoscaling/horizontalpodautoscalers",
    strategy=HorizontalPodAutoscalerStrategy(),
    status_strategy=HorizontalPodAutoscalerStatusStrategy,
    default={"v1": default_v1, "v2": default_v2},
    cells={"v1": autoscaler_cells_of_v1, "v2": autoscaler_cells},
    conversions={"v1": Conversion(to_hub, from_hub)},
)
