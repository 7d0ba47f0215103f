"""What happened to an object. Kubernetes: DescribeEvents, searchEvents."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.objects import JSONObject

from .metadata import since
from .page import Page


def events(page: Page, found: Sequence[JSONObject] | None) -> None:
    """None where nobody asked for them."""
    if found is None:
        return
    if not found:
        page.line("Events:\t<none>")
        return
    page.end_columns()
    page.line("Events:\n  Type\tReason\tAge\tFrom\tMessage")
    page.line("----\t------\t----\t----\t-------", level=1)
    for event in sorted(found, key=lambda one: str(one.get("lastTimestamp") or "")):
        message = str(event.get("message") or "").strip()
        if path := (event.get("involvedObject") or {}).get("fieldPath"):
            message = f"{path}: {message}"
        source = (event.get("source") or {}).get("component") or event.get("reportingComponent") or ""
        cells = (event.get("type") or "", event.get("reason") or "", interval(event), source, message)
        page.line("\t".join(map(str, cells)), level=1)


def interval(event: JSONObject) -> str:
    """How long ago, how often, over how long."""
    first = since(event.get("eventTime") or event.get("firstTimestamp"))
    if series := event.get("series"):
        return f"{since(series.get('lastObservedTime'))} (x{series.get('count', 0)} over {first})"
    count = event.get("count") or 0
    return f"{since(event.get('lastTimestamp'))} (x{count} over {first})" if count > 1 else first
