"""The row of an event in a table. Kubernetes: pkg/printers/internalversion, printEvent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.times import age


def event_cells(obj: dict[str, Any]) -> list[Any]:
    series, involved = obj.get("series"), obj.get("involvedObject") or {}
    first = age(obj.get("firstTimestamp") or obj.get("eventTime"))
    last = age(obj["lastTimestamp"]) if obj.get("lastTimestamp") else first
    count = obj.get("count") or 1
    if series is not None:
        last, count = age(series.get("lastObservedTime")), series.get("count") or 0
    kind = str(involved.get("kind", "")).lower()
    return [
        last,
        obj.get("type") or "",
        obj.get("reason") or "",
        f"{kind}/{involved['name']}" if involved.get("name") else kind,
        involved.get("fieldPath", ""),
        _source(obj),
        (obj.get("message") or "").strip(),
        first,
        count,
        (obj.get("metadata") or {}).get("name", ""),
    ]


def _source(obj: Mapping[str, Any]) -> str:
    """Which program, and where it runs."""
    source = obj.get("source") or {}
    component = source.get("component") or obj.get("reportingComponent") or ""
    instance = source.get("host") or obj.get("reportingInstance") or ""
    return f"{component}, {instance}" if instance else str(component)
