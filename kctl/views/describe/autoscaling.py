"""Horizontal pod autoscalers. Kubernetes: describeHorizontalPodAutoscalerV2.

Disruption budgets and priority classes. Kubernetes: describePodDisruptionBudgetV1, describePriorityClass.
"""

from __future__ import annotations

from kctl.views.describe.page import (
    Page,
    Source,
    annotation_lines,
    events,
    full_time,
    labels,
    labels_text,
    of,
)
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_text

_UNKNOWN = "<unknown>"
_FIELDS = {
    "External": "external",
    "Pods": "pods",
    "Object": "object",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}


async def autoscaler(page: Page, obj: JSONObject, source: Source) -> None:
    """Always version 2, whichever was asked for: version 1 can't say everything."""
    metadata = of(obj, "metadata")
    if obj.get("apiVersion") != "autoscaling/v2":
        place = ("autoscaling", "v2", "horizontalpodautoscalers", metadata.get("namespace", ""))
        try:
            obj = await source.get(*place, metadata.get("name", ""))
        except APIError:
            await _version_1(page, obj, source)
            return
    spec, status = of(obj, "spec"), of(obj, "status")
    _heading(page, obj)
    page.line("Metrics:\t( current / target )")
    current = status.get("currentMetrics") or []
    for number, metric in enumerate(spec.get("metrics") or ()):
        _metric(page, metric, current[number] if number < len(current) else {})
    _bounds(page, spec)
    if (behavior := spec.get("behavior")) is not None:
        page.line("Behavior:")
        _direction(page, "Scale Up", behavior.get("scaleUp"))
        _direction(page, "Scale Down", behavior.get("scaleDown"))
    _replicas(page, spec, status)
    if every := status.get("conditions"):
        page.line("Conditions:")
        page.line("Type\tStatus\tReason\tMessage", level=1)
        page.line("----\t------\t------\t-------", level=1)
        for one in every:
            page.line("\t".join(str(one.get(field, "")) for field in ("type", "status", "reason", "message")), level=1)
    events(page, await source.events(obj))


async def _version_1(page: Page, obj: JSONObject, source: Source) -> None:
    spec, status = of(obj, "spec"), of(obj, "status")
    _heading(page, obj)
    if spec.get("targetCPUUtilizationPercentage") is not None:
        page.field("Target CPU utilization", f"{spec['targetCPUUtilizationPercentage']}%")
        page.field("Current CPU utilization", f"{status.get('currentCPUUtilizationPercentage', _UNKNOWN)}%")
    _bounds(page, spec)
    _replicas(page, spec, status)
    events(page, await source.events(obj))


def _heading(page: Page, obj: JSONObject) -> None:
    metadata, target = of(obj, "metadata"), of(obj, "spec", "scaleTargetRef")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    page.field("CreationTimestamp", full_time(metadata.get("creationTimestamp")))
    page.field("Reference", f"{target.get('kind', '')}/{target.get('name', '')}")


def _bounds(page: Page, spec: JSONObject) -> None:
    page.field("Min replicas", spec.get("minReplicas", "<unset>"))
    page.field("Max replicas", spec.get("maxReplicas", 0))


def _replicas(page: Page, spec: JSONObject, status: JSONObject) -> None:
    counts = f"{status.get('currentReplicas') or 0} current / {status.get('desiredReplicas') or 0} desired"
    page.field(f"{of(spec, 'scaleTargetRef').get('kind', '')} pods", counts)


def _metric(page: Page, metric: JSONObject, current: JSONObject) -> None:
    kind = str(metric.get("type", ""))
    if kind not in _FIELDS:
        page.line(f"<unknown metric type {go_quote(kind)}>", level=1)
        return
    wanted, found = of(metric, _FIELDS[kind]), current.get(_FIELDS[kind])
    target, now = of(wanted, "target"), of(found, "current")
    name = of(wanted, "metric").get("name", "")
    averaged = target.get("averageValue") is not None
    field = "averageValue" if averaged else "value"
    match kind:
        case "Pods":
            title = f"{go_quote(name)} on pods"
        case "External":
            title = f"{go_quote(name)} (target {'average ' if averaged else ''}value)"
        case "Object":
            averaged = target.get("type") == "AverageValue"
            field = "averageValue" if averaged else "value"
            described = of(wanted, "describedObject")
            about = f"{described.get('kind', '')}/{described.get('name', '')}"
            title = f'"{name}" on {about} (target {"average " if averaged else ""}value)'
        case _:
            _resource(page, wanted, target, now, averaged=averaged)
            return
    shown = now.get(field, _UNKNOWN if averaged and kind == "External" else "<nil>") if found else _UNKNOWN
    page.field(title, f"{shown} / {target.get(field, '<nil>')}", level=1)


def _resource(page: Page, wanted: JSONObject, target: JSONObject, now: JSONObject, *, averaged: bool) -> None:
    container = f' of container "{wanted["container"]}"' if "container" in wanted else ""
    title = f"resource {wanted.get('name', '')}{container} on pods"
    if averaged:
        page.field(title, f"{now.get('averageValue', _UNKNOWN)} / {target['averageValue']}", level=1)
        return
    shown = _UNKNOWN
    if now.get("averageUtilization") is not None:
        shown = f"{now['averageUtilization']}% ({now.get('averageValue', '<nil>')})"
    share = target.get("averageUtilization")
    # Two spaces stand between: what follows is written at a level of its own.
    page.field(
        f"{title}  (as a percentage of request)", f"{shown} / {'<auto>' if share is None else f'{share}%'}", level=1
    )


def _direction(page: Page, title: str, rules: JSONObject | None) -> None:
    if rules is None:
        return
    page.line(f"{title}:", level=1)
    if rules.get("stabilizationWindowSeconds") is not None:
        page.line(f"Stabilization Window: {rules['stabilizationWindowSeconds']} seconds", level=2)
    if policies := rules.get("policies"):
        page.line(f"Select Policy: {rules.get('selectPolicy') or 'Max'}", level=2)
        page.line("Policies:", level=2)
        for one in policies:
            period = f"Period: {one.get('periodSeconds', 0)} seconds"
            page.line(f"- Type: {one.get('type', '')}\tValue: {one.get('value', 0)}\t{period}", level=3)


async def disruption_budget(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec, status = of(obj, "metadata"), of(obj, "spec"), of(obj, "status")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    if spec.get("minAvailable") is not None:
        page.field("Min available", spec["minAvailable"])
    elif spec.get("maxUnavailable") is not None:
        page.field("Max unavailable", spec["maxUnavailable"])
    selector = spec.get("selector")
    page.field("Selector", "<unset>" if selector is None else selector_text(selector))
    page.line("Status:")
    for title, field in (
        ("Allowed disruptions", "disruptionsAllowed"),
        ("Current", "currentHealthy"),
        ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ):
        page.field(title, status.get(field) or 0, level=2)
    events(page, await source.events(obj))


async def priority_class(page: Page, obj: JSONObject, source: Source) -> None:
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    page.field("Value", obj.get("value") or 0)
    page.field("GlobalDefault", "true" if obj.get("globalDefault") else "false")
    page.field("PreemptionPolicy", obj.get("preemptionPolicy", ""))
    page.field("Description", obj.get("description", ""))
    page.field("Annotations", labels_text(metadata.get("annotations")))
    events(page, await source.events(obj))
