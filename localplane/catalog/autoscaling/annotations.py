"""Where v1 keeps what it has no fields for. Kubernetes: pkg/apis/autoscaling, annotations.go and helpers.go."""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.objects import JSONObject

_ANNOTATIONS = "autoscaling.alpha.kubernetes.io/"
METRICS: Final = f"{_ANNOTATIONS}metrics"
STATUSES: Final = f"{_ANNOTATIONS}current-metrics"
CONDITIONS: Final = f"{_ANNOTATIONS}conditions"
BEHAVIOR: Final = f"{_ANNOTATIONS}behavior"
_ROUND_TRIP = (
    *(METRICS, STATUSES, CONDITIONS, BEHAVIOR),
    *(f"{_ANNOTATIONS}scale-down-tolerance", f"{_ANNOTATIONS}scale-up-tolerance"),
)


def drop_round_trip_annotations(obj: JSONObject) -> None:
    metadata = obj.get("metadata") or {}
    if "annotations" not in metadata:
        return
    left = {key: value for key, value in metadata["annotations"].items() if key not in _ROUND_TRIP}
    if left:
        metadata["annotations"] = left
    else:
        del metadata["annotations"]
