"""What an autoscaler is filled up with. Kubernetes: pkg/apis/autoscaling/{v1,v2}/defaults.go."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

from .annotations import drop_round_trip_annotations

CPU_UTILIZATION = 80
_SCALE_UP: JSONObject = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
_SCALE_DOWN: JSONObject = {
    "selectPolicy": "Max",
    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
}


def default_v1(obj: JSONObject) -> None:
    """How much CPU is enough is settled on the way to the hub, where all metrics are known."""
    obj.setdefault("spec", {}).setdefault("minReplicas", 1)


def default_v2(obj: JSONObject) -> None:
    """It has fields for all that other versions keep in annotations, so those are not for it."""
    drop_round_trip_annotations(obj)
    spec = obj.setdefault("spec", {})
    spec.setdefault("minReplicas", 1)
    if not spec.get("metrics"):
        spec["metrics"] = [cpu_metric(CPU_UTILIZATION)]
    behavior = spec.get("behavior")
    if behavior is not None:
        for direction, rules in (("scaleUp", _SCALE_UP), ("scaleDown", _SCALE_DOWN)):
            behavior[direction] = _filled(behavior.get(direction) or {}, rules)


def cpu_metric(utilization: int) -> JSONObject:
    target = {"type": "Utilization", "averageUtilization": utilization}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def _filled(given: JSONObject, rules: JSONObject) -> JSONObject:
    filled = {name: value for name, value in rules.items() if name != "policies"} | given
    if "policies" not in given:
        filled["policies"] = [dict(policy) for policy in rules["policies"]]
    return filled
