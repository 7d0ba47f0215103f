"""autoscaling/v1: one number for CPU, and all else in annotations, so that nothing is lost on the way.

What is in them has the form that Kubernetes' own types give it, order and all: clients compare annotations as text.
Kubernetes: pkg/apis/autoscaling/v1/conversion.go.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import DecodeError
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.json import parse_json
from localplane.catalog import schemas

from .annotations import BEHAVIOR, CONDITIONS, METRICS, STATUSES, drop_round_trip_annotations
from .defaults import CPU_UTILIZATION, cpu_metric
from .v1_metrics import metric_from_v1, metric_to_v1, read_list, status_from_v1, status_to_v1


def to_hub(obj: JSONObject) -> JSONObject:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    spec, status = dict(obj.get("spec") or {}), dict(obj.get("status") or {})
    utilization = spec.pop("targetCPUUtilizationPercentage", None)
    metrics = [cpu_metric(utilization)] if utilization is not None else []
    others = _typed("spec", "metrics", map(metric_from_v1, read_list(annotations.get(METRICS)) or ()))
    spec["metrics"] = [*(others or ()), *metrics] or [cpu_metric(CPU_UTILIZATION)]
    if behavior := _typed("spec", "behavior", behavior_from_text(annotations.get(BEHAVIOR))):
        spec["behavior"] = behavior
    used = status.pop("currentCPUUtilizationPercentage", None)
    if used is not None:
        current = {"averageUtilization": used}
        status["currentMetrics"] = [{"type": "Resource", "resource": {"name": "cpu", "current": current}}]
    statuses = _typed("status", "currentMetrics", map(status_from_v1, read_list(annotations.get(STATUSES)) or ()))
    if statuses:
        status["currentMetrics"] = statuses
    if conditions := _typed("status", "conditions", read_list(annotations.get(CONDITIONS))):
        status["conditions"] = conditions
    if not status.get("currentReplicas"):
        status.pop("currentReplicas", None)
    hub = obj | {"spec": spec, "status": status}
    drop_round_trip_annotations(hub)
    return hub


def _typed(part: str, name: str, value: Any) -> Any:
    """What an annotation says, read as the hub's type; None if it does not fit, as if it were not there."""
    value = list(value) if isinstance(value, map) else value
    if not value:
        return None
    hub: JSONObject = {"metadata": {}, part: {name: value}}
    try:
        schemas.schema("autoscaling/v2.HorizontalPodAutoscaler").decode(hub, kind="HorizontalPodAutoscaler")
    except DecodeError:
        return None
    return hub[part].get(name)


def from_hub(obj: JSONObject) -> JSONObject:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    metrics = spec.get("metrics") or []
    drop_round_trip_annotations(obj)
    kept: dict[str, str] = {}
    if others := [metric_to_v1(each) for each in metrics if _utilization(each) is None]:
        kept[METRICS] = go_json(others)
    if statuses := status.get("currentMetrics"):
        kept[STATUSES] = go_json(list(map(status_to_v1, statuses)))
    if "behavior" in spec:
        kept[BEHAVIOR] = behavior_text(spec["behavior"])
    if conditions := status.get("conditions"):
        kept[CONDITIONS] = go_json(list(map(_condition, conditions)))
    if kept:
        metadata = obj["metadata"]
        metadata["annotations"] = (metadata.get("annotations") or {}) | kept
    return obj | {"spec": _spec_to_v1(spec), "status": _status_to_v1(status)}


def _spec_to_v1(spec: JSONObject) -> JSONObject:
    shown = {name: value for name, value in spec.items() if name not in ("metrics", "behavior")}
    utilizations = filter(lambda each: each is not None, map(_utilization, spec.get("metrics") or ()))
    if (utilization := next(utilizations, None)) is not None:
        shown["targetCPUUtilizationPercentage"] = utilization
    return shown


def _status_to_v1(status: JSONObject) -> JSONObject:
    shown = {"currentReplicas": 0, "desiredReplicas": 0} | {
        name: value for name, value in status.items() if name not in ("currentMetrics", "conditions")
    }
    for metric in status.get("currentMetrics") or ():
        resource = metric.get("resource") or {}
        used = (resource.get("current") or {}).get("averageUtilization")
        if metric.get("type") == "Resource" and resource.get("name") == "cpu" and used is not None:
            shown["currentCPUUtilizationPercentage"] = used
    return shown


def _utilization(metric: JSONObject) -> int | None:
    """The share of CPU that a metric asks for, if that is what it does: v1 has a field for it."""
    resource = metric.get("resource") or {}
    if metric.get("type") != "Resource" or resource.get("name") != "cpu":
        return None
    found: int | None = (resource.get("target") or {}).get("averageUtilization")
    return found


def _condition(condition: JSONObject) -> JSONObject:
    shown: JSONObject = {
        "type": condition.get("type", ""),
        "status": condition.get("status", ""),
        "lastTransitionTime": condition.get("lastTransitionTime"),
    }
    others = ("reason", "message", "observedGeneration")
    return shown | {name: condition[name] for name in others if condition.get(name) not in (None, "")}


# The behaviour of an autoscaler as v1 keeps it: the internal Go type as JSON, with its Go names.
#
# Go reads names in any case, and so do we. Kubernetes: pkg/apis/autoscaling/v1/conversion.go.

_RULES = ("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
_POLICY = ("type", "value", "periodSeconds")
_ZERO_POLICY: JSONObject = {"type": "", "value": 0, "periodSeconds": 0}


def behavior_text(behavior: JSONObject) -> str:
    return go_json({_go_name(name): _shown_rules(behavior.get(name)) for name in ("scaleUp", "scaleDown")})


def _shown_rules(rules: JSONObject | None) -> JSONObject | None:
    if rules is None:
        return None
    shown = {_go_name(name): rules.get(name) for name in _RULES}
    if rules.get("policies") is not None:
        shown["Policies"] = [
            {_go_name(name): policy.get(name, _ZERO_POLICY[name]) for name in _POLICY} for policy in rules["policies"]
        ]
    return shown


def _go_name(name: str) -> str:
    return name[0].upper() + name[1:]


def behavior_from_text(text: str | None) -> JSONObject | None:
    """None if there is none, or none that can be read."""
    if text is None:
        return None
    try:
        found = parse_json(text.encode()).value
    except SerializationError:
        return None
    if not isinstance(found, dict):
        return None
    behavior = _known(found, ("scaleUp", "scaleDown"))
    rules = {name: _known(value, _RULES) for name, value in behavior.items() if isinstance(value, dict)}
    for each in rules.values():
        if isinstance(each.get("policies"), list):
            each["policies"] = [
                _ZERO_POLICY | _known(policy, _POLICY) for policy in each["policies"] if isinstance(policy, dict)
            ]
    return rules or None


def _known(value: JSONObject, names: tuple[str, ...]) -> JSONObject:
    """The fields of these names, however they are written, that hold something."""
    by_lower = {name.lower(): name for name in names}
    found = ((by_lower.get(str(key).lower()), each) for key, each in value.items())
    return {name: each for name, each in found if name is not None and each is not None}
