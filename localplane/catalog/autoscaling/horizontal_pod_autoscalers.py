"""Horizontal pod autoscalers. Kubernetes: pkg/apis/autoscaling, pkg/registry/autoscaling/horizontalpodautoscaler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import Conversion, builtin
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors
from localplane.catalog.validation.values import not_negative

from .defaults import default_v1, default_v2
from .printing import metrics_text
from .v1 import from_hub, to_hub
from .validation import spec_errors


class HorizontalPodAutoscalerStrategy(Strategy):
    validates_schema = False
    allow_unconditional_update = True

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        """Whatever version it came in, it starts with a status of the hub's shape."""
        obj["status"] = {"desiredReplicas": 0}

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_errors(obj, namespaced=True, name=dns1123_subdomain), spec_errors(obj["spec"], None))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), spec_errors(obj["spec"], old["spec"]))


class HorizontalPodAutoscalerStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        status, path = obj.get("status") or {}, Path("status")
        errors = metadata_update_errors(obj, old)
        for index, condition in enumerate(status.get("conditions") or ()):
            place = (path / "conditions")[index] / "observedGeneration"
            errors += not_negative(condition.get("observedGeneration"), place)
        for name in ("currentReplicas", "desiredReplicas"):
            errors += not_negative(status.get(name), path / name)
        return errors


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


_STRATEGY = HorizontalPodAutoscalerStrategy()

HORIZONTAL_POD_AUTOSCALERS = builtin(
    "autoscaling/horizontalpodautoscalers",
    strategy=_STRATEGY,
    status_strategy=HorizontalPodAutoscalerStatusStrategy(_STRATEGY, changes_metadata=True),
    default={"v1": default_v1, "v2": default_v2},
    cells={"v1": autoscaler_cells_of_v1, "v2": autoscaler_cells},
    conversions={"v1": Conversion(to_hub, from_hub)},
)
