"""Metrics and what was measured, as v1 keeps them in annotations: older types, with names of their own.

Kubernetes: pkg/apis/autoscaling/v1/conversion.go.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import InvalidQuantity, parse
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.json import parse_json

_ORDER = ("object", "pods", "resource", "containerResource", "external")


def read_list(text: str | None) -> list[JSONObject] | None:
    """The objects in an annotation; None if there is none, or none that can be read."""
    if text is None:
        return None
    try:
        found = parse_json(text.encode()).value
    except SerializationError:
        return None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        return None
    return found


def metric_to_v1(metric: JSONObject) -> JSONObject:
    return {"type": metric.get("type", "")} | {
        name: _source_to_v1(name, metric[name]) for name in _ORDER if metric.get(name) is not None
    }


def _source_to_v1(name: str, source: JSONObject) -> JSONObject:
    target, metric = _object(source, "target"), _object(source, "metric")
    called, selector = metric.get("name", ""), metric.get("selector")
    value, average = target.get("value"), target.get("averageValue")
    match name:
        case "object":
            shown: JSONObject = {"target": _reference(_object(source, "describedObject")), "metricName": called}
            return _set(shown | {"targetValue": value or "0"}, selector=selector, averageValue=average)
        case "pods":
            return _set({"metricName": called, "targetAverageValue": average or "0"}, selector=selector)
        case "external":
            return _set({"metricName": called}, metricSelector=selector, targetValue=value, targetAverageValue=average)
        case _:
            return _set(
                {"name": source.get("name", "")},
                targetAverageUtilization=target.get("averageUtilization"),
                targetAverageValue=average,
                container=source.get("container", "") if name == "containerResource" else None,
            )


def metric_from_v1(metric: JSONObject) -> JSONObject:
    return {"type": metric.get("type", "")} | {
        name: _source_from_v1(name, metric[name]) for name in _ORDER if isinstance(metric.get(name), dict)
    }


def _source_from_v1(name: str, source: JSONObject) -> JSONObject:
    match name:
        case "object":
            target = _object_target(source)
            return {
                "describedObject": _reference(_object(source, "target")),
                "target": target,
                "metric": _identifier(source, "selector"),
            }
        case "pods":
            average = source.get("targetAverageValue", "0")
            return {
                "metric": _identifier(source, "selector"),
                "target": {"type": "AverageValue", "averageValue": average},
            }
        case "external":
            value, average = source.get("targetValue"), source.get("targetAverageValue")
            kind = "AverageValue" if value is None else "Value"
            target = _set({"type": kind}, value=value, averageValue=average)
            return {"metric": _identifier(source, "metricSelector"), "target": target}
        case _:
            utilization, average = source.get("targetAverageUtilization"), source.get("targetAverageValue")
            kind = "AverageValue" if utilization is None else "Utilization"
            target = _set({"type": kind}, averageValue=average, averageUtilization=utilization)
            shown: JSONObject = {"name": source.get("name", ""), "target": target}
            return shown | ({"container": source.get("container", "")} if name == "containerResource" else {})


def _object_target(source: JSONObject) -> JSONObject:
    """v1 can't leave a value out: beside an average, none is what zero means."""
    value, average = source.get("targetValue", "0"), source.get("averageValue")
    if average is None:
        return {"type": "Value", "value": value}
    return _set({"type": "AverageValue"}, value=None if _is_zero(value) else value, averageValue=average)


def _is_zero(value: Any) -> bool:
    try:
        return parse(str(value)).sign == 0
    except InvalidQuantity:
        return False


def status_to_v1(status: JSONObject) -> JSONObject:
    return {"type": status.get("type", "")} | {
        name: _measured_to_v1(name, status[name]) for name in _ORDER if status.get(name) is not None
    }


def _measured_to_v1(name: str, source: JSONObject) -> JSONObject:
    current, metric = _object(source, "current"), _object(source, "metric")
    called, selector = metric.get("name", ""), metric.get("selector")
    value, average = current.get("value") or "0", current.get("averageValue")
    match name:
        case "object":
            shown: JSONObject = {"target": _reference(_object(source, "describedObject")), "metricName": called}
            return _set(shown | {"currentValue": value}, selector=selector, averageValue=average)
        case "pods":
            return _set({"metricName": called, "currentAverageValue": average or "0"}, selector=selector)
        case "external":
            shown = _set({"metricName": called}, metricSelector=selector)
            return _set(shown | {"currentValue": value}, currentAverageValue=average)
        case _:
            shown = _set({"name": source.get("name", "")}, currentAverageUtilization=current.get("averageUtilization"))
            container = source.get("container", "") if name == "containerResource" else None
            return _set(shown | {"currentAverageValue": average or "0"}, container=container)


def status_from_v1(status: JSONObject) -> JSONObject:
    return {"type": status.get("type", "")} | {
        name: _measured_from_v1(name, status[name]) for name in _ORDER if isinstance(status.get(name), dict)
    }


def _measured_from_v1(name: str, source: JSONObject) -> JSONObject:
    value = source.get("currentValue", "0")
    match name:
        case "object":
            return {
                "describedObject": _reference(_object(source, "target")),
                "current": _set({"value": value}, averageValue=source.get("averageValue")),
                "metric": _identifier(source, "selector"),
            }
        case "pods":
            average = source.get("currentAverageValue", "0")
            return {"metric": _identifier(source, "selector"), "current": {"averageValue": average}}
        case "external":
            current = _set({"value": value}, averageValue=source.get("currentAverageValue"))
            return {"metric": _identifier(source, "metricSelector"), "current": current}
        case _:
            average = source.get("currentAverageValue", "0")
            current = _set({"averageValue": average}, averageUtilization=source.get("currentAverageUtilization"))
            shown: JSONObject = {"name": source.get("name", ""), "current": current}
            return shown | ({"container": source.get("container", "")} if name == "containerResource" else {})


def _identifier(source: JSONObject, selector: str) -> JSONObject:
    return _set({"name": source.get("metricName", "")}, selector=source.get(selector))


def _reference(reference: JSONObject) -> JSONObject:
    shown: JSONObject = {"kind": reference.get("kind", ""), "name": reference.get("name", "")}
    return shown | ({"apiVersion": reference["apiVersion"]} if reference.get("apiVersion") else {})


def _set(shown: JSONObject, **others: Any) -> JSONObject:
    """With those of the others that there are, behind it."""
    return shown | {name: value for name, value in others.items() if value is not None}


def _object(source: JSONObject, name: str) -> JSONObject:
    found = source.get(name)
    return found if isinstance(found, dict) else {}
