"""Disruption budgets and priority classes. Kubernetes: describePodDisruptionBudgetV1, describePriorityClass."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

from .events import events
from .metadata import labels_text, of, selector_text
from .page import Page
from .source import Source


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
