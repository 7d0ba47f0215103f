"""What an autoscaler looks at, in short: `cpu: 10%/50%`. Kubernetes: pkg/printers/internalversion, formatHPAMetrics."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

_UNKNOWN = "<unknown>"
_SHOWN = 2
_SOURCES = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


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
